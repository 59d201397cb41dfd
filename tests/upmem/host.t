#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: host.t [NAME]...: the quirks of the host interface in host/.

here=$(dirname "$0")
# shellcheck source=../tool/lib.sh
. "$here/../tool/lib.sh"
# shellcheck source=lib.sh
. "$here/lib.sh"

cp -r "$here/host" "$tmp/host"
cd "$tmp/host" || exit 1
make -s >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ] && [ ! -s "$tmp/err" ]
result "they compile without a word"

for source in *.c; do
	name=${source%.c}
	case $source in
	*.dpu.c) continue ;;
	esac
	case " $* " in
	"  " | *" $name "*)
		timeout 900 "./$name" >"$tmp/out" 2>"$tmp/err"
		status=$?
		[ "$status" = 0 ]
		result "$name"
		;;
	esac
done

# what waits in a rank's queue for an asynchronous launch is not too early
for name in queues callbacks ranks transfers log; do
	[ $# = 0 ] || break
	PIMDIMM_CHECK=host timeout 900 "./$name" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = 0 ]
	result "$name, PIMDIMM_CHECK=host"
done
finish
