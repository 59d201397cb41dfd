#!/bin/sh
# SPDX-License-Identifier: MIT
# `perf --suite apps` at a tiny size: what it runs, what it leaves out, sums, drawings;
# never timings.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

if [ "$(uname -m)" != x86_64 ]; then
	echo '1..0 # SKIP programs for PEs inside the command are built on x86-64 alone'
	exit
fi

tiny='-s 8x8 -b 512 -n 1 -w 0'
# shellcheck disable=SC2086 # words
{
# a system that others have asked for is none of the suite's
PIMDIMM_URI=mem:ranks=1,mram=64K "$TOOL" perf --suite apps $tiny --json \
	--plot "$tmp/plots" >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ]
result 'suite apps, drawn'
cp "$tmp/out" "$tmp/report.json"
"$(dirname "$0")/check-figure" "$tmp/report.json" "$tmp/plots" >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ] && [ "$(ls "$tmp/plots")" = "$(for figure in 13 13b 15 21 21b 22 4; do
	for suffix in csv pdf svg; do echo "figure$figure.$suffix"; done
done)" ]
result 'pictures and data as the report'
python3 - "$tmp/report.json" <<'PY' 2>"$tmp/err"
import json, math, sys
report = json.load(open(sys.argv[1]))
assert set(report) == {"header", "rows", "figures", "targets", "total"}
assert [f["figure"] for f in report["figures"]] == ["4", "13", "13b", "15", "21", "21b", "22"]
rows = report["rows"]
assert len(rows) == report["total"]["rows"] and report["total"]["wrong"] == 0
programs = ["bfs", "cc", "gnn rsar", "gnn arag", "mlp", "dlrm"]
cpus = [r for r in rows if (r["algorithm"] or "").startswith("cpu:")]
rows = [r for r in rows if r not in cpus]
ran = {(r["program"], r["command"], r["algorithm"]): r for r in rows if not r["left_out"]}
for p in programs:
    at = {a for (q, c, a) in ran if p == q and "--pes 64 " in c}
    assert at == {"direct", "pr+im", "conventional", "sdk"}, (p, at)
for r in ran.values():
    # composed is its parts and nothing else
    parts = (r["collectives_ns"] + r["transfers_ns"] + r["reordering_pes_ns"]
             + r["programs_pes_ns"])
    assert math.isclose(r["composed_ns"], parts), r
    assert math.isclose(r["host_ns"], r["collectives_ns"] + r["transfers_ns"]), r
    assert math.isclose(r["collectives_ns"], sum(r["collective_ns"].values())), r
    assert r["programs_pes_ns"] > 0 and r["emulation_ns"] > 0, r
    assert (r["reordering_pes_ns"] > 0) == (r["algorithm"] == "pr+im"), r
    assert r["verdict"] and r["wrong"] == 0, r
# modelled time depends on the program alone, whoever moves the bytes
modelled = {}
for r in ran.values():
    modelled.setdefault(r["command"], set()).add(r["programs_pes_ns"])
assert all(len(times) == 1 for times in modelled.values()), modelled
# what makes no square is left out with the reason, and is in no figure
left = [r for r in rows if r["left_out"]]
assert {(r["program"], r["pes"]) for r in left} == {("gnn rsar", 32), ("gnn arag", 32)}
assert all("nearest that do are 16 and 64" in r["left_out"] and
           r["composed_ns"] is None for r in left), left
figures = {f["figure"]: f["points"] for f in report["figures"]}
drawn = {p["x"] for p in figures["21"]}
assert drawn == {"%s %d" % (p, n) for p in programs for n in (32, 64)
                 if n == 64 or p[:3] != "gnn"}, drawn
stacks = {}
for number in "4", "13":
    for p in figures[number]:
        stacks.setdefault((number, p["x"]), []).append(p["ours"])
for (number, x), parts in stacks.items():
    if number == "4" or x.endswith("sdk"):
        assert math.isclose(sum(parts), 1), (x, parts)
# of both baselines, all that collectives do to bytes has its share: the one that folds or
# rearranges in host memory as well as the one that moves them there
parts4 = {}
for p in figures["4"]:
    parts4.setdefault(p["x"], {})[p["series"]] = p["ours"]
assert set(parts4) == {"%s %s" % (p, a) for p in programs for a in ("sdk", "conventional")}
for x, shares in parts4.items():
    assert set(shares) == {"data modulation", "host memory access", "domain transfer",
                           "other transfers", "PE programs, modelled"}, x
    assert all(v > 0 for k, v in shares.items() if k != "host memory access"), (x, shares)
    assert shares["host memory access"] >= 0, (x, shares)
    row = next(r for (q, c, a), r in ran.items()
               if x == "%s %s" % (q, a) and "--pes 64 " in c and "I16" not in c and "I32" not in c)
    collectives = sum(shares[k] for k in ("data modulation", "host memory access", "domain transfer"))
    assert math.isclose(collectives, row["collectives_ns"] / row["composed_ns"]), x
# the paper's numbers stand where its text has them, and nowhere else
papers = {(n, p["x"], p["series"]): p["paper"] for n, points in figures.items()
          for p in points if p["paper"] is not None}
assert papers == {
    ("13b", "at most", "sdk"): .07, ("13b", "at most", "direct"): .07,
    ("15", "least", "over sdk"): 1.2, ("15", "geometric mean", "over sdk"): 1.99,
    ("15", "most", "over sdk"): 3.99, ("22", "geometric mean", "I8"): 1.64,
    ("21b", "mlp", "sdk"): 3.18, ("21b", "mlp", "direct"): 7.89,
    ("21b", "geometric mean", "sdk"): 2.27, ("21b", "geometric mean", "direct"): 4.07,
}, papers
# on the CPU each has a time and a right result, or a sentence; ours are always there
for p in programs:
    names = {r["algorithm"]: r for r in cpus if r["program"] == p}
    assert len(names) >= 2 and "cpu:ours" in names and not names["cpu:ours"]["left_out"], p
    for r in names.values():
        assert bool(r["left_out"]) != bool(r["cpu_ns"]), r
        assert r["wrong"] == 0 and r["threads"] > 0 and "composed_ns" not in r, r
        assert r["left_out"] or "the reference's" in r["verdict"], r
    fastest = min(r["cpu_ns"] for r in names.values() if r["cpu_ns"])
    direct = ran[(p, names["cpu:ours"]["command"], "direct")]
    drawn = [q["ours"] for q in figures["21b"] if (q["x"], q["series"]) == (p, "direct")]
    assert math.isclose(drawn[0], fastest / direct["composed_ns"], rel_tol=1e-6), (p, drawn)
assert len(report["targets"]) == 14 and all(t["figure"] for t in report["targets"])
PY
result 'rows, sums, figures and targets'

succeeds 'one figure as CSV' perf --suite apps $tiny --figures 22 --csv
values
python3 - "$tmp/out" <<'PY' 2>"$tmp/err"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == 16 and {r["program"] for r in rows} == {"gnn rsar", "gnn arag"}
assert all(float(r["composed_ns"]) > 0 and r["wrong"] == "0" for r in rows)
PY
result 'runs what that needs alone'
succeeds 'as text' perf --suite apps $tiny --figures 13b,22
prints 'says what it ran' '^# pimdimm app gnn --pes 64 --strategy rsar --type I16 '
prints "the paper's beside ours" '^#   geometric mean  *I8 [0-9.]* (1.64)  I16 [0-9.]*  I32'
prints 'a target' '^# geometric mean of the six, sdk by direct  *>=  *2.80 '
succeeds 'the CPU as text' perf --suite apps $tiny --figures 21b
prints 'its own line' '^ bfs  *CPU ours  *[0-9.]*  #wrong 0; direction-optimising search; pimdimm$'
prints 'a library that multiplies no bytes' '^ gnn rsar  *CPU openblas  *left out: '
prints 'what may be said' '^# composed time of direct against the fastest, '
prints 'and what is no speed-up' 'is what emulation costs$'
# where no library is, ours stand alone
mkdir "$tmp/alone"
cp "$TOOL" "$tmp/alone/pimdimm"
tool=$TOOL
TOOL=$tmp/alone/pimdimm
succeeds 'without libraries' perf --suite apps $tiny --figures 21b --csv
values
TOOL=$tool
python3 - "$tmp/out" <<'PY' 2>"$tmp/err"
import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["algorithm"].startswith("cpu:")]
assert sum(r["algorithm"] == "cpu:ours" for r in rows) == 6, rows
for r in rows:
    if r["algorithm"] == "cpu:ours":
        assert float(r["cpu_ns"]) > 0 and not r["left_out"] and r["wrong"] == "0", r
    else:
        assert not r["cpu_ns"], r
        assert r["left_out"] == "the library was not there when pimdimm was built", r
PY
result 'ours stand alone'
fails 'a figure that there is not' 2 'no figure 14, expected 4, 13, 13b, 15, 21, 21b or 22' \
	perf --suite apps $tiny --figures 13,14
fails 'figures of a suite that has none' 2 'go with' perf --suite targets --figures 14
fails 'another layout' 2 'layout linear' perf --suite apps --layout xeon_sp
fails 'more PEs than applications take' 2 '64 to 1,024 PEs' perf --suite apps -s 64x64
}
finish
