#!/bin/sh
# SPDX-License-Identifier: MIT
# Recommendation models on PEs: results against a model of their own, axes, samples of
# files and of the generator, good and bad.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/tool/app.sh
. "$(dirname "$0")/app.sh"

# small tables and layers on a rank: starting tasklets costs most of the time
application()
{
	tool app dlrm --uri mem:ranks=1,mram=4M --max-rows 100 --bottom 8 --top 8 "$@"
}

# shellcheck disable=SC2034 # of app.sh
refusing='--pes 8'
random dlrm-random "${DLRM_CASES:-12}" \
	'random models, axes, samples, algorithms and layouts'

for axes in 1,1,8 1,64,1 16,4,1 16,1,3 2,4,5 8,1,8; do
	for type in i32 f32; do
		verified "$type: axes $axes" criteo:rows=77 --type $type --axes $axes
		application criteo:rows=77 --type $type --axes $axes --pooling 5 \
			--output "$tmp/$type.$axes"
		[ "$status" = 0 ]
		result "$type: axes $axes, sums of rows"
	done
	cmp "$tmp/i32.$axes" "$tmp/i32.1,1,8"
	result "axes $axes: the scores of other axes"
done
verified 'layers of the Kaggle model' criteo:rows=20 --axes 4,2,8 --dimension 32 \
	--bottom 512-256-64 --top 512-256
verified 'the widest layers' criteo:rows=9 --axes 2,1,4 --bottom 2048 --top 2048-3
verified 'batches' criteo:rows=101 --axes 2,2,2 --batch 40 --type i32
prints 'of which the last is short' '^  batch: 40$'
verified 'fewer samples than PEs' criteo:rows=1 --axes 2,4,8
verified 'rows that no axis divides' criteo:rows=50 --max-rows 1 --axes 2,8,2 --type i32

# the same bytes for a seed on any machine and with any number of threads
for threads in 1 3; do
	application criteo:rows=3000,seed=7 --type i32 --axes 2,4,8 --threads $threads \
		--max-rows 10000 --pooling 2 --output "$tmp/threads.$threads"
done
[ "$(cksum <"$tmp/threads.1")" = '1917888190 32987' ] &&
	cmp "$tmp/threads.1" "$tmp/threads.3"
result "a seed's samples and weights are known"
application criteo:rows=3000,seed=8 --type i32 --axes 2,4,8 --max-rows 10000 --pooling 2 \
	--output "$tmp/other"
! cmp -s "$tmp/threads.1" "$tmp/other"
result 'and others of another seed'
for algorithm in direct conventional pr+im sdk; do
	application criteo:rows=60 --axes 2,8,4 --pooling 3 --algorithm $algorithm \
		--output "$tmp/$algorithm"
done
cmp "$tmp/direct" "$tmp/conventional" && cmp "$tmp/direct" "$tmp/pr+im" &&
	cmp "$tmp/direct" "$tmp/sdk"
result 'f32: the same bits by each algorithm'

# line FIELD VALUE: a sample, of whose fields one is another
line()
{
	awk -v field="$1" -v value="$2" 'BEGIN {
		for (i = 1; i <= 40; i++) {
			text = sprintf("%08x", i * 44444444)
			if (i <= 14)
				text = i - 4
			if (i == 1)
				text = 1
			if (i == field)
				text = value
			printf("%s%s", text, i < 40 ? "\t" : "\n")
		}
	}'
}

{ line 2 ''; line 30 ''; line 40 FFFFFFFF; line 14 -2147483647; } >"$tmp/good"
verified 'samples of a file' "$tmp/good"
prints 'each of its lines' '^  samples: 4$'
gzip -k "$tmp/good"
verified 'compressed' "$tmp/good.gz"
sed 's/$/\r/' "$tmp/good" >"$tmp/windows"
verified 'of Windows' "$tmp/windows"

# bad NAME PATTERN FIELD VALUE: the second of three lines
bad()
{
	{ line 0; line "$3" "$4"; line 0; } >"$tmp/bad"
	refused "$1" 1 "bad:2: column $2" "$tmp/bad"
}

bad 'a label that is none' '1: "2", expected a label' 1 2
bad 'no label' '1: "", expected a label' 1 ''
bad 'a number that is none' '5: "3x", expected a whole number' 5 3x
bad 'a number of 32 bits' '14: "2147483648", expected' 14 2147483648
bad 'a fraction' '2: "0.5", expected' 2 0.5
bad 'a sign alone' '3: "-", expected' 3 -
bad 'a category that is not hexadecimal' '15: "0000000g", expected' 15 0000000g
bad 'a category of nine digits' '40: "123456789", expected' 40 123456789
bad 'a blank in a category' '20: "12 4", expected' 20 '12 4'
bad 'a field too many' '41: the line has 41 fields, expected 40$' 33 "$(printf '1\t2')"
{ line 0; line 0 | cut -f 1-39; } >"$tmp/bad"
refused 'a field too few' 1 'bad:2: column 39: the line has 39 fields' "$tmp/bad"
{ line 0; echo; line 0; } >"$tmp/bad"
refused 'an empty line' 1 'bad:2: column 1: ' "$tmp/bad"
{ line 0; printf '1\t\0002\n'; } >"$tmp/bad"
refused 'a NUL byte' 1 'bad:2: a NUL byte' "$tmp/bad"
tr '\n\t' '  ' <"$tmp/good" >"$tmp/bad"
refused 'no tabs' 1 'bad:1: column 1: ' "$tmp/bad"
head -c 200000 /dev/zero | tr '\0' 1 >"$tmp/bad"
refused 'an endless line' 1 'bad:1: longer than ' "$tmp/bad"
: >"$tmp/bad"
refused 'an empty file' 1 'bad: has no samples$' "$tmp/bad"
head -c 60 "$tmp/good.gz" >"$tmp/bad.gz"
refused 'compressed and cut off' 1 'bad.gz:.* cut off$' "$tmp/bad.gz"
refused 'a file that is not there' 1 'none: No such file' "$tmp/none"
cut=0
for at in $(seq 1 6 200); do
	head -c "$at" "$tmp/good" >"$tmp/bad"
	application --pes 8 "$tmp/bad"
	[ "$status" = 1 ] && [ "$(wc -l <"$tmp/err")" = 1 ] &&
		grep -q 'bad:1: column ' "$tmp/err" || cut=$((cut + 1))
done
[ "$cut" = 0 ]
result 'a line that is cut off anywhere'

refused 'X that the dimension is not divided by' 2 '; 16,2,2 would do' --axes 32,2,2
refused 'Y that is no power of two' 2 '; 2,4,2 would do' --axes 2,6,2
refused 'more of Z than tables' 2 '; 2,4,26 would do' --axes 2,4,27
refused 'PEs in parts of eight' 2 '; 1,8,3 would do' --axes 1,4,3
refused 'axes of other PEs' 2 'axes 2,4,2 are 16 PEs, not 8' --axes 2,4,2
refused 'two axes' 2 'axes "2,4", expected three lengths' --axes 2,4
refused 'another dimension' 2 'dimension "24", expected 16 or 32' --dimension 24
refused 'layers of nothing' 2 'bottom "8-0", expected' --bottom 8-0
refused 'no samples' 2 'expected criteo:rows=N' criteo:rows=0
refused 'a key that is none' 2 'expected criteo:rows=N' criteo:lines=9
refused 'sums of rows for a file' 2 'pooling 3: samples of a file' --pooling 3 "$tmp/good"
application --plan --uri mem:ranks=1 --pes 64 --max-rows 99999999 --dimension 32
[ "$status" = 1 ] && grep -q 'bytes of MRAM in each' "$tmp/err"
result 'tables beyond 64 PEs'

finish
