#!/bin/sh
# SPDX-License-Identifier: MIT
# The host interface for Python: python/sets.py.

here=$(dirname "$0")
# shellcheck source=../tool/lib.sh
. "$here/../tool/lib.sh"
# shellcheck source=lib.sh
. "$here/lib.sh"

if ! python3 -c 'import ctypes' 2>/dev/null; then
	echo "1..0 # SKIP no python3"
	exit 0
fi
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
unset PYTHONPATH
here=$(cd "$here" && pwd)

for dpus in 1 3 65; do
	(
		eval "$("$B/pimdimm" compat --env)"
		exec timeout 900 python3 "$here/python/sets.py" $dpus
	) >"$tmp/out" 2>"$tmp/err"
	status=$?
	[ "$status" = 0 ]
	result "sets of $dpus"
done

env -u UPMEM_HOME bash -c '. "$0/upmem/upmem_env.sh" && python3 -c "import dpu"' \
	"$B" >"$tmp/out" 2>"$tmp/err"
status=$?
[ "$status" = 0 ]
result "found with upmem_env.sh"
finish
