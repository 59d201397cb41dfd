#!/bin/sh
# SPDX-License-Identifier: MIT
# How `selftest` finds and runs programs. Without the module it must skip.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

printf 'passes\nfails\nskips\n' >"$tmp/selftests"
for test in passes:0 fails:1 skips:4; do
	printf '#!/bin/sh\necho "output of %s"\nexit %s\n' \
		"${test%:*}" "${test#*:}" >"$tmp/${test%:*}"
	chmod +x "$tmp/${test%:*}"
done

succeeds '--list' selftest --folder "$tmp" --list
[ "$(tr '\n' ' ' <"$tmp/out")" = 'passes fails skips ' ]
result 'names them in order'
fails 'an unknown one' 2 'no selftest "flies"' selftest --folder "$tmp" flies

if [ ! -d /sys/module/pimdimm ]; then
	tool selftest --folder "$tmp"
	[ "$status" = 4 ] && grep -q '^1\.\.0 # SKIP' "$tmp/out"
	result 'skipped without the module'
	finish
fi

tool selftest --folder "$tmp"
[ "$status" = 1 ]
result 'one fails, all fail'
prints 'plan' '^1\.\.3$'
prints 'passed' '^ok 1 passes$'
prints 'failed' '^not ok 2 fails$'
prints 'skipped' '^ok 3 skips # SKIP$'
prints 'output' '^# output of fails$'
tool selftest --folder "$tmp" passes skips
[ "$status" = 0 ]
result 'those named alone'
tool selftest --folder "$tmp" skips
[ "$status" = 4 ]
result 'all skipped'
finish
