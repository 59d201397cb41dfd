#!/bin/sh
# SPDX-License-Identifier: MIT
# Loops count what clang makes of them for SPARC with software multiplication: a machine
# like a DPU in that it has pairs of registers for 64 bits and loads and stores these at
# once. Where a DPU counts and jumps in one instruction, SPARC takes three.

here=$(cd "$(dirname "$0")" && pwd)
case $B in
/*) ;;
*) B=$PWD/$B ;;
esac
# shellcheck source=tests/tool/lib.sh
. "$here/../tool/lib.sh"
RUNNER=$B/tests/upmem/runner
cd "$tmp" || exit 1
TURNS=200

clang -print-targets | grep -q 'sparc ' || {
	echo '1..0 # SKIP this clang does not compile for SPARC'
	exit 0
}

cat >loops.h <<'EOS'
typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned char u8;
#define LOOP(name, type, ...)						\
	__attribute__((noinline)) void name(type *a, type *b, u32 n)	\
	{								\
		for (u32 i = 0; i < n; i++)				\
			__VA_ARGS__;					\
	}
LOOP(add32, u32, a[i] += b[i])
LOOP(add64, u64, a[i] += b[i])
LOOP(copy32, u32, a[i] = b[i])
LOOP(copy64, u64, a[i] = b[i])
LOOP(xor64, u64, a[i] ^= b[i])
LOOP(shift32, u32, a[i] = b[i] << 3 | a[i] >> 5)
LOOP(mask32, u32, a[i] = (b[i] & 0xff) + 7)
LOOP(count8, u8, a[b[i]]++)
LOOP(gather32, u32, a[i] = a[b[i]])
LOOP(set32, u32, a[i] = n)
EOS
cat >loops.c <<EOS
#include "loops.h"
u32 w[512];
u64 l[512];
u8 c[512];
static volatile u32 n = $TURNS;
int main(void)
{
	add32(w, w + 256, n);
	add64(l, l + 256, n);
	copy32(w, w + 256, n);
	copy64(l, l + 256, n);
	xor64(l, l + 256, n);
	shift32(w, w + 256, n);
	mask32(w, w + 256, n);
	count8(c, c + 256, n);
	for (u32 i = 0; i < 512; i++)
		w[i] = i & 127;
	gather32(w, w + 256, n);
	set32(w, w, n);
	return 0;
}
EOS

# "NAME INSTRUCTIONS" of the loop in each function: down to the jump back, and the one
# behind it that is executed with it; a comparison is part of a DPU's jump
sparc_counts()
{
	clang --target=sparc -O2 -msoft-float -Xclang -target-feature \
		-Xclang +soft-mul-div -fno-builtin -fno-vectorize -fno-slp-vectorize \
		-mllvm -unroll-runtime=false -mllvm -unroll-allow-partial=false \
		-x c -S -o - loops.h | awk '
		/^[a-z][a-z0-9]*:/ { sub(":.*", ""); name = $1 }
		/^\.LBB/ { sub(":.*", ""); label = $1; nr = 0 }
		/^\t[a-z]/ {
			nr += $1 != "nop" && $1 != "cmp"
			if (last)
				print name, nr
			last = /^\tb/ && label && index($0, label)
			if (last)
				label = ""
		}'
}

pe_counts()
{
	"$B/upmem/bin/dpu-upmem-dpurte-clang" -O2 -fno-builtin -fpimdimm-profile \
		-o loops loops.c &&
		"$B/pimdimm" profile -o counts "$RUNNER" -p 1 loops >out &&
		awk -v turns=$TURNS '/^$/ { exit } $1 > turns {
			printf "%s %d\n", $NF, int($1 / turns) }' counts
}

sparc_counts >sparc 2>err
pe_counts >pe 2>>err
for loop in add32 add64 copy32 copy64 xor64 shift32 mask32 count8 gather32 set32; do
	theirs=$(sed -n "s/^$loop //p" sparc)
	ours=$(sed -n "s/^$loop //p" pe)
	echo "$theirs of SPARC, $ours counted" >out
	[ -n "$theirs" ] && [ -n "$ours" ] && [ $((theirs - 1 - ours)) -ge -1 ] &&
		[ $((theirs - 1 - ours)) -le 1 ]
	status=$?
	[ "$status" = 0 ]
	result "$loop"
done
finish
