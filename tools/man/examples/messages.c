// SPDX-License-Identifier: MIT
/*
 * Examples of the manual pages of <pimdimm/messages.h>, as in pimdimm.c: kernels that send
 * and receive, and the host beside them.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pimdimm/messages.h>
#include <pimdimm/spmd.h>

static void check(int ret)
{
	if (ret < 0) {
		fprintf(stderr, "%s\n", pimdimm_errmsg());
		exit(EXIT_FAILURE);
	}
}

/* example of pimmsg_self, pimmsg_rank, pimmsg_size, pimmsg_send, pimmsg_recv, pimmsg_buf: A ring: a sum goes round all PEs */
static void ring(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	int rank = pimmsg_rank(me), size = pimmsg_size(me);
	uint64_t *sum = pimdimm_wram_alloc(pe, sizeof(*sum));
	struct pimmsg_buf buf = {
		.ptr = sum, .part = { 0, 1, pimtype_basic(PIMTYPE_U64) },
	};

	*sum = 0;
	if (rank != 0)
		check(pimmsg_recv(me, &buf, rank - 1, 0, NULL));
	*sum += (uint64_t)rank;
	check(pimmsg_send(me, &buf, (rank + 1) % size, 0));
	if (rank == 0) {
		check(pimmsg_recv(me, &buf, size - 1, 0, NULL));
		*(uint64_t *)arg = *sum;
	}
}
/* end of example */

/* example of pimmsg_join, pimmsg_alloc, pimmsg_free: A process and its child, to whom it sends what both map */
static void parent_and_child(void)
{
	const struct pimtype *type = pimtype_basic(PIMTYPE_I32);
	const uint64_t count = 1 << 20;
	struct pimmsg_buf buf = { .part = { 0, count, type } };
	struct pimmsg_end *end;
	int sockets[2], rank, last, *numbers;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		exit(EXIT_FAILURE);
	fflush(stdout);
	rank = fork() == 0;
	close(sockets[!rank]);
	check(pimmsg_join(sockets[rank], rank, NULL, &end));
	close(sockets[rank]);
	check(pimmsg_alloc(end, count * sizeof(*numbers), &buf.ptr));
	numbers = buf.ptr;
	numbers[count - 1] = rank == 0 ? 42 : 0;
	if (rank == 0)
		check(pimmsg_send(end, &buf, 1, 0));
	else
		check(pimmsg_recv(end, &buf, 0, 0, NULL));
	last = numbers[count - 1];
	check(pimmsg_barrier(end));
	check(pimmsg_free(end, numbers));
	pimmsg_close(end);
	if (rank == 1)
		_exit(last == 42 ? EXIT_SUCCESS : EXIT_FAILURE);
}
/* end of example */

/* example of pimmsg_programs: A number to each PE whose program runs, and its answer */
__attribute__((unused))
static void ask(struct pimdimm *sys, pthread_t *thread, void *(*launch)(void *sys))
{
	struct pimmsg_end *host;
	int64_t number;
	struct pimmsg_buf buf = {
		.ptr = &number, .part = { 0, 1, pimtype_basic(PIMTYPE_I64) },
	};

	check(pimmsg_programs(sys, 0, 64, &host));
	if (pthread_create(thread, NULL, launch, sys))	/* pimdimm_run() of PEs 0 to 63 */
		exit(EXIT_FAILURE);
	for (int rank = 0; rank < 64; rank++) {
		number = rank;
		check(pimmsg_send(host, &buf, rank, 0));
		check(pimmsg_recv(host, &buf, rank, 0, NULL));
		printf("%lld\n", (long long)number);
	}
	pthread_join(*thread, NULL);
	pimmsg_close(host);
}
/* end of example */

/* example of pimmsg_sendrecv, pimmsg_isend, pimmsg_irecv, pimmsg_waitall, pimmsg_barrier: A column of MRAM to the next PE, and one back */
static void halo(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	int rank = pimmsg_rank(me), n = pimmsg_size(me);
	uint32_t id = pimdimm_pe_id(pe);
	const struct pimtype *column = arg;
	struct pimmsg_buf first = { .pe = id, .part = { 8, 1, column } };
	struct pimmsg_buf last = { .pe = id, .part = { 48, 1, column } };
	struct pimmsg_buf left = { .pe = id, .part = { 0, 1, column } };
	struct pimmsg_buf right = { .pe = id, .part = { 56, 1, column } };
	struct pimmsg_request *requests[2];

	check(pimmsg_sendrecv(me, &last, (rank + 1) % n, 0, &left,
			      (rank + n - 1) % n, 0, NULL));
	check(pimmsg_barrier(me));
	check(pimmsg_irecv(me, &right, (rank + 1) % n, 1, &requests[0]));
	check(pimmsg_isend(me, &first, (rank + n - 1) % n, 1, &requests[1]));
	check(pimmsg_waitall(me, 2, requests, NULL));
}
/* end of example */

/* example of pimmsg_mprobe, pimmsg_imrecv, pimmsg_wait, pimmsg_probe, pimmsg_iprobe, pimmsg_status: Messages of any length, from whoever */
static void serve(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	struct pimmsg_buf buf = {
		.ptr = arg, .part = { 0, 4, pimtype_basic(PIMTYPE_BYTE) },
	};
	struct pimmsg_message *message;
	struct pimmsg_request *request;
	struct pimmsg_status status;
	int found;

	if (pimmsg_rank(me) != 0) {
		check(pimmsg_send(me, &buf, 0, 5));
		return;
	}
	check(pimmsg_probe(me, PIMMSG_ANY_SOURCE, 5, &status));
	for (int i = 1; i < pimmsg_size(me); i++) {
		check(pimmsg_mprobe(me, PIMMSG_ANY_SOURCE, 5, &message, &status));
		buf.ptr = malloc(status.bytes);
		buf.part.count = status.bytes;
		check(pimmsg_imrecv(me, &buf, &message, &request));
		check(pimmsg_wait(me, &request, &status));
		free(buf.ptr);
	}
	check(pimmsg_iprobe(me, PIMMSG_ANY_SOURCE, PIMMSG_ANY_TAG, &found, NULL));
}
/* end of example */

/* example of pimmsg_test, pimmsg_testall, pimmsg_testany, pimmsg_waitany, pimmsg_cancel, pimmsg_issend, pimmsg_ssend: Something else is done meanwhile */
static void meanwhile(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	int rank = pimmsg_rank(me), done;
	uint64_t *work = arg, value = 0;
	struct pimmsg_buf buf = {
		.ptr = &value, .part = { 0, 1, pimtype_basic(PIMTYPE_U64) },
	};
	struct pimmsg_request *requests[2];
	uint32_t index;

	if (rank == 1) {
		check(pimmsg_ssend(me, &buf, 0, 1));
		check(pimmsg_issend(me, &buf, 0, 2, &requests[0]));
		check(pimmsg_waitany(me, 1, requests, &index, NULL));
	}
	if (rank != 0)
		return;
	check(pimmsg_irecv(me, &buf, 1, 1, &requests[0]));
	do {
		++*work;
		check(pimmsg_test(me, &requests[0], &done, NULL));
	} while (!done);
	check(pimmsg_irecv(me, &buf, 1, 2, &requests[0]));
	check(pimmsg_irecv(me, &buf, 1, 3, &requests[1]));
	do {
		++*work;
		check(pimmsg_testany(me, 2, requests, &index, NULL));
	} while (index == 2);
	/* the second one is never sent */
	check(pimmsg_cancel(me, requests[1]));
	check(pimmsg_testall(me, 2, requests, &done, NULL));
}
/* end of example */

/* example of pimmsg_split: Rows of 8 ranks, each with messages of its own */
static void rows(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe), *row;

	(void)arg;
	check(pimmsg_split(me, pimmsg_rank(me) / 8, 0, &row));
	check(pimmsg_barrier(row));
	pimmsg_close(row);
}
/* end of example */

int main(void)
{
	struct pimdimm_spmd how = { .size = sizeof(how), .nr_tasklets = 1 };
	struct pimtype *column;
	struct pimdimm *sys;
	char bytes[4] = "abc";
	uint64_t sum = 0, work = 0;

	parent_and_child();
	check(pimdimm_open("mem:ranks=1,mram=64K", &sys));
	check(pimtype_vector(8, 1, 8, pimtype_basic(PIMTYPE_F64), &column));
	/* example of pimmsg_world, pimmsg_stats, pimmsg_close: Run the ring, and tell how often messages went on */
	struct pimmsg_end *host;
	struct pimmsg_stats stats;

	check(pimmsg_world(sys, 0, 64, &host));
	check(pimdimm_spmd(sys, 0, 64, ring, &sum, &how));
	check(pimmsg_stats(host, &stats));
	printf("%llu hops, sum %llu\n", (unsigned long long)stats.hops,
	       (unsigned long long)sum);
	pimmsg_close(host);
	/* end of example */
	check(pimmsg_world(sys, 0, 64, &host));
	check(pimdimm_spmd(sys, 0, 64, halo, column, &how));
	check(pimdimm_spmd(sys, 0, 64, serve, bytes, &how));
	check(pimdimm_spmd(sys, 0, 64, meanwhile, &work, &how));
	check(pimdimm_spmd(sys, 0, 64, rows, NULL, &how));
	pimmsg_close(host);
	pimtype_free(column);
	pimdimm_close(sys);
	return sum == 64 * 63 / 2 && work ? EXIT_SUCCESS : EXIT_FAILURE;
}
