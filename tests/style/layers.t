#!/bin/sh
# SPDX-License-Identifier: MIT
# The sources keep to the plan of the house; and the check of that finds a breach
# of each kind in a small tree made for it.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/../tool/lib.sh"
set -u

check=$PWD/tests/style/layers.py
spdx='SPDX-License-Identifier: MIT'
status=0

# look ROOT: what departs from the plan, in out
look()
{
	python3 "$check" "$1" >"$tmp/out" 2>"$tmp/err"
	status=$?
}

# source FILE [LINE...]: a source that keeps the rules, and these lines
source_file()
{
	mkdir -p "$house/$(dirname "$1")"
	case $1 in
	*.c) printf '// %s\n/* Is here to be looked at. */\n' "$spdx" ;;
	*) printf '/* %s */\n' "$spdx" ;;
	esac >"$house/$1"
	name=$1
	shift
	[ $# = 0 ] || printf '%s\n' "$@" >>"$house/$name"
}

# folder NAME: a folder whose README is of the right length
folder()
{
	mkdir -p "$house/$1"
	seq 12 >"$house/$1/README.md"
}

# a tree that keeps the rules
build()
{
	house=$tmp/house
	rm -rf "$house"
	for f in runtime runtime/base runtime/ranks collectives/call tools tools/perf; do
		folder $f
	done
	source_file runtime/base/env.h 'int pd_env(const char *name);'
	source_file runtime/base/env.c '#include "runtime/base/env.h"' \
		'int pd_env(const char *name)' '{' '	return !name;' '}'
	source_file runtime/ranks/uri.c '#include "runtime/base/env.h"'
	source_file tools/inside.h '#include "runtime/base/env.h"'
	source_file tools/perf/case.c '#include "tools/inside.h"'
}

# finds NAME PATTERN: of the tree as it is now, this and nothing else
finds()
{
	look "$house"
	[ "$status" = 1 ] && [ "$(wc -l <"$tmp/out")" = 1 ] && grep -q "$2" "$tmp/out"
	result "finds $1"
	build
}

look .
[ "$status" = 0 ]
result 'the sources keep to the plan'

build
look "$house"
[ "$status" = 0 ]
result 'a tree that keeps to it'

source_file runtime/base/quota.c '#include "collectives/call/args.h"'
source_file collectives/call/args.h
finds 'an include upward' 'runtime/base is to include nothing of collectives/call'

source_file runtime/base/quota.c '#include "env.h"'
finds 'an include that is not rooted' 'quota.c:3: "env.h" is no file by its path'

source_file tools/perf/rig.c '#include "runtime/base/env.h"'
finds 'a private header of the library' 'rig.c:3: "runtime/base/env.h" is private'

source_file runtime/base/one.h '#include "runtime/base/two.h"'
source_file runtime/base/two.h '#include "runtime/base/one.h"'
finds 'a circle' 'one: a circle of includes: .*two -> runtime/base/one$'

source_file runtime/base/quota.h 'int pd_quota(int cpus,' '	     int most);'
source_file runtime/base/quota.c 'static int pd_quotas(void)' '{' '	return 1;' '}'
finds 'a prototype without its function' 'quota.h:2: pd_quota() is not defined'

source_file collectives/call/env.c
finds 'two sources of one name' 'call/env.c:1: libpimdimm has a env.c already'

for i in $(seq 29); do source_file "runtime/base/more$i.h"; done
finds 'a folder too full' 'runtime/base: 31 files, 30 at most'

# shellcheck disable=SC2046 # a line each
source_file runtime/ranks/owner.c $(seq 599)
finds 'a file too long' 'owner.c:1: 601 lines, 600 at most'

# shellcheck disable=SC2046 # a line each
source_file runtime/ranks/owner.c 'void pd_owner(void)' '{' $(seq 66) '}'
finds 'a function too long' 'owner.c:4: a function of 66 lines, 65 at most'

printf '// %s\n\nint x;\n' "$spdx" >"$house/runtime/ranks/owner.c"
finds 'a source that says nothing of itself' 'owner.c:2: a comment is to say here'

printf '/* %s */\n/* Is here. */\n' "$spdx" >"$house/runtime/ranks/owner.c"
finds 'a licence of another form' 'owner.c:1: the first line is to begin with "// SPDX'

rm "$house/runtime/ranks/README.md"
finds 'a folder that says nothing of itself' 'runtime/ranks: no README.md'

seq 41 >"$house/runtime/ranks/README.md"
finds 'a README too long' 'runtime/ranks/README.md:1: 10 to 40 lines'

finish
