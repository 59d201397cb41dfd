#!/bin/sh
# SPDX-License-Identifier: MIT
# README's first program and the lines of README and manual pages that run it: they
# work as they are written, and injected faults are seen. What README and tests/README
# name is there.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"
set -u

B=${B:-build}
build=$(realpath "$B")
blocks=$(realpath "$(dirname "$0")/../blocks")
pages=$(echo "$PWD"/tools/man/*.[17])

# What `make install` would have put where compiler, linker and shell look.
mkdir "$tmp/bin"
ln -s "$(realpath "$TOOL")" "$tmp/bin/pimdimm"
cat >"$tmp/bin/pkg-config" <<END
#!/bin/sh
echo "-I$build/include -L$build -lpimdimm -Wl,-rpath,$build"
END
chmod +x "$tmp/bin/pkg-config"
PATH=$tmp/bin:$PATH

# line WORD: the line of README or of the manual pages that has it, run where
# sum.c is; leaves $status
line()
{
	# shellcheck disable=SC2086 # a list of files
	"$blocks" lines README.md $pages | grep -F -e "$1" | grep '\./sum' |
		sort -u >"$tmp/line"
	(cd "$tmp" && sh ./line) >"$tmp/out" 2>"$tmp/err"
	status=$?
}

"$blocks" program square README.md >"$tmp/sum.c"
line 'cc sum.c'
[ "$status" = 0 ] && [ "$(cat "$tmp/out")" = 85344 ] && [ ! -s "$tmp/err" ]
result 'the first program compiles, and sums'

"${CC:-cc}" -Wall -Wextra -Werror -Wno-unused-parameter -I"$B/include" \
	-fsyntax-only "$tmp/sum.c" >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ]
result 'without a warning'

line fail_nth
[ "$(wc -l <"$tmp/line")" = 1 ] && [ "$status" = 1 ] && [ ! -s "$tmp/out" ] &&
	grep -q '^sum: rank 0: injected fault: .* failed' "$tmp/err"
result 'a transfer that fails is seen'
# the sentence that the page quotes is the one that comes
# shellcheck disable=SC2086
quoted=$(sed -n 's/.*# "\(.*\)\.\.\.", status 1$/\1/p' $pages)
[ -n "$quoted" ] && grep -qF -e "$quoted" "$tmp/err"
result 'and told as the manual page says'

line inject=
[ "$(wc -l <"$tmp/line")" = 1 ] && [ "$status" = 1 ] && [ ! -s "$tmp/out" ] &&
	grep -q '^sum: rank 0 is gone' "$tmp/err"
result 'a rank that goes is seen'

# calls are told from what other threads do for them by their arguments
line 'pimdimm trace'
[ "$status" = 0 ] && grep -qx 85344 "$tmp/out" &&
	python3 "$(dirname "$0")/check-timeline" "$tmp/trace.json" write=64 \
		launch:nr_pes:64=1 allreduce:axes:11=1 read=1 kernel=64 \
		>>"$tmp/err" 2>&1
result 'a timeline of it'

# test NAME: whether make check-user T=NAME has something to run
is_test()
{
	case $1 in
	conformance:*) grep -q "^${1#*:}[[:space:]]" tests/conformance/runs ;;
	*) find tests -name "$1.c" -o -name "$1.t" | grep -q . ;;
	esac
}

named_tests()
{
	names=$("$blocks" lines tests/README.md |
		sed -n 's/^make \(check-user\|asan\|tsan\) T=//p')
	[ -n "$names" ] || return 1
	for name in $names; do
		is_test "$name" || { echo "there is no test $name"; return 1; }
	done
}

named_targets()
{
	targets=$(sed -n 's/^| \(`[a-z][^|]*`\) |.*/\1/p' tests/README.md |
		grep -o '`[a-z0-9-]*`' | tr -d '\140')
	[ -n "$targets" ] || return 1
	for target in $targets; do
		grep -qE "^\.PHONY:.* $target( |\$)|^${target}[ :]" Makefile \
			*/build.mk */*/build.mk || {
			echo "make $target: there is no such target"
			return 1
		}
	done
}

linked()
{
	links=$(grep -o '\](\([a-z/.A-Z]*\))' README.md | tr -d ']()')
	[ -n "$links" ] || return 1
	for link in $links; do
		[ -e "$link" ] || { echo "there is no $link"; return 1; }
	done
}

one_page()
{
	[ "$(wc -l <README.md)" -le 150 ]
}

for check in named_tests named_targets linked one_page; do
	$check >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = 0 ]
	result "README and tests/README: $check"
done

finish
