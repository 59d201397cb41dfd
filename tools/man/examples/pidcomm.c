// SPDX-License-Identifier: MIT
/*
 * Examples of the manual pages of <pimdimm/pidcomm.h>, as in pimdimm.c. They work
 * on a hypercube of 8 x 4 PEs whose groups, along the first axis, are 4 of 8 members.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pimdimm/pidcomm.h>

static unsigned char input[4][128], output[4][128];
static const void *const from[4] = { input[0], input[1], input[2], input[3] };
static void *const to[4] = { output[0], output[1], output[2], output[3] };

static void check(int ret)
{
	if (ret < 0) {
		fprintf(stderr, "%s\n", pimdimm_errmsg());
		exit(EXIT_FAILURE);
	}
}

static void other_work(void)
{
}

/* example of pidcomm_op_create, pidcomm_op_free, pidcomm_op_fn, pidcomm_op: An operation of one's
 * own: the number with more bits set, the first of equals */
static void more_bits(void *inout, const void *in, size_t count,
		      enum pidcomm_type type, void *ctx)
{
	uint64_t *a = inout;
	const uint64_t *b = in;

	for (size_t i = 0; i < count; i++) {
		if (__builtin_popcountll(b[i]) > __builtin_popcountll(a[i]))
			a[i] = b[i];
	}
}

static void reduce_by_bits(struct pidcomm *hc)
{
	pidcomm_op op;

	check(pidcomm_op_create(more_bits, NULL, &op));
	check(pidcomm_allreduce(hc, "10", 64, 0, 64, PIDCOMM_U64, op));
	pidcomm_op_free(op);
}
/* end of example */

static void create_destroy(struct pimdimm *sys)
{
	/* example of pidcomm_create_on: A hypercube of the PEs of entangled groups 4 to 7 */
	struct pidcomm *half;

	check(pidcomm_create_on(sys, NULL, 4, 4, 2, (const uint32_t[]){ 8, 4 }, &half));
	check(pidcomm_allreduce(half, "11", 8, 0, 8, PIDCOMM_I32, PIDCOMM_SUM));
	pidcomm_destroy(half);
	/* end of example */
	/* example of pidcomm_create, pidcomm_destroy: A hypercube of 8 x 4 PEs */
	const uint32_t dims[] = { 8, 4 };
	struct pidcomm *hc;

	check(pidcomm_create(sys, 2, dims, &hc));
	check(pidcomm_allreduce(hc, "10", 8, 0, 8, PIDCOMM_I32, PIDCOMM_SUM));
	pidcomm_destroy(hc);
	/* end of example */
}

static void groups_of(struct pidcomm *hc)
{
	uint32_t groups, members, group, rank;

	/* example of pidcomm_group_count, pidcomm_group_of: The groups along the first
	 * axis of 8 x 4 PEs, and the place of PE 10 */
	check(pidcomm_group_count(hc, "10", &groups, &members));
	check(pidcomm_group_of(hc, "10", 10, &group, &rank));
	printf("%u groups of %u; PE 10 is member %u of group %u\n", groups, members, rank,
	       group);	/* 4 groups of 8; PE 10 is member 2 of group 1 */
	/* end of example */
	if (groups != 4 || members != 8 || group != 1 || rank != 2)
		exit(EXIT_FAILURE);
}

static void algorithm(struct pidcomm *hc)
{
	/* example of pidcomm_set_algorithm: Two algorithms for one call */
	check(pidcomm_set_algorithm(hc, "allreduce", "ring"));
	check(pidcomm_allreduce(hc, "10", 64, 0, 64, PIDCOMM_I32, PIDCOMM_SUM));
	check(pidcomm_set_algorithm(hc, "allreduce", "auto"));
	check(pidcomm_allreduce(hc, "10", 64, 0, 64, PIDCOMM_I32, PIDCOMM_SUM));
	/* end of example */
}

static void statistics(struct pidcomm *hc)
{
	/* example of pidcomm_stats: What a call moved */
	struct pidcomm_stats stats;

	check(pidcomm_alltoall(hc, "10", 64, 0, 64));
	check(pidcomm_stats(hc, &stats));
	printf("%llu blocks read, %llu written\n",
	       (unsigned long long)stats.mram_blocks_read,
	       (unsigned long long)stats.mram_blocks_written);
	/* end of example */
	if (!stats.mram_blocks_read)
		exit(EXIT_FAILURE);
}

static void types(struct pidcomm *hc)
{
	/* example of pidcomm_type: One vector, reduced as bytes and as floats */
	check(pidcomm_allreduce(hc, "10", 64, 0, 64, PIDCOMM_U8, PIDCOMM_BXOR));
	check(pidcomm_allreduce(hc, "10", 64, 0, 128, PIDCOMM_BF16, PIDCOMM_SUM));
	/* end of example */
}

static void plans(struct pidcomm *hc)
{
	struct pidcomm_plan *plan;

	/* example of pidcomm_plan_run, pidcomm_plan_free: A call that is prepared once and
	 * made a hundred times */
	check(pidcomm_plan_allreduce(hc, "10", 64, 0, 0, PIDCOMM_I32, PIDCOMM_MAX, &plan));
	for (int i = 0; i < 100; i++)
		check(pidcomm_plan_run(plan));
	pidcomm_plan_free(plan);
	/* end of example */
}

static void started(struct pidcomm *hc)
{
	struct pidcomm_plan *plan;

	check(pidcomm_plan_allgather(hc, "10", 64, 0, 64, &plan));
	{
		/* example of pidcomm_plan_start, pidcomm_wait: A plan that runs beside
		 * other work */
		struct pidcomm_request *request;

		check(pidcomm_plan_start(plan, &request));
		other_work();
		check(pidcomm_wait(&request));
		/* end of example */
	}
	pidcomm_plan_free(plan);
}

static void tested(struct pidcomm *hc)
{
	/* example of pidcomm_test: Other work as long as a request runs */
	struct pidcomm_request *request;
	int done = 0;

	check(pidcomm_ialltoall(hc, "10", 64, 0, 64, &request));
	while (!done) {
		other_work();
		check(pidcomm_test(&request, &done));
	}
	/* end of example */
}

static void all_of_them(struct pidcomm *hc)
{
	/* example of pidcomm_waitall: Two requests on disjoint ranges of MRAM */
	struct pidcomm_request *requests[2];

	check(pidcomm_ialltoall(hc, "10", 64, 0, 64, &requests[0]));
	check(pidcomm_iallgather(hc, "10", 64, 128, 192, &requests[1]));
	check(pidcomm_waitall(2, requests));
	/* end of example */
}

static void run_alltoall(struct pidcomm *hc)
{
	struct pidcomm_plan *plan;
	struct pidcomm_request *request;

	/* example of pidcomm_alltoall: 32 PEs in 4 groups of 8 exchange 8 bytes with each
	 * other member */
	check(pidcomm_alltoall(hc, "10", 64, 0, 64));
	/* end of example */
	/* example of pidcomm_plan_alltoall: The call prepared once, and made twice */
	check(pidcomm_plan_alltoall(hc, "10", 64, 0, 64, &plan));
	check(pidcomm_plan_run(plan));
	check(pidcomm_plan_run(plan));
	pidcomm_plan_free(plan);
	/* end of example */
	/* example of pidcomm_ialltoall: The call beside other work */
	check(pidcomm_ialltoall(hc, "10", 64, 0, 64, &request));
	other_work();
	check(pidcomm_wait(&request));
	/* end of example */
}

static void run_reduce_scatter(struct pidcomm *hc)
{
	struct pidcomm_plan *plan;
	struct pidcomm_request *request;

	/* example of pidcomm_reduce_scatter: Each of 8 members gets the sum of one number
	 * of all */
	check(pidcomm_reduce_scatter(hc, "10", 64, 0, 64, PIDCOMM_U64, PIDCOMM_SUM));
	/* end of example */
	/* example of pidcomm_plan_reduce_scatter: The call prepared once, and made twice */
	check(pidcomm_plan_reduce_scatter(hc, "10", 64, 0, 64, PIDCOMM_U64, PIDCOMM_SUM, &plan));
	check(pidcomm_plan_run(plan));
	check(pidcomm_plan_run(plan));
	pidcomm_plan_free(plan);
	/* end of example */
	/* example of pidcomm_ireduce_scatter: The call beside other work */
	check(pidcomm_ireduce_scatter(hc, "10", 64, 0, 64, PIDCOMM_U64, PIDCOMM_SUM, &request));
	other_work();
	check(pidcomm_wait(&request));
	/* end of example */
}

static void run_allreduce(struct pidcomm *hc)
{
	struct pidcomm_plan *plan;
	struct pidcomm_request *request;

	/* example of pidcomm_allreduce: Every member gets the greatest of 16 floats */
	check(pidcomm_allreduce(hc, "10", 64, 0, 64, PIDCOMM_F32, PIDCOMM_MAX));
	/* end of example */
	/* example of pidcomm_plan_allreduce: The call prepared once, and made twice */
	check(pidcomm_plan_allreduce(hc, "10", 64, 0, 64, PIDCOMM_F32, PIDCOMM_MAX, &plan));
	check(pidcomm_plan_run(plan));
	check(pidcomm_plan_run(plan));
	pidcomm_plan_free(plan);
	/* end of example */
	/* example of pidcomm_iallreduce: The call beside other work */
	check(pidcomm_iallreduce(hc, "10", 64, 0, 64, PIDCOMM_F32, PIDCOMM_MAX, &request));
	other_work();
	check(pidcomm_wait(&request));
	/* end of example */
}

static void run_allgather(struct pidcomm *hc)
{
	struct pidcomm_plan *plan;
	struct pidcomm_request *request;

	/* example of pidcomm_allgather: Every member gets the 8 bytes of all 8 members */
	check(pidcomm_allgather(hc, "10", 64, 0, 64));
	/* end of example */
	/* example of pidcomm_plan_allgather: The call prepared once, and made twice */
	check(pidcomm_plan_allgather(hc, "10", 64, 0, 64, &plan));
	check(pidcomm_plan_run(plan));
	check(pidcomm_plan_run(plan));
	pidcomm_plan_free(plan);
	/* end of example */
	/* example of pidcomm_iallgather: The call beside other work */
	check(pidcomm_iallgather(hc, "10", 64, 0, 64, &request));
	other_work();
	check(pidcomm_wait(&request));
	/* end of example */
}

static void run_scatter(struct pidcomm *hc)
{
	struct pidcomm_plan *plan;
	struct pidcomm_request *request;

	/* example of pidcomm_scatter: Each member gets its 16 bytes of the buffer of its
	 * group */
	check(pidcomm_scatter(hc, "10", 16, from, 0));
	/* end of example */
	/* example of pidcomm_plan_scatter: The call prepared once, and made twice */
	check(pidcomm_plan_scatter(hc, "10", 16, from, 0, &plan));
	check(pidcomm_plan_run(plan));
	check(pidcomm_plan_run(plan));
	pidcomm_plan_free(plan);
	/* end of example */
	/* example of pidcomm_iscatter: The call beside other work */
	check(pidcomm_iscatter(hc, "10", 16, from, 0, &request));
	other_work();
	check(pidcomm_wait(&request));
	/* end of example */
}

static void run_gather(struct pidcomm *hc)
{
	struct pidcomm_plan *plan;
	struct pidcomm_request *request;

	/* example of pidcomm_gather: The buffer of each group gets 16 bytes of each member */
	check(pidcomm_gather(hc, "10", 16, 0, to));
	/* end of example */
	/* example of pidcomm_plan_gather: The call prepared once, and made twice */
	check(pidcomm_plan_gather(hc, "10", 16, 0, to, &plan));
	check(pidcomm_plan_run(plan));
	check(pidcomm_plan_run(plan));
	pidcomm_plan_free(plan);
	/* end of example */
	/* example of pidcomm_igather: The call beside other work */
	check(pidcomm_igather(hc, "10", 16, 0, to, &request));
	other_work();
	check(pidcomm_wait(&request));
	/* end of example */
}

static void run_reduce(struct pidcomm *hc)
{
	struct pidcomm_plan *plan;
	struct pidcomm_request *request;

	/* example of pidcomm_reduce: The buffer of each group gets the least of two
	 * numbers */
	check(pidcomm_reduce(hc, "10", 16, 0, to, PIDCOMM_I64, PIDCOMM_MIN));
	/* end of example */
	/* example of pidcomm_plan_reduce: The call prepared once, and made twice */
	check(pidcomm_plan_reduce(hc, "10", 16, 0, to, PIDCOMM_I64, PIDCOMM_MIN, &plan));
	check(pidcomm_plan_run(plan));
	check(pidcomm_plan_run(plan));
	pidcomm_plan_free(plan);
	/* end of example */
	/* example of pidcomm_ireduce: The call beside other work */
	check(pidcomm_ireduce(hc, "10", 16, 0, to, PIDCOMM_I64, PIDCOMM_MIN, &request));
	other_work();
	check(pidcomm_wait(&request));
	/* end of example */
}

static void run_broadcast(struct pidcomm *hc)
{
	struct pidcomm_plan *plan;
	struct pidcomm_request *request;

	/* example of pidcomm_broadcast: Every member gets the 16 bytes of the buffer of
	 * its group */
	check(pidcomm_broadcast(hc, "10", 16, from, 0));
	/* end of example */
	/* example of pidcomm_plan_broadcast: The call prepared once, and made twice */
	check(pidcomm_plan_broadcast(hc, "10", 16, from, 0, &plan));
	check(pidcomm_plan_run(plan));
	check(pidcomm_plan_run(plan));
	pidcomm_plan_free(plan);
	/* end of example */
	/* example of pidcomm_ibroadcast: The call beside other work */
	check(pidcomm_ibroadcast(hc, "10", 16, from, 0, &request));
	other_work();
	check(pidcomm_wait(&request));
	/* end of example */
}

static void run_alltoallw(struct pidcomm *hc)
{
	struct pidcomm_plan *plan;
	struct pidcomm_request *request;

	/* example of pidcomm_alltoallw: Every other number for each member in turn, a column
	 * of 4 for each, is received as a row */
	const struct pimtype *f64 = pimtype_basic(PIMTYPE_F64);
	struct pimtype_part send[8], recv[8];
	struct pimtype *down;

	check(pimtype_vector(4, 1, 8, f64, &down));
	for (int m = 0; m < 8; m++) {
		send[m] = (struct pimtype_part){ 8 * m, 1, down };
		recv[m] = (struct pimtype_part){ 1024 + 32 * m, 4, f64 };
	}
	check(pidcomm_alltoallw(hc, "10", send, recv));
	/* end of example */
	/* example of pidcomm_plan_alltoallw: The call prepared once, and made twice */
	check(pidcomm_plan_alltoallw(hc, "10", send, recv, &plan));
	check(pidcomm_plan_run(plan));
	check(pidcomm_plan_run(plan));
	pidcomm_plan_free(plan);
	/* end of example */
	/* example of pidcomm_ialltoallw: The call beside other work */
	check(pidcomm_ialltoallw(hc, "10", send, recv, &request));
	other_work();
	check(pidcomm_wait(&request));
	/* end of example */
	pimtype_free(down);
}

static void run_counts(struct pidcomm *hc)
{
	const struct pimtype *f64 = pimtype_basic(PIMTYPE_F64);
	struct pidcomm_plan *plan;
	struct pidcomm_request *request;

	/* example of pidcomm_alltoallv: 32 PEs, each sends m numbers to member m of 8 */
	uint64_t counts[32 * 8];

	for (int i = 0; i < 32 * 8; i++)
		counts[i] = i % 8;
	check(pidcomm_alltoallv(hc, "10", f64, counts, 0, 0, 4096));
	/* end of example */
	/* example of pidcomm_plan_alltoallv: Counts that each PE has at byte 8192 of its MRAM
	 * when the plan is run */
	check(pidcomm_plan_alltoallv(hc, "10", f64, NULL, 8192, 0, 4096, &plan));
	check(pidcomm_plan_run(plan));
	pidcomm_plan_free(plan);
	/* end of example */
	/* example of pidcomm_ialltoallv: The call beside other work */
	check(pidcomm_ialltoallv(hc, "10", f64, counts, 0, 0, 4096, &request));
	other_work();
	check(pidcomm_wait(&request));
	/* end of example */
	/* example of pidcomm_allgatherv: 32 PEs, of which each has as many numbers as its place
	 * in its group of 8 says */
	check(pidcomm_allgatherv(hc, "10", f64, counts, 0, 0, 4096));
	/* end of example */
	/* example of pidcomm_plan_allgatherv: Counts that each PE has at byte 8192 of its MRAM
	 * when the plan is run */
	check(pidcomm_plan_allgatherv(hc, "10", f64, NULL, 8192, 0, 4096, &plan));
	check(pidcomm_plan_run(plan));
	pidcomm_plan_free(plan);
	/* end of example */
	/* example of pidcomm_iallgatherv: The call beside other work */
	check(pidcomm_iallgatherv(hc, "10", f64, counts, 0, 0, 4096, &request));
	other_work();
	check(pidcomm_wait(&request));
	/* end of example */
}

static void run_halo(struct pidcomm *hc)
{
	struct pidcomm_plan *plan;
	struct pidcomm_request *request;

	/* example of pidcomm_halo, pidcomm_face: Rows of 16 numbers; the outermost two of each
	 * row go into the border of the neighbours in a ring of 8 */
	struct pimtype *column;
	struct pidcomm_face faces[2];

	check(pimtype_vector(10, 1, 16, pimtype_basic(PIMTYPE_F64), &column));
	faces[0] = (struct pidcomm_face){ { 8 * 1, 1, column }, { 8 * 0, 1, column } };
	faces[1] = (struct pidcomm_face){ { 8 * 14, 1, column }, { 8 * 15, 1, column } };
	check(pidcomm_halo(hc, "10", 1, faces));
	/* end of example */
	/* example of pidcomm_plan_halo: The call prepared once, and made twice */
	check(pidcomm_plan_halo(hc, "10", 1, faces, &plan));
	check(pidcomm_plan_run(plan));
	check(pidcomm_plan_run(plan));
	pidcomm_plan_free(plan);
	/* end of example */
	/* example of pidcomm_ihalo: The call beside other work */
	check(pidcomm_ihalo(hc, "10", 1, faces, &request));
	other_work();
	check(pidcomm_wait(&request));
	/* end of example */
	pimtype_free(column);
}

int main(void)
{
	struct pimdimm *sys;
	struct pidcomm *hc;

	check(pimdimm_open("mem:ranks=1,mram=64K", &sys));
	check(pidcomm_create(sys, 2, (const uint32_t[]){ 8, 4 }, &hc));
	create_destroy(sys);
	groups_of(hc);
	algorithm(hc);
	types(hc);
	reduce_by_bits(hc);
	statistics(hc);
	plans(hc);
	started(hc);
	tested(hc);
	all_of_them(hc);
	run_alltoall(hc);
	run_reduce_scatter(hc);
	run_allreduce(hc);
	run_allgather(hc);
	run_scatter(hc);
	run_gather(hc);
	run_reduce(hc);
	run_broadcast(hc);
	run_alltoallw(hc);
	run_counts(hc);
	run_halo(hc);
	memset(input, 5, sizeof(input));
	check(pidcomm_scatter(hc, "10", 16, from, 0));
	check(pidcomm_gather(hc, "10", 16, 0, to));
	pidcomm_destroy(hc);
	pimdimm_close(sys);
	return memcmp(input, output, sizeof(input)) ? EXIT_FAILURE : EXIT_SUCCESS;
}
