#!/bin/sh
# SPDX-License-Identifier: MIT
# Messages in a timeline: each is an arrow from where it was sent to where it met its receive,
# between kernels, to and from the host, and between two processes.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/tool/trace.sh
. "$(dirname "$0")/trace.sh"

cat >"$tmp/messages.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pimdimm/messages.h>
#include <pimdimm/spmd.h>

#define PES	4
#define LAPS	3
#define LONG	(200 << 10)

static char out[2 * PES][LONG], in[2 * PES][LONG];

static void must(int ret)
{
	if (!ret)
		return;
	fprintf(stderr, "%s\n", pimdimm_errmsg());
	exit(1);
}

static struct pimmsg_buf buf(char *data, size_t bytes)
{
	return (struct pimmsg_buf){ .ptr = data, .part = { 0, bytes, pimtype_basic(PIMTYPE_BYTE) } };
}

/* round: short and long ones, before their receives and after them; and one to oneself */
static void around(struct pimdimm_pe *pe, struct pimmsg_end *end, size_t bytes)
{
	const int me = pimmsg_rank(end), i = 2 * me + (int)pimdimm_tasklet_id(pe);
	struct pimmsg_buf send = buf(out[i], bytes), recv = buf(in[i], bytes);
	struct pimmsg_request *request;
	const int tag = (int)pimdimm_tasklet_id(pe);

	for (int lap = 0; lap < LAPS; lap++) {
		must(pimmsg_isend(end, &send, (me + 1) % PES, tag, &request));
		must(pimmsg_recv(end, &recv, (me + PES - 1) % PES, tag, NULL));
		must(pimmsg_wait(end, &request, NULL));
	}
	must(pimmsg_isend(end, &send, me, 9 + tag, &request));
	must(pimmsg_recv(end, &recv, me, 9 + tag, NULL));
	must(pimmsg_wait(end, &request, NULL));
}

static void kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *end = pimmsg_self(pe);
	struct pimmsg_buf word = buf(in[2 * pimmsg_rank(end)], 8);

	around(pe, end, *(const size_t *)arg);
	if (pimdimm_tasklet_id(pe))
		return;
	must(pimmsg_recv(end, &word, PIMMSG_HOST, 20, NULL));
	must(pimmsg_send(end, &word, PIMMSG_HOST, 21));
}

static void run(struct pimdimm *sys, struct pimmsg_end *host, size_t bytes)
{
	struct pimdimm_spmd how = { .size = sizeof(how), .nr_tasklets = 2 };
	struct pimmsg_buf word = buf(out[0], 8);

	for (int rank = 0; rank < PES; rank++)
		must(pimmsg_send(host, &word, rank, 20));
	must(pimdimm_spmd(sys, 0, PES, kernel, &bytes, &how));
	for (int rank = 0; rank < PES; rank++)
		must(pimmsg_recv(host, &word, rank, 21, NULL));
}

static void kernels(void)
{
	struct pimmsg_end *host;
	struct pimdimm *sys;

	must(pimdimm_open("mem:ranks=1,mram=64K", &sys));
	must(pimmsg_world(sys, 0, PES, &host));
	run(sys, host, 8);
	run(sys, host, LONG);
	pimmsg_close(host);
	pimdimm_close(sys);
}

/* five there and one back, in two groups */
static void process(int socket, int rank)
{
	static const size_t bytes[] = { 8, 3000, LONG, 8, 8 };
	struct pimmsg_end *end, *group;

	must(pimmsg_join(socket, rank, NULL, &end));
	must(pimmsg_split(end, 0, rank, &group));
	for (int i = 0; i < 6; i++) {
		struct pimmsg_end *e = i % 2 ? group : end;
		struct pimmsg_buf b = buf(out[0], i == 5 ? 8 : bytes[i]);

		if (rank == (i == 5))
			must(pimmsg_send(e, &b, !rank, i));
		else
			must(pimmsg_recv(e, &b, !rank, i, NULL));
	}
	pimmsg_close(group);
	pimmsg_close(end);
}

static void processes(void)
{
	int ends[2], status;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
		exit(1);
	child = fork();
	process(ends[!child], !child);
	if (!child)
		_exit(0);
	if (waitpid(child, &status, 0) != child || status)
		exit(1);
}

int main(int argc, char **argv)
{
	(void)argc;
	if (!strcmp(argv[1], "processes"))
		processes();
	else
		kernels();
	return 0;
}
END
B=${B:-build}
"${CC:-cc}" -I"$B/include" -o "$tmp/messages" "$tmp/messages.c" -L"$B" -lpimdimm \
	-Wl,-rpath,"$(realpath "$B")" >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ]
result 'a program of messages'

trace_tool "$tmp/messages" kernels
[ "$status" = 0 ]
result 'trace of kernels'
# of 4 PEs, in each of two runs: 3 round of either tasklet, one from the host and one back
traces 'an arrow a message' '@message=64' 'messages of the host=1'
PIMDIMM_THREADS=1 trace_tool "$tmp/messages" kernels
traces 'where one thread runs all PEs, too' '@message=64'

trace_tool "$tmp/messages" processes
[ "$status" = 0 ]
result 'trace of two processes'
# and what it takes to make the group
traces 'an arrow begins in one and ends in the other' \
	'@message=6+' 'messages of rank 0=1' 'messages of rank 1=1'
[ "$(grep '"ph":"s".*"name":"message"' "$out" | grep -o '"pid":[0-9]*' | sort -u | wc -l)" = 2 ]
result 'from either'

finish
