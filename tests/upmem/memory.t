#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: memory.t [NAME]...: programs with one use of undefined memory each, whose line
# PIMDIMM_CHECK=memory must tell, and the same without it; programs without any.

here=$(dirname "$0")
# shellcheck source=../tool/lib.sh
. "$here/../tool/lib.sh"
# shellcheck source=lib.sh
. "$here/lib.sh"
PE_CC=$B/upmem/bin/dpu-upmem-dpurte-clang
RUNNER=$B/tests/upmem/runner
programs=$here/undefined

# run SOURCE FLAG...: compiles it to be checked, and runs it twice. Sizes on hardware, which are
# another compilation, are not what these are about.
run()
{
	source=$1
	shift
	"$PE_CC" -std=gnu11 -O2 -Wall -Wextra -Werror -Wno-uninitialized \
		-Wno-sometimes-uninitialized -Wno-conditional-uninitialized -DNR_TASKLETS=8 \
		-Wno-pimdimm-pointer-size -fpimdimm-check=memory "$@" -o "$tmp/program" "$source" \
		>"$tmp/out" 2>"$tmp/err" || return
	PIMDIMM_CHECK=${wish:-memory} "$RUNNER" -p 8 -l 2 "$tmp/program" \
		>"$tmp/out" 2>"$tmp/err"
}

# told SOURCE: its line, once, and no other
told()
{
	line=$(grep -n '/\* BUG \*/' "$1" | cut -d: -f1)
	[ "$(wc -l <"$tmp/err")" = 1 ] &&
		grep -q "tasklet [0-7] at .*$(basename "$1"):$line (.*): use of undefined memory: ." \
			"$tmp/err"
}

bug()
{
	run "$@" && grep -qx ok "$tmp/out" && told "$1"
}

mended()
{
	run "$@" -DMENDED && grep -qx ok "$tmp/out" && [ ! -s "$tmp/err" ]
}

for source in "$programs"/*.c; do
	name=$(basename "$source" .c)
	case " $* " in
	"  " | *" $name "*)
		for level in -O2 -O0; do
			bug "$source" $level
			status=$?
			[ "$status" = 0 ]
			result "$name, $level: its line"
		done
		mended "$source" -O2
		status=$?
		[ "$status" = 0 ]
		result "$name, mended: none"
		;;
	esac
done

# defined PROGRAM TASKLETS DPUS: one of programs/, which uses nothing that is undefined
defined()
{
	rm -rf "$tmp/whole"
	cp -r "$here/programs/$1" "$tmp/whole"
	(
		cd "$tmp/whole" && PIMDIMM_CHECK=memory &&
			export PIMDIMM_CHECK &&
			make -s "NR_TASKLETS=$2" "NR_DPUS=$3" &&
			timeout 900 bin/host_code
	) >"$tmp/out" 2>"$tmp/err" </dev/null && ! grep -q '^pimdimm: ' "$tmp/err"
	status=$?
	[ "$status" = 0 ]
	result "$1, $2 tasklets: none"
}

OURS_CFLAGS=-I$B/include
OURS_LIBS="-L$B -Wl,-rpath,$B -lpimdimm"
export OURS_CFLAGS OURS_LIBS
for makefile in "$here"/programs/*/Makefile; do
	name=$(basename "$(dirname "$makefile")")
	dpus=$(sed -n 's/^# dpus: \([0-9]*\).*/\1/p' "$makefile")
	case " $* " in
	"  " | *" $name "*) defined "$name" 11 "${dpus:-2}" ;;
	esac
done

# origin NAME TEXT: where the undefined memory is from
origin()
{
	run "$programs/$1.c" && grep -q ": use of undefined memory: $2\$" "$tmp/err"
	status=$?
	[ "$status" = 0 ]
	result "$1: $2"
}

if [ $# = 0 ]; then
	# newer compilers do not say of what function
	origin array 'the variable a.*'
	line=$(grep -n 'mem_alloc' "$programs/divisor.c" | cut -d: -f1)
	origin divisor "WRAM allocated at .*divisor.c:$line (main)"
	origin never 'MRAM that nothing was written to, at 0x[0-9a-f]*000 or behind'

	wish=memory,stop run "$programs/branch.c"
	grep -q '^fault 20: a use of undefined memory.*branch.c:' "$tmp/out"
	status=$?
	[ "$status" = 0 ]
	result "memory,stop: the run fails"

	wish=races run "$programs/branch.c"
	grep -q 'checked for undefined memory only: compile it with -fpimdimm-check,' "$tmp/err"
	status=$?
	[ "$status" = 0 ]
	result "one that is compiled for memory is not checked for races"

	"$PE_CC" -fpimdimm-check -o "$tmp/program" "$programs/branch.c" 2>"$tmp/err" &&
		PIMDIMM_CHECK=memory "$RUNNER" "$tmp/program" >"$tmp/out" 2>"$tmp/err"
	grep -q 'checked for races only: compile it with -fpimdimm-check=memory,' "$tmp/err"
	status=$?
	[ "$status" = 0 ]
	result "nor one for races for memory"

	"$PE_CC" -fpimdimm-check=all -o "$tmp/program" "$programs/branch.c" >"$tmp/out" 2>"$tmp/err"
	grep -q -e '-fpimdimm-check=all: expected races or memory' "$tmp/err"
	status=$?
	[ "$status" = 0 ]
	result "another check is refused"
fi
finish
