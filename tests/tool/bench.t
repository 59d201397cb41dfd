#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/bench-apps at a tiny size: what it says of runs that are verified, and of others.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

if [ "$(uname -m)" != x86_64 ]; then
	echo '1..0 # SKIP programs for PEs inside the command are built on x86-64 alone'
	exit
fi

PIMDIMM=$TOOL BENCH_PES=64
BENCH_BFS=kron:scale=6 BENCH_CC=kron:scale=6 BENCH_MLP='--features 40'
BENCH_GNN='--features 8 uniform:vertices=50,edges=2'
BENCH_DLRM='--max-rows 100 criteo:rows=20'
export PIMDIMM BENCH_PES BENCH_BFS BENCH_CC BENCH_GNN BENCH_MLP BENCH_DLRM

# bench NAME STATUS ARGUMENT...
bench()
{
	name=$1 expected=$2
	shift 2
	"$(dirname "$0")/../../tools/bench-apps" "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = "$expected" ]
	result "$name"
}

bench 'all' 0
[ "$(grep -cE '^(bfs|cc|gnn|mlp|dlrm) --pes 64 .*: verified, [0-9]+ of 900 s, [0-9]+[.][0-9] of 20 GiB$' "$tmp/out")" = 5 ]
result 'says of each that it was verified, in what time and memory'
prints 'says what it ran' '^# pimdimm app cc --pes 64 kron:scale=6$'
prints 'and what that said' '^every label .*: verified$'
BENCH_CC=kron:scale=99 bench 'one that is refused' 1 cc bfs
prints 'fails' '^cc --pes 64 kron:scale=99: FAILED: exit status 1$'
prints 'and the other does not' '^bfs --pes 64 kron:scale=6: verified'
# a command that says nothing of its result
PIMDIMM=true bench 'a run that verifies nothing' 1 mlp
prints 'fails, too' '^mlp .*: FAILED: not verified$'
bench 'no such application' 2 nonsense
finish
