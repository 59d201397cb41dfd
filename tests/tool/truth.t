#!/bin/sh
# SPDX-License-Identifier: MIT
# The cost model beside hardware's published figures. It is deterministic: its times may
# decide a test.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

# within GROUP PERCENT ROWS: the last output's rows of a group, and their errors
within()
{
	awk -F, -v group="$1" -v most="$2" -v rows="$3" '
		$2 == group && $5 != "" {
			n++
			error = $6 < 0 ? -$6 : $6
			if (error > most / 100) { print "# " $0; bad = 1 }
		}
		END { exit bad || n != rows }' "$tmp/out" >&2
	result "$1: each of $3 figures within $2 %"
}

# same NAME FILE: the last output is what it was before
same()
{
	cmp "$tmp/out" "$2" >&2
	result "$1"
}

# rate FIGURE: as modelled in the last output
rate()
{
	awk -F, -v figure="$1" '$1 == figure { print $5 }' "$tmp/out"
}

if [ "$(uname -m)" != x86_64 ]; then
	echo '1..0 # SKIP programs for PEs inside the command are built on x86-64 alone'
	exit
fi
succeeds 'suite truth' perf --suite truth --csv
values
within arithmetic 5 16
within 'streams in WRAM' 5 4
within MRAM 10 21
[ "$(grep -c '^VA .*,ms,[0-9.]*,,,0,uPIMulator' "$tmp/out")" = 18 ]
result 'programs that are not there are not measured'
awk -F, 'NR > 1 && $NF != 0 { bad = 1 } END { exit bad || NR != 142 }' "$tmp/out"
result 'every row is there, and all results are right'
cp "$tmp/out" "$tmp/csv"
add=$(rate 'int32 add')
PIMDIMM_THREADS=7
export PIMDIMM_THREADS
succeeds 'by other threads' perf --suite truth --csv
values
same 'by other threads: the same times' "$tmp/csv"
unset PIMDIMM_THREADS

# costs NAME TEXT FACTOR: additions are FACTOR times as fast under PIMDIMM_COST=TEXT
costs()
{
	PIMDIMM_COST=$2
	export PIMDIMM_COST
	succeeds "$1" perf --suite truth --csv
	values
	awk -v now="$(rate 'int32 add')" -v then="$add" -v factor="$3" \
		'BEGIN { off = now / then / factor - 1; exit off > 2e-3 || off < -2e-3 }'
	result "$1: $3 times as fast"
	unset PIMDIMM_COST
}
costs 'twice the clock' clock_hz=700000000 2
costs 'a DPU of 450 MHz' 450mhz 1.285714
# 16 tasklets fill no pipeline that wants 32
costs 'a pipeline that is not full' issue_cycles=32 0.5

succeeds 'as text' perf --suite truth
prints 'text: a row' '^ int32 add  *58.56  *58[.][0-9]* MOPS  *-0[.][0-9]% no  *0  PrIM'
prints 'text: a summary' '^# MRAM: mean error of 21 [0-9.]* %, 21 within 15 %, worst '
prints 'text: a target' '^# arithmetic: worst error of 16, %: .* met$'
prints 'text: what was not measured' '^# kernel times of programs: mean error .* not measured$'
succeeds 'as JSON' perf --suite truth --json
python3 -c 'import json, sys
report = json.load(open(sys.argv[1]))
assert len(report["rows"]) == 141 and report["total"]["wrong"] == 0
for row in report["rows"]:
    assert list(row) == ["figure", "group", "unit", "hardware", "modelled", "error",
                         "calibrated", "source", "wrong"]
    assert (row["modelled"] is None) == (row["group"] == "kernel times of programs")
targets = {t["name"].split(":")[0]: t["met"] for t in report["targets"]}
assert targets["arithmetic"] and targets["MRAM"] and targets["streams in WRAM"]
' "$tmp/out"
result 'as JSON: schema'

succeeds 'drawn' perf --suite truth --json --plot "$tmp/plot"
[ "$(ls "$tmp/plot" | tr '\n' ' ')" = 'figuretruth.csv figuretruth.pdf figuretruth.svg ' ] &&
	[ "$(grep -c '^[a-zA-Z0-9 ]*,[0-9.,]*$' "$tmp/plot/figuretruth.csv")" = 41 ]
result 'drawn: a picture, and its data'

mkdir -p "$tmp/programs/VA/bin"
echo 'not a program' >"$tmp/programs/VA/bin/dpu_code"
tool perf --suite truth --programs "$tmp/programs"
[ "$status" = 1 ] && grep -q 'VA/bin/dpu_code' "$tmp/err"
result 'a program that is none'
fails 'a folder that is not there' 2 '--programs .*/none: no such folder' \
	perf --suite truth --programs "$tmp/none"
fails 'programs of another suite' 2 '--programs goes with --suite truth' \
	perf --suite paper --programs "$tmp"
fails 'sizes' 2 '--suite truth has sizes and shapes of its own' perf --suite truth -b 1K

finish
