#!/bin/sh
# SPDX-License-Identifier: MIT
# `pimdimm mpirun`: a program on so many PEs, what they print, and how it ends.

here=$(dirname "$0")
# shellcheck source=../tool/lib.sh
. "$here/../tool/lib.sh"
CC=${B:-build}/upmem/bin/dpu-upmem-dpurte-clang

cat >"$tmp/says.c" <<'END'
#include <assert.h>
#include <pimdimm.h>
#include <stdio.h>

int main(void)
{
	printf("PE %u\n", pe_id());
	if (pe_id() % 3 == 1)
		printf("twice\n");
	assert(pe_id() < 70);
	return 0;
}
END
"$CC" -O2 -o "$tmp/says" "$tmp/says.c" >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ]
result 'a program is built'

# says LAST [LABEL]: what ranks 0 to LAST print
says()
{
	i=0
	while [ "$i" -le "$1" ]; do
		echo "${2:+$i: }PE $i"
		[ $((i % 3)) != 1 ] || echo "${2:+$i: }twice"
		i=$((i + 1))
	done
}

# prints_all NAME LAST LABEL ARGUMENT...
prints_all()
{
	name=$1
	says "$2" "$3" >"$tmp/expected"
	shift 3
	tool mpirun "$@" "$tmp/says"
	[ "$status" = 0 ] && cmp "$tmp/expected" "$tmp/out" >>"$tmp/err"
	result "$name"
}

prints_all 'one PE' 0 '' -n 1
prints_all 'some, in their order' 10 '' --ranks=11
prints_all 'more than a rank of memory has' 66 '' -n 67
prints_all 'behind the numbers of ranks' 4 label -n 5 -l
prints_all 'all of a system' 63 '' --uri mem:ranks=1,mram=2M
PIMDIMM_URI=mem:ranks=1,mram=2M
export PIMDIMM_URI
prints_all 'of the system that is named' 63 ''
unset PIMDIMM_URI

fails 'more than there are' 1 '-n 65: the system has 64 PEs' \
	mpirun -n 65 --uri mem:ranks=1,mram=2M "$tmp/says"
fails 'none' 2 '-n 0: expected 1 to' mpirun -n 0 "$tmp/says"
fails 'no number' 2 '-n 3x: expected 1 to' mpirun -n 3x "$tmp/says"
fails 'no program' 2 'expected one PROGRAM, got 0' mpirun -n 3
fails 'no such program' 1 'nowhere' mpirun -n 3 "$tmp/nowhere"
fails 'no program of PEs' 1 "$tmp/says.c" mpirun -n 3 "$tmp/says.c"

tool mpirun -n 72 "$tmp/says"
says 71 >"$tmp/expected"
[ "$status" = 1 ] && grep -q 'PE 70, tasklet 0: assertion failed' "$tmp/err" &&
	cmp "$tmp/expected" "$tmp/out" >>"$tmp/err"
result 'a fault, and what was printed before'
finish
