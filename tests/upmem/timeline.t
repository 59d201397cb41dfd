#!/bin/sh
# SPDX-License-Identifier: MIT
# Tasklets in the timeline: each with its waits, as long as the model has them, and the
# same whoever runs them and whatever else there is to do.

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
check=$here/../tool/check-timeline
cd "$tmp" || exit 1

# compiles NAME: NAME.c, with two tasklets
compiles()
{
	"$CC" -O2 -DNR_TASKLETS=2 -I"$here/../.." -o "$1" "$1.c" >out 2>err
	status=$?
	[ "$status" = 0 ]
	result "compiles $1"
}

# traces FILE PES COMMAND...: to a file, with the tasklets of these PEs
traces()
{
	file=$1 of=$2
	shift 2
	tool trace --sysfs "$tmp/class" --no-kernel --tasklets "$of" -o "$file" "$@"
}

# has NAME FILE EXPECTED...: it is a timeline, and has these
has()
{
	name=$1 file=$2
	shift 2
	python3 "$check" "$file" "$@" >out 2>err
	status=$?
	[ "$status" = 0 ]
	result "$name"
}

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
__dma_aligned static uint64_t near[64];
static volatile uint32_t sink;
__attribute__((noinline)) static void work(uint32_t turns)
{
	for (uint32_t i = 0; i < turns; i++)
		sink = i;
}
int main(void)
{
	if (me() == 0)
		for (int i = 0; i < 100; i++)
			mram_read(far, near, 8);
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
	return 0;
}
EOS
compiles waits
traces two.json 1,3-4 "$RUNNER" -l 2 waits
[ "$status" = 0 ]
result 'traces tasklets'
# 3 PEs, each twice; on two tasklets in turns
has 'each with its waits' two.json tasklet=12 tasklet:pe:0=0 tasklet:pe:3=4 \
	tasklet:tasklet:1=6 DMA=600 barrier=6 mutex=6 handshake=6 semaphore=6
[ "$(grep -c '"thread_name".*"PE [134], tasklet [01], modelled"' two.json)" = 6 ]
status=$?
result 'which have names'
cat >lengths.py <<'EOS'
import json, sys
# without a time that is this machine's: a tasklet's spans from where it began
def spans(name):
    tracks = {}
    for e in json.load(open(name))["traceEvents"]:
        if e["ph"] == "X" and "tasklet" in e["args"]:
            key = e["args"]["pe"], e["args"]["tasklet"]
            tracks.setdefault(key, []).append((e["ts"], -e["dur"], e["name"]))
    for key, track in tracks.items():
        track.sort()
        starts = [ts for ts, _, name in track if name == "tasklet"]
        tracks[key] = [(name, round(-dur, 3), round(ts - max(s for s in starts if s <= ts), 3))
                       for ts, dur, name in track]
    return tracks
def near(a, b):
    return len(a) == len(b) and all(x[0] == y[0] and abs(x[1] - y[1]) < .005 and
                                    abs(x[2] - y[2]) < .005 for x, y in zip(a, b))
first, *others = map(spans, sys.argv[1:])
for other in others:
    assert first.keys() == other.keys()
    assert all(near(first[key], other[key]) for key in first)
cycle = 1 / 350
sums = {}
for track in first.values():
    assert sum(name == "tasklet" for name, _, _ in track) == 2
    assert [t for t in track if t[0] == "tasklet"][0][2] == 0
    for name, dur, _ in track:
        sums[name] = sums.get(name, 0) + dur
# three PEs, twice: 100 transfers of 55 cycles and 8 times 0.52; and 11 cycles for each of
# the 2 instructions at least that a turn of the other tasklet takes
assert abs(sums["DMA"] / (6 * 100 * 59.16 * cycle) - 1) < 0.001, sums
for kind, turns in (("barrier", 10000), ("mutex", 1000), ("handshake", 1000),
                    ("semaphore", 3000)):
    expected = 6 * 2 * 11 * turns * cycle
    assert expected * 0.8 < sums[kind] < expected * 1.2, (kind, expected, sums)
EOS
for threads in 1 2; do
	PIMDIMM_THREADS=$threads traces "$threads.json" 1,3-4 "$RUNNER" -l 2 waits
done
python3 lengths.py two.json 1.json 2.json >out 2>err
status=$?
[ "$status" = 0 ]
result 'as long as the model has them, with any number of threads'
traces all.json all "$RUNNER" -p 8 waits
has 'all PEs' all.json tasklet=16 DMA=800
traces none.json 9 "$RUNNER" -p 8 waits
has 'none of them' none.json tasklet=0 DMA=0 program=8
PIMDIMM_SCHEDULE=random:1 traces random.json all "$RUNNER" -p 8 waits
has 'a random order has no times' random.json tasklet=0 DMA=0 program=8

# a token goes round four times: each hop is an arrow, and two more from a PE to another
cat >arrows.c <<'EOS'
#include <defs.h>
#include <pimdimm.h>
#include <stdint.h>
#define LAPS	4
static uint32_t came;
static void none(uint64_t arg)
{
	(void)arg;
	came++;
}
static void hop(uint64_t left)
{
	if (left)
		parcel_send((pe_id() + 1) % 8, hop, left - 1);
}
int main(void)
{
	if (me() != 0)
		return 0;
	if (pe_id() == 0)
		parcel_send(1, hop, 8 * LAPS - 1);
	if (pe_id() == 5) {
		parcel_send(2, none, 0);
		parcel_send(2, none, 0);
		parcel_send(5, none, 0);
	}
	return 0;
}
EOS
compiles arrows
for resident in 0 64; do
	PIMDIMM_RESIDENT=$resident traces arrows.json 9 "$RUNNER" -p 8 arrows
	has "an arrow a parcel, $resident workers" arrows.json @parcel=34
done

# the last of what they waited for, where they never come to its end; whoever waits last
# does so when there is no time any more
cat >stuck.c <<'EOS'
#include <defs.h>
#include <handshake.h>
#include <mutex.h>
MUTEX_INIT(lock);
int main(void)
{
	mutex_lock(lock);
	for (volatile int i = 0; i < 1000; i++)
		;
	handshake_wait_for(1 - me());
	return 0;
}
EOS
compiles stuck
traces stuck.json 0 "$RUNNER" -p 1 stuck
has 'what they wait for to the end' stuck.json tasklet=2 mutex=1

# whoever is drawn waits in person, others by what the scheduler does for them: the same
# cycles
cat >turns.c <<'EOS'
#include <barrier.h>
#include <defs.h>
#include <handshake.h>
#include <mutex.h>
#include <perfcounter.h>
#include <sem.h>
#include <stdint.h>
BARRIER_INIT(all, NR_TASKLETS)
MUTEX_INIT(lock);
SEMAPHORE_INIT(given, 3);
static volatile uint32_t sum;
__host uint64_t total;
__host uint64_t ended;
int main(void)
{
	if (me() == 0)
		perfcounter_config(COUNT_CYCLES, true);
	for (uint32_t i = 0; i < 40; i++) {
		mutex_lock(lock);
		sum += i;
		mutex_unlock(lock);
		if (i % 3 == 0)
			barrier_wait(&all);
		sem_take(&given);
		for (uint32_t k = 0; k < me(); k++)
			sum += k;
		sem_give(&given);
		if (me() % 2)
			handshake_wait_for(me() - 1);
		else
			handshake_notify();
	}
	mutex_lock(lock);
	total = perfcounter_get();
	ended++;
	mutex_unlock(lock);
	return 0;
}
EOS
"$CC" -O2 -DNR_TASKLETS=16 -o turns turns.c >out 2>err &&
	"$RUNNER" -p 2 turns total ended >alone 2>err &&
	grep -q '^ended: .* = 16$' alone
result 'waits of all kinds'
traces turns.json all "$RUNNER" -p 2 turns total ended
grep -qxF "$(grep '^total: .* = [1-9]' alone)" out
result 'take as long where they are drawn'

# more than are kept
cat >often.c <<'EOS'
#include <mram.h>
#include <stdint.h>
__mram_noinit uint64_t far[64];
__dma_aligned static uint64_t near[64];
int main(void)
{
	for (int i = 0; i < 5000; i++)
		mram_read(far, near, 8);
	return 0;
}
EOS
compiles often
traces often.json 0 "$RUNNER" -p 1 often
has 'says where waits are not drawn' often.json DMA=8192 'waits not drawn=2'

# a PE that goes on when others have sent it something
CC_PARCELS="$here/quirks/parcels.c"
"$CC" -O2 -DNR_TASKLETS=2 -I"$here/quirks" -o parcels "$CC_PARCELS" >out 2>err
status=$?
[ "$status" = 0 ]
result 'compiles a program of parcels'
traces parcels.json all "$RUNNER" -p 8 parcels
has 'time goes on where a PE does' parcels.json @parcel=32

# a program that writes what it likes where its waits are kept
cat >lies.c <<'EOS'
#include <stdint.h>
#include "runtime/pe/shared/shared.h"
int main(void)
{
	struct pe_shared *s = (struct pe_shared *)PE_SHARED;
	volatile struct pe_wait_span *w = (struct pe_wait_span *)PE_WAITS;

	for (uint32_t i = 0; i < PE_WAITS_MAX; i++) {
		w[i].begin = i * 0x9e3779b97f4a7c15;
		w[i].end = i % 3 ? ~w[i].begin : i;
		w[i].tasklet = i % 5 * 0x11111111;
		w[i].kind = i % 7 ? i : 0xffffffff;
	}
	s->nr_waits = 0xffffffff;
	s->clock.now = s->self.pe & 1 ? 1ull << 50 : ~0ull;
	s->clock.stopped = 0xffffffff;
	s->tasklets[0].wait = 0x7fffffff;
	return 0;
}
EOS
compiles lies
traces lies.json all "$RUNNER" -p 8 lies
[ "$status" = 0 ] || [ "$status" = 1 ]
result 'a program that lies'
has 'is drawn as something' lies.json program=8

for wrong in 3-1 x 1, 1,,2 0-4294967296; do
	PIMDIMM_TRACE_TASKLETS=$wrong fails "a wrong list, $wrong" 1 \
		"PIMDIMM_TRACE_TASKLETS is \"$wrong\", expected all, or PEs such" \
		demo --uri mem:ranks=1
done
finish
