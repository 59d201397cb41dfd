# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the tests of the command share: TAP, and one way of running it.

TOOL=${TOOL:-build/pimdimm}
count=0
failures=0

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM

# The library must see what a test sets and nothing else.
unset PIMDIMM_URI PIMDIMM_THREADS PIMDIMM_ISA PIMDIMM_NT PIMDIMM_LOG \
	PIMDIMM_TRACE PIMDIMM_COST PIMDIMM_SCHEDULE PIMDIMM_CHECK \
	HWLOC_SYNTHETIC HWLOC_XMLFILE HWLOC_COMPONENTS

# tool ARGUMENT...: runs it; leaves $status, and the files out and err
tool()
{
	"$TOOL" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}

# values: the last output is CSV, and from here on without the comment lines at its head
values()
{
	sed -i '/^# /d' "$tmp/out"
}

# result NAME: one test, by the exit status of the command before
result()
{
	passed=$?
	count=$((count + 1))
	if [ "$passed" = 0 ]; then
		echo "ok $count - $1"
		return
	fi
	failures=$((failures + 1))
	echo "not ok $count - $1"
	echo "# exit status $status"
	sed 's/^/# out: /' "$tmp/out"
	sed 's/^/# err: /' "$tmp/err"
}

# succeeds NAME ARGUMENT...
succeeds()
{
	name=$1
	shift
	tool "$@"
	[ "$status" = 0 ] && [ ! -s "$tmp/err" ]
	result "$name"
}

# fails NAME STATUS PATTERN ARGUMENT...: one line on standard error that matches,
# nothing on standard output
fails()
{
	name=$1 expected=$2 pattern=$3
	shift 3
	tool "$@"
	[ "$status" = "$expected" ] && [ ! -s "$tmp/out" ] &&
		[ "$(wc -l <"$tmp/err")" = 1 ] &&
		grep -q -e "$pattern" "$tmp/err"
	result "$name"
}

# prints NAME PATTERN: the last output has a line that matches
prints()
{
	grep -q -e "$2" "$tmp/out"
	result "$1"
}

finish()
{
	echo "1..$count"
	[ "$failures" = 0 ]
	exit
}
