#!/bin/sh
# SPDX-License-Identifier: MIT
# README's program that looks at MRAM too early: what README says of it is so.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"
set -u

B=${B:-build}

# the block of C that has this word
awk -v word=pthread_create '
	/^```c$/ { block = ""; inside = 1; next }
	/^```$/ { if (inside && index(block, word)) printf "%s", block; inside = 0 }
	inside { block = block $0 "\n" }' README.md >"$tmp/poll.c"

# runs under a URI; leaves $status
poll()
{
	PIMDIMM_URI=$1 "$tmp/poll" >"$tmp/out" 2>"$tmp/err"
	status=$?
}

# shellcheck disable=SC2086 # a list of options
${CC:-cc} ${SANITIZE:+-fsanitize=$SANITIZE} -Wall -Wno-unused-parameter \
	-I"$B/include" -o "$tmp/poll" "$tmp/poll.c" -L"$B" -lpimdimm -pthread \
	-Wl,-rpath,"$PWD/$B" >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ]
result 'README has the program, and it compiles'

poll mem:
[ "$status" = 0 ] && [ "$(cat "$tmp/out")" = 'works by luck' ]
result 'it works by luck'

for layout in linear xeon_sp; do
	poll mem:strict=1,layout=$layout
	[ "$status" = 139 ] && [ ! -s "$tmp/out" ]
	result "strict=1 ends it, $layout"
done

finish
