#!/bin/sh
# SPDX-License-Identifier: MIT
# Debugging PE programs: gdb on a PE, on one that is kept, on a core file.

here=$(cd "$(dirname "$0")" && pwd)
case $B in
/*) ;;
*) B=$PWD/$B ;;
esac
TOOL=${TOOL:-$B/pimdimm}
# shellcheck source=tests/tool/lib.sh
. "$here/../tool/lib.sh"
CC=$B/upmem/bin/dpu-upmem-dpurte-clang
if ! command -v gdb >/dev/null; then
	echo 'debug: there is no gdb to test with' >&2
	echo '1..0 # SKIP there is no gdb'
	exit 0
fi
cd "$tmp" || exit 1
# an ordinary user finds neither this build nor this folder otherwise
chmod 755 "$tmp"
cp "$TOOL" "$B/tests/upmem/runner" "$tmp"
TOOL=$tmp/pimdimm
unset PIMDIMM_DEBUG PIMDIMM_ON_FAULT PIMDIMM_WATCHDOG

cat >poke.h <<'EOS'
static inline __attribute__((always_inline)) void poke(volatile unsigned *p, unsigned v)
{
	*p = v;
}
EOS
cat >task.c <<'EOS'
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <stdint.h>
#include "poke.h"
#ifndef SPINS
#define SPINS 0
#endif
BARRIER_INIT(all, NR_TASKLETS)
__host uint32_t sum, loop, crash;
uint32_t parts[NR_TASKLETS];
__mram_noinit uint32_t data[2048];
static uint32_t *nowhere;

__attribute__((noinline)) static uint32_t work(uint32_t n)
{
	uint32_t part = 0;

	for (uint32_t i = 0; i < n; i++)
		part += i * me();
	if (crash && me() == 2)
		poke(nowhere, part);			/* crashes */
	return part;
}

__attribute__((noinline)) static void fill(void)
{
	__dma_aligned uint32_t buffer[32];

	for (volatile int i = 0; i < SPINS; i++)
		continue;
	for (int i = 0; i < 32; i++)
		buffer[i] = 0x100 + i;
	mram_write(buffer, data, sizeof(buffer));
	poke(&sum, 1);					/* is filled */
}

static void count(void)
{
	__dma_aligned uint32_t buffer[2];

	mram_read(data, buffer, sizeof(buffer));	/* counts */
	sum = buffer[1];
	for (int i = 0; i < NR_TASKLETS; i++)
		sum += parts[i];
}

int main(void)
{
	if (me() == 0)
		fill();
	barrier_wait(&all);				/* first */
	parts[me()] = work(5);				/* works */
	barrier_wait(&all);
	if (me() == 0)
		count();
	barrier_wait(&all);
	while (*(volatile uint32_t *)&loop)		/* loops */
		continue;
	return 0;
}
EOS
"$CC" -O1 -g -DNR_TASKLETS=4 -o task task.c >out 2>err
status=$?
[ "$status" = 0 ]
result 'the program compiles'

# line MARK: the number of the line that it marks
line()
{
	grep -n "/\* $1 \*/" task.c | cut -d: -f1
}

# as COMMAND...: an ordinary user has it, where root runs this
as()
{
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent "$@"
	else
		"$@"
	fi
}

# shows NAME PATTERN...: the last output has lines that match, in this order
shows()
{
	name=$1
	shift
	for pattern; do
		awk -v p="$pattern" '$0 ~ p { exit 1 }' out && break
		shift
	done
	[ $# = 0 ] || sed 's/^/# /' out >&2
	[ $# = 0 ]
	result "$name${1:+: no $1}"
}

# debugs [OPTION]... PROGRAM...: in batch mode, with the commands of standard input
debugs()
{
	cat >script
	$user timeout -k 5 900 "$TOOL" debug --batch --script script "$@" >out 2>err \
		</dev/null
	status=$?
}
user=

# A program for PEs itself, then one of the host that runs it. Also as an ordinary user.
live()
{
	debugs --pe 1 "$@" <<EOS
break poke
break task.c:$(line works)
info threads
continue
info threads
x/2dw mram+0x4
backtrace
continue
print data[31]
print *(uint32_t *)(wram + 0x$(nm task | awk '$3 == "sum" { print substr($1, 12) }'))
delete
break work if \$_thread == 3
continue
backtrace
next
next
info locals
set var data[1] = 4711
tasklet 3
backtrace
delete
break task.c:$(line loops)
continue
print sum
delete
continue
EOS
	[ "$status" = 0 ]
	result "$who: gdb runs"
	shows "$who: tasklets have not begun" '1 .*"tasklet 0" [(]has not begun[)] *pe_start' \
		'4 .*"tasklet 3" [(]has not begun[)] *pe_start'
	shows "$who: a breakpoint in an inlined function" \
		'"tasklet 0" hit Breakpoint 1[.0-9]*, poke [(]' '1 .*"tasklet 0" [(]runs[)] *poke [(]' \
		'^0x8000004 <data[+]4>:	257	258' \
		'^#0 .*poke [(].*v=1.*[)] at [./]*poke.h:3' \
		"^#1 .*fill [(][)] at task.c:$(line 'is filled')" '^#2 .*main [(][)] at task.c:'
	shows "$who: one by file and line" "hit Breakpoint 2, main [(][)] at task.c:$(line works)" \
		'^\$1 = 287' '^\$2 = 1$'
	shows "$who: a condition, steps, another tasklet" '"tasklet 2" hit Breakpoint 3, work' \
		'^#0 .*work [(]n=' "^#1 .*main [(][)] at task.c:$(line works)" '^part = ' \
		'^\[Switching to thread 4' '^#[0-9] .*main [(][)] at task.c:'
	shows "$who: what was set is there" "Breakpoint 4, main [(][)] at task.c:$(line loops)" \
		'^\$3 = 4771'
	shows "$who: the end" 'exited normally'
}

who='a program'
live task
who='a program of the host'
live ./runner -p 4 task
who='an ordinary user' user=as
chmod 777 .
live ./runner -p 4 task
user=

# It comes to the PE that is asked for, wherever that is, and goes again.
debugs --pe 2 ./runner -p 3 -l 3 task crash <<EOS
break count
continue
continue
continue
detach
EOS
[ "$status" = 0 ]
result 'one launch after the other'
shows 'each is stopped' '(hit Breakpoint 1|Breakpoint 1,).* count' \
	'(hit Breakpoint 1|Breakpoint 1,).* count' '(hit Breakpoint 1|Breakpoint 1,).* count' \
	'detached'

# Steps stay with the tasklet, though nothing tells the clock of it, so that a timer has
# begun to switch tasklets. Calls of the PE library, in which others have their turn,
# are one.
for _ in $(seq 12); do
	echo step
done >steps
"$CC" -O0 -g -fno-pimdimm-count -DSPINS=20000000 -DNR_TASKLETS=4 -o uncounted task.c
debugs uncounted <<EOS
break work
continue
delete
source steps
print \$_thread
backtrace
EOS
shows 'steps' '"tasklet 0" hit Breakpoint 1, work' '^\$1 = 1' '^#[01] .*work '
! grep -q 'Switching' out
result 'of one tasklet'
"$CC" -O0 -g -DNR_TASKLETS=4 -o plain task.c
debugs plain <<EOS
break task.c:$(line works) if \$_thread == 3
continue
delete
source steps
source steps
source steps
EOS
shows 'steps through calls' '"tasklet 2" hit Breakpoint 1, main' '^work [(]n=5[)]' \
	'^main [(][)] at task.c:' '^[0-9]*	.*barrier_wait' '^[0-9]*	.*/[*] loops'
! grep -q 'pe/lib/barrier.c' out
result 'not into the PE library'

# Instructions: through a service, which others come out of at the same place.
debugs task <<EOS
break barrier_wait if \$_thread == 2
continue
delete
stepi 60
print \$_thread
backtrace
EOS
shows 'steps through a service' 'hit Breakpoint 1, ' '^\$1 = 2' '^#[0-9] .*main'

# Wherever a timer stops it: also in the library's code where tasklets take turns, which
# is jumped to. Each instruction of that is looked at.
debugs task <<EOS
set var loop = 1
break *pe_pace
continue
delete
set \$steps = 0
while \$steps < 30
	backtrace
	stepi
	set \$steps = \$steps + 1
end
EOS
shows 'taking turns' '^#0 .*pe_pace' '^#1 .*main [(][)] at task.c:'
[ "$(grep -c '^#0' out)" = 30 ] &&
	[ "$(grep -c '^#[0-9] .*main () at task.c:' out)" = 30 ]
result 'has a caller at each instruction'

# names that the program has are the program's
sed 's/parts\[NR_TASKLETS\];/&\n__host uint32_t mram = 11;/' task.c >named.c
"$CC" -O1 -g -DNR_TASKLETS=4 -o named named.c
debugs named <<EOS
print mram
print wram
EOS
shows 'names of memories' '^\$1 = 11' '^\$2 = .*0x400000'

# once the PE has run for half a second of processor time: gdb waits for it by then
cat >interrupt <<'EOS'
below()
{
	for child in $(cat /proc/[0-9]*/stat 2>/dev/null |
			awk -v p="$1" '$4 == p { print $1 }'); do
		[ "$child" = "$gdb" ] || echo "$child"
		below "$child"
	done
}
gdb=$1
tool=$(awk '{ print $4 }' "/proc/$gdb/stat")
for _ in $(seq 6000); do
	for pid in $(below "$tool"); do
		awk '{ exit $14 < 50 }' "/proc/$pid/stat" 2>/dev/null && break 2
	done
	sleep 0.1
done
kill -INT "$gdb"
EOS
debugs task <<EOS
set var loop = 1
shell sh interrupt \$PPID &
continue
backtrace
info threads
set var loop = 0
continue
EOS
shows 'an interrupt' 'received signal SIGINT' '^#[0-9] .*main [(][)] at task.c:' \
	'exited normally'

debugs task <<EOS
set var crash = 1
continue
backtrace
continue
EOS
# gdb takes what is at the begin of an inlined call for its caller's
shows 'a fault' '"tasklet 2" received signal SIGSEGV' '^#0 ' \
	"^#[01] .*work [(]n=5[)] at task.c:$(line crashes)" '^#[12] .*main [(][)] at task.c:'
grep -q '^access to 0, which is no memory of a PE, at task.c:.*; called from' err
result 'is told in words, too'
grep -q 'PE 0, tasklet 2: access to 0' err
result 'and at the end'

# what is looked at where a PE has crashed
cat >crash.gdb <<EOS
info threads
backtrace
x/2w mram+0x4
print parts
tasklet 1
backtrace
EOS

dead()
{
	shows "$1: tasklets" '[*] [13] .*poke [(]' '4 '
	shows "$1: backtrace" '^#0 .*poke [(].*at [./]*poke.h:3' \
		"^#1 .*work [(]n=5[)] at crash.c:$(line crashes)" \
		"^#2 .*main [(][)] at crash.c:$(line works)"
	shows "$1: memory" '^0x8000004 <data[+]4>:	257	258' '^\$1 = [{]0, 10, 0, [0-9]*[}]'
	shows "$1: another tasklet" '^#[0-9] .*barrier_wait' '^#[0-9] .*main [(][)] at crash.c:'
}

sed 's/crash;/crash = 1;/' task.c >crash.c
"$CC" -O1 -g -DNR_TASKLETS=4 -o crash crash.c
cores()
{
	mkdir cores && chmod 777 cores
	PIMDIMM_ON_FAULT=core:cores $user ./runner -p 4 crash >out 2>err
	status=$?
	core=$(ls cores)
	[ "$(echo "$core" | wc -w)" = 1 ] && expr "$core" : 'pe-[0-3][.][0-9]*[.]core' >>err &&
		grep -q "; its core file is cores/$core" out &&
		[ "$(du -k "cores/$core" | cut -f1)" -lt 400 ]
	result "$who: a core file"
	debugs --core "cores/$core" crash <crash.gdb
	[ "$status" = 0 ]
	result "$who: is opened"
	dead "$who: core"
	gdb -q -batch -ex backtrace crash "cores/$core" >out 2>err
	shows "$who: by gdb alone" 'SIGSEGV' '^#1 .*work [(]n=5[)]'
	rm -r cores
}
who=root
cores
who='an ordinary user' user=as
cores
user=

PIMDIMM_ON_FAULT=core:nowhere ./runner -p 1 crash >out 2>err
grep -q '; no core file in nowhere: No such file' out
result 'a core file that cannot be written is a sentence'
sed 's/sum, loop/sum, loop = 1/' task.c >endless.c
"$CC" -O1 -g -DNR_TASKLETS=4 -o endless endless.c
cat >host.c <<'EOS'
#include <stdio.h>
#include <pimdimm/program.h>
int main(void)
{
	struct pimdimm_run run = { .size = sizeof(run), .timeout_ms = 3000 };
	struct pimdimm_program *program;
	struct pimdimm *sys;
	uint32_t pe = 0;

	if (pimdimm_open("mem:ranks=1,mram=64K", &sys) ||
	    pimdimm_program_open("endless", &program) || pimdimm_load(sys, &pe, 1, program))
		return 1;
	pimdimm_run(sys, &pe, 1, &run);
	puts(pimdimm_errmsg());
	return 0;
}
EOS
cc -I"$B/include" -o host host.c -L"$B" -lpimdimm -Wl,-rpath,"$B" &&
	PIMDIMM_ON_FAULT=core ./host >out 2>err
grep -q 'did not end in 3000 ms.*; its core file is' out
result 'of a PE that does not end'
debugs --core pe-0.*.core endless <crash.gdb
shows 'it is where it was' '^#[0-9] .*main [(][)] at endless.c:'

# What is no core of a PE, and other mistakes.
cat "$TOOL" >foreign
fails 'a foreign core' 1 'foreign: no core file of a PE' debug --core foreign crash
fails 'no core' 1 'none: No such file' debug --core none crash
fails 'a core for a program that is none' 1 'no PE program\|no core file\|expected' \
	debug --core "$here/debug.t" crash
fails 'nothing is kept there' 1 'no PE is kept there' debug --attach .
fails 'a program that runs nothing on the PE' 1 'has run no program on PE 7' \
	debug --pe 7 true
fails 'a program that is not there' 127 'none: No such file' debug ./none
fails 'no program' 2 'expected a program' debug
fails 'no number' 2 'expected a PE' debug --pe first task
mkdir bin
for command in sh env; do
	ln -s "$(command -v $command)" bin/
done
(PATH=$tmp/bin "$TOOL" debug task) >out 2>err
status=$?
[ "$status" = 1 ] && grep -q 'no gdb in PATH: install the package gdb' err
result 'no gdb is a sentence'

# kept: a PE that waits for gdb
kept()
{
	rm -f kept.out kept.err
	PIMDIMM_ON_FAULT=wait $user timeout 900 ./runner -p 4 crash >kept.out 2>kept.err &
	runner=$!
	for _ in $(seq 6000); do
		grep -qs "debug --attach" kept.err && break
		sleep 0.1
	done
	folder=$(sed -n 's/.*it is kept for a debugger: pimdimm debug --attach //p' kept.err)
	grep -q 'tasklet 2: access to 0.*crash.c:.*; it is kept for a debugger' kept.err &&
		[ -n "$folder" ]
	result "$who: a PE is kept"
	debugs --attach "$folder" <crash.gdb
	[ "$status" = 0 ]
	result "$who: gdb comes to it"
	dead "$who: kept"
	wait $runner
	status=$?
	grep -q '^fault 10: access to 0' kept.out && [ ! -e "$folder" ]
	result "$who: afterwards the launch ends"
}
who=root
kept
who='an ordinary user' user=as
kept
user=

"$B/upmem/bin/dpu-lldb" --batch -e 'break count' -e continue -- task >out 2>err </dev/null
status=$?
shows 'dpu-lldb' 'Breakpoint 1, count'
[ -z "$(find /tmp -maxdepth 1 -name 'pimdimm-debug-*' -newer task 2>/dev/null)" ]
result 'nothing is left behind'

finish
