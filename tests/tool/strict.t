#!/bin/sh
# SPDX-License-Identifier: MIT
# The program of pimdimm(7) that looks at MRAM too early: what the page says of it
# is so.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"
set -u

B=${B:-build}

"$(dirname "$0")/../blocks" program pthread_create tools/man/pimdimm.7 \
	>"$tmp/poll.c"

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
result 'pimdimm(7) has the program, and it compiles'

poll mem:
[ "$status" = 0 ] && [ "$(cat "$tmp/out")" = 'works by luck' ]
result 'it works by luck'

for layout in linear xeon_sp; do
	poll mem:strict=1,layout=$layout
	[ "$status" = 139 ] && [ ! -s "$tmp/out" ]
	result "strict=1 ends it, $layout"
done

finish
