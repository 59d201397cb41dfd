#!/bin/sh
# SPDX-License-Identifier: MIT
# README's first program and the lines that run it: they work as they are written,
# and injected faults are seen.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"
set -u

B=${B:-build}
readme=$PWD/README.md
build=$(realpath "$B")

# program WORD FILE: the block of C that has this word
program()
{
	awk -v word="$1" '
		/^```c$/ { block = ""; inside = 1; next }
		/^```$/ { if (inside && index(block, word)) printf "%s", block
			inside = 0 }
		inside { block = block $0 "\n" }' "$readme" >"$2"
}

# What `make install` would have put where compiler, linker and shell look.
mkdir "$tmp/bin"
ln -s "$(realpath "$TOOL")" "$tmp/bin/pimdimm"
cat >"$tmp/bin/pkg-config" <<END
#!/bin/sh
echo "-I$build/include -L$build -lpimdimm -Wl,-rpath,$build"
END
chmod +x "$tmp/bin/pkg-config"
PATH=$tmp/bin:$PATH

# line WORD: README's own line that has it, run where sum.c is; leaves $status
line()
{
	grep -F -e "$1" "$readme" | grep '^    .*\./sum' >"$tmp/line"
	(cd "$tmp" && sh ./line) >"$tmp/out" 2>"$tmp/err"
	status=$?
}

program square "$tmp/sum.c"
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
	grep -q '^rank 0: injected fault: .* failed' "$tmp/err"
result 'a transfer that fails is seen'
# the sentence that README quotes is the one that comes
quoted=$(sed -n 's/.*# "\(.*\)\.\.\.", status 1$/\1/p' "$tmp/line")
[ -n "$quoted" ] && grep -qF -e "$quoted" "$tmp/err"
result 'and told as README says'

line inject=
[ "$(wc -l <"$tmp/line")" = 1 ] && [ "$status" = 1 ] && [ ! -s "$tmp/out" ] &&
	grep -q '^rank 0 is gone' "$tmp/err"
result 'a rank that goes is seen'

# calls are told from what other threads do for them by their arguments
line 'pimdimm trace'
[ "$status" = 0 ] && grep -qx 85344 "$tmp/out" &&
	python3 "$(dirname "$0")/check-timeline" "$tmp/trace.json" write=64 \
		launch:nr_pes:64=1 allreduce:axes:11=1 read=1 kernel=64 \
		>>"$tmp/err" 2>&1
result 'a timeline of it'

finish
