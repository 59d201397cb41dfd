#!/bin/sh
# SPDX-License-Identifier: MIT
# `pimdimm app gnn`: random cases against brute force, and what it says of its input.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/tool/app.sh
. "$(dirname "$0")/app.sh"
checker=$folder/check-gnn

application()
{
	tool app gnn "$@"
}

python3 "$checker" "$TOOL" 1 60 >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ]
result 'random graphs, features and weights, by brute force'
PIMDIMM_THREADS=3 PIMDIMM_ISA=portable \
	python3 "$checker" "$TOOL" 101 12 >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ]
result 'the same by other threads and loops'

# --- shapes that divide by nothing, wide rows and weights in several blocks ---

small=sbm:vertices=203,communities=5,inside=4,outside=2
for type in I8 I16 I32 F32; do
	verified "$type, both strategies" --pes 64 --type $type --features 301 \
		--hidden 45 --activation relu $small
	verified "$type, rows of more than a segment and a block" --pes 16 \
		--type $type --features 1309 --hidden 613 --layers 2 \
		sbm:vertices=45,communities=5,inside=3,outside=1
done
verified 'weights of more rows than fit, few columns' --pes 64 --type I8 \
	--features 9001 --hidden 3 --layers 2 \
	sbm:vertices=20,communities=5,inside=3,outside=1
verified 'one vertex, one feature' --pes 16 --features 1 \
	sbm:vertices=1,communities=1
verified '256 PEs' --pes 256 --type I8 --layers 2 $small
verified 'an adjacency of blocks of 256' --pes 16 --layers 2 --features 2 \
	sbm:vertices=9000,communities=5,inside=1,outside=1

# --- results depend on nothing but the input ---

application --type F32 --pes 64 --strategy rsar --algorithm direct \
	--features 30 --output "$tmp/direct" $small
for algorithm in conventional pr pr+im sdk; do
	application --type F32 --pes 64 --strategy rsar --algorithm $algorithm \
		--uri mem:ranks=1,layout=xeon_sp --threads 1 --features 30 \
		--output "$tmp/other" $small
	[ "$status" = 0 ] && cmp "$tmp/direct" "$tmp/other" >&2
	result "the same bits of floats by $algorithm"
done

# --- communities ---

application --type I32 --pes 64 sbm:vertices=4000,communities=8 --format json
[ "$status" = 0 ] && awk '/"communities recovered"/ { found = $3 + 0 }
	END { exit !(found >= 0.99) }' "$tmp/out"
result 'planted communities are recovered'
application --type I8 --pes 64 sbm:vertices=4000,communities=8
[ "$status" = 0 ] && ! grep -q recovered "$tmp/out"
result 'where votes overflow, none are counted'
# with as many neighbours outside as a random graph has, there is nothing to recover
application --type I32 --pes 64 sbm:vertices=4000,communities=8,inside=1,outside=7 \
	--format json
[ "$status" = 0 ] && awk '/"communities recovered"/ { found = $3 + 0 }
	END { exit !(found < 0.9) }' "$tmp/out"
result 'communities that are not there are not recovered'

# --- what is refused ---

for pes in 8:16 32:16\ and\ 64 100:64\ and\ 256 1000:256\ and\ 1024; do
	fails "${pes%%:*} PEs" 2 "axes p,p, the nearest that do are ${pes#*:}" \
		app gnn --pes "${pes%%:*}" $small
done
fails 'no such type' 2 'type "I64"' app gnn --type I64 $small
fails 'no such strategy' 2 'strategy "agar"' app gnn --strategy agar $small
fails 'no such activation' 2 'activation "tanh"' app gnn --activation tanh $small
fails 'no layers' 2 'number from 1 to 16' app gnn --layers 0 $small
fails 'too many features' 2 'number from 1 to 65536' app gnn --features 65537 $small
fails 'an unknown key' 1 'unknown key "colours", expected vertices, communities' \
	app gnn sbm:colours=3
fails 'no vertices' 1 'vertices is "0", expected a number from 1' \
	app gnn sbm:vertices=0
fails 'a number that is none' 1 'inside is "-1", expected a number' \
	app gnn sbm:vertices=9,inside=-1
fails 'a key of another generator' 1 'unknown key "vertices", expected' \
	app gnn reddit:vertices=9
fails 'features of another type' 1 "type '<f4', expected '<i4'" \
	app gnn --features "$tmp/direct" $small
application --type F32 --pes 16 --layers 1 --features 6 --hidden 9 --strategy arag \
	--output "$tmp/weights.npy" sbm:vertices=7,communities=2
[ "$status" = 0 ]
result 'a matrix of 7 rows, 9 columns'
fails 'features of another shape' 1 'shape (7, 9), expected (203, N)' \
	app gnn --type F32 --features "$tmp/weights.npy" $small
fails 'weights of another shape' 1 'shape (7, 9), expected (6, N)' \
	app gnn --type F32 --features 6 --weights "$tmp/weights.npy" $small
verified 'weights of this shape, one layer' --type F32 --features 7 --pes 16 \
	--weights "$tmp/weights.npy" $small
fails 'a second layer that does not follow' 1 'shape (7, 9), expected (9, 9)' \
	app gnn --type F32 --features 7 \
	--weights "$tmp/weights.npy,$tmp/weights.npy" $small
fails 'fewer weights than layers' 2 'names 1 files, expected one for each of 2' \
	app gnn --type F32 --features 7 --layers 2 --weights "$tmp/weights.npy" $small
fails 'more weights than layers' 2 'names more files than there are layers, 1' \
	app gnn --type F32 --features 7 --hidden 9 --layers 1 \
	--weights "$tmp/weights.npy,$tmp/weights.npy" $small
fails 'MRAM too small' 1 'would fit' app gnn --uri mem:ranks=1,mram=64K --pes 16 \
	sbm:vertices=20000
printf '%%%%MatrixMarket matrix coordinate pattern general\n%s %s 1\n2 1\n' \
	4294967295 4294967295 >"$tmp/graph"
fails 'more vertices than PEs hold' 1 '4,294,967,295 vertices, of which PEs hold 134,217,728' \
	app gnn "$tmp/graph"
fails 'features beyond memory' 1 'features and weights take .* fewer --features' \
	app gnn --features 65536 --type F32 sbm:vertices=1M,inside=0,outside=0

# --- memory that fails ---

fails 'a transfer that fails' 1 'injected fault' \
	app gnn --pes 16 --uri mem:ranks=1,mram=256K,inject=fail_nth:9@0 $small
application --pes 16 --uri mem:ranks=1,mram=256K --output "$tmp/right" $small
passed=0 failed=0
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
	rm -f "$tmp/other"
	application --pes 16 --uri "mem:ranks=1,mram=256K,inject=flip_ppm:100+seed:$seed" \
		--output "$tmp/other" $small
	if [ "$status" = 0 ]; then
		cmp "$tmp/right" "$tmp/other" >>"$tmp/err" 2>&1 || break
		passed=$((passed + 1))
	else
		[ "$status" = 1 ] && [ -s "$tmp/err" ] && [ ! -e "$tmp/other" ] || break
		failed=$((failed + 1))
	fi
done
[ $((passed + failed)) = 12 ] && [ $failed -gt 0 ]
result 'bits that flip are noticed, or change no result'
finish
