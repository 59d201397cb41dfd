#!/bin/sh
# SPDX-License-Identifier: MIT
# What a message between PEs takes. It is counted and modelled: the figures are the same on
# every machine, and may decide a test.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

if [ "$(uname -m)" != x86_64 ]; then
	echo '1..0 # SKIP programs for PEs inside the command are built on x86-64 alone'
	exit
fi

# holds NAME CONDITION: of each row, whose columns are called by their names
holds()
{
	condition=$(printf '%s' "$2" | tr '\n\t' '  ')
	awk -F, "
		NR == 1 { for (i = 1; i <= NF; i++) at[\$i] = i; next }
		{
			n++
			for (i in at) v[i] = \$at[i]
			if (!($condition)) { print \"# \" \$0; bad = 1 }
		}
		END { exit bad || n != 44 }" "$tmp/out" >&2
	result "$1"
}

succeeds 'suite messages' perf --suite messages --csv
values
cp "$tmp/out" "$tmp/csv"
holds 'all messages came as they were sent' 'v["wrong"] == 0'
holds 'every function has a sort' \
	'v["instructions_unsorted"] == 0 && v["references_unsorted"] == 0'
holds 'travellers juggle nothing, the conventional engine does' '
	(v["method"] == "conventional") == (v["instructions_juggling"] > 0)'
holds 'overhead is what the categories have' '
	(d = v["overhead_instructions"] - v["instructions_state"] -
	 v["instructions_cleanup"] - v["instructions_queues"] -
	 v["instructions_juggling"]) < 0.05 && d > -0.05'
holds 'references are instructions' '
	v["overhead_references"] > 0 && v["overhead_references"] < v["overhead_instructions"] &&
	v["references_queues"] <= v["instructions_queues"] &&
	v["references_checks"] <= v["instructions_checks"]'
holds "R03's cycles" '
	(d = v["r03_cycles_open"] - 4 * v["overhead_instructions"] -
	 4 * v["overhead_references"]) < 0.1 && d > -0.1 &&
	v["r03_cycles_closed"] > v["r03_cycles_open"]'
# a posted receive is found at once; one that is not is probed for, and then found
awk -F, '$1 != "travelling" { next }
	$2 == "eager" && $4 == 0 { none = $5 } $2 == "eager" && $4 == 100 { all = $5 }
	$2 == "rendezvous" && $4 == 100 { long = $5 }
	END { exit !(all > 0 && all < none && all < long) }' "$tmp/csv"
result 'posted receives take less, three hops more'
awk -F, '$1 == "travelling" { of[$2 $4] = $5 }
	$1 == "conventional" { n++; if ($5 <= of[$2 $4]) { print "# " $0; bad = 1 } }
	END { exit bad || n != 22 }' "$tmp/csv" >&2
result 'who juggles has more overhead, whatever the path and the share'

# As JSON and drawn, by other threads, and beside MPI libraries as far as they are there: the suite
# takes its time, so that one run has it all.
opponents=
if [ -x "${B:-build}/rounds/openmpi" ] && command -v valgrind >/dev/null &&
	command -v mpirun.openmpi >/dev/null; then
	opponents='--opponents openmpi -n 1'
	export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
	export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
	export OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1
fi
PIMDIMM_THREADS=7
export PIMDIMM_THREADS
# shellcheck disable=SC2086 # words
succeeds 'drawn, as JSON' perf --suite messages --json --plot "$tmp/plot" $opponents
unset PIMDIMM_THREADS
python3 -c 'import csv, json, sys
report = json.load(open(sys.argv[1]))
rows = [r for r in report["rows"] if r["method"] in ("travelling", "conventional")]
assert len(rows) == 44 and report["total"]["wrong"] == 0
for row, line in zip(rows, csv.DictReader(open(sys.argv[2])), strict=True):
    flat = row | {f"{what}_{sort}": n for what in ("instructions", "references")
                  for sort, n in row[what].items()}
    for name, text in line.items():
        assert text == (flat[name] if type(flat[name]) is str else
                        "%.*f" % (len(text.partition(".")[2]), flat[name])), (name, text, row)
' "$tmp/out" "$tmp/csv" 2>"$tmp/err"
result 'by other threads: the same'
python3 -c 'import json, sys
report = json.load(open(sys.argv[1]))
for row in report["rows"]:
    four = ["state", "cleanup", "queues", "juggling"]
    assert abs(sum(row["references"][c] for c in four) - row["overhead_references"]) < 1
assert [f["figure"] for f in report["figures"]] == [
    "R03-6ab", "R03-6cd", "R03-7ab", "R03-7", "R03-8", "R03-8-memory", "R03-8-juggling",
    "R03-8-cycles", "R03-8-instructions", "R03-8-references", "R03-9", "R03-9abc", "R03-9-copy", "R03-9-copy-PIM", "R03-9d",
    "switch-instructions", "switch-cycles", "switch-ns"]
' "$tmp/out" 2>"$tmp/err" && [ "$(ls "$tmp/plot" | wc -l)" = 54 ]
result 'drawn, as JSON: schema'
"$(dirname "$0")/check-messages" "$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ]
result 'routines, copies and the eager switch: what is counted'
if [ -z "$opponents" ]; then
	result 'resident kernels and Open MPI # SKIP there is no Open MPI, or no valgrind'
else
	python3 - "$tmp/out" <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
rows = report["rows"]
host = [r for r in rows if r["method"] in ("resident", "openmpi")]
assert len(rows) == 88 and len(host) == 44 and report["total"]["wrong"] == 0
for row in host:
    assert row["overhead_instructions"] > row["overhead_references"] / 2 > 0
    assert row["instructions"]["juggling"] == 0 and row["cycles_modelled"] is None
own = [r for r in host if r["method"] == "resident"]
assert all(r["instructions"]["unsorted"] < 10 for r in own)
# whatever has no sort is told by its name
for row in host:
    told = sum(u["instructions"] for u in report["unsorted"] if u["method"] == row["method"])
    assert row["instructions"]["unsorted"] <= told + .01, (row, report["unsorted"])
eager = [r for r in own if r["path"] == "eager"]
overhead = [r["overhead_instructions"] for r in eager]
assert overhead == sorted(overhead, reverse=True)
# a receive is checked once, posted or not; what is not is probed for besides
checks = {r["posted_percent"]: r["instructions"]["checks"] for r in eager}
assert 0.75 * checks[0] < checks[100] < checks[0], checks
targets = report["targets"]
assert len(targets) == 13
assert all(t["figure"] > 0 for t in targets[:4])
assert [t["method"] for t in report["times_ns"]] == [
    "resident", "resident, 2 threads", "mpich", "openmpi"]
assert all(report["times_ns"][0][k] > 0 for k in ("8", "256", "80K", "rate", "behind"))
assert report["times_ns"][2]["8"] is None
END
	result 'resident kernels and Open MPI: counted and timed'
fi

# Programs that fail: those of rounds, their launcher and valgrind are scripts here, beside a copy
# of the command.
mkdir -p "$tmp/bin/rounds" "$tmp/fake"
cp "$TOOL" "$tmp/bin/pimdimm"
cat >"$tmp/fake/mpirun.openmpi" <<'END'
#!/bin/sh
shift 2
exec "$@"
END
cat >"$tmp/fake/valgrind" <<'END'
#!/bin/sh
while :; do
	case $1 in
	-*) shift ;;
	*) exec "$@" ;;
	esac
done
END
# the end of what is measured comes from within it, so that no time decides
cat >"$tmp/bin/rounds/openmpi" <<'END'
#!/bin/sh
[ "$INTERRUPT" != "$1" ] || kill -TERM "$PPID"
[ "$1" = time ] || exit 5
printf '%s 4.0\n' 8 256 80K rate behind
# its second turn fails
[ ! -e "$0.ran" ] || exit 6
: >"$0.ran"
END
cat >"$tmp/bin/rounds/own" <<'END'
#!/bin/sh
# as one that was built without valgrind's header
[ "$1" = time ] || exit 77
printf '%s 2.0\n' 8 256 80K rate behind across
END
chmod +x "$tmp"/fake/* "$tmp"/bin/rounds/*

# What callgrind would write of two ranks, as `count`: of a function that is known by its name, of one
# by an address, which the build of its object has, and of an unknown one; costs tell routines apart.
cat >"$tmp/profiles" <<'END'
#!/usr/bin/env python3
import os, struct, sys
folder, build = sys.argv[1:]
note = struct.pack("<III4s", 4, 20, 3, b"GNU") + bytes.fromhex(build)
head = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
part = struct.pack("<IIQQQQQQ", 4, 4, 120, 120, 120, len(note), len(note), 4)
library = os.path.join(os.path.dirname(folder), "mca_pml_ob1.so")
with open(library, "wb") as out:
    out.write(head + part + note)
kinds = [(size, posted, 0) for size in (256, 81920) for posted in range(11)]
kinds += [(size, 5, routine) for size in (256, 81920) for routine in (1, 2, 3)]
for pid in 11, 12:
    for number, (size, posted, routine) in enumerate(k for k in kinds for _ in range(6)):
        cost = 10 * (routine + 1) if routine else 100
        with open(f"{folder}/{pid}.{number + 1}", "w") as out:
            out.write(f"desc: Trigger: Client Request: {size} {posted} {routine}\n"
                      f"ob=(1) {library}\nfl=(1) ???\n"
                      f"fn=(1) mca_pml_ob1_irecv\n0 {cost} 10 20\n"
                      f"fn=(2) 0x0000000000010190\n0 {10 * cost} 100 200\n"
                      f"fn=(3) nobody_knows\n0 40 10 10\n")
END
chmod +x "$tmp/profiles"

# beside ARGUMENT...: the copy of the command
beside()
{
	PATH=$tmp/fake:$PATH TOOL=$tmp/bin/pimdimm tool perf --suite messages "$@"
}

INTERRUPT='' beside --opponents mpich,openmpi -n 2
[ "$status" = 0 ] && [ ! -s "$tmp/err" ]
result 'programs that fail'
prints 'text: a row' '^ travelling  *eager  *256  *50  *[0-9]* '
prints 'text: a routine' '^# travelling  *rendezvous  *Probe  *[0-9]'
prints 'text: a copy' '^#  *81920 row  *16 '
prints 'text: where eager and rendezvous cross' '^# posted, cycles of a DPU, modelled: they cross at [0-9]* bytes'
prints 'text: what is not measured' "^# R03's figures 7 c-d, .*: not measured: "
prints "text: the paper's averages" '^#   rendezvous, LAM 6.5.9 .*pages closed - (0.30)'
prints 'text: a figure' '^# Figure R03-8: what overhead is for'
prints 'counting: built without the header' \
	"^# resident: not measured: it was built without valgrind's header\$"
prints 'counting: none there' '^# mpich: not measured: it was not there when pimdimm was built$'
prints 'counting: failed' '^# openmpi: not measured: its program has failed (status 5)$'
prints 'timing: a program that works' '^#resident  *2[.]0  *2[.]0  *2[.]0  *2[.]0  *2[.]0  *2[.]0$'
prints 'timing: none there' '^# times of mpich: not measured: it was not there when pimdimm was built$'
prints 'timing: failed' '^# times of openmpi: not measured: its program has failed (status 6)$'
prints 'timing: of what has failed once there is no figure' '^#openmpi  *nan  *nan  *nan  *nan  *nan '

# counted NAME BUILD ARGUMENT...: with these profiles
counted()
{
	name=$1
	BUILD=$2
	shift 2
	INTERRUPT='' beside --opponents openmpi -n 1 "$@"
	[ "$status" = 0 ]
	result "$name"
}

cat >"$tmp/fake/valgrind" <<'END'
#!/bin/sh
while :; do
	case $1 in
	--callgrind-out-file=*) OUT=${1#*=} OUT=${OUT%/*}; shift ;;
	-*) shift ;;
	*) break ;;
	esac
done
case $1 in
*openmpi) [ "$INTERRUPT" ] || exec "$PROFILES" "$OUT" "$BUILD"; exec "$@" ;;
*) exec "$@" ;;
esac
END
PROFILES=$tmp/profiles
BUILD=cc5a7ec5e99993dcc0c52e06d8a1f2b4699cac25
export PROFILES BUILD
counted 'sorts: a build that is known' "$BUILD" --json
python3 - "$tmp/out" <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
# of ten messages each way
for r in report["rows"]:
    if r["method"] == "openmpi":
        of = r["instructions"]
        assert (of["state"], of["queues"], of["unsorted"]) == (10, 100, 4), r
        assert (r["overhead_instructions"], r["overhead_references"]) == (110, 33), r
assert [(u["method"], u["where"], u["function"], u["instructions"], u["references"])
        for u in report["unsorted"]] == [
    ("openmpi", "mca_pml_ob1.so", "nobody_knows", 4, 2)], report["unsorted"]
routines = {(r["path"], r["routine"]): r for r in report["routines"] if r["method"] == "openmpi"}
assert len(routines) == 6
for path in "eager", "rendezvous":
    # half as many of the messages are probed for as are sent
    for routine, state, queues in ("Probe", 4, 40), ("Send", 3, 30), ("Recv", 4, 40):
        of = routines[path, routine]["instructions"]
        assert (of["state"], of["queues"]) == (state, queues), (path, routine, of)
        assert routines[path, routine]["references"]["queues"] == (
            60 if routine == "Probe" else 30)
END
result 'sorts: sums by function, routines apart'
other=0123456789abcdef0123456789abcdef01234567
counted 'sorts: another build, as CSV' "$other" --csv
python3 - "$tmp/out" <<'END'
import csv, sys

lines = open(sys.argv[1]).read().splitlines()
head = [l for l in lines if l.startswith("#")]
assert lines[:len(head)] == head
told = [l for l in head if l.startswith("# unsorted, in no overhead: openmpi: mca_pml_ob1.so, ")]
assert [l.rpartition(", 0x" if "0x" in l else "mca_pml_ob1.so, ")[2] for l in told] == [
    "0000000000010190: 100.0 instructions, 30.0 references at most",
    "nobody_knows: 4.0 instructions, 2.0 references at most"], told
rows = list(csv.DictReader(lines[len(head):]))
assert len(rows) == 66
for r in rows:
    if r["method"] == "openmpi":
        assert [float(r["instructions_" + s]) for s in ("state", "queues", "unsorted")] == [
            10, 0, 104], r
        assert float(r["overhead_instructions"]) == 10, r
END
result 'sorts: its addresses are unsorted, all of them are told at the head'
for part in count time; do
	INTERRUPT=$part beside --opponents openmpi -n 2
	[ "$status" = 1 ] && [ "$(cat "$tmp/err")" = 'pimdimm: interrupted' ] &&
		! grep -q 'nanoseconds, medians\|over the lower MPI' "$tmp/out"
	result "interrupted as programs $part"
done

fails 'opponents that are none of messages' 2 'has mpich and openmpi' \
	perf --suite messages --opponents shm
fails 'sizes' 2 '--suite messages has sizes and shapes of its own' \
	perf --suite messages -b 1K
finish
