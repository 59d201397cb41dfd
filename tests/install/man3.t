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
work=$(mktemp -d)
trap 'rm -rf "$work" "$output"' EXIT

# functions HEADER
functions()
{
	sed -n 's/^ \* \([a-z0-9_]*\)() - .*/\1/p' "$1"
}

# a page in plain text, its lines as long as they like and no word divided
plain()
{
	{
		printf '.hy 0\n.ll 5000n\n'
		sed 's/^\.TH .*/&\n.hy 0\n.ll 5000n/' "$1"
	} | groff -man -Tascii -P-cbou -rHY=0 -rLL=5000n 2>/dev/null
}

squeezed()
{
	tr '\n\t' '  ' | sed 's/  */ /g; s/\* /*/g'
}

# prototypes of HEADER as the compiler reads it: a line each, bodies left out
declarations()
{
	"${CC:-gcc}" -fpreprocessed -dD -E -P "$1" | grep -v '^#' | squeezed |
		sed 's/[;{}]/&\n/g' | sed -n '/(/s/^ *\(static inline \)*//p' |
		sed 's/ *[;{]$/;/'
}

# prototype NAME HEADER
prototype()
{
	grep "[ *]$1(" "$work/${2##*/}" | head -n 1
}

prototypes()
{
	for name in $(functions "$1"); do
		wanted=$(prototype "$name" "$1")
		[ -n "$wanted" ] || { echo "$1 declares no $name"; return 1; }
		squeezed <"$work/$name" | grep -qF -e "$wanted" || {
			echo "$name.3 lacks: $wanted"
			return 1
		}
	done
}

# words, marks of the comment's form and of punctuation taken away
words()
{
	sed 's/@\([A-Za-z]\)/\1/g' | tr -s ' \t\n' '\n' |
		sed 's/^[*-]$//; s/[:.]*$//; s/()//g; /^$/d; /^Return$/d' | sort -u
}

# comment NAME HEADER
comment()
{
	awk -v first=" * $1 - " 'index($0, first) == 1 { on = 1 }
		/^ \*\// { on = 0 }
		on { sub(/^ \*/, ""); print }' "$2"
}

whole()
{
	for name in $(functions "$1"); do
		comment "$name()" "$1" | words >"$work/comment"
		words <"$work/$name" >"$work/page"
		lost=$(comm -23 "$work/comment" "$work/page")
		[ -s "$work/comment" ] && [ -z "$lost" ] || {
			echo "$name.3 has lost: $lost"
			return 1
		}
	done
}

# types HEADER...: what is documented, as "struct x", "enum x" or "x"
types()
{
	sed -n 's/^ \* typedef \([a-z_]*\) - .*/\1/p
		s/^ \* \(\(struct\|enum\) [a-z_]*\) - .*/\1/p' "$@"
}

# lacking TYPE HEADER: functions that have it in their prototypes, not in their pages
lacking()
{
	for name in $(grep -E "(^|[ (])$1[ )]" "$work/${2##*/}" |
			sed -n 's/^[^(]*[ *]\([a-z_0-9]*\)(.*/\1/p'); do
		grep -qE "^   (typedef )?$1\$" "$work/$name" ||
			echo "$name.3 does not explain $1"
	done
}

with_types()
{
	# shellcheck disable=SC2086 # a list of words
	types $headers >"$work/types"
	while read -r type; do
		for header in $headers; do
			lacking "$type" "$header"
		done
	done <"$work/types" >"$work/lacking"
	cat "$work/lacking"
	[ -s "$work/types" ] && [ ! -s "$work/lacking" ]
}

# The page of each type has every word of its comment.
types_whole()
{
	# shellcheck disable=SC2086 # a list of words
	sed -n 's/^ \* \(\(struct\|enum\|typedef\) [a-z_]*\) - .*/\1/p' $headers \
		>"$work/types"
	[ -s "$work/types" ] || return 1
	while read -r kind name; do
		plain "$B/man3/$name.3type" | words >"$work/page" || return 1
		for header in $headers; do
			comment "$kind $name" "$header"
		done | words | grep -vx "$kind" >"$work/comment"
		lost=$(comm -23 "$work/comment" "$work/page")
		[ -s "$work/comment" ] && [ -z "$lost" ] || {
			echo "$name.3type has lost: $lost"
			return 1
		}
	done <"$work/types"
}

# Each page shows an example, and pages that it refers to are there.
with_examples()
{
	for page in "$B"/man3/*.3*; do
		grep -A 4 -x '.SH EXAMPLES' "$page" | grep -qx '.EX' || {
			echo "$page has no example"
			return 1
		}
		for other in $(sed -n 's/^\.BR \([a-z_0-9]*\) (\(3[a-z]*\)).*/\1.\2/p' \
				"$page"); do
			[ -f "$B/man3/$other" ] || {
				echo "$page refers to $other"
				return 1
			}
		done
	done
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

make -s "$B/man3/.stamp" >&2 || exit 1
for header in $headers; do
	declarations "$header" >"$work/${header##*/}"
	for name in $(functions "$header"); do
		plain "$B/man3/$name.3" >"$work/$name"
	done
	ok "prototypes of $header" prototypes "$header"
	ok "every word of $header" whole "$header"
	ok "examples of $header compile and run" runs "$header"
done
ok 'types' with_types
ok 'pages of types' types_whole
ok 'examples and references' with_examples
finish
