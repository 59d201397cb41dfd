#!/bin/sh
# SPDX-License-Identifier: MIT
# Perceptrons on PEs: results against a model of their own, files of features and
# weights, good and bad.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

case $(uname -m) in
x86_64) ;;
*) echo '1..0 # SKIP PE programs are x86-64 code'; exit ;;
esac
export TOOL
folder=$(dirname "$0")

# a rank with little MRAM: starting tasklets costs most of the time
mlp()
{
	tool app mlp --uri mem:ranks=1,mram=256K --pes 16 "$@"
}

# verified NAME ARGUMENT...
verified()
{
	name=$1
	shift
	mlp "$@"
	[ "$status" = 0 ] && [ ! -s "$tmp/err" ] &&
		grep -q ': verified$' "$tmp/out"
	result "$name"
}

# refused NAME STATUS PATTERN ARGUMENT...: a line that matches, and no file
refused()
{
	name=$1 expected=$2 pattern=$3
	shift 3
	rm -f "$tmp/scores"
	mlp --output "$tmp/scores" "$@"
	[ "$status" = "$expected" ] && [ ! -s "$tmp/out" ] &&
		[ "$(wc -l <"$tmp/err")" = 1 ] &&
		grep -q -e "$pattern" "$tmp/err" && [ ! -e "$tmp/scores" ]
	result "$name"
}

mkdir "$tmp/random"
status=0
"$folder/mlp-random" "$tmp/random" 1 "${MLP_CASES:-60}" >"$tmp/out" 2>"$tmp/err"
result 'random layers, types, PEs, algorithms and layouts'

# more columns than a stripe, more samples than a tile
for type in i8:8200 i16:4120 i32:2100 f32:2100 i8-i32:8200; do
	features=${type#*:}
	type=${type%:*}
	verified "$type: stripes of columns" --type "$type" --pes 8 \
		--uri mem:ranks=1,mram=16M --features "$features" --layers 1 --batch 3
	verified "$type: many samples" --type "$type" --features 9 --layers 2 \
		--batch 100
done
verified 'layers in turn' --features 200 --layers 4 --in-turn
prints 'which the report tells' "^  weights: a layer's at a time$"
verified 'layers in turn for want of MRAM' --uri mem:ranks=1,mram=64K \
	--features 700 --layers 4 --batch 2
prints 'as the report tells' "^  weights: a layer's at a time$"

# the same bits whatever the algorithm that folds in rank order
for algorithm in direct conventional pr+im; do
	mlp --type f32 --features 77 --algorithm $algorithm --output "$tmp/$algorithm"
done
cmp "$tmp/direct" "$tmp/conventional" && cmp "$tmp/direct" "$tmp/pr+im"
result 'f32: the same bits by each algorithm'
mlp --seed 2 --type f32 --features 77 --output "$tmp/other"
! cmp -s "$tmp/direct" "$tmp/other"
result 'and others of another seed'
mlp --threads 1 --type f32 --features 77 --output "$tmp/one" &&
	mlp --threads 5 --type f32 --features 77 --output "$tmp/five" &&
	cmp "$tmp/one" "$tmp/five"
result 'the same for every number of threads'

# npy FILE TYPE ROWS COLUMNS BYTES: a header that says so, and so many zeros
npy()
{
	{
		printf '\223NUMPY\001\000\166\000'
		printf "%-117s\n" "{'descr': '$2', 'fortran_order': ${order:-False}, 'shape': ($3, $4), }"
		head -c "$5" /dev/zero
	} >"$tmp/$1"
}

npy good '|i1' 3 5 15
verified 'features of a file' "$tmp/good"
prints 'whose columns are the width' '^  layers: 5-5-5-5-5-5$'
prints 'and whose rows are samples' '^  batch: 3$'
npy weights '|i1' 4 5 20
verified 'weights of a file' "$tmp/good" --weights "$tmp/weights"
npy other '|i1' 4 6 24
refused 'weights for other features' 1 'good: of shape (3, 5), expected (N, 6)$' \
	"$tmp/good" --weights "$tmp/other"
refused 'layers that do not join' 1 'other: of shape (4, 6), expected (N, 4)$' \
	"$tmp/good" --weights "$tmp/weights,$tmp/other"
refused 'another type' 1 "good: elements of type '|i1', expected '<f4'$" \
	--type f32 "$tmp/good"
order=True npy bad '|i1' 3 5 15
refused "Fortran's order" 1 "bad: in Fortran's order, expected C's" "$tmp/bad"
npy bad '|i1' 3 5 14
refused 'a file that is cut off' 1 'bad: 14 bytes behind the header, expected 15$' \
	"$tmp/bad"
npy bad '|i1' 3 5 16
refused 'a file that goes on' 1 'bad: 16 bytes behind the header, expected 15$' \
	"$tmp/bad"
npy bad '|i1' 4294967296 4294967296 5
refused 'a shape beyond reason' 1 'bad: of shape (4294967296, 4294967296), expected (N, N)$' \
	"$tmp/bad"
npy bad '|i1' 4294967295 4294967295 5
refused 'a shape that promises too much' 1 'bad: 5 bytes behind the header' "$tmp/bad"
npy bad '|i1' 99999999999999999999 1 5
refused 'a number beyond 64 bits' 1 'bad: .* a shape below 2^64' "$tmp/bad"
npy bad '|i1' 0 5 0
refused 'no sample' 1 'bad: of shape (0, 5), expected (N, N)$' "$tmp/bad"
npy bad '|i1' 3 '5, 2' 30
refused 'three axes' 1 'bad: of shape (3, 5, 2), expected (N, N)$' "$tmp/bad"
npy bad '<f4' 1 2 4
printf '\000\000\300\177' >>"$tmp/bad"
refused 'a feature that is no number' 1 'bad: row 0, column 1 is NaN, expected a finite number$' \
	--type f32 "$tmp/bad"
npy bad '<f4' 1 2 4
printf '\000\000\200\377' >>"$tmp/bad"
refused 'an infinite one' 1 'bad: row 0, column 1 is infinite, ' --type f32 "$tmp/bad"
refused 'a file that is not there' 1 'none: No such file' "$tmp/none"
refused 'a folder' 1 ': Is a directory$' "$tmp"
printf 'PK\003\004 this is no npy file' >"$tmp/bad"
refused 'a file of another kind' 1 'bad: does not begin as a .npy file does' "$tmp/bad"
: >"$tmp/bad"
refused 'an empty file' 1 'bad: ends after 0 bytes, in the magic number$' "$tmp/bad"

# every beginning of a good header, and every byte of it changed: no crash, one line
cut=0 changed=0
for at in $(seq 0 4 125); do
	head -c "$at" "$tmp/good" >"$tmp/bad"
	mlp "$tmp/bad"
	[ "$status" = 1 ] && [ "$(wc -l <"$tmp/err")" = 1 ] || cut=$((cut + 1))
	{
		head -c "$at" "$tmp/good"
		printf '\377'
		tail -c +$((at + 2)) "$tmp/good"
	} >"$tmp/bad"
	mlp "$tmp/bad"
	[ "$status" -le 1 ] && [ "$(wc -l <"$tmp/err")" = "$status" ] ||
		changed=$((changed + 1))
done
[ "$cut" = 0 ]
result 'a header that is cut off anywhere'
[ "$changed" = 0 ]
result 'a header with a byte that is another'

refused 'no layers' 2 'layers "0", expected a number from 1 to 16' --layers 0
refused 'no samples' 2 'batch "0", expected a number from 1' --batch 0
refused 'a type that is none' 2 'type "i9"' --type i9
refused 'PEs that are no multiple of 8' 2 '12 PEs' --pes 12
refused 'MRAM that does not hold a layer' 1 'this system has ' --features 4000 \
	--layers 1 --batch 1 --pes 8
mlp --plan --features 1000 && [ "$status" = 0 ]
prints 'the plan' 'partial sums'

finish
