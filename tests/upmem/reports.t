#!/bin/sh
# SPDX-License-Identifier: MIT
# What reports and profiles say of PEs and their tasklets: the same in every run, and
# nothing of cycles where tasklets have a random order.

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
unset PIMDIMM_REPORT PIMDIMM_PROFILE_FILE

# PE n's tasklet t has n + 1 turns and t transfers, and all meet; the first half has a lock
cat >busy.c <<'EOF'
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <mutex.h>
#include <pimdimm.h>
#include <stdint.h>
BARRIER_INIT(all, NR_TASKLETS)
MUTEX_INIT(lock);
__mram_noinit uint64_t far[256];
__dma_aligned static uint64_t near[24][16];
static volatile uint32_t sink;
__host uint32_t locked;
int main(void)
{
	for (uint32_t i = 0; i < 1000 * (pe_id() + 1); i++)
		sink = i;
	for (uint32_t i = 0; i < me(); i++)
		mram_read(far, near[me()], 64);
	barrier_wait(&all);
	if (me() < 8) {
		mutex_lock(lock);
		for (uint32_t i = 0; i < 100; i++)
			locked++;
		mutex_unlock(lock);
	}
	return 0;
}
EOF
"$CC" -O2 -DNR_TASKLETS=16 -fpimdimm-profile -o busy busy.c >out 2>err
status=$?
[ "$status" = 0 ]
result 'compiles a program'

# reports NAME [VARIABLE=VALUE]...: one of each kind, of 5 PEs, in files called NAME
reports()
{
	name=$1
	shift
	for kind in text json csv; do
		env "$@" PIMDIMM_REPORT="./$name.$kind" "$RUNNER" -p 5 -l 2 busy >out 2>&1 ||
			return
	done
	env "$@" "$TOOL" profile -o "$name.lines" --folded "$name.stacks" --waits \
		"$RUNNER" -p 5 -l 2 busy >out 2>&1 &&
		env "$@" "$TOOL" profile --json -o "$name.profile" \
			"$RUNNER" -p 5 -l 2 busy >out 2>&1
}

reports one PIMDIMM_THREADS=1
status=$?
[ "$status" = 0 ]
result 'reports'

cat >tasklets.py <<'EOF'
import json
rows = json.load(open("one.json"))["rows"]
row = [r for r in rows if r["kind"] == "program"][0]
tasklets = row["tasklets"]
assert [t["tasklet"] for t in tasklets] == list(range(16)) and row["slowest_pe"] == 4
assert sum(t["instructions"] for t in tasklets) == row["issued"] == row["instructions"]
# of two launches; the last tasklet ends when its PE does
assert max(t["cycles"] for t in tasklets) == row["cycles"]
for t in tasklets:
    assert t["transfers"] == 2 * t["tasklet"] and t["dma_bytes"] == 64 * t["transfers"]
    assert t["dma_wait"] >= 88 * t["transfers"]
    assert bool(t["spin_wait"]) <= (t["tasklet"] < 8)
    own = 11 * t["instructions"] + sum(t[k + "_wait"] for k in ("dma", "stop", "spin"))
    assert abs(own + t["pipeline_wait"] - t["cycles"]) <= 2
assert tasklets[0]["stop_wait"] > tasklets[14]["stop_wait"]
assert sum(t["spin_wait"] > 0 for t in tasklets) == 7
# of 16 tasklets 5 wait for the pipeline
assert min(t["pipeline_wait"] for t in tasklets) > row["cycles"] // 5
text = open("one.text").read()
assert "tasklets of slowest PEs, busy\n" in text
for t in tasklets:
    del t["classes"]
    line = "\n%-32u" % t.pop("tasklet") + "".join(" %14u" % n for n in t.values()) + "\n"
    assert line in text, line
assert not [r for r in rows if r["kind"] != "program" and "tasklets" in r]
EOF
python3 tasklets.py >out 2>err
status=$?
[ "$status" = 0 ]
result 'what each tasklet of the slowest PE did'

# tasklet t has so many of each class and times t + 1, of what cannot be left out; the
# loop around them has its own
cat >classes.c <<'EOF'
#include <defs.h>
#include <mram.h>
#include <stdint.h>
#include <string.h>
__mram_noinit uint64_t far[256];
__dma_aligned static uint64_t near[24][16];
static volatile uint32_t word, other;
static volatile float f;
char from[64], to[64];
int main(void)
{
	uint32_t turns = 100 * (me() + 1);

	for (uint32_t i = 0; i < turns; i++) {
		uint32_t x = word;

		other = x;
		other = x / (x | 1);
		f = f * f;
		mram_read(far, near[me()], 64);
		memcpy(to, from, 64);
		__asm__ volatile("" ::: "memory");
	}
	return 0;
}
EOF
"$CC" -O2 -DNR_TASKLETS=4 -fpimdimm-profile -o classes classes.c >out 2>err &&
	"$CC" -O2 -DNR_TASKLETS=4 -o plain classes.c >out 2>err &&
	PIMDIMM_REPORT=classes.json "$RUNNER" -p 2 -l 2 classes >out 2>err &&
	PIMDIMM_REPORT=plain.json "$RUNNER" -p 2 -l 2 plain >out 2>err &&
	PIMDIMM_REPORT=classes.text "$RUNNER" -p 2 -l 2 classes >out 2>err
status=$?
[ "$status" = 0 ]
result 'reports of classes'
cat >classes.py <<'EOF'
import json
def row(name):
    rows = json.load(open(name))["rows"]
    return [r for r in rows if r["kind"] == "program"][0]
row, plain = row("classes.json"), row("plain.json")
text = open("classes.text").read().split("instructions by class, classes\n")[1]
for t in row["tasklets"]:
    c, turns = t["classes"], 2 * 100 * (t["tasklet"] + 1)
    assert sum(c.values()) == t["instructions"], t
    # a load, those of floats, and of each 8 bytes of 64; the loop reads no memory
    assert c["loads"] == turns * (1 + 2 + 8) and c["stores"] == turns * (2 + 1 + 8), t
    assert c["floats"] == turns * 175 and c["dma"] == turns * 2 and not c["other"], t
    # a quotient, 0 by 1: what it takes besides its bits, of which it has none; and the
    # product in the number of turns, with the bits of the smaller factor
    bits = max(t["tasklet"], 1).bit_length()
    assert c["products"] == turns * 11 + 2 * (9 + bits), t
    # the or, and what ends the loop; calls are none
    assert 2 * turns <= c["arithmetic"] <= 4 * turns and 0 < c["control"] < 100, t
    assert c["library"] < 200, t
    line = "%-32u" % t["tasklet"] + "".join(" %14u" % n for n in c.values()) + "\n"
    assert line in text, line
sums = {k: sum(t["classes"][k] for t in row["tasklets"]) for k in row["classes"]}
assert sums == row["classes"] and sum(sums.values()) == row["issued"]
assert "slowest PE" + " " * 22 + "".join(" %14u" % n for n in sums.values()) in text
# what it takes to count is nothing that hardware would execute
assert row["cycles"] == plain["cycles"] and row["issued"] == plain["issued"]
assert "classes" not in plain and "classes" not in plain["tasklets"][0]
EOF
python3 classes.py >out 2>err
status=$?
[ "$status" = 0 ]
result 'instructions by class, of tasklets and of the PE'

# What is measured here differs, and with it no more.
cat >same.py <<'EOF'
import csv, json, re, sys
a, b = sys.argv[1:]
measured = {"host_ns", "emulation_ns"}
def rows(name):
    return [{k: v for k, v in r.items() if k not in measured}
            for r in json.load(open(name + ".json"))["rows"]]
def table(name):
    return [{k: v for k, v in r.items() if k not in measured}
            for r in csv.DictReader(open(name + ".csv"))]
def shares(name):
    return re.search("\ncycles of slowest.*\ncomposed", open(name + ".text").read(),
                     re.S).group(0)
assert rows(a) == rows(b) and table(a) == table(b) and shares(a) == shares(b)
for kind in ("lines", "stacks", "profile"):
    assert open(a + "." + kind).read() == open(b + "." + kind).read(), kind
EOF
for threads in 2 7; do
	(while :; do :; done) & first=$!
	(while :; do :; done) & second=$!
	reports other PIMDIMM_THREADS=$threads
	status=$?
	kill "$first" "$second"
	[ "$status" = 0 ] && python3 same.py one other >out 2>err
	result "the same with $threads threads and under load"
done

reports random PIMDIMM_SCHEDULE=random:7
status=$?
[ "$status" = 0 ]
result 'reports of a random order'
cat >random.py <<'EOF'
import csv, json
times = ("cycles", "pe_ns", "launch_ns", "longest_cycles", "all_cycles", "room_cycles",
         "issued", "spun", "dma_slots", "idle_dma", "idle_stop", "idle_few")
report = json.load(open("random.json"))
row = [r for r in report["rows"] if r["kind"] == "program"][0]
assert row["uncounted"] == row["calls"] == 2 and row["tasklets"] == []
assert not [n for n in times if row[n]] and report["phases"][0]["composed_ns"] is None
row = [r for r in csv.DictReader(open("random.csv")) if r["kind"] == "program"][0]
assert not [n for n in times if row[n] != "0"], row
text = open("random.text").read()
assert " cycles" not in text and "tasklets of" not in text and "not counted" in text
assert "composed: none: 2 of the launches were not counted" in text
p = json.load(open("random.profile"))
assert p["instructions"] > 0 and [q["cycles"] for q in p["pes"]] == [None] * 5
assert not sum(sum(l["waited"].values()) for l in p["lines"])
lines = open("random.lines").read()
assert "5 PEs, without cycles: their tasklets had a random order" in lines
assert "barrier" not in lines and "slowest" not in lines
assert "(barrier)" not in open("random.stacks").read()
EOF
python3 random.py >out 2>err
status=$?
[ "$status" = 0 ]
result 'which show no cycles'
finish
