#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: quirks.t [NAME]...: compiles the programs of quirks/ and runs them as
# their first lines say; see quirks/quirk.h.

here=$(dirname "$0")
# shellcheck source=../tool/lib.sh
. "$here/../tool/lib.sh"
# shellcheck source=told.sh
. "$here/told.sh"
CC=$B/upmem/bin/dpu-upmem-dpurte-clang
RUNNER=$B/tests/upmem/runner

quirk()
{
	words=$(field quirk "$1")
	tasklets=$(option tasklets 16 "$words")
	launches=$(option launches 1 "$words")
	# shellcheck disable=SC2046 # lists of words
	"$CC" -std=gnu11 -O2 -g -Wall -Wextra -Werror "-DNR_TASKLETS=$tasklets" \
		"-DLAUNCHES=$launches" $(field flags "$1") \
		-o "$tmp/program" "$1" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = 0 ] || return 1
	# shellcheck disable=SC2046
	"$RUNNER" -p "$(option pes 8 "$words")" -l "$launches" "$tmp/program" \
		ended $(field show "$1" | cut -d' ' -f1) \
		>"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = 0 ] && ended_as_told "$1" "$tmp/out" $((tasklets * launches)) &&
		showed_as_told "$1" "$tmp/out" >>"$tmp/err"
}

for source in "$here"/quirks/*.c; do
	name=$(basename "$source" .c)
	case " $* " in
	"  " | *" $name "*) quirk "$source"; result "$name" ;;
	esac
done
finish
