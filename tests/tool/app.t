#!/bin/sh
# SPDX-License-Identifier: MIT
# Applications: short runs of all, options, plans, inputs, results in files, interrupts.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

if [ "$(uname -m)" != x86_64 ]; then
	echo '1..0 # SKIP programs for PEs inside the command are built on x86-64 alone'
	exit
fi

succeeds 'the list' app
apps=$(awk '{ print $1 }' "$tmp/out")
prints 'has axes' '^  bfs  *P  *breadth-first'
fails 'an unknown application' 2 'did you mean "bfs"' app bsf
for app in $apps; do
	succeeds "$app --help" app "$app" --help
	prints "$app tells its usage" "^Usage: pimdimm app $app "
	fails "$app: unknown option" 2 "app $app: wrong option --nonsense" \
		app "$app" --nonsense
done

# small graphs run on one rank
small=mem:ranks=1,mram=64K
graph=uniform:vertices=500,edges=2,seed=5
for app in bfs cc; do
	succeeds "$app" app $app -u $small $graph
	prints 'verified' 'on the host: verified$'
	prints 'loading' '^loading  *axes '
	prints 'a row of a collective' '^  allreduce  *1  *[0-9]'
	prints 'a row of a program' "^  $app/pe_[a-z]* *- "
	prints 'composed time has its parts' \
		'^  composed [0-9.]* [mu]*s: host .* measured, PEs .* modelled$'
	succeeds "$app as JSON" app $app -u $small -f json $graph
	python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
assert r["verified"] is True and r["pes"] == 64 and r["vertices"] == 500, r
for phase in r["loading"], r["run"]:
    host = sum(x.get("host_ns", 0) for x in phase["rows"])
    pes = sum(x.get("pes_ns", 0) for x in phase["rows"])
    assert phase["host_ns"] == host, phase
    assert phase["composed_ns"] == host + pes, phase
assert r["run"]["pes_ns"] > 0 and r["run"]["emulation_ns"] > 0, r
' "$tmp/out" 2>>"$tmp/err"
	result "$app: sums of JSON"
	succeeds "$app as CSV" app $app -u $small -f csv $graph
	prints "$app: a line of CSV" "^run,$app/pe_[a-z]*,,[0-9]*,[0-9]*,0,0,[0-9]*,[0-9]*\$"
done

# --- options ---

fails 'PEs that make no hypercube' 2 '9 PEs do not make axes P, the nearest that do are 8 and 16' \
	app bfs -p 9 $graph
fails 'more PEs than the system has' 2 '72 PEs .* nearest that do are 64' \
	app bfs -u $small -p 72 $graph
fails 'PEs that are no number' 2 'pes "many", expected a number' app bfs -p many $graph
fails 'an unknown algorithm' 2 'did you mean "direct"' app cc -a dirct $graph
fails 'an unknown format' 2 'did you mean "json"' app cc -f jso $graph
fails 'two inputs' 2 'expected one GRAPH, got 2' app cc $graph $graph
fails 'no such source' 1 'no vertex 500 to begin at, expected one from 0 to 499' \
	app bfs --source 500 $graph
succeeds 'a source' app bfs -u $small --source 499 $graph
prints 'is the one named' '^  source: 499$'
for algorithm in direct conventional pr pr+im sdk; do
	succeeds "algorithm $algorithm" app cc -u $small -a $algorithm $graph
done
# the same cycles, bytes and results, whatever the host does
counts()
{
	app=$1
	shift
	case $app in
	gnn) set -- "$@" --type F32 --layers 2 --features 9 --hidden 5 $graph ;;
	mlp) set -- "$@" --type f32 --features 99 --layers 3 --batch 9 ;;
	dlrm) set -- "$@" --bottom 9 --top 7 --batch 50 --max-rows 99 criteo:rows=70 ;;
	*) set -- "$@" $graph ;;
	esac
	"$TOOL" app "$app" -f csv -p 16 -o "$tmp/counted" "$@" >"$tmp/csv"
	status=$?
	sed '/^# /d' "$tmp/csv" | cut -d , -f 1-5,8 && cksum <"$tmp/counted"
}
room=mem:ranks=1,mram=1M
for app in $apps; do
	counts "$app" -u $room -t 1 >"$tmp/one"
	counts "$app" -u $room,layout=xeon_sp -t 3 >"$tmp/three"
	[ "$status" = 0 ] && cmp "$tmp/one" "$tmp/three" >"$tmp/err" 2>&1
	result "$app: no count or result depends on threads or layout"
	PIMDIMM_ISA=portable counts "$app" -u $room,strict=1 >"$tmp/three"
	[ "$status" = 0 ] && cmp "$tmp/one" "$tmp/three" >"$tmp/err" 2>&1
	result "$app: nor on the instruction set or strict=1"
done

# --- reports ---

PIMDIMM_REPORT=$tmp/report "$TOOL" app cc --pes 64 -a sdk kron:scale=8 >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ] && grep -Eq '^run  *collective allreduce 1 sdk  *[1-9]' "$tmp/report" &&
	grep -Eq '^loading  *collective scatter 1 sdk  *1 ' "$tmp/report" &&
	! grep -Eq 'to PEs  *push|from PEs  *pull' "$tmp/report"
result "the library's report has sdk's collectives, which are made of transfers"

# --- plans ---

succeeds 'a plan' app bfs --plan kron:scale=12
prints 'tells the parts' '^  visited  *512 at '
succeeds 'a plan as JSON' app cc --plan -f json kron:scale=12
prints 'tells them, too' '"labels": 16384'
for algorithm in sdk conventional; do
	succeeds "a plan with what $algorithm stages" \
		app cc --plan --pes 64 -a $algorithm kron:scale=12
	prints 'all vectors, and one that they make' \
		"^of the host, algorithm $algorithm stages 16,649 bytes a PE, 1,065,480 in all\$"
done
succeeds 'a plan of what stages nothing' app cc --plan --pes 64 -a direct kron:scale=12
! grep stages "$tmp/out"
result 'says nothing of it'
fails 'MRAM too small' 1 'a system with mram=.*K (mram_size=.*) would fit' \
	app cc -u $small kron:scale=15
fails 'no PE holds it' 1 'no number of PEs would do' \
	app cc --plan uniform:vertices=20M,edges=0

# --- results in files ---

printf '7 9\n9 8\n5 4294967294\n' >"$tmp/graph"
succeeds 'levels in a file' app bfs -u $small --source 7 -o "$tmp/levels" "$tmp/graph"
[ "$(tr '\n' ',' <"$tmp/levels")" = '5 -,7 0,8 2,9 1,4294967294 -,' ]
result 'are those of its vertices'
succeeds 'one way' app bfs -u $small --directed --source 9 -o "$tmp/levels" "$tmp/graph"
[ "$(tr '\n' ',' <"$tmp/levels")" = '5 -,7 -,8 1,9 0,4294967294 -,' ]
result 'against it nothing is reached'
cp "$tmp/levels" "$tmp/expected"
echo old >"$tmp/target"
ln -s target "$tmp/link"
succeeds 'a result through a link' \
	app bfs -u $small --directed --source 9 -o "$tmp/link" "$tmp/graph"
test -L "$tmp/link" && cmp -s "$tmp/target" "$tmp/expected"
result 'the link is as it was, its file is another one'
ln -sf /proc/self/fd/1 "$tmp/stdout"
succeeds "a result in standard output's own file" \
	app bfs -u $small --directed --source 9 -o "$tmp/stdout" "$tmp/graph"
prints 'the report stands there, too' 'on the host: verified$'
head -n "$(wc -l <"$tmp/expected")" "$tmp/out" | cmp -s - "$tmp/expected" &&
	test -L "$tmp/stdout"
result 'levels stand in front of the report, and the link is as it was'
fails 'a folder for a result' 1 'Is a directory' app cc -u $small -o "$tmp" $graph
fails 'a result nowhere' 1 '/nowhere/x.*: No such file' app cc -u $small -o /nowhere/x $graph

# as many levels as vertices: it would take minutes
mkdir "$tmp/result"
"$TOOL" app bfs -u $small -o "$tmp/result/levels" path:vertices=20000 \
	>"$tmp/out" 2>"$tmp/err" &
pid=$!
tries=0
while [ -z "$(ls "$tmp/result")" ] && [ $tries -lt 6000 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
kill -TERM $pid
wait $pid
status=$?
[ $status = 143 ] && [ $tries -lt 6000 ] && [ -z "$(ls "$tmp/result")" ]
result 'an interrupted run leaves no file'

# --- generators ---

fails 'a wrong key' 1 'unknown key "size", expected scale, edges or seed' \
	app cc kron:size=3
fails 'a value out of range' 1 'scale is "32", expected a number from 1 to 31' \
	app cc kron:scale=32
fails 'a value that is none' 1 'rows is "", expected a number' app cc grid:rows
fails 'shares of more than all edges' 1 'a, b and c are percents of the edges, expected 100 together at most' \
	app cc rmat:a=60,b=30,c=11
succeeds 'shares of all edges' app cc -u $small rmat:scale=8,edges=2,a=60,b=30,c=10
fails 'edges beyond memory' 1 'three quarters of the memory available' \
	app cc kron:scale=31,edges=1024
succeeds 'a path of 100,000 in any order' app cc -u mem:ranks=1,mram=1M \
	path:vertices=100K,shuffled=1
rounds=$(sed -n 's/^  rounds: //p' "$tmp/out")
[ "$rounds" -le 25 ]
result 'takes no more rounds than its length has digits'

# --- memory that fails ---

fails 'a transfer that fails' 1 'injected fault' \
	app bfs -u $small,inject=fail_nth:9@0 $graph
"$TOOL" app bfs -u $small -o "$tmp/right" $graph >"$tmp/out" 2>&1
passed=0 failed=0
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
	rm -f "$tmp/levels"
	"$TOOL" app bfs -u "$small,inject=flip_ppm:100+seed:$seed" \
		-o "$tmp/levels" $graph >"$tmp/out" 2>"$tmp/err"
	status=$?
	if [ $status = 0 ]; then
		cmp "$tmp/right" "$tmp/levels" >>"$tmp/err" 2>&1 || break
		passed=$((passed + 1))
	else
		[ $status = 1 ] && [ -s "$tmp/err" ] && [ ! -e "$tmp/levels" ] ||
			break
		failed=$((failed + 1))
	fi
done
[ $((passed + failed)) = 12 ] && [ $failed -gt 0 ]
result 'bits that flip are noticed, or change no result'
finish
