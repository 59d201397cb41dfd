#!/bin/sh
# SPDX-License-Identifier: MIT
# The table of instructions: a program is compiled by what PIMDIMM_COST says, and is
# loaded where that still holds.

here=$(cd "$(dirname "$0")" && pwd)
case $B in
/*) ;;
*) B=$PWD/$B ;;
esac
TOOL=${TOOL:-$B/pimdimm}
# shellcheck source=tests/tool/lib.sh
. "$here/../tool/lib.sh"
CC=$B/upmem/bin/dpu-upmem-dpurte-clang
RUNNER=$B/tests/upmem/runner
cd "$tmp" || exit 1

cat >table.c <<'EOF'
#include <defs.h>
#include <pe_abi.h>
#include <stdint.h>
__host volatile uint32_t x = 5, y = 1000, result;
__host volatile uint64_t u = 1000000, v = 3, quotient;
__host volatile float f = 3, g = 4, sum;
__host uint64_t nothing, product, divided, long_divided, added;
int main(void)
{
	uint64_t begin;

	begin = PE_SVC->count(1);
	nothing = PE_SVC->count(1) - begin;
	begin = PE_SVC->count(1);
	result = x * y;
	product = PE_SVC->count(1) - begin - nothing;
	begin = PE_SVC->count(1);
	result = y / x;
	divided = PE_SVC->count(1) - begin - nothing;
	begin = PE_SVC->count(1);
	quotient = u / v;
	long_divided = PE_SVC->count(1) - begin - nothing;
	begin = PE_SVC->count(1);
	sum = f + g;
	added = PE_SVC->count(1) - begin - nothing;
	return 0;
}
EOF

# counts NAME COST PRODUCT DIVIDED LONG ADDED: compiled and run under PIMDIMM_COST=COST
counts()
{
	PIMDIMM_COST=$2 "$CC" -O2 -o table table.c >out 2>err &&
		PIMDIMM_COST=$2 "$RUNNER" table product divided long_divided added >out
	status=$?
	[ "$status" = 0 ] && [ ! -s err ] &&
		[ "$(sed -n 's/.* = //p' out | tr '\n' ' ')" = "$3 $4 $5 $6 " ]
	result "$1"
}

# two loads and a store, and: 9 and 3 bits; 11 and 8 bits; 34 and 19 bits; 63
counts 'the built-in table' '' 15 22 398 66
counts 'a product by its bits' insn_mul=100,insn_mul_bit=10 133 22 398 66
counts 'a product whatever its bits' insn_mul=5,insn_mul_bit=0 8 22 398 66
counts 'quotients' insn_div=0,insn_div_bit=2,insn_div_i64=1,insn_div_i64_bit=3 15 19 61 66
counts 'floating point, loads and stores' insn_fadd=7,insn_load=10,insn_store=100 132 139 515 127
cat >cost <<'EOF'
set = 450mhz
insn_fadd = 8	# by a unit
EOF
counts 'a file' ./cost 15 22 398 11

# runs NAME COST STATUS PATTERN: the program that was compiled last
runs()
{
	PIMDIMM_COST=$2 "$RUNNER" table added >out
	status=$?
	[ "$status" = "$3" ] && grep -q "$4" out
	result "$1"
}
runs 'without PIMDIMM_COST it has what it was compiled with' '' 0 'added: .* = 11$'
runs 'what it was not compiled with is refused' insn_fadd=63 2 \
	'compiled with insn_fadd = 8, and PIMDIMM_COST says 63: compile it again'
runs 'another constant, too' insn_fadd=8,insn_load=2 2 'compiled with insn_load = 1, and'
runs 'one that it has is not' insn_fadd=8,insn_load=1,clock_hz=400000000 0 'added: .* = 11$'

# a source with another table than the first
cat >other.c <<'EOF'
float other(float x);
float other(float x) { return x + 1; }
EOF
PIMDIMM_COST=insn_fadd=9 "$CC" -O2 -c -o other.o other.c &&
	PIMDIMM_COST=./cost "$CC" -O2 -c -o table.o table.c &&
	"$CC" -O2 -Wl,-u,other -o table table.o other.o
runs 'sources by different tables' insn_fadd=8 2 'compiled with insn_fadd = 9, and'

# refuses TEXT PATTERN: nothing is compiled
refuses()
{
	! PIMDIMM_COST=$1 "$CC" -O2 -o none table.c >out 2>err && [ ! -e none ] &&
		grep -q "^pe-count: PIMDIMM_COST: $2" err
	result "the compiler refuses $1"
}
refuses insn_fad=1 'item 1: there is no parameter "insn_fad": did you mean insn_fadd?'
refuses insn_mul=-1 'item 1: insn_mul is "-1", expected a whole number from 0 to 1000000'
printf 'insn_mul = 1\ninsn_div = many\n' >wrong
refuses ./wrong '.*wrong:2: insn_div is "many", expected'
PIMDIMM_COST=insn_fad=1 "$CC" -O2 -fno-pimdimm-count -o none table.c >out 2>err
status=$?
[ "$status" = 0 ]
result 'a program that does not count has no table'

# all that the counting pass goes by is shown
PIMDIMM_COST=insn_fadd=9 "$TOOL" info --cost >out
status=$?
grep -q '^insn_fadd  *= 9  *# instructions compiled for each addition; PIMDIMM_COST$' out &&
	grep -q '^insn_mul_i64  *= 132  *# instructions .*; upmem/llvm-project' out &&
	[ "$(grep -c '^insn_' out)" -ge 80 ]
result 'info --cost'
finish
