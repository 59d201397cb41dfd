#!/bin/sh
# SPDX-License-Identifier: MIT
# The program of pimdimm-tutorial(7), taken from the page, built and run by its lines: 100
# lines of code that notice wrong results, and report what the page says.

here=$(cd "$(dirname "$0")" && pwd)
case $B in
/*) ;;
*) B=$PWD/$B ;;
esac
TOOL=${TOOL:-$B/pimdimm}
page=$here/../../tools/man/pimdimm-tutorial.7
# shellcheck source=tests/tool/lib.sh
. "$here/../tool/lib.sh"
unset PIMDIMM_REPORT PIMDIMM_INJECT MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CFLAGS

# What `make install` would have put where shell and compilers look.
mkdir "$tmp/bin"
ln -s "$TOOL" "$tmp/bin/pimdimm"
cat >"$tmp/bin/pkg-config" <<END
#!/bin/sh
echo "-I$B/include -L$B -lpimdimm -Wl,-rpath,$B"
END
chmod +x "$tmp/bin/pkg-config"
PATH=$tmp/bin:$PATH
blocks=$here/../blocks
cd "$tmp" || exit 1

"$blocks" program 'define PES' "$page" >pagerank.h
"$blocks" program BARRIER_INIT "$page" >pagerank_pe.c
"$blocks" program pidcomm_create "$page" >pagerank.c
status=0
[ -s pagerank.h ] && [ -s pagerank_pe.c ] && [ -s pagerank.c ] &&
	[ "$(cat pagerank.h pagerank_pe.c pagerank.c | grep -c .)" -le 100 ]
result 'has 100 lines of code at most'

# session: the page's own lines, as somebody would type them
"$blocks" lines "$page" | sed -n 's/^\$ //p' >session
session()
{
	sh -e ./session >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}
session
verified=$("$blocks" lines "$page" | grep verified)
[ "$status" = 0 ] && [ -n "$verified" ] && [ "$(cat out)" = "$verified" ]
result 'is built and run by its lines, and prints what they show'

# rows NAME: calls and bytes, which depend on no machine
rows()
{
	sed -n 's/^-  *//; s/  */ /g; /^\(collective\|program\) /p' "$1" |
		grep -v '^program.*modelled' |
		sed 's/^\(collective [a-z]* 1 [a-z]*\|program [a-z_]*\) \([0-9]*\) \([0-9]*\) .*/\1 \2 \3/'
}
"$blocks" lines "$page" >shown
rows shown >shown_rows
rows err >found_rows
[ "$(wc -l <shown_rows)" = 4 ] && cmp shown_rows found_rows >>err
result 'reports the calls and bytes that the page shows'

# warned COMMAND...
warned()
{
	"$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = 0 ] && [ ! -s "$tmp/err" ]
}
eval "$(pimdimm compat --env)"
warned cc -Wall -Wextra -Werror -O2 -fsyntax-only -I"$B/include" pagerank.c &&
	warned dpu-upmem-dpurte-clang -Wall -Wextra -Werror -O2 -DNR_TASKLETS=16 \
		-fsyntax-only pagerank_pe.c
result 'without a warning'

# wrong NAME PATTERN: it ends with 1 and says so
wrong()
{
	./pagerank >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	[ "$status" = 1 ] && [ ! -s "$tmp/out" ] && grep -q -e "$2" "$tmp/err"
	result "$1"
}
PIMDIMM_INJECT=fail_nth:3 wrong 'a transfer that fails is told' 'injected fault'
sed 's/sum \* 85/sum * 84/' pagerank_pe.c >other_pe.c
dpu-upmem-dpurte-clang -O2 -DNR_TASKLETS=16 other_pe.c -o pagerank_pe
wrong 'a wrong rank is noticed' 'the rank of vertex [0-9]* is wrong$'
finish
