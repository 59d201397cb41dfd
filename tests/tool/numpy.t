#!/bin/sh
# SPDX-License-Identifier: MIT
# The Python package: arrays, collectives and programs, its tutorial and first example,
# hostile arguments, the same under the address sanitizer, and a wheel of it.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

tests=$(dirname "$0")/python
B=$(cd "${B:-build}" && pwd)
CC=${CC:-gcc}
[ -n "${PYTHON:-}" ] || PYTHON=$(command -v /usr/bin/python3 || command -v python3)
PYTHONDONTWRITEBYTECODE=1
PYTHONPATH=$B/python
UPMEM_HOME=$B/upmem
PATH=$UPMEM_HOME/bin:$PATH
export PYTHONDONTWRITEBYTECODE PYTHONPATH UPMEM_HOME PATH
# what the tests' own make says is not for what builds the wheel
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CFLAGS

if ! [ -e "$B/python/pimdimm/_core.abi3.so" ]; then
	echo '1..0 # SKIP no python3-dev'
	exit
fi
if ! "$PYTHON" -c 'import numpy' 2>/dev/null; then
	echo '1..0 # SKIP no python3-numpy'
	exit
fi

# python NAME ARGUMENT...: one test
python()
{
	name=$1
	shift
	timeout 900 "$PYTHON" "$@" >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = 0 ]
	result "$name"
}

python 'MRAM as arrays' "$tests/arrays.py"
python 'collectives' "$tests/collectives.py"
python 'types and docstrings' "$tests/stubs.py" tools/python/pimdimm/_core.pyi
python 'hostile arguments' "$tests/hostile.py" 8000 $$
python 'the example' tools/examples/reduce.py
if [ -x "$UPMEM_HOME/bin/dpu-upmem-dpurte-clang" ]; then
	dpu-upmem-dpurte-clang -g -O2 -DNR_TASKLETS=4 -o "$tmp/scale" "$tests/pe.c" \
		>"$tmp/out" 2>"$tmp/err"
	python 'programs' "$tests/programs.py" "$tmp/scale"
	python 'the tutorial' -m doctest -o ELLIPSIS tools/python/tutorial.md
fi

# The extension alone is compiled for the sanitizer, and all memory is watched.
asan_build()
{
	mkdir "$tmp/asan" && cp -r "$B/python/pimdimm" "$tmp/asan/" &&
		include=$("$PYTHON" tools/python/where.py include) || return
	"$CC" -std=gnu11 -D_GNU_SOURCE -O1 -g -fPIC -fsanitize=address,undefined \
		-fno-sanitize-recover=all -shared -I. -I"$B/include" -isystem "$include" \
		-o "$tmp/asan/pimdimm/_core.abi3.so" tools/python/*.c -L"$B" -lpimdimm \
		-Wl,-rpath,"$B"
}

sanitized()
{
	PYTHONPATH=$tmp/asan PYTHONMALLOC=malloc \
		ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
		LD_PRELOAD=$asan timeout 900 "$PYTHON" "$@"
}

asan=$("$CC" -print-file-name=libasan.so)
if [ -e "$asan" ]; then
	asan_build >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = 0 ]
	result 'the extension compiles for the address sanitizer'
	for test in arrays.py collectives.py 'hostile.py 3000 1'; do
		# shellcheck disable=SC2086 # a name and arguments
		sanitized "$tests/"$test >"$tmp/out" 2>"$tmp/err"
		status=$?
		[ "$status" = 0 ]
		result "${test%% *} under the address sanitizer"
	done
fi

# a wheel of a copy of the sources, by nothing but what is installed
wheel()
{
	mkdir -p "$tmp/wheel/tools" "$tmp/out.d" && cp -r tools/python "$tmp/wheel/tools/" &&
		(cd "$tmp/wheel/tools/python" && PIMDIMM_BUILD=$B "$PYTHON" -c \
			'import sys; from setuptools import build_meta
print(build_meta.build_wheel(sys.argv[1]))' "$tmp/out.d") || return
	set -- "$tmp"/out.d/pimdimm-*-cp311-abi3-linux_*.whl
	[ -e "$1" ] && "$PYTHON" -m zipfile -e "$1" "$tmp/installed" &&
		[ -e "$tmp/installed/pimdimm/py.typed" ] &&
		[ -e "$tmp/installed/pimdimm/_core.pyi" ] &&
		PYTHONPATH=$tmp/installed "$PYTHON" tools/examples/reduce.py
}

cat >"$tmp/page.py" <<'PY'
import doctest, re, sys
import pimdimm
text = open('tools/man/pimdimm-python.7').read()
text = re.sub(r'\\([-&])', lambda m: m[1].strip('&'), text)
names = set(pimdimm.__all__) | {
    name for kind in (pimdimm.System, pimdimm.Area, pimdimm.Hypercube) for name in vars(kind)
    if not name.startswith(('_', 'plan_')) and callable(getattr(kind, name))
    and name[1:] not in pimdimm.COLLECTIVES}
missing = sorted(name for name in names if not re.search(r'\b%s\b' % name, text))
assert not missing, missing
code = re.search(r'^\.EX\n(.*?)^\.EE', text, re.M | re.S)[1]
failed, tried = doctest.DocTestRunner().run(
    doctest.DocTestParser().get_doctest(code, {}, 'page', 'page', 0))
sys.exit(failed or tried != 3)
PY
PYTHONPATH=$B/python "$PYTHON" -B "$tmp/page.py" >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ]
result 'the manual page has every name, and its example runs'

if "$PYTHON" -c 'import setuptools, wheel' 2>/dev/null; then
	wheel >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = 0 ]
	result 'a wheel'
fi
finish
