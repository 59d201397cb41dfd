#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs written for UPMEM hardware, on the module's ranks: each finds its
# DPUs without being told where, and checks its results itself.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

# where they were linked is not in this machine
export LD_LIBRARY_PATH=/lib

for program in /upmem/*; do
	cd "$program" || exit 1
	timeout 240 bin/host_code >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	[ "$status" = 0 ]
	result "$(basename "$program"), on dev:"
done

# while another process holds the last node, 64 DPUs fewer are there
sleep 1000 </dev/pimdimm1 &
holder=$!
cd /upmem/va || exit 1
! timeout 240 bin/host_code >"$tmp/out" 2>"$tmp/err" </dev/null &&
	grep -qi 'alloc' "$tmp/out" "$tmp/err"
result 'a program that wants more DPUs than nodes are free'
kill "$holder"
wait "$holder" 2>/dev/null

finish
