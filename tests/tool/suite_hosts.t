#!/bin/sh
# SPDX-License-Identifier: MIT
# Figures on buffers of processes, at a tiny size: rows, what they touch, papers' numbers.
# Times decide nothing.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

succeeds 'as CSV' perf --suite hosts -b 12K -e 12K -n 2 -w 0 --csv --figures Y9,Y11,Y14
# of 2 hosts and s bytes, as <pimdimm/hosts.h> has them
awk -F, '
	$1 ~ /^Y/ { n++; if ($9 != 0 || $6 <= 0 || $7 > $6) bad = 1; got[$1 $5] = $8 }
	END {
		s = 12288
		if (n != 15 || got["Y9dpml"] != 9 * s || got["Y9ma"] != 5 * s || got["Y9ring"] != 7 * s ||
		    got["Y11ma"] != 9 * s || got["Y11dpml"] != 13 * s ||
		    got["Y11ring"] != 11 * s || got["Y14pipelined:t-copy"] != 12 * s)
			bad = 1
		exit bad
	}' "$tmp/out"
result 'rows are right, and touch what they are to touch'

succeeds 'as JSON' perf --suite hosts -b 4K -e 16K -n 1 -w 0 --json \
	--figures Y9,Y10,Y11,Y12,Y13,Y14,Y16a
python3 -c '
import json, sys
report = json.load(sys.stdin)
figures = {f["figure"]: f["points"] for f in report["figures"]}
assert list(figures) == ["Y9", "Y10", "Y11", "Y12", "Y13", "Y14", "Y16a"], list(figures)
assert all(row["wrong"] == 0 for row in report["rows"])
assert {row["hosts"] for row in report["rows"]} == {2, 4, 8}
paper = lambda f, x: {p["series"]: p["paper"] for p in figures[f] if p["x"] == x}
average = {p["series"]: p for p in figures["Y11"] if p["x"] == "average"}
assert average["DPML"]["paper"] == 2.2 and average["DPML"]["ours"] > 0
assert paper("Y9", "average")["DPML"] == 4.18
assert paper("Y12", "256 MB, 64 cores (A)") == {"adaptive": 416.2, "not adaptive": 314.7}
assert paper("Y12", "256 MB, 48 cores (B)") == {"adaptive": 374.7, "not adaptive": 281.8}
assert paper("Y16a", "largest") == {"DPML": 2.5, "RG": 2.6, "Open MPI": 4.5, "MPICH": 10.1,
                                    "Intel MPI": 2.8, "MVAPICH2": 2.8, "XPMEM": 1.5}
' <"$tmp/out" 2>"$tmp/err"
result 'figures have the numbers of the paper beside'

# --- copies, operations and types: what is in MRAM needs no MPI ---

succeeds 'copies and MRAM' perf --suite hosts -b 4K -e 16K -n 1 -w 0 --json \
	--figures Y3,YT4,YT5,G3,G4,G5a
python3 -c '
import json, sys
report = json.load(sys.stdin)
figures = {f["figure"]: f["points"] for f in report["figures"]}
rows = report["rows"]
assert all(row["wrong"] == 0 and row["time_ns"] > 0 for row in rows)
paper = lambda f: {(p["x"], p["series"]): p["paper"] for p in figures[f] if p["paper"] is not None}
assert {p["x"] for p in figures["Y3"]} == {"4 KiB", "16 KiB"}
assert paper("YT4")["2 MiB", "nt-copy"] == 238 / 232 and len(paper("YT4")) == 6
# where the kernel does not let others read, the table is not there
assert "YT5" not in figures or paper("YT5") == {("one to all", "CMA"): 4.35, ("ring", "CMA"): 1.58}
ops = {row["op"] for row in rows if row["figure"] == "G3"}
assert ops == {"sum", "prod", "min", "max", "land", "band", "lor", "bor", "lxor", "bxor"}, ops
assert len({row["type"] for row in rows if row["figure"] == "G4"}) == 12
# of as many elements, vectors are as long as their types
longer = {row["type"]: row["bytes"] for row in rows if row["figure"] == "G4"}
assert longer["i64"] == 8 * longer["i8"] and longer["f32"] == longer["i32"] == 4 * longer["u8"]
assert paper("G5a")["4 KiB", "handles, once"] == 74 and paper("G5a")["16 KiB", "a call"] == 273
' <"$tmp/out" 2>"$tmp/err"
result 'copies and MRAM: rows, and the numbers of the papers'

# --- beside MPI libraries, and over emulated machines, by Open MPI, which warns now and then ---

tool perf --suite hosts -b 8K -e 8K -n 1 -w 0 --json --figures Y15,Y15b,Y16a,Y18,G8,23b,23b-sent,Y16b,G5b,G5c,G6,G7
[ "$status" = 0 ]
result 'beside MPI and over machines'
cp "$tmp/out" "$tmp/report.json"
mpi=0 machines=0
if command -v mpirun.openmpi >/dev/null && [ -f "$(dirname "$TOOL")/libpimdimm-openmpi.so" ]; then
	mpi=1
	"$TOOL" machines -n 2 --rate 1gbit -- true 2>/dev/null && machines=1
fi
python3 - "$mpi" "$machines" "$tmp/report.json" <<'PY' 2>"$tmp/err"
import json, math, sys
report = json.load(open(sys.argv[3]))
figures = {f["figure"]: f["points"] for f in report["figures"]}
rows = report["rows"]
assert all(row["wrong"] == 0 and row["time_ns"] > 0 for row in rows)
value = {(f, p["x"], p["series"]): p for f in figures for p in figures[f]}
if sys.argv[1] == "1":
    assert {"Y15", "Y15b", "Y16a", "Y18", "G8"} <= set(figures), list(figures)
    # with as many processes as there are, Open MPI plays at each number of hosts
    assert all(value["Y16a", x, "Open MPI"]["ours"] > 0 for x in ("2", "4", "8", "largest"))
    assert {(row["hosts"], row["algorithm"]) for row in rows if row["figure"] == "Y16a"} >= {
        (hosts, name) for hosts in (2, 4, 8) for name in ("Open MPI", "ma+socket beside Open MPI")}
    # a component that is not there has not been measured, and the report says so once
    absent = [entry["what"] for entry in report.get("not_measured", [])]
    for name in "Open MPI coll/xhc", "Open MPI UCC":
        assert absent.count(name) == (("Y15", "allreduce", name) not in value), absent
    assert value["Y15b", "Open MPI", "time by ours"]["paper"] == 4.6
    assert value["Y15b", "Open MPI", "time by ours"]["ours"] > 0
    # who is not here has not been measured
    assert value["Y15b", "XPMEM", "time by ours"]["ours"] is None
    assert value["Y15", "broadcast", "most"]["paper"] == 4.5
    assert {p["paper"] for p in figures["Y18"]} == {None, 1.94, 1.8}
    assert [(p["x"], p["paper"]) for p in figures["G8"]] == [
        ("reduce", 13.8), ("reduce_scatter", 20.4), ("reduce_scatter_block", 22.5)]
    assert all(p["ours"] > 0 for p in figures["G8"])
if sys.argv[2] == "1":
    assert {"23b", "23b-sent", "Y16b", "G5b", "G5c", "G6", "G7"} <= set(figures), list(figures)
    # what is counted: of four machines the middle ones pass a partial result on, and a result back
    assert [p["ours"] for p in figures["23b-sent"]] == [256, 128, 2, 256 / 192], figures
    assert [p["paper"] for p in figures["23b-sent"]] == [256, 256, 2, 4 / 3]
    assert all(p["ours"] > 0 for p in figures["23b"]) and len(figures["23b"]) == 8
    # two of a machine share what the leader alone would send
    assert [(p["ours"], p["paper"]) for p in figures["G5c"]] == [(0.5, 0.25)]
    assert math.isclose(value["G6", "2 machines", "leaders"]["paper"], 152.9 / 80.9)
    assert value["Y16b", "most", "Open MPI"]["paper"] == 8.8
    # every row over machines has the nominal rate and the measured one
    over = [row for row in rows if row["machines"] > 1]
    assert {row["figure"] for row in over} >= {"23b", "Y16b", "G5b", "G6", "G7"}
    assert all(row["nominal_gbps"] == (2.5 if row["figure"] == "G7" else 10) for row in over)
    assert all(row["measured_gbps"] > 0 for row in over)
    assert all(row["nominal_gbps"] is None for row in rows if row["machines"] == 1)
    # coll/han, where Open MPI has it, takes turns with leaders
    if "Open MPI coll/han" not in absent:
        assert value["Y16b", "8 KiB", "Open MPI coll/han"]["ours"] > 0
        assert value["G6", "2 machines", "leaders, by coll/han"]["ours"] > 0
        assert {row["algorithm"] for row in over} >= {"Open MPI coll/han",
                                                      "leaders beside Open MPI coll/han"}
    assert {row["hosts"] for row in rows if row["figure"] in ("G6", "G7")} >= {4, 8}
PY
result 'rows, what is counted, and the numbers of the papers'
if command -v gnuplot >/dev/null; then
	tool perf --suite hosts -b 1K -e 4K -n 1 -w 0 --figures Y3,Y12,Y16a,YT4,YT5,G3,G4,G5a,Y15b \
		--plot "$tmp/plots" --json
	cp "$tmp/out" "$tmp/report.json"
	"$(dirname "$0")/check-figure" "$tmp/report.json" "$tmp/plots" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = 0 ]
	result 'drawings: pictures and data as the report'
fi
if command -v gnuplot >/dev/null; then
	succeeds 'drawings' perf --suite hosts -b 1K -e 1K -n 1 -w 0 --figures Y10 \
		--plot "$tmp/plots"
	[ -s "$tmp/plots/figureY10.svg" ] && [ -s "$tmp/plots/figureY10.csv" ]
	result 'drawings: files'
fi
fails 'sizes' 2 'takes sizes of 64 bytes to 256M' perf --suite hosts -b 8 -e 8
tool perf --suite hosts --figures 9
[ "$status" = 2 ] && grep -q 'no figure 9, expected Y3, Y9, Y10' "$tmp/err"
result 'another figure'
finish
