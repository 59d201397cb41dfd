// SPDX-License-Identifier: MIT
/* Rounds between two resident kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pimdimm/messages.h>
#include <pimdimm/spmd.h>

#include "tools/perf/rounds/rounds.h"

#define RANKS 2

struct me_node;
struct me_parcel;
struct pd_wait;

static struct pimmsg_request *requests[RANKS][ROUNDS_SLOTS];
static struct rounds_place place;
static void (*rank_main)(struct rounds_rank *);

static void must(int ret)
{
	if (ret)
		rounds_die("%s", pimdimm_errmsg());
}

/* what a rank waits with */
struct kernel {
	struct pimdimm_pe *pe;
	struct pimmsg_end *end;
};

static struct pimmsg_end *end_of(const struct rounds_rank *r)
{
	return ((const struct kernel *)r->end)->end;
}

static void kernel(struct pimdimm_pe *pe, void *arg)
{
	struct kernel k = { pe, pimmsg_self(pe) };
	struct rounds_rank r = { .rank = pimmsg_rank(k.end), .end = &k, .place = &place };

	(void)arg;
	rank_main(&r);
}

static void run(int argc, char **argv, void (*main)(struct rounds_rank *))
{
	struct pimdimm_spmd how = { .size = sizeof(how), .nr_tasklets = 1, .stack_bytes = 262144 };
	struct pimmsg_end *host;
	struct pimdimm *sys;

	(void)argc;
	(void)argv;
	rank_main = main;
	/* callgrind collects of one thread of the process */
	if (RUNNING_ON_VALGRIND)
		setenv("PIMDIMM_THREADS", "1", 1);
	must(pimdimm_open("mem:ranks=1,mram=64K", &sys));
	must(pimmsg_world(sys, 0, RANKS, &host));
	must(pimdimm_spmd(sys, 0, RANKS, kernel, NULL, &how));
	pimmsg_close(host);
	pimdimm_close(sys);
}

/*
 * Both kernels run on one thread of the process. A traveller is its send's, wherever it arrives
 * and whoever lets it in, and who waits does nothing until he goes on: these two functions of the
 * library are linked through here.
 */
int __real_me_arrive(struct me_node *node, struct me_parcel *parcel);
int __wrap_me_arrive(struct me_node *node, struct me_parcel *parcel);
void __real_pd_resident_wait(struct pimdimm_pe *pe, struct pd_wait *wait);
void __wrap_pd_resident_wait(struct pimdimm_pe *pe, struct pd_wait *wait);

int __wrap_me_arrive(struct me_node *node, struct me_parcel *parcel)
{
	enum exchange_routine before;
	int ret;

	if (!rounds_counts)
		return __real_me_arrive(node, parcel);
	before = rounds_run_for(ROUTINE_SEND);
	ret = __real_me_arrive(node, parcel);
	rounds_run_for(before);
	return ret;
}

void __wrap_pd_resident_wait(struct pimdimm_pe *pe, struct pd_wait *wait)
{
	enum exchange_routine before;

	if (!rounds_counts) {
		__real_pd_resident_wait(pe, wait);
		return;
	}
	before = rounds_run_for(ROUTINE_ALL);
	__real_pd_resident_wait(pe, wait);
	rounds_run_for(before);
}

static struct pimmsg_buf buf_of(void *data, size_t bytes)
{
	return (struct pimmsg_buf){ .ptr = data,
				    .part = { 0, bytes, pimtype_basic(PIMTYPE_BYTE) } };
}

static void send_one(struct rounds_rank *r, void *data, size_t bytes, int tag)
{
	struct pimmsg_buf buf = buf_of(data, bytes);

	must(pimmsg_send(end_of(r), &buf, !r->rank, tag));
}

static void recv_one(struct rounds_rank *r, void *data, size_t bytes, int tag)
{
	struct pimmsg_buf buf = buf_of(data, bytes);

	must(pimmsg_recv(end_of(r), &buf, !r->rank, tag, NULL));
}

/* so that neither kernel is ever without work, and each keeps a thread of the process */
static void recv_polled(struct rounds_rank *r, void *data, size_t bytes, int tag)
{
	struct pimmsg_buf buf = buf_of(data, bytes);
	struct pimmsg_request *request;
	int done = 0;

	must(pimmsg_irecv(end_of(r), &buf, !r->rank, tag, &request));
	while (!done)
		must(pimmsg_test(end_of(r), &request, &done, NULL));
}

static void probe(struct rounds_rank *r, int tag)
{
	struct pimmsg_status status;

	must(pimmsg_probe(end_of(r), !r->rank, tag, &status));
}

static void isend(struct rounds_rank *r, unsigned int slot, void *data, size_t bytes, int tag)
{
	struct pimmsg_buf buf = buf_of(data, bytes);

	must(pimmsg_isend(end_of(r), &buf, !r->rank, tag, &requests[r->rank][slot]));
}

static void irecv(struct rounds_rank *r, unsigned int slot, void *data, size_t bytes, int tag)
{
	struct pimmsg_buf buf = buf_of(data, bytes);

	must(pimmsg_irecv(end_of(r), &buf, !r->rank, tag, &requests[r->rank][slot]));
}

static void wait_all(struct rounds_rank *r, unsigned int first, unsigned int nr)
{
	must(pimmsg_waitall(end_of(r), nr, &requests[r->rank][first], NULL));
}

static void cancel(struct rounds_rank *r, unsigned int first, unsigned int nr)
{
	for (unsigned int i = first; i < first + nr; i++)
		must(pimmsg_cancel(end_of(r), requests[r->rank][i]));
}

static void idle(struct rounds_rank *r)
{
	pimdimm_yield(((struct kernel *)r->end)->pe);
}

const struct rounds_engine rounds_engine = {
	.run = run,
	.send = send_one,
	.recv = recv_one,
	.recv_polled = recv_polled,
	.probe = probe,
	.isend = isend,
	.irecv = irecv,
	.wait = wait_all,
	.cancel = cancel,
	.idle = idle,
};
