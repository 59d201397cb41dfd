#!/bin/sh
# SPDX-License-Identifier: MIT
# Another CPU: library and tool are built for aarch64, the demonstration verifies
# what they do under qemu, and programs for PEs say that they need x86-64.
. "$(dirname "$0")/tap.sh"

cc=aarch64-linux-gnu-gcc
for need in "$cc" qemu-aarch64 apt-get dpkg-deb; do
	command -v "$need" >"$output" || {
		echo "1..0 # SKIP no $need"
		exit
	}
done
root=$("$(dirname "$0")/fetch-arm64") || {
	echo '1..0 # SKIP no libraries for aarch64 from where packages come from'
	exit
}
tool=$B/aarch64/pimdimm
graph=$(mktemp)
said=$(mktemp)
trap 'rm -f "$output" "$graph" "$said"' EXIT

# little is optimized: that takes longer than all that is run
build()
{
	PKG_CONFIG_SYSROOT_DIR=$root \
	PKG_CONFIG_LIBDIR=$root/usr/lib/aarch64-linux-gnu/pkgconfig \
	"${MAKE:-make}" --no-print-directory CC="$cc --sysroot=$root" \
		B="$B/aarch64" SANITIZE= CFLAGS=-O1 TIER_CFLAGS='-O1 -Wno-psabi' \
		WARN_ERRORS=1 lib "$tool"
}

runs()
{
	qemu-aarch64 -L "$root" "$tool" "$@"
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
ok 'programs for PEs say that they need another CPU' refuses_programs

finish
