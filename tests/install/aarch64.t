#!/bin/sh
# SPDX-License-Identifier: MIT
# Another CPU: library, tool and tests are built for aarch64. Under qemu the demonstration
# verifies what they do, the short tests of tests/arm pass, each tier of vectors on a CPU
# that has it, and the command says that its own programs for PEs are x86-64's. Programs for
# PEs of that CPU run in machine.t of tests/arm.
. "$(dirname "$0")/tap.sh"

arm=$(dirname "$0")/../arm
graph=$(mktemp)
said=$(mktemp)
trap 'rm -f "$output" "$graph" "$said"' EXIT

why=$("$arm/make" -s help 2>"$said" | tail -n 1)
case $why in
'no '*)
	echo "1..0 # SKIP $why"
	exit ;;
esac

build()
{
	"$arm/make" lib arm-short
}

runs()
{
	"$arm/run" --tool "$@"
}

demonstration()
{
	printf '%s\n' '%%MatrixMarket matrix coordinate pattern symmetric' \
		'8 8 3' '1 2' '2 3' '5 6' >"$graph"
	runs demo --uri mem:ranks=1,mram=128K --graph "$graph" >"$said" &&
		[ "$(grep -c 'verified$' "$said")" = 8 ] &&
		grep 'x86-64' "$said"
}

refuses_programs()
{
	! runs perf --suite pe >"$said" 2>&1 && grep 'x86-64' "$said" &&
		! runs cc "$graph" >"$said" 2>&1 && grep 'x86-64' "$said"
}

ok 'aarch64: library and tool are built without a warning' build
ok 'the demonstration is verified there' demonstration
ok 'what has programs for PEs inside the command says that they are built on x86-64' refuses_programs
for test in $("$arm/run" --list short); do
	ok "$test" "$arm/run" "$test"
done

finish
