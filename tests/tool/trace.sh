# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What tests of `pimdimm trace` share: it writes $out, which is looked at. They source it
# behind lib.sh.
# shellcheck disable=SC2154 # lib.sh sets tmp

check=$(dirname "$0")/check-timeline
out=$tmp/trace.json
# of no module: the machine's own is not looked at
nothing=$tmp/class

# traces NAME EXPECTED...: the last timeline is one, and has these
traces()
{
	name=$1
	shift
	python3 "$check" "$out" "$@" >>"$tmp/out" 2>>"$tmp/err"
	result "$name"
}

trace_tool()
{
	tool trace --sysfs "$nothing" --no-kernel -o "$out" "$@"
}
