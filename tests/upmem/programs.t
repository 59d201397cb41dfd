#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: programs.t [NAME]...: builds the programs of programs/ with their own
# Makefiles and runs them; they check their results themselves. Each gets one of
# the pairs of tasklets and DPUs below, in turn; UPMEM_ALL=1 tries all of them.
# A line `# dpus: N...` in a Makefile says which numbers of DPUs the program takes.

here=$(dirname "$0")
# shellcheck source=../tool/lib.sh
. "$here/../tool/lib.sh"
# shellcheck source=lib.sh
. "$here/lib.sh"
programs=$(cd "$here/programs" && pwd)
OURS_CFLAGS=-I$B/include
OURS_LIBS="-L$B -Wl,-rpath,$B -lpimdimm"
export OURS_CFLAGS OURS_LIBS
cd "$tmp" || exit 1

all_tasklets='11 24 1 16 8'
all_dpus='9 64 1 130 2 256 60 8'

# run NAME TASKLETS DPUS
run()
{
	rm -rf "$tmp/program"
	cp -r "$programs/$1" "$tmp/program"
	(
		cd "$tmp/program" &&
			make -s "NR_TASKLETS=$2" "NR_DPUS=$3" &&
			timeout 900 bin/host_code
	) >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	[ "$status" = 0 ]
	result "$1, $2 tasklets, $3 DPUs"
}

# nth N WORD...: from 0, over and over
nth()
{
	n=$(($1 % ($# - 1)))
	shift $((n + 1))
	echo "$1"
}

turn=0
program()
{
	dpus=$(sed -n 's/^# dpus: //p' "$programs/$1/Makefile")
	dpus=${dpus:-$all_dpus}
	if [ -n "${UPMEM_ALL:-}" ]; then
		for t in $all_tasklets; do
			for d in $dpus; do
				run "$1" "$t" "$d"
			done
		done
		return
	fi
	# shellcheck disable=SC2086 # lists of words
	run "$1" "$(nth $turn $all_tasklets)" "$(nth $turn $dpus)"
	turn=$((turn + 1))
}

for makefile in "$programs"/*/Makefile; do
	name=$(basename "$(dirname "$makefile")")
	case " $* " in
	"  " | *" $name "*) program "$name" ;;
	esac
done
finish
