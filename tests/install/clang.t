#!/bin/sh
# SPDX-License-Identifier: MIT
# clang builds the library without a warning, and what it makes of it passes the
# conformance test. What is built stays in a folder of its own for the next time.
. "$(dirname "$0")/tap.sh"

conformance=$B/clang/tests/conformance/conformance

# little is optimized: that takes longer than all that is tested
build()
{
	"${MAKE:-make}" --no-print-directory CC=clang B="$B/clang" SANITIZE= \
		CFLAGS=-O1 TIER_CFLAGS='-O1 -DPD_CALLS -Wno-psabi' WARN_ERRORS=1 \
		lib "$conformance"
}

conforms()
{
	PIMDIMM_ISA=$1 "$conformance" --cases 30
}

ok 'clang builds the library without a warning' build
for tier in count portable avx2 avx512bw avx512vbmi; do
	ok "which passes the conformance test, $tier" conforms "$tier"
done

finish
