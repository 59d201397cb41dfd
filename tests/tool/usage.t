#!/bin/sh
# SPDX-License-Identifier: MIT
# Options, exit statuses, help.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

commands='demo cc list info load unload create remove share perf selftest compat'

succeeds 'help' --help
for command in $commands; do
	prints "help names $command" "^  $command "
done
succeeds 'version' --version
prints 'version is a number' '^pimdimm [0-9][0-9.]*$'

for command in $commands; do
	succeeds "$command --help" "$command" --help
	prints "$command --help tells its usage" "^Usage: pimdimm $command"
	prints "$command --help tells exit statuses" '^Exit status'
	fails "$command: unknown option" 2 "$command: wrong option --nonsense" \
		"$command" --nonsense
done

fails 'no command' 2 'no command'
fails 'unknown command' 2 'unknown command "fly"' fly
fails 'list takes no operand' 2 'unexpected "x"' list x
fails 'info takes no operand' 2 'unexpected "x"' info x
fails 'demo takes no operand' 2 'unexpected "x"' demo x
fails 'unload takes no operand' 2 'unexpected "x"' unload x
fails 'create needs a name' 2 "expected the system's NAME" create
fails 'the name of the system of the module' 2 'comes by `pimdimm load`' \
	create default
fails 'a name with a slash' 2 'expected a name of 1 to 31 letters' create a/b
fails 'a name of 32 letters' 2 'expected a name of 1 to 31 letters' \
	create aaaaaaaabbbbbbbbccccccccdddddddd
fails 'a parameter that systems lack' 2 'no parameter "simd"' create a simd=1
[ -d /sys/module/pimdimm ] ||
	fails 'a system without the module' 1 'not loaded' create a ranks=1
fails 'remove needs a name' 2 'expected the NAME of a system' remove
fails 'remove of a wrong name' 2 'expected a name of 1 to 31' remove a ../b
fails 'remove of what is not there' 1 'no system "a"' remove a
fails 'compat takes no operand' 2 'unexpected "x"' compat x
fails 'cc needs a file' 2 'expected one FILE, got 0' cc
fails 'cc takes one file' 2 'expected one FILE, got 2' cc a b
fails 'share needs a socket' 2 'expected one SOCKET, got 0' share
fails 'share takes one socket' 2 'expected one SOCKET, got 2' share a b
fails 'a receiver chooses no rank' 2 'takes --load, --save and --show alone' \
	share --receive --rank 1 a
fails 'a sender saves into a file' 2 'is for --receive' share --save - a
fails 'share: no number' 2 '--offset 4Q: expected a number, K, M and G' \
	share --offset 4Q a
fails 'share: too many peers' 2 '--peers 1025: expected a number' \
	share --peers 1025 a
fails 'info: one thing at a time' 2 'exclude each other' info --drm --algorithms
fails 'option without its value' 2 'graph needs a value' demo --graph
fails 'parameter without a value' 2 '"ranks" is no PARAMETER=VALUE' load ranks
fails 'parameter with an empty value' 2 'no PARAMETER=VALUE' load ranks=
fails 'parameter without a name' 2 'no PARAMETER=VALUE' load =4
fails 'two parameters in one' 2 'no PARAMETER=VALUE' load 'ranks=1 channels=2'
fails 'size with a wrong suffix' 2 'bytes, or a number with K, M or G' \
	load mram_size=1T
fails 'size that is too large' 2 'bytes, or a number' \
	load mram_size=99999999999999999999
fails 'absent module' 1 '/nonexistent.ko: No such file' \
	load --module /nonexistent.ko
fails 'selftests that are not there' 1 'not there, or empty' \
	selftest --folder "$tmp"

# a report that was cut off is a failure
if [ -e /dev/full ]; then
	"$TOOL" info >/dev/full 2>"$tmp/err"
	status=$?
	[ "$status" = 1 ] && grep -q 'cannot write' "$tmp/err"
	result 'a full disk is told'
fi
finish
