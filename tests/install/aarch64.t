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
workers=$(mktemp -d)
trap 'rm -rf "$output" "$graph" "$said" "$workers"' EXIT

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

# by compilers that, as distributions have them, sign return addresses and mark what is jumped to
unsigned_workers()
{
	root=$("$arm/fetch-arm64") || return
	for compiler in aarch64-linux-gnu-gcc 'clang --target=aarch64-linux-gnu'; do
		worker=$workers/${compiler%% *}/runtime/pe/worker.elf
		"$arm/make" "B=$workers/${compiler%% *}" \
			"CC=$compiler --sysroot=$root -mbranch-protection=standard" "$worker" &&
			aarch64-linux-gnu-objdump -d "$worker" >"$said" &&
			grep -q '<pe_enter>' "$said" && ! grep -Ew 'paciasp|bti' "$said" || return
	done
}

ok 'aarch64: library and tool are built without a warning' build
ok 'workers are built by gcc and clang, unsigned and unmarked' unsigned_workers
ok 'the demonstration is verified there' demonstration
ok 'what has programs for PEs inside the command says that they are built on x86-64' refuses_programs
for test in $("$arm/run" --list short); do
	ok "$test" "$arm/run" "$test"
done

finish
