#!/bin/sh
# SPDX-License-Identifier: MIT
# Targets of hosts at a tiny size: each is there, and what is counted is met. Times decide
# nothing.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
succeeds 'targets' perf --suite hosts-targets -b 4K -e 4K -n 1 -w 0 --json
python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
targets = {t["name"]: t for t in report["targets"]}
assert len(report["targets"]) == 22, list(targets)
assert {r["where"] for r in report["rows"]} >= {"mram"}
small = [r for r in report["rows"] if r["where"] == "private"]
assert all(r["collective"] == "allreduce" and r["bytes"] == 4096 for r in small)
counted = targets["2 x 2 hosts: bytes sent by each of leaders, counted"]
if small:
    assert counted["figure"] == 0.5 and counted["met"], counted
' "$tmp/out" 2>"$tmp/err"
result 'each target is there, and what is counted is met'
fails 'sizes' 2 'from a power of two to 256M' perf --suite hosts-targets -b 3K -e 8K
finish
