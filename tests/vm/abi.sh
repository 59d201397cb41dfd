#!/bin/sh
# SPDX-License-Identifier: MIT
# What the ABI document says there is in /sys, and what there is, are the same.
# Runs in the virtual machine, with the module loaded.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

class=/sys/class/pimdimm
status=0

sed -n "s|^What:[[:space:]]*$class/pimdimmN/||p" "$(dirname "$0")/sysfs-class-pimdimm" |
	sort >"$tmp/documented"

# shown RANK: its own attributes, without those that every device has
shown()
{
	(cd "$class/$1/" && find . -mindepth 1 \( -name power -o -name subsystem \) \
		-prune -o -type f -print) | sed 's|^\./||' |
		grep -vx -e dev -e uevent | sort
}

same()
{
	shown "$1" >"$tmp/shown"
	diff "$tmp/documented" "$tmp/shown" >"$tmp/out" 2>"$tmp/err"
}

[ -s "$tmp/documented" ]
result 'attributes are documented'
for node in "$class"/*; do
	same "${node##*/}"
	result "${node##*/} has these and no others"
done
finish
