#!/bin/sh
# SPDX-License-Identifier: MIT
# Usage: checks.t [NAME]...: programs with one race each, whose two lines
# PIMDIMM_CHECK=races must tell, and the same without it; programs without any.

here=$(dirname "$0")
# shellcheck source=../tool/lib.sh
. "$here/../tool/lib.sh"
# shellcheck source=lib.sh
. "$here/lib.sh"
PE_CC=$B/upmem/bin/dpu-upmem-dpurte-clang
RUNNER=$B/tests/upmem/runner
checks=$here/checks

# run SOURCE FLAG...: compiles it to be checked, and runs it. Sizes on hardware, which are another
# compilation, are not what these are about.
run()
{
	source=$1
	shift
	"$PE_CC" -std=gnu11 -O2 -Wall -Wextra -Werror -DNR_TASKLETS=8 \
		-Wno-pimdimm-pointer-size -fpimdimm-check "$@" \
		-o "$tmp/program" "$source" >"$tmp/out" 2>"$tmp/err" || return
	# shellcheck disable=SC2086 # words
	PIMDIMM_CHECK=${wish:-races} "$RUNNER" -p 8 ${compat:-} "$tmp/program" ${symbols:-} >"$tmp/out" 2>"$tmp/err"
}

# both lines are told, once
told()
{
	lines=$(grep -n 'BUG_[12]' "$1" | cut -d: -f1)
	first=$(echo "$lines" | head -n 1) second=$(echo "$lines" | tail -n 1)
	base=$(basename "$1")
	[ "$(grep -c ': race in PE' "$tmp/err")" -ge 1 ] || return
	# no line but these two is told of
	! grep ': race in PE' "$tmp/err" | grep -o "$base:[0-9]*" |
		grep -vx -e "$base:$first" -e "$base:$second" || return
	grep ': race in PE' "$tmp/err" | grep "$base:$first " | grep -q "$base:$second "
}

# the same finding is not told of again
once()
{
	[ "$(sed 's/.* PE [0-9]* //' "$tmp/err" | sort | uniq -d | wc -l)" = 0 ]
}

bug()
{
	run "$1" && grep -qx ok "$tmp/out" && told "$1" && once
	status=$?
	[ "$status" = 0 ]
}

mended()
{
	run "$1" -DMENDED && grep -qx ok "$tmp/out" && [ ! -s "$tmp/err" ]
	status=$?
	[ "$status" = 0 ]
}

for source in "$checks"/*.c; do
	name=$(basename "$source" .c)
	case " $* " in
	"  " | *" $name "*)
		bug "$source"; result "$name: both lines"
		mended "$source"; result "$name, mended: none"
		;;
	esac
done

# no_race PROGRAM TASKLETS DPUS: one of programs/, which has none, says nothing, and leaves
# MRAM alone while it runs
no_race()
{
	rm -rf "$tmp/whole"
	cp -r "$here/programs/$1" "$tmp/whole"
	(
		cd "$tmp/whole" && PIMDIMM_CHECK=races,host &&
			export PIMDIMM_CHECK &&
			make -s "NR_TASKLETS=$2" "NR_DPUS=$3" &&
			timeout 900 bin/host_code
	) >"$tmp/out" 2>"$tmp/err" </dev/null && ! grep -q ': race in PE' "$tmp/err"
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
	"  " | *" $name "*) no_race "$name" 11 "${dpus:-2}" ;;
	esac
done

# bent RULE BYTES MRAM WRAM: it is told of, at its line, as it reads and as it writes
bent()
{
	bent_source=$checks/bent/transfers.c
	compat=-c symbols='near far'
	run "$bent_source" "-DRULE=$1" && grep -qx ok "$tmp/out"
	status=$?
	compat='' symbols=''
	[ $status = 0 ] || return
	near=$(sed -n 's/^near: WRAM+\(0x[0-9a-f]*\).*/\1/p' "$tmp/out")
	far=$(sed -n 's/^far: MRAM+\(0x[0-9a-f]*\).*/\1/p' "$tmp/out")
	for way in READ WRITE; do
		line=$(grep -n "/\* $way \*/" "$bent_source" | cut -d: -f1)
		call=mram_$(echo $way | tr '[:upper:]' '[:lower:]')
		printf '%s:%u (main): %s of %u bytes, MRAM %#x, WRAM %#x: expected multiples of 8, and 8 to 2048 bytes; hardware does another transfer, without a word\n' \
			"$(basename "$bent_source")" "$line" "$call" "$2" $((far + $3)) $((near + $4))
	done >"$tmp/expected"
	sed 's/.* at [^ ]*\(transfers.c:\)/\1/' "$tmp/err" | sort >"$tmp/sorted"
	diff "$tmp/expected" "$tmp/sorted" >>"$tmp/err"
}

# right TRANSFER: not a word
right()
{
	run "$checks/bent/transfers.c" "-DRULE=$1" && grep -qx ok "$tmp/out" && [ ! -s "$tmp/err" ]
}

case " $* " in
"  " | *" transfers "*)
	while read -r rule numbers; do
		# shellcheck disable=SC2086 # several
		bent "$rule" $numbers
		status=$?
		[ "$status" = 0 ]
		result "a transfer that hardware bends: $rule"
	done <<-END
		MRAM 8 4 0
		WRAM 8 0 4
		SIZE 12 0 0
		LONG 2056 0 0
		EMPTY 0 0 0
	END
	for rule in LEAST MOST; do
		right $rule
		status=$?
		[ "$status" = 0 ]
		result "one that it does as it is told: $rule"
	done
	;;
esac

if [ $# = 0 ]; then
	wish=races,stop run "$checks/mutex.c" &&
		grep -q '^fault 19: a race of tasklets, to WRAM .*mutex.c:' "$tmp/out"
	status=$?
	[ "$status" = 0 ]
	result "races,stop: the run fails"

	# 1,024 and 2,048 for checks, by twice and 1,024
	cat >"$tmp/deep.c" <<-'EOF'
	static int deeper(int depth);
	static int (*volatile next)(int) = deeper;
	static int deeper(int depth)
	{
		return (depth ? next(depth - 1) : 0) + 1;
	}
	int main(void)
	{
		return deeper(100000) == 0;
	}
	EOF
	for size in 1024 512; do
		run "$tmp/deep.c" -DSTACK_SIZE_DEFAULT=$size
		grep -q "^fault 11: stack overflow: .*, $size are declared for tasklet [0-7], which are $((2 * (size + 2048) + 1024)) here with those that its checks have; " "$tmp/out"
		status=$?
		[ "$status" = 0 ]
		result "an overflow tells the $size bytes that are declared"
	done

	wish=everything run "$checks/mutex.c"
	grep -q 'PIMDIMM_CHECK is "everything", expected races' "$tmp/out"
	status=$?
	[ "$status" = 0 ]
	result "another wish is refused"

	"$PE_CC" -DNR_TASKLETS=8 -fno-pimdimm-check -o "$tmp/program" "$checks/mutex.c" &&
		PIMDIMM_CHECK=races "$RUNNER" "$tmp/program" >"$tmp/out" 2>"$tmp/err"
	grep -q 'not compiled to be checked: compile it with -fpimdimm-check' "$tmp/err"
	status=$?
	[ "$status" = 0 ]
	result "a program compiled without"

	"$PE_CC" -fpimdimm-check -fpimdimm-profile -o "$tmp/program" "$checks/mutex.c" \
		>"$tmp/out" 2>"$tmp/err"
	grep -q 'either profiled or checked' "$tmp/err"
	status=$?
	[ "$status" = 0 ]
	result "profiled and checked: refused"
fi
finish
