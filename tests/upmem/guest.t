#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: guest.t [CASE]...: MPIX_HOST: guest/host.c launches guest/pe.c and exchanges messages
# with it while it runs, on either engine. No case may hang.

here=$(dirname "$0")
# shellcheck source=../tool/lib.sh
. "$here/../tool/lib.sh"
B=${B:-build}
CC=$B/upmem/bin/dpu-upmem-dpurte-clang

# build NAME FLAG...
build()
{
	name=$1
	shift
	"$CC" -std=gnu11 -O2 -g -Wall -Wextra -Werror -DNR_TASKLETS=1 \
		-DSTACK_SIZE_DEFAULT=2048 "$@" -o "$tmp/$name" "$here/guest/pe.c"
}

{
	"${HOST_CC:-cc}" -std=gnu11 -O2 -g -Wall -Wextra -Werror -I"$B/include" -o "$tmp/host" \
		"$here/guest/host.c" -L"$B" -lpimdimm -pthread -Wl,-rpath,"$(readlink -f "$B")" &&
		build travelling && build conventional -fpimdimm-mpi=conventional
} >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ]
result 'host and programs are built'

for case in ${*:-serve exchange forges floods both_wait closed tests same_thread cancelled refused}; do
	for engine in travelling conventional; do
		timeout 900 "$tmp/host" "$tmp/$engine" "$case" >"$tmp/out" 2>"$tmp/err"
		status=$?
		[ "$status" = 0 ] && [ "$(cat "$tmp/out")" = ok ]
		result "$case, $engine"
	done
done
finish
