#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: oracle.t: random scripts of tasklets' steps, whose races are known by brute force:
# PIMDIMM_CHECK=races tells of these and no others, in the order of the PE's clock and at
# random. ORACLE_SEEDS=N tries more of them.

here=$(dirname "$0")
# shellcheck source=../tool/lib.sh
. "$here/../tool/lib.sh"
# shellcheck source=lib.sh
. "$here/lib.sh"

dpu-upmem-dpurte-clang -std=gnu11 -O2 -Wall -Wextra -Werror -DNR_TASKLETS=6 \
	-fpimdimm-check -o "$tmp/script" "$here/oracle/script.c" >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ]
result "compiled"

ORACLE_TOLD=$tmp/told PIMDIMM_CHECK=races \
	"$B/tests/upmem/oracle/oracle" "$tmp/script" "${ORACLE_SEEDS:-300}" >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ]
result "races of random scripts"

ORACLE_TOLD=$tmp/told PIMDIMM_CHECK=races PIMDIMM_SCHEDULE=random:7 \
	"$B/tests/upmem/oracle/oracle" "$tmp/script" 25 100000 >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ]
result "races of random scripts, tasklets at random"
finish
