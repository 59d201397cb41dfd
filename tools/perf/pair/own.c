// SPDX-License-Identifier: MIT
/* Pairs by pimmsg_join(). */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <pimdimm/messages.h>

#include "tools/perf/pair/pair.h"
#include "tools/perf/suites/datatypes/maker.h"

static struct pimmsg_end *end;
static struct pimmsg_request *requests[2 * PAIR_WINDOW];
static int rank;

static void must(int ret)
{
	if (ret)
		pair_die("%s", pimdimm_errmsg());
}

static int start(int argc, char **argv)
{
	int sockets[2];

	(void)argc;
	(void)argv;
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
	return rank;
}

static void finish(void)
{
	pimmsg_close(end);
}

static void *allocate(size_t bytes)
{
	void *memory;

	must(pimmsg_alloc(end, bytes, &memory));
	return memory;
}

static void release(void *memory)
{
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

static void idle(void)
{
	const struct timespec pause = { 0, 100000 };
	int found = 0;

	while (must(pimmsg_iprobe(end, !rank, 0, &found, NULL)), !found)
		nanosleep(&pause, NULL);
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
	.idle = idle,
};
