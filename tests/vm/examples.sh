#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples on the module's ranks, two of 64 KiB a PE. Runs in the virtual machine.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

export PIMDIMM_URI=dev:

# example STATUS NAME ARGUMENT...
example()
{
	expected=$1 name=$2
	shift 2
	"/examples/$name" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	[ "$status" = "$expected" ]
}

for name in sum histogram gemv halo; do
	example 0 "$name" && grep -q "^$name: " "$tmp/out"
	result "$name, on dev:"
done
example 0 sharing dev:ranks=1 && grep -q 'tripled' "$tmp/out"
result 'sharing, by a dma-buf'

example 0 ownership && grep -q 'during the launch: Bus error' "$tmp/out"
result 'ownership: SIGBUS'
example 1 ownership dev:ranks=1 && grep -q 'could look' "$tmp/err"
result 'ownership, not opened with strict=1'
example 0 mux /dev/pimdimm1 && grep -q 'has made 42' "$tmp/out"
result 'mux'
example 77 mux /dev/pimdimm2
result 'mux, without a node'
# shellcheck disable=SC2217 # the node is not for reading
sleep 1000 </dev/pimdimm0 &
holder=$!
example 1 mux && grep -q 'busy' "$tmp/err"
result 'mux, on a node that is taken'
kill "$holder"
wait "$holder" 2>/dev/null

finish
