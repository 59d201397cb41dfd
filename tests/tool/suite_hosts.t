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
		if (n != 14 || got["Y9ma"] != 5 * s || got["Y9ring"] != 7 * s ||
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
average = {p["series"]: p for p in figures["Y11"] if p["x"] == "average"}
assert average["DPML"]["paper"] == 2.2 and average["DPML"]["ours"] > 0
' <"$tmp/out" 2>"$tmp/err"
result 'figures have the numbers of the paper beside'

# --- over emulated machines, by Open MPI ---

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
succeeds 'hypercubes over machines' perf --suite hosts -b 8K -e 8K -n 1 -w 0 --json \
	--figures 23b,23b-sent
if command -v mpirun.openmpi >/dev/null && "$TOOL" machines -n 2 --rate 1gbit -- true 2>/dev/null; then
	python3 -c '
import json, sys
report = json.load(sys.stdin)
figures = {f["figure"]: f["points"] for f in report["figures"]}
assert list(figures) == ["23b", "23b-sent"], list(figures)
assert len(report["rows"]) == 10 and all(row["wrong"] == 0 for row in report["rows"])
assert all(p["ours"] > 0 for p in figures["23b"]) and len(figures["23b"]) == 8
# what is counted: of four machines the middle ones pass a partial result on, and a result back
assert [p["ours"] for p in figures["23b-sent"]] == [256, 128, 2, 256 / 192], figures
assert [p["paper"] for p in figures["23b-sent"]] == [256, 256, 2, 4 / 3]
' <"$tmp/out" 2>"$tmp/err"
	result 'results are right, and bytes as counted'
else
	grep -q '"figures": \[ *\]' "$tmp/out"
	result 'no figure without machines and MPI'
fi
if command -v gnuplot >/dev/null; then
	succeeds 'drawings' perf --suite hosts -b 1K -e 1K -n 1 -w 0 --figures Y10 \
		--plot "$tmp/plots"
	[ -s "$tmp/plots/figureY10.svg" ] && [ -s "$tmp/plots/figureY10.csv" ]
	result 'drawings: files'
fi
fails 'sizes' 2 'takes sizes of 64 bytes to 256M' perf --suite hosts -b 8 -e 8
tool perf --suite hosts --figures 9
[ "$status" = 2 ] && grep -q 'no figure 9, expected Y9, Y10' "$tmp/err"
result 'another figure'
finish
