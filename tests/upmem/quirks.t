#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: quirks.t [NAME]...: compiles the programs of quirks/ and runs them as
# their first lines say; see quirks/quirk.h.

here=$(dirname "$0")
# shellcheck source=../tool/lib.sh
. "$here/../tool/lib.sh"
CC=$B/upmem/bin/dpu-upmem-dpurte-clang
RUNNER=$B/tests/upmem/runner

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

# the fault that is expected, or all tasklets of all launches counted
ended()
{
	fault=$(field fault "$1")
	if [ -n "$fault" ]; then
		grep -q -e "^fault ${fault%% *}: .*${fault#* }" "$tmp/out"
	else
		grep -qx ok "$tmp/out" &&
			grep -qx "ended: .* 4 = $((tasklets * launches))" "$tmp/out"
	fi
}

shown()
{
	field show "$1" | while read -r symbol pattern; do
		grep -q -e "^$symbol: .*$pattern" "$tmp/out" || {
			echo "$symbol: no $pattern" >>"$tmp/err"
			exit 1
		}
	done
}

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
	[ "$status" = 0 ] && ended "$1" && shown "$1"
}

for source in "$here"/quirks/*.c; do
	name=$(basename "$source" .c)
	case " $* " in
	"  " | *" $name "*) quirk "$source"; result "$name" ;;
	esac
done
finish
