#!/bin/sh
# SPDX-License-Identifier: MIT
# pimdimm profile: a program's lines, of which it is known what they take.

here=$(cd "$(dirname "$0")" && pwd)
case $B in
/*) ;;
*) B=$PWD/$B ;;
esac
TOOL=${TOOL:-$B/pimdimm}
# shellcheck source=tests/tool/lib.sh
. "$here/../tool/lib.sh"
CC=$B/upmem/bin/dpu-upmem-dpurte-clang
RUNNER=$B/tests/upmem/runner
cd "$tmp" || exit 1

cat >known.c <<'EOS'
#include <pimdimm.h>
static volatile uint32_t data[64], n = 100;
__attribute__((noinline)) static void fill(uint32_t turns)
{
	for (uint32_t i = 0; i < turns; i++)
		data[i % 64] = i;
}
static inline uint32_t divide(uint32_t x)
{
	return x / n;
}
int main(void)
{
	fill(n * (pe_id() + 1));
	data[0] = divide(5000);
	return 0;
}
EOS
"$CC" -O2 -DNR_TASKLETS=2 -fpimdimm-profile -o known known.c >out 2>err
status=$?
[ "$status" = 0 ]
result 'compiles a program to be profiled'
PIMDIMM_PROFILE=1 "$CC" -O2 -DNR_TASKLETS=2 -o same known.c && cmp same known
status=$?
[ "$status" = 0 ]
result 'or by the environment'

succeeds 'runs a program' profile --folded stacks "$RUNNER" -p 3 known
# 1,200 turns of 3 PEs with 2 tasklets: of a remainder, an address and a store
prints 'a line of a loop' '^ *3600 .* known.c:6 (fill)$'
prints 'the loop itself, and what calls it' '^ *1206 .* known.c:5 (fill)$'
# a load, and 3 + 8 + 6 bits of the quotient
prints 'a line whose instructions depend on values' '^ *108 .* known.c:10 (divide)$'
prints 'a function' '^ *4812 .* fill$'
prints 'what the library takes' '(PE library)'
prints 'the slowest PE' '3 PEs; the slowest is PE 2'
grep -qx 'main;divide;known.c:10 108' stacks && grep -qx 'fill;known.c:6 3600' stacks
result 'stacks'

succeeds 'JSON' profile --json -o json "$RUNNER" -p 3 known
cat >sums.py <<'EOS'
import json
p = json.load(open("json"))
lines = sum(l["instructions"] for l in p["lines"])
assert lines == sum(f["instructions"] for f in p["functions"])
assert lines + p["library_instructions"] == p["instructions"]
assert p["instructions"] == sum(q["instructions"] for q in p["pes"])
assert 0 <= p["library_instructions"] < 200 and len(p["pes"]) == 3
EOS
python3 sums.py >out 2>err
status=$?
[ "$status" = 0 ]
result 'in which lines and the library are all there is'

# where tasklets wait, each for something of its own: line numbers are in the names
cat >waits.c <<'EOS'
#include <barrier.h>
#include <defs.h>
#include <handshake.h>
#include <mram.h>
#include <mutex.h>
#include <sem.h>
#include <stdint.h>
BARRIER_INIT(all, NR_TASKLETS)
MUTEX_INIT(lock);
SEMAPHORE_INIT(given, 0);
__mram_noinit uint64_t far[64];
__mram_ptr uint64_t *at = far;
__dma_aligned static uint64_t near[64];
static volatile uint32_t sink;
__attribute__((noinline)) static void work(uint32_t turns)
{
	for (uint32_t i = 0; i < turns; i++)
		sink = i;
}
__attribute__((noinline)) static void transfer(void)
{
	for (int i = 0; i < 100; i++)
		mram_read(far, near, 8);
}
int main(void)
{
	if (me() == 0)
		transfer();
	if (me() == 1)
		work(10000);
	barrier_wait(&all);
	mutex_lock(lock);
	work(1000);
	mutex_unlock(lock);
	if (me() == 0)
		handshake_wait_for(1);
	if (me() == 1) {
		work(2000);
		handshake_notify();
		work(3000);
		sem_give(&given);
	}
	if (me() == 0)
		sem_take(&given);
	near[me()] = far[me()];
	return 0;
}
EOS
"$CC" -O2 -DNR_TASKLETS=2 -fpimdimm-profile -o waits waits.c >out 2>err
status=$?
[ "$status" = 0 ]
result 'compiles a program whose tasklets wait'
succeeds 'tells where they wait' profile --folded stacks --waits "$RUNNER" -p 2 waits
prints 'the table of waits' '^ *CYCLES WAITED .* dma  *barrier  *mutex .* LINE$'
succeeds 'and in JSON' profile --json -o json "$RUNNER" -p 2 waits
cat >waits.py <<'EOS'
import json
p = json.load(open("json"))
at = {}
for l in p["lines"]:
    for kind, cycles in l["waited"].items():
        if cycles:
            assert l["file"] == "waits.c", l
            at[kind, l["line"], l["function"]] = cycles
# 100 transfers of 55 cycles and 8 times 0.52; and those of 8 bytes dereferenced
assert 11830 <= at.pop(("dma", 23, "transfer")) <= 11833, at
assert 2 * 2 * 59 <= at.pop(("dma", 45, "main")) <= 2 * 2 * 93, at
# 11 cycles for each of the 2 instructions at least that a turn of the other takes
for kind, line, turns in (("barrier", 31, 10000), ("mutex", 32, 1000),
                          ("handshake", 36, 1000), ("semaphore", 44, 3000)):
    cycles = at.pop((kind, line, "main"))
    assert 2 * 2 * 11 * turns * 0.8 <= cycles <= 2 * 2 * 11 * turns * 1.2, (kind, cycles)
assert sum(at.values()) < 1000, at
f = [l for f in p["functions"] for l in [f["waited"]["barrier"]] if l]
assert len(f) == 1 and p["issue_cycles"] == 11
folded = dict(l.rsplit(" ", 1) for l in open("stacks"))
assert abs(int(folded["main;waits.c:31;(barrier)"]) / (2 * 2 * 11 * 10000) - 1) < 0.2
assert int(folded["work;waits.c:18"]) % (2 * 11) == 0
EOS
python3 waits.py >out 2>err
status=$?
[ "$status" = 0 ]
result 'each at its line, and for as long'
fails '--waits alone' 2 'expected --folded FILE, too' profile --waits true

# a process with the child that it forks, or with a thread that runs PEs while all ends
cat >forks.c <<'EOS'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pimdimm/program.h>

static struct pimdimm *sys;
static const uint32_t pes[] = { 0, 1 };

static void *run_on(void *arg)
{
	for (;;)
		pimdimm_run(sys, pes + 1, 1, NULL);
	return arg;
}

/* what is left in a stream is written after the library's destructors have run */
static ssize_t write_late(void *cookie, const char *text, size_t bytes)
{
	usleep(50000);
	return (ssize_t)bytes;
}

int main(int argc, char **argv)
{
	struct pimdimm_program *program;
	pthread_t thread;

	if (pimdimm_open("mem:ranks=1,mram=2M", &sys) ||
	    pimdimm_program_open(argv[1], &program) ||
	    pimdimm_load(sys, pes, 2, program) || pimdimm_run(sys, pes, 1, NULL))
		return 3;
	if (argc > 2) {
		if (pthread_create(&thread, NULL, run_on, NULL))
			return 3;
		fputc('x', fopencookie(NULL, "w", (cookie_io_functions_t){
			.write = write_late }));
		return 0;
	}
	if (chdir("/"))
		return 3;
	if (!fork())
		exit(0);
	wait(NULL);
	return 0;
}
EOS
"${HOST_CC:-cc}" -I"$B/include" -o forks forks.c -L"$B" -lpimdimm -pthread \
	-Wl,-rpath,"$B" >out 2>err &&
	PIMDIMM_PROFILE_FILE=forked ./forks known >out 2>err &&
	[ "$(grep -c '^pe	0	' forked)" = 1 ]
status=$?
[ "$status" = 0 ]
result 'a child does not tell what its parent has counted, nor where it has gone'
# freed memory is overwritten, so that whoever uses it is seen to
GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.perturb=85 \
	PIMDIMM_PROFILE_FILE=ended ./forks known on >out 2>err
status=$?
[ "$status" = 0 ] && grep -q '^pe	0	' ended
result 'threads that run PEs until the end'

# whatever ends the profiler, or its command, nothing of it is left
export TMPDIR="$tmp/empty"
mkdir "$TMPDIR"
ls /tmp >before
"$TOOL" profile sh -c 'echo runs; exec sleep 100' >out 2>err &
profiler=$!
while ! grep -q runs out && kill -0 "$profiler" 2>/dev/null; do
	sleep 0.1
done
kill -TERM "$profiler"
wait "$profiler"
status=$?
[ "$status" = 143 ] && grep -q 'sh was ended by signal 15' err
result 'the command is ended with the profiler'
ls /tmp >after
! comm -13 before after | grep pimdimm-profile && [ -z "$(ls "$TMPDIR")" ]
result 'nothing is left of it'
unset TMPDIR

# what is counted is the same, by whichever program
"$CC" -O2 -DNR_TASKLETS=2 -o plain known.c
fails 'a program that is not compiled for it' 1 'compile it with -fpimdimm-profile' \
	profile sh -c "$RUNNER -p 3 plain >/dev/null"
fails 'a command without PEs' 1 'has run no PE program' profile true
fails 'a command that fails' 3 'no PE program' profile sh -c 'exit 3'
fails 'a command that is not there' 127 'nowhere' profile nowhere
fails 'no command' 2 'expected a command' profile
fails 'a wrong number' 2 'expected 1 to' profile -n 0 true
finish
