#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual pages of functions and types say all that the headers say: each has its
# function's prototype, every word of its comment, and the types that it names. Each
# has an example, which compiles and runs, and refers to pages that there are.
. "$(dirname "$0")/tap.sh"

B=${B:-build}
headers='runtime/include/pimdimm/pimdimm.h runtime/include/pimdimm/program.h
	runtime/include/pimdimm/report.h runtime/include/pimdimm/spmd.h
	collectives/include/pimdimm/pidcomm.h collectives/include/pimdimm/types.h
	collectives/include/pimdimm/messages.h collectives/include/pimdimm/hosts.h
	collectives/include/pimdimm/transport.h
	uapi/pimdimm_layout.h'
of_pes=tools/upmem/pe/include/syslib/pimdimm.h
work=$(mktemp -d)
trap 'rm -rf "$work" "$output"' EXIT

# none FILE: no faults are in it; all of them are shown
none()
{
	cat "$work/faults/$1" && [ ! -s "$work/faults/$1" ]
}

# The program that a header's examples are taken from.
# shellcheck disable=SC2046 # a list of options
runs()
{
	example=$(basename "$1" .h)
	"${CC:-gcc}" -Wall -Wextra -Werror -Wno-unused-parameter -I"$B/include" \
		-o "$work/$example" "tools/man/examples/$example.c" \
		"$B/libpimdimm.a" $(pkg-config --libs hwloc) -lm -pthread || return 1
	case $example in
	program)
		# one that counts how often it ran; on other CPUs there are none
		case $(uname -m) in
		x86_64) "$work/$example" "$(find "$B/tools" -name empty.elf)" ;;
		esac ;;
	*) "$work/$example" ;;
	esac
}

# the same of PEs', which there are on one kind of CPU alone
runs_on_pes()
{
	[ "$(uname -m)" = x86_64 ] || return 0
	"$B/upmem/bin/dpu-upmem-dpurte-clang" -Wall -Wextra -Werror -DNR_TASKLETS=2 \
		-o "$work/pe" tools/man/examples/pe.c &&
		"$B/pimdimm" mpirun -n 8 "$work/pe" >"$work/told" &&
		[ "$(grep -c 'is done' "$work/told")" = 8 ]
}

make -s "$B/man3/.stamp" >&2 || exit 1
mkdir "$work/faults"
# shellcheck disable=SC2086 # a list of words
python3 tests/install/man3.py "$B/man3" "$work/faults" $headers $of_pes || exit 1
for header in $headers $of_pes; do
	name=$(echo "$header" | tr / -)
	ok "prototypes of $header" none "$name.prototypes"
	ok "every word of $header" none "$name.words"
done
for header in $headers; do
	ok "examples of $header compile and run" runs "$header"
done
ok 'examples for PEs compile and run' runs_on_pes
ok 'types' none types
ok 'pages of types' none type-words
ok 'examples and references' none references
finish
