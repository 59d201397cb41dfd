# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What tests of one application share. They source it behind lib.sh, and define
# application(), which runs it with such arguments on a small system.
# shellcheck disable=SC2154 # lib.sh sets tmp and status

if [ "$(uname -m)" != x86_64 ]; then
	echo '1..0 # SKIP programs for PEs inside the command are built on x86-64 alone'
	exit
fi
export TOOL
# shellcheck disable=SC2034 # of programs beside the tests
folder=$(dirname "$0")

# verified NAME ARGUMENT...
verified()
{
	name=$1
	shift
	application "$@"
	[ "$status" = 0 ] && [ ! -s "$tmp/err" ] &&
		grep -q ': verified$' "$tmp/out"
	result "$name"
}

# refused NAME STATUS PATTERN ARGUMENT...: a line that matches, and no file; with the
# options of $refusing, if any, in front
refused()
{
	name=$1 expected=$2 pattern=$3
	shift 3
	rm -f "$tmp/result"
	# shellcheck disable=SC2086 # options are words
	application ${refusing:-} --output "$tmp/result" "$@"
	[ "$status" = "$expected" ] && [ ! -s "$tmp/out" ] &&
		[ "$(wc -l <"$tmp/err")" = 1 ] &&
		grep -q -e "$pattern" "$tmp/err" && [ ! -e "$tmp/result" ]
	result "$name"
}

# random PROGRAM CASES NAME: a program beside the tests, which takes a folder, a seed and cases
random()
{
	mkdir "$tmp/random"
	"$folder/$1" "$tmp/random" 1 "$2" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = 0 ]
	result "$3"
}
