# SPDX-License-Identifier: MIT
# TAP from shell scripts: ok NAME COMMAND..., then finish.

tests=0
failures=0
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# ok NAME COMMAND...: a test that passes when the command does
ok()
{
	tap_name=$1
	shift
	tests=$((tests + 1))
	if "$@" >"$output" 2>&1; then
		echo "ok $tests - $tap_name"
	else
		echo "not ok $tests - $tap_name"
		sed 's/^/# /' "$output"
		failures=$((failures + 1))
	fi
}

finish()
{
	echo "1..$tests"
	[ "$failures" = 0 ]
	exit
}
