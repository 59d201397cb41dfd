#!/bin/sh
# SPDX-License-Identifier: MIT
# trace of commands: what it writes is a timeline, with what they did and no more.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/tool/trace.sh
. "$(dirname "$0")/trace.sh"

echo '0 1' >"$tmp/graph"

trace_tool "$TOOL" demo --uri mem:ranks=2 --graph "$tmp/graph"
[ "$status" = 0 ]
result 'trace of the demonstration'
grep -q 'trace.json: [0-9]* events; https://ui.perfetto.dev' "$tmp/err"
result 'says where it is'
# each collective once to warm up and five times measured, on 128 PEs
all=
for collective in alltoall reduce_scatter allreduce allgather scatter gather \
	reduce broadcast; do
	all="$all $collective:total_bytes:33554432=6"
done
# shellcheck disable=SC2086 # a list of words
traces 'a span a call, with its bytes' $all
# components end in a Reduce of their own
traces 'its algorithm and types' reduce:algorithm:direct=7 reduce:op:sum=6 \
	gather:op:-=6 gather:ret:0=6
rounds=$(sed -n 's/^ *\([0-9]*\) rounds in .*/\1/p' "$tmp/out")
traces 'a span a PE and launch, on tracks of their own' \
	run:nr_pes:128="$rounds" program=$((128 * rounds)) \
	program:pe:0="$rounds" program:pe:127="$rounds"
[ "$(grep -c '"thread_name".*"PE [0-9]*"' "$out")" = 128 ]
result 'PEs have names'
grep -q '"process_name".*"rank 1 of pimdimm"' "$out"
result 'ranks have names'
set -- "$out".*
[ "$1" = "$out.*" ]
result 'nothing is left beside it'

trace_tool "$TOOL" perf alltoall -a pr -b 64K -e 64K -s 32x8 -x 10
traces 'phases of a call lie within it'
grep -q '"name":"reorder"' "$out" && grep -q '"name":"push phase"' "$out"
result 'and have names'

# what two processes write does not mix, and a shell is none that writes
# shellcheck disable=SC2016 # the inner shell's variable
trace_tool sh -c '"$1" cc --uri mem:ranks=1 "$2" & "$1" cc --uri mem:ranks=1 "$2"; wait' \
	sh "$TOOL" "$tmp/graph"
[ "$status" = 0 ]
result 'trace of two processes at once'
traces 'is a timeline'
[ "$(grep '"process_name".*"name":"pimdimm"' "$out" |
	grep -o '"pid":[0-9]*' | sort -u | wc -l)" = 2 ]
result 'with both of them'

trace_tool sh -c 'exit 7'
[ "$status" = 7 ]
result "the command's status"
traces 'of one that has no ranks' launch=0
trace_tool sh -c 'kill -9 $$'
[ "$status" = 137 ]
result 'of one that a signal ended'

# what a command had done, and was at, when it crashed or was interrupted
cat >"$tmp/ending.c" <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <pimdimm/pimdimm.h>

static void kernel(struct pimdimm_pe *pe, void *arg)
{
	pimdimm_barrier(pe);
	if (pimdimm_pe_id(pe) != 3)
		return;
	if (*(int *)arg)
		raise(*(int *)arg);
	puts("waits");
	fflush(stdout);
	pause();
}

int main(int argc, char **argv)
{
	int number = argc > 1 ? atoi(argv[1]) : 0;
	struct pimdimm *sys;

	if (pimdimm_open("mem:ranks=1", &sys) ||
	    pimdimm_write(sys, 7, 8, &number, sizeof(number)) ||
	    pimdimm_launch(sys, 0, 64, 4, kernel, &number))
		return puts(pimdimm_errmsg()), 1;
	return 0;
}
END
B=${B:-build}
"${CC:-cc}" -I"$B/include" -o "$tmp/ending" "$tmp/ending.c" -L"$B" -lpimdimm \
	-Wl,-rpath,"$(realpath "$B")" >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ]
result 'a program that ends in a kernel'
export PIMDIMM_THREADS=1
for number in 11 9 6; do
	trace_tool "$tmp/ending" $number
	[ "$status" = $((128 + number)) ] &&
		grep -q "ending was ended by signal $number (" "$tmp/err" &&
		! grep -q ' 0 events' "$tmp/err"
	result "trace of one that ends by signal $number"
	traces 'has what it did and was at' write:pe:7=1 kernel=3 +kernel=1 \
		+launch=1 launch=0
done
"$TOOL" trace --sysfs "$nothing" --no-kernel -o "$out" "$tmp/ending" \
	>"$tmp/out" 2>"$tmp/err" &
tracer=$!
while ! grep -q waits "$tmp/out" && kill -0 $tracer 2>/dev/null; do
	sleep 0.1
done
kill $tracer
wait $tracer
status=$?
[ "$status" = 143 ]
result 'trace of one that is interrupted'
traces 'has them, too' write:pe:7=1 kernel=3 +kernel=1 +launch=1 launch=0
unset PIMDIMM_THREADS

# a file system with less room than a timeline takes
mkdir "$tmp/small"
if mount -t tmpfs -o size=64k none "$tmp/small" 2>"$tmp/mount"; then
	trap 'umount "$tmp/small"; rm -rf "$tmp"' EXIT
	tool trace --sysfs "$nothing" --no-kernel -o "$tmp/small/trace.json" \
		"$TOOL" demo --uri mem:ranks=2 --graph "$tmp/graph"
	[ "$status" = 1 ] && [ ! -e "$tmp/small/trace.json" ] &&
		grep -q 'trace.json: cannot be written: No space left' "$tmp/err" &&
		! grep -qi success "$tmp/err"
	result 'a full disk is told, and nothing half stays'
	cat "$tmp/small"/* >"$tmp/out" 2>/dev/null
	[ ! -s "$tmp/out" ]
	result 'nor anything beside it'
	PIMDIMM_TRACE=$tmp/small/library.json "$TOOL" demo --uri mem:ranks=2 \
		--graph "$tmp/graph" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = 0 ] && grep -q 'No space left on device: the timeline ends' \
		"$tmp/err"
	result 'the library says so, and goes on without'
	{ printf '{"traceEvents":'
		sed '$s/,$/]}/' "$tmp/small/library.json"; } >"$out"
	traces 'and what it wrote are whole events'
else
	echo "# skipped: no file system can be mounted here: $(cat "$tmp/mount")"
fi

trace_tool /nowhere/at/all
[ "$status" = 127 ] && grep -q '/nowhere/at/all: ' "$tmp/err"
result 'of one that is not there'
# shellcheck disable=SC2016 # the inner shell's variable
trace_tool sh -c 'printf "rubbish\n{\"ph\":\n" >>"$PIMDIMM_TRACE"'
[ "$status" = 0 ] && grep -q ' 2 lost' "$tmp/err"
result 'what is no event is left out and counted'
traces 'is a timeline all the same'
trace_tool -d 0.05
[ "$status" = 0 ]
result 'a span of time'
traces 'is a timeline without events'

# the library alone, without the command
export PIMDIMM_TRACE="$tmp/library.json"
succeeds 'PIMDIMM_TRACE' cc --uri mem:ranks=1 "$tmp/graph"
unset PIMDIMM_TRACE
cp "$tmp/out" "$tmp/out.text"
{ printf '{"traceEvents":'; sed '$s/,$/]}/' "$tmp/library.json"; } >"$out"
rounds=$(sed -n "s/^ *\([0-9]*\) rounds in .*/\1/p" "$tmp/out.text")
traces 'is an array that lacks its end' run:nr_pes:64="$rounds"
PIMDIMM_TRACE=/nowhere/x fails 'a file that cannot be written' 1 'PIMDIMM_TRACE' \
	cc --uri mem:ranks=1 "$tmp/graph"

fails 'neither command nor span' 2 'either a command' trace
fails 'both' 2 'either a command' trace -d 1 true
fails 'a span that is none' 2 'expected seconds' trace -d now
fails 'a file that cannot be' 1 '/nowhere/x: ' trace -o /nowhere/x true
finish
