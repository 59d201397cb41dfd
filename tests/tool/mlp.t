#!/bin/sh
# SPDX-License-Identifier: MIT
# Perceptrons on PEs: results against a model of their own, files of features and
# weights, good and bad.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/tool/app.sh
. "$(dirname "$0")/app.sh"

# a rank with little MRAM: starting tasklets costs most of the time
application()
{
	tool app mlp --uri mem:ranks=1,mram=256K --pes 16 "$@"
}

random mlp-random "${MLP_CASES:-60}" \
	'random layers, types, PEs, algorithms and layouts'

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
for algorithm in direct conventional pr+im sdk; do
	application --type f32 --features 77 --algorithm $algorithm --output "$tmp/$algorithm"
done
cmp "$tmp/direct" "$tmp/conventional" && cmp "$tmp/direct" "$tmp/pr+im" &&
	cmp "$tmp/direct" "$tmp/sdk"
result 'f32: the same bits by each algorithm'
application --seed 2 --type f32 --features 77 --output "$tmp/other"
! cmp -s "$tmp/direct" "$tmp/other"
result 'and others of another seed'
application --threads 1 --type f32 --features 77 --output "$tmp/one" &&
	application --threads 5 --type f32 --features 77 --output "$tmp/five" &&
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
npy bad "$(printf '\033c')" 3 5 15
refused 'a type that would command a terminal' 1 \
	"bad: elements of type '?c', expected" "$tmp/bad"
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
	application "$tmp/bad"
	[ "$status" = 1 ] && [ "$(wc -l <"$tmp/err")" = 1 ] || cut=$((cut + 1))
	{
		head -c "$at" "$tmp/good"
		printf '\377'
		tail -c +$((at + 2)) "$tmp/good"
	} >"$tmp/bad"
	application "$tmp/bad"
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
application --plan --features 1000 && [ "$status" = 0 ]
prints 'the plan' 'partial sums'

# idx NAME MAGIC BYTES: a magic number and dimensions by printf, and so many zeros
idx()
{
	{
		# shellcheck disable=SC2059 # a format is what it is
		printf "$2"
		head -c "$3" /dev/zero
	} >"$tmp/idx/$1"
}

# untrained NAME PATTERN MAGIC BYTES: images that are refused
untrained()
{
	mkdir -p "$tmp/idx"
	idx train-images-idx3-ubyte "$3" "$4"
	refused "$1" 1 "$2" --train "$tmp/idx"
}

big='\000\000\010\003\000\000\000\002\000\000\000\034\000\000\000\034'
untrained 'images that are cut off' 'ubyte: ends after 1,583 bytes, expected 1,584$' \
	"$big" 1567
untrained 'images that go on' 'ubyte: goes on behind the 1,568 bytes' "$big" 1569
untrained 'another magic number' 'ubyte: begins with bytes 01 00, IDX files with 00 00$' \
	'\001\000\010\003' 2000
untrained 'images of floats' 'ubyte: elements of IDX type 0d, expected 08' \
	'\000\000\015\003' 2000
untrained 'labels in the place of images' 'ubyte: 1 axes, expected 3$' \
	'\000\000\010\001' 2000
untrained 'no images' 'ubyte: axis 0 has no elements$' '\000\000\010\003' 12
untrained 'images beyond reason' 'ubyte: promises more than 4 GiB$' \
	'\000\000\010\003\377\377\377\377\377\377\377\377\377\377\377\377' 2000
untrained 'many images that are not there' 'ubyte: ends after 2,000 bytes, expected ' \
	'\000\000\010\003\000\017\000\000\000\000\000\034\000\000\000\034' 1984
untrained 'a header that is cut off' 'ubyte: ends after 10 bytes, expected 16$' \
	'\000\000\010\003\000\000\000\002\000\000' 0
untrained 'an empty file of images' 'ubyte: ends after 0 bytes' '' 0
untrained 'images without labels' 'labels-idx1-ubyte.gz: No such file' "$big" 1568
idx train-labels-idx1-ubyte '\000\000\010\001\000\000\000\003' 3
untrained 'more labels than images' 'labels-idx1-ubyte: 3 labels, expected one for each of 2 images$' \
	"$big" 1568
idx train-labels-idx1-ubyte '\000\000\010\001\000\000\000\002\000\012' 0
untrained 'a label that is no class' 'labels-idx1-ubyte: label 1 is 10, expected less than 10$' \
	"$big" 1568
idx train-labels-idx1-ubyte '\000\000\010\001\000\000\000\002' 2
untrained 'fewer images than a step takes' 'idx: 2 images to train with, expected 96 at least$' \
	"$big" 1568
untrained 'images of another size' 'images of 28 x 27 pixels, expected 28 x 28$' \
	'\000\000\010\003\000\000\000\002\000\000\000\034\000\000\000\033' 1512
gzip -c "$tmp/idx/train-images-idx3-ubyte" | head -c 30 \
	>"$tmp/idx/train-images-idx3-ubyte.gz"
rm "$tmp/idx/train-images-idx3-ubyte"
refused 'compressed images that are cut off' 1 'ubyte.gz:.*cut off$' --train "$tmp/idx"
refused 'no folder' 1 'none is not there: ' --train "$tmp/none"
refused 'training of integers' 2 'type i16: models that are trained' --train --type i16
refused 'training of given weights' 2 'has layers, weights' --train --weights "$tmp/weights"

# part NAME HEADER COUNT BYTES BEHIND: the first so many images or labels of Fashion-MNIST
part()
{
	{
		# shellcheck disable=SC2059 # a format is what it is
		printf "$2"
		gzip -dc "$images/$1.gz" | tail -c +$(($5 + 1)) | head -c $(($3 * $4))
	} >"$tmp/few/$1"
}

# some of the images, and some of those to be scored
images=/usr/share/datasets/fashion-mnist
if [ -d $images ]; then
	mkdir "$tmp/few"
	size='\000\000\000\034\000\000\000\034'
	part train-images-idx3-ubyte "\000\000\010\003\000\000\045\200$size" 9600 784 16
	part train-labels-idx1-ubyte '\000\000\010\001\000\000\045\200' 9600 1 8
	part t10k-images-idx3-ubyte "\000\000\010\003\000\000\003\350$size" 1000 784 16
	part t10k-labels-idx1-ubyte '\000\000\010\001\000\000\003\350' 1000 1 8
	for threads in 1 3; do
		tool app mlp --train "$tmp/few" --epochs 3 --threads $threads \
			--format json --output "$tmp/threads.$threads"
	done
	[ "$status" = 0 ] && grep -q '"verified": *true' "$tmp/out"
	result 'a model that is fitted to Fashion-MNIST'
	python3 -c 'if True:
		import json, sys
		r = json.load(sys.stdin)
		accuracy, of_bytes = r["accuracy"], r["accuracy in bytes"]
		sys.exit(not (accuracy >= 0.75 and of_bytes >= accuracy - 0.01))
	' <"$tmp/out"
	result 'it is right three times of four, in bytes as well'
	cmp "$tmp/threads.1" "$tmp/threads.3"
	result 'the same with any number of threads'
	tool app mlp --train "$tmp/few" --epochs 1
	head -n 1 "$tmp/out" >"$tmp/plan"
	# so many epochs would take an hour
	timeout 900 "$TOOL" app mlp --train "$tmp/few" --epochs 1000 --plan >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = 0 ] && head -n 1 "$tmp/out" | cmp - "$tmp/plan" && grep -q '^  partial sums' "$tmp/out"
	result 'the plan is that of a run, and takes no training'
else
	echo '# dataset-fashion-mnist is not installed: nothing is fitted to it'
fi

finish
