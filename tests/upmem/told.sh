# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What a small program's first lines say, and whether that is what it did. For any shell,
# also that of a machine without more than busybox.

# field NAME SOURCE: what the source says after it, line by line
field()
{
	sed -n "s/^ \* $1: //p" "$2"
}

# option NAME DEFAULT WORDS
option()
{
	for word in $3; do
		[ "${word%%=*}" != "$1" ] || { echo "${word#*=}"; return; }
	done
	echo "$2"
}

# ended_as_told SOURCE OUTPUT TASKLETS: by the fault that is expected, or all tasklets counted
ended_as_told()
{
	fault=$(field fault "$1")
	if [ -n "$fault" ]; then
		grep -q -e "^fault ${fault%% *}: .*${fault#* }" "$2"
	else
		grep -qx ok "$2" && grep -qx "ended: .* 4 = $3" "$2"
	fi
}

# showed_as_told SOURCE OUTPUT: prints what is missing
showed_as_told()
{
	field show "$1" | while read -r symbol pattern; do
		grep -q -e "^$symbol: .*$pattern" "$2" || { echo "$symbol: no $pattern"; exit 1; }
	done
}
