#!/bin/sh
# SPDX-License-Identifier: MIT
# Options, exit statuses, help.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

commands='demo cc app list info load unload create remove share perf selftest compat mpirun machines top
	trace profile debug help completion'

succeeds 'help' --help
cp "$tmp/out" "$tmp/commands"
succeeds 'help without a command' help
cmp "$tmp/out" "$tmp/commands" >>"$tmp/err"
result 'is --help'
# it comes again below
cp "$tmp/commands" "$tmp/out"
for command in $commands; do
	prints "help names $command" "^  $command "
done
succeeds 'version' --version
prints 'version is a number' '^pimdimm [0-9][0-9.]*$'

for command in $commands; do
	succeeds "$command --help" "$command" --help
	prints "$command --help tells its usage" "^Usage: pimdimm $command"
	prints "$command --help tells exit statuses" '^Exit status'
	cp "$tmp/out" "$tmp/help"
	succeeds "help $command" help "$command"
	cmp "$tmp/out" "$tmp/help" >>"$tmp/err"
	result "is $command --help"
	fails "$command: unknown option" 2 "$command: wrong option --nonsense" \
		"$command" --nonsense
done

fails 'no command' 2 'no command'
fails 'unknown command' 2 'unknown command "fly"' fly
fails 'help for an unknown command' 2 'unknown command "fly"' help fly
fails 'help takes one command' 2 'expected one COMMAND, got 2' help list info
fails 'completion needs a shell' 2 'expected one SHELL, got 0' completion
fails 'completion for another shell' 2 \
	'unknown shell "tcsh", expected bash, zsh or fish;' completion tcsh

# means WORD ARGUMENT...: what was asked for is not there, but nearly
means()
{
	meant=$1
	shift
	fails "$*: $meant" 2 ": did you mean \"$meant\"?\$" "$@"
}
means info infp
means list lsit
means trace trac
means selftest help selftset
means --json list --jsn
means --json list -json
means --algorithms perf --algoritms=direct
means --no-kernel trace --no-kernl ls
means allreduce perf alreduce
means reduce_scatter perf reduce-scatter
means direct perf -a auto,dirct
means conventional perf -a conv
means xeon_sp perf --layout xeon-sp
means u32 perf -d i8,u33
means lxor perf -o xlor
means both perf -p bth
means targets perf --suite target
means ranks create a rank=1
means zsh completion zhs
# nothing is near to what has nothing of it
fails 'a letter means no command' 2 'unknown command "x"; ' x
fails 'nor an empty word' 2 'unknown command ""; ' ''
fails 'all types are told' 2 'expected i8, i16, .*, f32, f64 or all;' perf -d x
fails 'all algorithms are told' 2 'expected auto, sdk, staged, direct, .*, tree, flat, .* or stream;' \
	perf -a best
fails 'an option that may be two' 2 'option --s is ambiguous' perf --s x
succeeds 'an option that is cut short' list --js
fails 'a value for an option that takes none' 2 '--json takes no value' \
	list --json=1
fails 'a wrong letter' 2 'wrong option -x;' top -x
fails 'a letter without its value' 2 '-d needs a value' top -d
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
fails 'info: one thing at a time, cost too' 2 'exclude each other' info --cost --drm
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
