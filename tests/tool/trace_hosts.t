#!/bin/sh
# SPDX-License-Identifier: MIT
# trace of hosts: which one each process is, their calls, and whom they waited for.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/tool/trace.sh
. "$(dirname "$0")/trace.sh"

# Host 1 is late wherever it is to be: until the file tells of others' waits for it.
cat >"$tmp/three.c" <<'END'
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pimdimm/hosts.h>

#define HOSTS	3
#define COUNT	(1 << 18)

static int32_t a[COUNT], b[COUNT];

#define NEED(what) \
	do { \
		if (!(what)) { \
			fprintf(stderr, "%s: %s\n", #what, pimdimm_errmsg()); \
			_exit(1); \
		} \
	} while (0)

/* whether all others have begun the call, and a wait for host 1, and have ended neither */
static int are_waiting(const char *call)
{
	FILE *file = fopen(getenv("PIMDIMM_TRACE"), "r");
	int calls = 0, waits = 0;
	char line[1024];

	NEED(file);
	while (fgets(line, sizeof(line), file)) {
		if (!strstr(line, "\"ph\":\"B\""))
			continue;
		calls += !!strstr(line, call);
		waits += !!strstr(line, "\"wait for host 1\"");
	}
	fclose(file);
	return calls >= HOSTS - 1 && waits >= HOSTS - 1;
}

static void be_late(uint32_t host, const char *call)
{
	while (host == 1 && !are_waiting(call))
		usleep(10000);
}

static void nothing(struct pimdimm_pe *pe, void *arg)
{
	(void)pe;
	(void)arg;
}

static void on_buffers(struct pimdimm_hosts *h, uint32_t host)
{
	const uint64_t counts[HOSTS] = { 8, 0, 8 };

	for (int i = 0; i < 5; i++)
		NEED(!pimdimm_hosts_allreduce(h, a, b, 8, PIDCOMM_I32, PIDCOMM_SUM));
	for (int i = 0; i < 4; i++)
		NEED(!pimdimm_hosts_allreduce(h, a, b, COUNT, PIDCOMM_I32, PIDCOMM_SUM));
	NEED(!pimdimm_hosts_reduce_scatter(h, a, b, counts, PIDCOMM_U8, PIDCOMM_MAX));
	NEED(!pimdimm_hosts_reduce(h, a, b, 2, PIDCOMM_F64, PIDCOMM_SUM, 1));
	NEED(!pimdimm_hosts_broadcast(h, b, 24, 2));
	NEED(!pimdimm_hosts_allgather(h, a, b, 40));
	/* refused by all */
	NEED(pimdimm_hosts_broadcast(h, b, 24, HOSTS) == -EINVAL);
	be_late(host, "\"hosts_barrier\"");
	NEED(!pimdimm_hosts_barrier(h));
}

static void on_hypercube(struct pimdimm_hosts *h, uint32_t host)
{
	const uint32_t dims[] = { HOSTS * 64 };
	struct pimdimm *sys;
	struct pidcomm *hc;

	NEED(!pimdimm_open("mem:ranks=1", &sys));
	NEED(!pimdimm_launch(sys, 0, 1, 1, nothing, NULL));
	NEED(!pidcomm_create_hosts(h, sys, 1, dims, &hc));
	be_late(host, "\"allreduce\"");
	NEED(!pidcomm_allreduce(hc, "1", 4096, 0, 8192, PIDCOMM_I32, PIDCOMM_SUM));
	pidcomm_destroy(hc);
	pimdimm_close(sys);
}

static void run(const char *path, uint32_t host)
{
	struct pimdimm_hosts *h;

	NEED(!pimdimm_hosts_join(path, host, HOSTS, NULL, &h));
	on_buffers(h, host);
	on_hypercube(h, host);
	pimdimm_hosts_leave(h);
	_exit(0);
}

int main(int argc, char **argv)
{
	int status, failed = argc != 2;

	for (uint32_t i = 0; i < HOSTS; i++) {
		if (!fork()) {
			alarm(300);
			run(argv[1], i);
		}
	}
	while (wait(&status) > 0)
		failed |= status;
	return !!failed;
}
END
B=${B:-build}
"${CC:-cc}" -I"$B/include" -o "$tmp/three" "$tmp/three.c" -L"$B" -lpimdimm \
	-Wl,-rpath,"$(realpath "$B")" >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ]
result 'a program of three hosts'

trace_tool "$tmp/three" "$tmp/meeting"
[ "$status" = 0 ]
result 'trace of it'
traces 'a span a call on buffers and host, with its bytes and its algorithm' \
	hosts_join:ret:0=3 hosts_allreduce=27 hosts_allreduce:bytes:32=15 \
	hosts_allreduce:algorithm:flat=15 hosts_allreduce:bytes:1048576=12 \
	hosts_allreduce:algorithm:ma=12 hosts_allreduce:type:i32=27 \
	hosts_reduce_scatter:bytes:16=3 hosts_reduce_scatter:op:max=3 \
	hosts_reduce:bytes:16=3 hosts_broadcast:bytes:24=3 hosts_allgather:bytes:40=3 \
	hosts_barrier:ret:0=3
traces 'a call that is refused' hosts_broadcast:ret:-22=3
grep '"hosts_allreduce"' "$out" | grep '"bytes":1048576' | grep -q '"loaded":[1-9]'
result 'with what it counted'
for host in 0 1 2; do
	[ "$(grep -c "\"process_name\".*\"three, host $host of 3, machine 0\"" "$out")" = 1 ]
	result "a process is host $host"
	grep -q "\"process_name\".*\"rank 0 of three, host $host of 3, machine 0\"" "$out"
	result 'and its ranks are'
done
traces 'waits name the host that is late, in the call that waits' \
	'wait for host 1<hosts_barrier=2' 'wait for host 1:call:barrier=2' \
	'wait for host 1<allreduce=2+' 'wait for host 1:phase:arriving=4+' \
	'+wait for host 1=0'

trace_tool "$TOOL" perf --hosts 2 -a direct,staged allreduce -b 4K -e 4K
[ "$status" = 0 ]
result 'trace of hosts that measure'
traces 'is a timeline' create_hosts:ret:0=2+ allreduce:algorithm:direct=2+ \
	allreduce:algorithm:staged=2+
[ "$(grep -c '"process_name".*"pimdimm, host [01] of 2, machine 0"' "$out")" = 2 ]
result 'with both of them'

finish
