#!/bin/sh
# SPDX-License-Identifier: MIT
# Targets of hosts at a tiny size: each is there, and what is counted is met. Times decide
# nothing.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

tool perf --suite hosts-targets -b 4K -e 4K -n 1 -w 0 --json
# what Open MPI's launcher says where a process that it starts is faster than it is itself
[ "$status" = 0 ] && ! grep -v 'plm:rsh: Warning: setpgid' "$tmp/err" >&2
result 'targets'
python3 -c '
import json, os, sys
report = json.load(open(sys.argv[1]))
targets = {t["name"]: t for t in report["targets"]}
assert len(report["targets"]) == 23, list(targets)
assert {r["where"] for r in report["rows"]} >= {"mram"}
# what goes over machines has both rates
over = [r for r in report["rows"] if r["where"] == "machines"]
assert all(r["nominal_gbps"] in (1, 10) and r["measured_gbps"] > 0 for r in over), over
small = [r for r in report["rows"] if r["where"] == "private"]
assert all(r["collective"] == "allreduce" and r["bytes"] == 4096 for r in small)
cpus = len(os.sched_getaffinity(0))
for hosts, of in (4, 2), (8, 1):
    told = [name for name in targets if "%d hosts on %d processor" % (hosts, cpus) in name]
    assert len(told) == (of if hosts > cpus else 0), told
for what in "sent", "staged":
    counted = targets["2 x 2 hosts: bytes %s by each of leaders, counted" % what]
    if small:
        assert counted["figure"] == 0.5 and counted["met"], counted
' "$tmp/out" 2>"$tmp/err"
result 'each target is there, and what is counted is met'
fails 'sizes' 2 'sizes of .* from 3072 to 8192, expected a power of two to begin with and at most 268435456' \
	perf --suite hosts-targets -b 3K -e 8K
fails 'sizes: the last' 2 'sizes of .* from 1024 to 536870912, expected' \
	perf --suite hosts-targets -b 1K -e 512M
finish
