#!/bin/sh
# SPDX-License-Identifier: MIT
# The benchmark at a tiny size: formats, results, refusals; never timings.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

# rows_of N [COLUMNS]: the last output is CSV with a header, N rows of 18 columns, none wrong;
# a share of the roofline may be too small for its digits, where a machine is busy
rows_of()
{
	values
	awk -F, -v n="$1" -v fields="${2:-18}" '
		NF != fields { bad = 1 }
		NR > 1 && ($16 != 0 || $10 <= 0 || $14 !~ /^[0-9]+[.][0-9]+$/) { bad = 1 }
		END { exit bad || NR != n + 1 }' "$tmp/out"
}

fails 'unknown option' 2 'perf: wrong option --nonsense' perf --nonsense
succeeds 'help' perf --help
prints 'help tells its usage' '^Usage: pimdimm perf'
prints 'help tells exit statuses' '^Exit status'

small='-s 8x8 -b 1K -n 2 -w 0'
# shellcheck disable=SC2086 # words
{
succeeds 'table' perf $small -a auto,direct,conventional,sdk
prints 'table has a header' '^#collective .* algbw .* roof speedup #wrong$'
prints 'table tells versions' '^# version header .* library .* module'
prints 'table tells in which pages MRAM is' '^# memory  MRAM in \(huge pages\|pages of [0-9]* KiB\): '
prints 'table has totals' '^# 32 rows, wrong elements: 0 OK$'
prints 'table tells of trials' '^# left out: [0-9]* calls whose parts tried'

for axes in 10 01 11 00; do
	succeeds "csv, axes $axes" perf $small -x $axes --csv \
		-a auto,direct,conventional,sdk
	rows_of 32
	result "csv, axes $axes: rows"
done
succeeds 'all types and operations' perf -s 8x2 -x 10,11 -b 256 -n 1 -w 0 \
	-d all -o all -a auto,sdk --csv reduce_scatter allreduce reduce
rows_of 1296
result 'all types and operations: rows'
succeeds 'ring and tree' perf -s 8x2,8x3 -x 10,01,11 -b 264 -n 1 -w 0 -p both \
	-d all -o all -a ring,tree --csv allreduce
rows_of 2592
result 'ring and tree: rows'
succeeds 'roundings of ring and tree' perf -s 8x48 -x 11 -b 64 -n 1 -w 0 \
	-d f16,bf16 -a ring,tree --csv allreduce
rows_of 4
result 'roundings of ring and tree: rows'
succeeds 'what an algorithm serves' perf $small -a ring --csv
rows_of 1
result 'what an algorithm serves: rows'
# in and out of place: no reduce_scatter in place,
# and bytes alone for the last step
succeeds 'with help of PEs' perf -s 8x8,2x4x3 -x 10,11,110 -b 264 -n 1 -w 0 \
	-p both -d i8,f16 -o max -a pr,pr+im,pr+im+cm --no-baseline --csv
rows_of 79
result 'with help of PEs: rows'
succeeds 'in place, xeon_sp' perf $small --layout xeon_sp -p in --csv
rows_of 8
result 'in place, xeon_sp: rows'
succeeds 'eight PEs, xeon_sp' perf -s 8 -b 64 -n 1 --layout xeon_sp --csv
rows_of 8
result 'eight PEs, xeon_sp: rows'
succeeds 'sizes' perf $small -e 8K -f 2 --csv alltoall
rows_of 4
result 'sizes: rows'
succeeds 'without check or baseline' perf $small -c 0 --no-baseline
for hosts in 1 2 3; do
	succeeds "$hosts hosts" perf -s 8x32 -x 10,01,11 -b 2K -n 2 --hosts $hosts \
		-a auto,staged,conventional --csv
	rows_of 72 21
	result "$hosts hosts: rows"
done
succeeds 'hosts in the header' perf $small --hosts 2 alltoall
prints 'hosts in the header: how many' '^# hosts   2 processes'
prints 'hosts in the header: all is right' '^# 1 rows, wrong elements: 0 OK$'
fails 'staged without hosts' 2 'algorithm staged goes with --hosts' perf $small -a staged
fails 'hosts and ring' 2 'algorithm ring does not serve --hosts' perf $small --hosts 2 \
	-a ring allreduce
fails 'hosts and suites' 2 '[-][-]hosts goes without [-][-]suite' perf --hosts 2 --suite paper
fails 'mapped without hosts' 2 '[-][-]mapped goes with' perf $small --mapped
succeeds 'host buffers' perf --host-buffers --hosts 3 -a ma,dpml,rg -b 12K -n 2 allreduce
# what all hosts touch, by the paper: s(5p - 1), s(7p - 1), 3s(p - 1) + 10sp / 3
prints 'host buffers: ma' '^ allreduce *12288 *3 private *ma .* 172032 .* 0 *i32 *4096$'
prints 'host buffers: dpml' '^ allreduce *12288 *3 private *dpml .* 245760 .* 0 *i32 *16384$'
prints 'host buffers: rg' '^ allreduce *12288 *3 private *rg .* 196608 .* 0 *i32 *[0-9]*$'
succeeds 'host buffers, mapped' perf --host-buffers --mapped --csv -a direct -b 8K -n 2
prints 'host buffers, mapped: direct' '^allgather,8192,2,mapped,direct,.*,49152,.*,0,i32,0$'
succeeds 'host buffers, floats' perf --host-buffers -d f32 -a wave -b 8K -n 2 --csv allreduce
prints 'host buffers, floats: wave' '^allreduce,8192,2,private,wave,.*,0,0,f32,[1-9][0-9]*$'
tool perf --host-buffers -d f32 -a ring -b 8K -n 2 allreduce
[ "$status" = 1 ] && grep -q 'another order than the hosts.: expected integers' "$tmp/err"
result 'host buffers, floats: another order'
fails 'host buffers: types' 2 'takes one type, expected i32 or f32' \
	perf --host-buffers -d f32,i32 -b 8K
fails 'host buffers: operations' 2 'takes one operation, expected sum' \
	perf --host-buffers -o max -b 8K
fails 'host buffers: an algorithm' 2 'unknown algorithm of [-][-]host-buffers "conventional"' \
	perf --host-buffers -a conventional
for name in roofline:memmove roofline:adaptive mpi:t-copy mpi-block:t-copy stream:nt-copy; do
	fails "host buffers: $name" 2 "[-]a $name: mpi, mpi-block and stream store as MPI does, roofline by" \
		perf --host-buffers --mapped -a "$name" -b 4K -n 1
done
succeeds 'host buffers: two rooflines' perf --host-buffers --mapped -n 1 -b 4K --csv \
	-a roofline:t-copy,roofline:nt-copy allreduce
values
[ "$(grep -c '^allreduce,4096,2,mapped,roofline:n*t-copy,' "$tmp/out")" = 2 ]
result 'host buffers: two rooflines: rows'
fails 'host buffers: nothing to measure' 2 \
	'nothing to measure: algorithm flat serves no collective and size asked for' \
	perf --host-buffers -a flat,direct -b 8K -n 1
for name in ma flat mpi direct:t-copy auto:adaptive; do
	fails "without host buffers: $name" 2 "algorithm $name goes with --host-buffers" \
		perf $small -a "auto,$name"
done
fails 'no hosts' 2 'hosts "0", expected 1 to 128' perf --hosts 0
succeeds 'a given system' perf $small --uri mem:ranks=2

succeeds 'json' perf $small --json
python3 - "$tmp/out" <<'PY'
import json, sys
report = json.load(open(sys.argv[1]))
assert set(report) == {"header", "rows", "total"}
assert len(report["rows"]) == report["total"]["rows"] == 8
assert report["total"]["wrong"] == 0
assert report["total"]["trial_calls"] >= 0
for row in report["rows"]:
    assert list(row) == ["collective", "size", "count", "type", "op", "shape",
        "axes", "in_place", "algorithm", "time_ns", "min_ns", "low_ns", "high_ns", "algbw_gbs",
        "busbw_gbs", "roofline_share", "speedup", "wrong"]
PY
result 'json: schema'

succeeds 'latency' perf --osu -s 8x8 -n 3 -d i32,f64
# eleven tables of eight collectives, of which reductions have two types: 8 bytes to 4 KiB, the
# average between the least and the most, all right
awk '/^# Latency of / { tables++; next }
	/^# Size  *Avg Latency\(us\)  *Min Latency\(us\)  *Max Latency\(us\)  *Iterations  *#wrong$/ {
		size = 8; heads++; next }
	/^[0-9]/ {
		if (NF != 6 || $1 != size || $3 <= 0 || $2 < $3 || $4 < $2 || $5 != 3 || $6 != 0) bad = 1
		size *= 2; rows++
	}
	END { exit bad || tables != 11 || heads != 11 || rows != 110 }' "$tmp/out"
result 'latency: tables as osu_allreduce prints them'
prints 'latency: which' '^# Latency of allreduce, f64 sum, 8x8, axes 10, out of place, auto$'
prints 'latency: of what moves' '^# Latency of alltoall, 8x8, axes 10, out of place, auto$'
prints 'latency: all is right' '^# 110 rows, wrong elements: 0 OK$'
succeeds 'latency as CSV' perf --osu -s 8x8 -n 1 -b 16 -e 32 --csv alltoall broadcast
awk -F, '$1 == "alltoall" { a = a " " $2 } $1 == "broadcast" { b = b " " $2 }
	END { exit a != " 128 256" || b != " 16 32" }' "$tmp/out"
result 'latency as CSV: sizes of PEs'
fails 'latency of a suite' 2 'without --suite' perf --osu --suite paper
fails 'latency of two algorithms' 2 'with one algorithm' perf --osu -a direct,ring

tool perf $small --csv --output "$tmp/report"
[ "$status" = 0 ] && [ ! -s "$tmp/out" ] && mv "$tmp/report" "$tmp/out" &&
	rows_of 8
result 'a file instead'
}
! ls "$tmp"/report* >"$tmp/err" 2>&1
result 'nothing is left beside it'

tiny='-s 8x8 -b 1K -e 2K -n 1 -w 0'
# shellcheck disable=SC2086 # words
{
succeeds 'targets' perf --suite targets $tiny
prints 'targets: each has a verdict' \
	'^# alltoall, axes 10: share of the roofline .* met$'
prints 'targets: counters as the formulas have them' \
	'calls that count otherwise .* 0.000  met$'
prints 'targets: all correct' 'wrong elements: 0 OK$'
succeeds 'targets as json' perf --suite targets $tiny --json
python3 -c 'import json, sys
targets = json.load(open(sys.argv[1]))["targets"]
assert len(targets) > 60
assert all(list(t) == ["name", "goal", "at_most", "figure", "met",
		       "at_roofline"] for t in targets)
opponents = [t for t in targets if t["name"].endswith("by direct")]
assert len(opponents) == 8 and all(t["at_roofline"] > 0 for t in opponents)
' "$tmp/out"
result 'targets as json: schema'

# a call whose loops touch anything else than it counts fails
PIMDIMM_ISA=count
export PIMDIMM_ISA
succeeds 'targets on the tier that counts' perf --suite targets $tiny
prints 'targets: it was that tier' '^# tier  *count,'
prints 'targets: counters as the kernels counted' \
	'calls that count otherwise .* 0.000  met$'
for axes in 10 01 11 00; do
	succeeds "counted, axes $axes" perf $small -x $axes --csv -d i8,f16 \
		-o max,prod -a auto,direct,conventional
	rows_of 51
	result "counted, axes $axes: rows"
done
unset PIMDIMM_ISA

succeeds 'ablation' perf --suite ablation $tiny
prints 'ablation: all steps' \
	'^#   alltoall  *conventional 1.00  pr [0-9.]*  pr+im [0-9.]*  pr+im+cm [0-9.]*  direct'
prints 'ablation: gains beside the paper' \
	'^#   mean of a step  *pr [0-9.]* (1.48)  *pr+im [0-9.]* (2.03)  *pr+im+cm [0-9.]* (1.42)$'
prints 'ablation: gains of a step beside the paper' \
	'^#   pr+im  *geometric mean [0-9.]* (2.03)$'
prints 'ablation: phases' '^#   alltoall pr  *PEs (modelled) 0.0[0-9]  PEs (emulation) .* registers 0.00$'
prints 'ablation: all correct' 'wrong elements: 0 OK$'
# drawn NAME SUITE FIGURE...: pictures and data files say what the report says
drawn()
{
	name=$1 suite=$2
	shift 2
	succeeds "$name, drawn" perf --suite "$suite" $tiny --json \
		--plot "$tmp/$suite"
	cp "$tmp/out" "$tmp/report.json"
	"$(dirname "$0")/check-figure" "$tmp/report.json" "$tmp/$suite" \
		>"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = 0 ] && [ "$(ls "$tmp/$suite")" = "$(printf '%s\n' \
		$(for figure; do
			echo "figure$figure.csv figure$figure.pdf figure$figure.svg"
		done) | sort)" ]
	result "$name: pictures and data as the report"
}
drawn ablation ablation 16 16b 16c 17
drawn paper paper 14 16 16c 18 19 20 23a
succeeds 'paper' perf --suite paper $tiny
for figure in 14 16 16c 18 19 20 23a; do
	prints "paper: figure $figure" "^# Figure $figure: "
done
grep -A1 '^# Figure 18' "$tmp/out" | grep -q "GB/s" &&
	! grep -A1 '^# Figure 18' "$tmp/out" | grep -q "the paper's in brackets"
result 'paper: no word of its numbers where there are none'
grep -A2 '^# Figure 19: numbers of PEs' "$tmp/out" | grep -q "on the paper's machine: at most" &&
	grep -q '^#   64  *alltoall [0-9.]* \[38.[34]' "$tmp/out"
result 'paper: numbers of PEs, and what its bus bounds: 76.8 GB/s, each byte read and written'
grep -A3 '^# Figure 20: .* three axes' "$tmp/out" | grep -q '^#   4x4x4  *alltoall' &&
	grep -q '^#   best  *alltoall [0-9.]* (20.60)  reduce_scatter [0-9.]* (17.80)  allreduce [0-9.]* (12.20)  allgather [0-9.]* (36.10)$' "$tmp/out"
result 'paper: shapes of three axes, and the best beside its own'
prints "paper: its numbers" 'geometric mean .* (2.83)'
prints 'paper: ring beside its number' '^#   ring  *allreduce [0-9.]* (2.05)$'
prints 'paper: tree beside its number' '^#   tree  *allreduce [0-9.]* (7.89)$'
succeeds 'paper as json' perf --suite paper $tiny --json
python3 -c 'import json, sys
figures = json.load(open(sys.argv[1]))["figures"]
assert [f["figure"] for f in figures] == ["14", "16", "16c", "18", "19", "20", "23a"]
' "$tmp/out"
result 'paper as json: schema'
# a disk that is full
full()
{
	cat >"$tmp/full.sh" <<EOF
mount -t tmpfs -o size=4k,nr_inodes=8 none '$tmp/full' || exit 77
'$TOOL' perf --suite paper $tiny --plot '$tmp/full'
status=\$?
ls -A '$tmp/full'
exit \$status
EOF
	mkdir -p "$tmp/full"
	unshare -m sh "$tmp/full.sh" >"$tmp/out" 2>"$tmp/err"
	status=$?
}
full
if [ "$status" = 77 ] || grep -q '^unshare: ' "$tmp/err"; then
	true
	result 'a full disk # SKIP no mount namespace here'
else
	[ "$status" = 1 ] && grep -q 'No space left on device' "$tmp/err" &&
		! grep -qE '^figure[^.]*\.(svg|pdf|csv).+' "$tmp/out"
	result 'a full disk is told, and no half file stays'
fi
fails 'dev with a shape' 2 'takes the PEs that there are' \
	perf --suite dev -s 8x8
fails 'dev of ranks of the process' 2 'expected dev: for suite dev' \
	perf --suite dev --uri mem:
fails 'dev of a node that there is not' 1 '/dev/pimdimm999: open' \
	perf --suite dev --uri dev:/dev/pimdimm999
succeeds 'pe' perf --suite pe -s 8x8 -b 32K -n 1 -w 0
prints 'pe: measured, emulation, modelled' \
	'^#.* measured(us)  *emulation(us)  *modelled(us)'
prints 'pe: a target has a verdict' \
	'^# reduction: million elements a second .* met$'
prints 'pe: all correct' '^# 11 rows, wrong elements: 0 OK$'
succeeds 'pe as csv' perf --suite pe -s 8x8 -b 32K -n 1 -w 0 --csv
values
awk -F, 'NF != 11 { bad = 1 }
	NR > 1 && ($11 != 0 || $4 <= 0) { bad = 1 }
	END { exit bad || NR != 12 }' "$tmp/out"
result 'pe as csv: rows'
succeeds 'pe as json, xeon_sp' perf --suite pe -s 8x8 -b 32K -n 1 -w 0 --json \
	--layout xeon_sp
python3 -c 'import json, sys
report = json.load(open(sys.argv[1]))
assert set(report) == {"header", "rows", "targets", "total"}
assert report["header"]["layout"] == "xeon_sp"
assert len(report["rows"]) == len(report["targets"]) == report["total"]["rows"]
for row in report["rows"]:
    assert list(row) == ["measurement", "pes", "tasklets", "work", "unit",
        "measured_ns", "emulation_ns", "modelled_ns", "figure", "figure_unit",
        "wrong"]
    assert row["wrong"] == 0
' "$tmp/out"
result 'pe as json: schema'
fails 'pe: an operand too small' 2 '16 KiB a PE, expected 32 KiB' \
	perf --suite pe -s 8x8 -b 16K
fails 'pe: no drawings' 2 'go with' perf --suite pe --plot "$tmp"
env PATH="$tmp" "$TOOL" perf --suite paper $tiny --plot "$tmp" 2>"$tmp/err"
status=$?
[ "$status" = 2 ] && grep -q 'needs gnuplot' "$tmp/err"
result 'plot without gnuplot'
fails 'plot where no folder can be' 2 'No such file' \
	perf --suite paper $tiny --plot "$tmp/none/plots"
}

fails 'unknown collective' 2 'unknown collective "fly"' perf fly
fails 'unknown type' 2 'unknown type "x"' perf -d i8,x
fails 'unknown operation' 2 'unknown operation "avg"' perf -o avg
fails 'unknown algorithm' 2 'unknown algorithm "best"' perf -a best
fails 'an algorithm of no collective asked for' 2 'algorithm ring serves no' \
	perf -a ring alltoall
fails 'unknown layout' 2 'unknown layout "round"' perf --layout round
fails 'unknown place' 2 'place "here"' perf -p here
fails 'unknown suite' 2 'unknown suite "x"' perf --suite x
fails 'a suite on odd shapes' 2 'two powers of two' \
	perf --suite targets -s 8x8x8
fails 'a suite of too small sizes' 2 'at least 8 bytes' \
	perf --suite targets -s 8x8 -b 256
fails 'wrong size' 2 'size "1T"' perf -b 1T
fails 'sizes backwards' 2 'sizes end at' perf -b 2K -e 1K
fails 'wrong axes' 2 'axes "12"' perf -x 12
fails 'axes for another shape' 2 'nothing to measure' perf -s 8x8 -x 1
fails 'wrong shape' 2 'power of two' perf -s 3x8
fails 'shape without PEs' 2 'multiple of 8' perf -s 4
fails 'huge shape' 2 'more than 65536' perf -s 65536x65536
fails 'bitwise on floats' 2 'nothing to measure' perf -d f32 -o band allreduce
fails 'a size that does not fit' 2 'would fit' perf -b 64M alltoall
fails 'a size that the system does not fit' 2 '512 KiB a PE would fit' \
	perf -s 8x8 -b 4M --uri mem:mram=1M alltoall
fails 'more PEs than there are' 2 '256 PEs asked for' \
	perf -s 16x16 -b 1K --uri mem:ranks=1
fails 'a file that cannot be written' 2 'No such file' \
	perf -s 8x8 -b 1K --output "$tmp/none/file"
fails 'json and csv' 2 'one choice' perf --json --csv
# Reports made by hand, so that what follows from them is known.
# report FILE HEADER ROW...: a row is "SIZE TIME LOW HIGH"
report()
{
	file=$1 header=$2
	shift 2
	comma=
	printf '{ "header": { "cpu": "%s", "seed": 1 }, "rows": [' "$header" >"$file"
	for row; do
		# shellcheck disable=SC2086 # words
		set -- $row
		printf '%s{ "collective": "alltoall", "size": %s, "count": 1, "type": "-", "op": "-", "shape": "8x8", "axes": "10", "in_place": false, "algorithm": "auto", "time_ns": %s, "low_ns": %s, "high_ns": %s }' \
			"$comma" "$1" "$2" "$3" "$4" >>"$file"
		comma=,
	done
	echo '] }' >>"$file"
}

report "$tmp/before" old '8 100 90 110' '16 100 90 110' '24 100 99.9 100.1' \
	'32 100 90 110' '40 100 0 0' '48 100 90 110'
report "$tmp/after" new '56 1 1 1' '40 50 49 51' '32 105 95 120' '24 101 100.5 101.5' \
	'16 80 75 85' '8 130 120 140'
tool perf --compare "$tmp/before" "$tmp/after"
[ "$status" = 1 ] && [ ! -s "$tmp/err" ]
result 'compare: something is slower'
prints 'compare: what differs of the machines' '^# cpu: old, then new$'
prints 'compare: slower' '^ alltoall *8 .* 1.300 *1.091.. 1.556  slower$'
prints 'compare: faster' '^ alltoall *16 .* 0.800 *0.682.. 0.944  faster$'
prints 'compare: the same' '^ alltoall *24 .* 1.010 *1.004.. 1.016  same$'
prints 'compare: undecided' '^ alltoall *32 .* 1.050 *0.864.. 1.333  undecided$'
prints 'compare: no interval' '^ alltoall *40 .* 0.500 *-  too few repetitions$'
prints 'compare: the sum' '^# 1 slower, 1 faster, 1 same, 1 undecided, 1 too few repetitions; in one report alone: 2$'
succeeds 'compare: nothing slower' perf --compare "$tmp/before" "$tmp/before" --csv
prints 'compare: csv' '^alltoall,8,1,-,-,8x8,10,false,auto,100.0,100.0,1.0000,0.8182,1.2222,undecided$'
tool perf --compare "$tmp/after" "$tmp/before" --json --output "$tmp/json"
[ "$status" = 1 ] && [ ! -s "$tmp/out" ] &&
	python3 -c 'import json, sys
it = json.load(open(sys.argv[1]))
raise SystemExit(it["before"]["cpu"] != "new" or it["total"]["slower"] != 1 or
	[row["low"] for row in it["rows"] if row["size"] == 40] != [None])' "$tmp/json"
result 'compare: json'
succeeds 'a report to compare' perf $small -n 8 --json --output "$tmp/real" alltoall
succeeds 'a report with itself' perf --compare "$tmp/real" "$tmp/real"
! grep -q 'too few' "$tmp/out" || grep -q ' 0 too few' "$tmp/out"
result 'eight repetitions suffice'
report "$tmp/other" other '64 1 1 1'
echo '{ "header": {}, "rows": [ { "time_ns": 1 } ] }' >"$tmp/foreign"
echo '[]' >"$tmp/list"
fails 'compare: nothing in common' 2 'no row in common' \
	perf --compare "$tmp/before" "$tmp/other"
fails 'compare: rows of another kind' 2 'foreign: .*low_ns' \
	perf --compare "$tmp/before" "$tmp/foreign"
fails 'compare: another JSON' 2 'list: no report' perf --compare "$tmp/list" "$tmp/before"
fails 'compare: no JSON' 2 'expected JSON' perf --compare "$0" "$tmp/before"
fails 'compare: no file' 2 'none: No such file' perf --compare "$tmp/none" "$tmp/before"
fails 'compare: one file' 2 'BEFORE AFTER' perf --compare "$tmp/before"
fails 'plot without its suite' 2 'go with --suite paper' perf --plot "$tmp"
finish
