// SPDX-License-Identifier: MIT
/* Pairs by pimmsg_join(). */
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <pimdimm/messages.h>

#include "tools/perf/pair/pair.h"
#include "tools/perf/pair/phases.h"
#include "tools/perf/suites/datatypes/maker.h"

static struct pimmsg_end *end;
static struct pimmsg_request *requests[2 * PAIR_WINDOW];
static int rank;
static bool private;	/* memory is not mapped by the other process: the kernel copies */

static void must(int ret)
{
	if (ret)
		pair_die("%s", pimdimm_errmsg());
}

static struct pimmsg_buf bytes_of(void *memory, uint64_t bytes)
{
	return (struct pimmsg_buf){
		.ptr = memory, .part = { 0, bytes, pimtype_basic(PIMTYPE_BYTE) },
	};
}

/* Rank 1 ends where the kernel does not copy for this process: nothing else is to be timed. */
static void try_private(void)
{
	const uint64_t bytes = UINT64_C(1) << 20;
	char *memory = calloc(1, bytes);
	struct pimmsg_buf buf = bytes_of(memory, bytes), answer = bytes_of(memory, 1);
	struct pimmsg_stats stats = { 0 };

	if (!memory)
		pair_die("no memory");
	must(rank ? pimmsg_recv(end, &buf, !rank, 0, NULL) : pimmsg_send(end, &buf, !rank, 0));
	must(pimmsg_stats(end, &stats));
	if (stats.packed_bytes || stats.cma_error)
		pair_die("the kernel copies nothing between these processes");
	must(rank ? pimmsg_send(end, &answer, !rank, 0) :
		    pimmsg_recv(end, &answer, !rank, 0, NULL));
	free(memory);
}

static int start(int argc, char **argv)
{
	int sockets[2];

	private = argc > 1 && !strcmp(argv[1], "private");
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		pair_die("no socket");
	switch (fork()) {
	case -1:
		pair_die("no process");
	case 0:
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		rank = 1;
		break;
	}
	must(pimmsg_join(sockets[rank], rank, NULL, &end));
	close(sockets[0]);
	close(sockets[1]);
	if (private)
		try_private();
	return rank;
}

static void finish(void)
{
	pimmsg_close(end);
}

static void *allocate(size_t bytes)
{
	void *memory;

	if (!private) {
		must(pimmsg_alloc(end, bytes, &memory));
		return memory;
	}
	memory = malloc(bytes);
	if (!memory)
		pair_die("no memory");
	return memory;
}

static void release(void *memory)
{
	if (private)
		free(memory);
	else
		must(pimmsg_free(end, memory));
}

static void commit(ddt_type *type)
{
	if (!*type)
		pair_die("%s", pimdimm_errmsg());
}

static void drop(ddt_type *type)
{
	pimtype_free(*type);
	*type = NULL;
}

static struct pimmsg_buf buf_of(void *base, int64_t at, ddt_type type)
{
	return (struct pimmsg_buf){ .ptr = base, .part = { at, 1, type } };
}

static void send_one(void *base, int64_t at, ddt_type type)
{
	struct pimmsg_buf buf = buf_of(base, at, type);

	must(pimmsg_send(end, &buf, !rank, 0));
}

static void recv_one(void *base, int64_t at, ddt_type type)
{
	struct pimmsg_buf buf = buf_of(base, at, type);

	must(pimmsg_recv(end, &buf, !rank, 0, NULL));
}

static void isend(unsigned int slot, void *base, int64_t at, ddt_type type)
{
	struct pimmsg_buf buf = buf_of(base, at, type);

	must(pimmsg_isend(end, &buf, !rank, 0, &requests[slot]));
}

static void irecv(unsigned int slot, void *base, int64_t at, ddt_type type)
{
	struct pimmsg_buf buf = buf_of(base, at, type);

	must(pimmsg_irecv(end, &buf, !rank, 0, &requests[slot]));
}

static void wait_all(unsigned int n)
{
	must(pimmsg_waitall(end, n, requests, NULL));
}

static void watch(void)
{
	must(pm_pair_phases_begin(end));
}

_Static_assert(PAIR_PARTS == (int)PAIR_PHASES, "a part for each phase");

static struct pair_phases *phases_take(void)
{
	struct pair_phases *theirs = malloc(sizeof(*theirs));
	struct pimmsg_buf buf = bytes_of(theirs, offsetof(struct pair_phases, moments));

	if (!theirs)
		pair_die("no memory");
	must(pimmsg_recv(end, &buf, 1, 0, NULL));
	buf = bytes_of(theirs->moments, theirs->nr * sizeof(*theirs->moments));
	must(pimmsg_recv(end, &buf, 1, 0, NULL));
	return theirs;
}

static void phases_tell(struct pair_phases *own)
{
	struct pimmsg_buf buf = bytes_of(own, offsetof(struct pair_phases, moments));

	must(pimmsg_send(end, &buf, 0, 0));
	buf = bytes_of(own->moments, own->nr * sizeof(*own->moments));
	must(pimmsg_send(end, &buf, 0, 0));
}

/* rank 1 tells rank 0, which divides */
static bool divide_time(uint64_t start, uint64_t stop, double parts[PAIR_PARTS])
{
	struct pair_phases *own = pm_pair_phases_end(end), *other;
	bool fits = true;

	if (rank) {
		phases_tell(own);
	} else {
		other = phases_take();
		fits = !own->full && !other->full;
		if (fits)
			pair_phases_divide((const struct pair_phases *const[]){ own, other },
					   start, stop, parts);
		free(other);
	}
	free(own);
	return fits;
}

const struct pair_engine pair_engine = {
	.maker = &ddt_maker_own,
	.start = start,
	.end = finish,
	.alloc = allocate,
	.release = release,
	.commit = commit,
	.drop = drop,
	.send = send_one,
	.recv = recv_one,
	.isend = isend,
	.irecv = irecv,
	.wait = wait_all,
	.watch = watch,
	.divide = divide_time,
};
