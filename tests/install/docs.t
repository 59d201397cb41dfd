#!/bin/sh
# SPDX-License-Identifier: MIT
# What is written of the module names all that there is, and manual pages are well
# formed. Its attributes in /sys are compared in the virtual machine.
. "$(dirname "$0")/tap.sh"

page=kmod/doc/pimdimm.4
abi=kmod/doc/abi/sysfs-class-pimdimm

# names_all FILE WORD...
names_all()
{
	file=$1
	shift
	[ $# -gt 0 ] || { echo 'no words to look for'; return 1; }
	for word; do
		grep -qw -e "$word" "$file" || {
			echo "$file does not name $word"
			return 1
		}
	done
}

# shellcheck disable=SC2046 # lists of words
{
ok 'calls in the manual' names_all "$page" \
	$(sed -n 's/^#define \(PIMDIMM_IOC_[A-Z]*\)\t.*_IO(.*/\1/p' \
		uapi/pimdimm.h)
ok 'structures in the manual' names_all "$page" \
	$(sed -n 's/^struct \(pimdimm_[a-z]*\) {/\1/p' uapi/pimdimm.h)
ok 'parameters in the manual' names_all "$page" \
	$(sed -n 's/^module_param(\([a-z_]*\),.*/\1/p' kmod/*.c)
ok 'errors in the manual' names_all "$page" \
	$(sed -n '/^ \* /s/[^A-Z]\(E[A-Z0-9]\{2,\}\)[^A-Z]/\n\1\n/gp' \
		uapi/pimdimm.h | grep -x 'E[A-Z0-9]\{2,\}' |
		grep -v EXPORT | sort -u)
ok 'variables in pimdimm(7)' names_all tools/man/pimdimm.7 \
	$(sed -n 's/^\t{ "\(PIMDIMM_[A-Z]*\)", .*/\1/p' runtime/base/env.c)
ok 'commands in pimdimm(1)' names_all tools/man/pimdimm.1 \
	$(sed -n 's/^\t\.name = "\([a-z]*\)",/pimdimm.\1/p' tools/cmd/*.c)
ok 'attributes in the ABI document' names_all "$abi" \
	$(sed -n 's/^.*DEVICE_ATTR_R[OW](\([a-z][a-z_]*\)).*/\1/p
		s/^PIMDIMM_ATTR(\([a-z_]*\),.*/\1/p' kmod/sysfs.c)
}

# What is built is the version whose changes come first.
changes()
{
	[ "$(sed -n 's/^## //p' tools/packaging/CHANGELOG | head -n 1)" = "$(
		sed -n 's/^#define PIMDIMM_VERSION "\(.*\)"/\1/p' \
			runtime/include/pimdimm/pimdimm.h)" ]
}

# The values in it are the module's own, so that it may be taken as it is.
example()
{
	options=$(sed -n 's/^options pimdimm //p' kmod/install/modprobe.conf.example)
	[ -n "$options" ] || return 1
	for option in $options; do
		grep -A 2 "^module_param(${option%%=*}," kmod/*.c |
			grep -F "(${option#*=})" || {
			echo "$option is not the default"
			return 1
		}
	done
	mkdir "$work/modprobe.d" &&
		cp kmod/install/modprobe.conf.example "$work/modprobe.d/pimdimm.conf" &&
		modprobe -C "$work/modprobe.d" -c |
		grep "^options pimdimm $options\$"
}

well_formed()
{
	make -s "${B:-build}/man3/.stamp" || return 1
	for file in tools/man/*.[17] kmod/doc/*.4 "${B:-build}"/man3/*.3*; do
		said=$(groff -t -man -ww -z -Tutf8 "$file" 2>&1)
		[ -z "$said" ] || { echo "$file: $said"; return 1; }
	done
}

work=$(mktemp -d)
trap 'rm -rf "$work" "$output"' EXIT
ok 'changes of this version' changes
ok 'example for modprobe' example
ok 'manual pages are well formed' well_formed
finish
