#!/bin/sh
# SPDX-License-Identifier: MIT
# Values for others' programs: what stands above them, their columns' units, their quotes.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

cat >"$tmp/read.py" <<'PY'
# Reads a file as users do: comment lines off, then rows by the names of their columns.
import csv, re, sys

# numbers that need no unit: counts, ratios, and what a column beside them tells the unit of
BARE = {"count", "in_place", "roofline_share", "speedup", "wrong", "hosts", "ratio", "low",
        "high", "pes", "tasklets", "work", "figure", "calls", "hardware", "modelled", "error",
        "calibrated"}
UNITS = {"ns", "bytes", "gbs", "percent", "cycles", "instructions", "references"}


def number(text):
    return re.fullmatch(r"-?[0-9.]+(e[-+]?[0-9]+)?", text)


def read(path, bare=BARE):
    lines = open(path, newline="").read().split("\n")
    head = [l for l in lines if l.startswith("# ")]
    assert lines[:len(head)] == head, "comments stand anywhere but at the head"
    keys = [l[2:].split(": ")[0] for l in head]
    assert keys[:5] == ["machine", "version", "commit", "date", "threads"], keys
    assert "instruction set" in keys[5:7] or "application" in keys, keys
    told = dict(l[2:].split(": ", 1) for l in head)
    assert all(told.values()), told
    rows = list(csv.DictReader((l for l in lines[len(head):] if l), strict=True))
    assert rows and all(None not in r and None not in r.values() for r in rows), rows
    for name in rows[0] if bare else ():
        if any(number(r[name]) for r in rows) and name not in bare | {"axes"}:
            assert set(name.split("_")) & UNITS, f"{name} has no unit"
    return told, rows
PY

# reads NAME CODE: the last output, as `told` and `rows`, is as the code says
reads()
{
	PYTHONPATH=$tmp python3 -c "from read import *
told, rows = read('$tmp/out')
$2" 2>"$tmp/err"
	result "$1"
}

# shellcheck disable=SC2086 # words
{
small='-s 8x8 -b 1K -n 2 -w 0 --seed 77'
succeeds 'collectives' perf $small --csv --layout xeon_sp
reads 'collectives: head and units' '
assert re.fullmatch(r"[0-9]+[.][0-9]+[.][0-9]+", told["version"]), told
assert re.fullmatch(r"[0-9]{4}(-[0-9]{2}){2}T[0-9]{2}(:[0-9]{2}){2}Z", told["date"]), told
assert told["layout"] == "xeon_sp" and told["seed"] == "77" and told["iterations"] == "2"
assert len(rows) == 8 and {r["size_bytes"] for r in rows} == {"1024"}'
export PIMDIMM_THREADS=3 PIMDIMM_ISA=portable
succeeds 'another instruction set' perf $small --csv alltoall
unset PIMDIMM_THREADS PIMDIMM_ISA
reads 'another instruction set: told' '
assert told["threads"] == "3" and told["instruction set"] == "portable", told'
succeeds 'hosts' perf $small --csv --hosts 2 alltoall
reads 'hosts: told' 'assert told["hosts"] == "2", told'
succeeds 'buffers of hosts' perf --host-buffers --csv -a direct --mapped -b 8K -n 2
reads 'buffers of hosts: head and units' 'assert told["hosts"] == "2", told'
}

if [ "$(uname -m)" = x86_64 ]; then
	# a comma is part of the input's name
	succeeds 'an application' app cc -u mem:ranks=1,mram=64K -t 2 -f csv \
		uniform:vertices=500,edges=2,seed=5
	reads 'an application: head and units' '
assert told["application"] == "cc" and told["PEs"] == "64" and told["threads"] == "2", told
assert told["input"] == "uniform:vertices=500,edges=2,seed=5", told
assert told["verified"] == "yes" and told["algorithm"] == "auto", told
assert any(r["operation"] == "allreduce" for r in rows)'
	succeeds 'messages' perf --suite messages --csv
	reads 'messages: head and units' 'assert len(rows) == 44 and {r["method"] for r in rows} == {"travelling", "conventional"}, rows'
	succeeds 'PEs' perf --suite pe -s 8x8 -b 32K -n 1 -w 0 --csv
	reads 'PEs: head and units' 'assert all(r["unit"] for r in rows)'
	succeeds 'applications' perf --suite apps -s 8x8 -b 1K -n 1 -w 0 --figures 22 --csv
	reads 'applications: head and units' \
		'assert any("," in r["command"] or " " in r["command"] for r in rows), rows'
fi

# --- two reports; names that need quotes are kept ---

for name in before after; do
	cat >"$tmp/$name" <<JSON
{ "header": { "machine": "$name", "cpu": "c", "library": "0.2.0", "threads": 4,
"tier": "avx2", "commit": "", "date": "2026-01-01T00:00:00Z" }, "rows": [
{ "collective": "all\"to,all", "size": 8, "count": 1, "type": "-", "op": "-",
"shape": "8x8", "axes": "10", "in_place": false, "algorithm": "# first\r\nand, \"second\"",
"time_ns": 100, "low_ns": 90, "high_ns": 110 } ] }
JSON
done
succeeds 'two reports' perf --compare "$tmp/before" "$tmp/after" --csv
python3 - "$tmp/out" <<'PY' 2>"$tmp/err"
import csv, sys
lines = open(sys.argv[1], newline="").read().split("\n")
head = [l for l in lines[:8]]
assert head == ["# machine: before, then after; c", "# version: 0.2.0", "# commit: unknown",
                "# date: 2026-01-01T00:00:00Z", "# threads: 4", "# instruction set: avx2",
                "# before: " + sys.argv[1][:-3] + "before",
                "# after: " + sys.argv[1][:-3] + "after"], head
row, = csv.DictReader([l + "\n" for l in lines[8:]], strict=True)
assert row["collective"] == 'all"to,all' and row["size_bytes"] == "8", row
assert row["algorithm"] == '# first\r\nand, "second"', row
assert row["verdict"] == "undecided", row
PY
result 'two reports: what differs, and quotes'
succeeds 'a report of now' perf -s 8x8 -b 1K -n 2 --json --output "$tmp/real" alltoall
succeeds 'with itself' perf --compare "$tmp/real" "$tmp/real" --csv
reads 'with itself: head and units' 'assert "then" not in "".join(told.values()), told'

# --- figures ---

if command -v gnuplot >"$tmp/out" 2>&1; then
	succeeds 'figures' perf --suite paper -s 8x8 -b 1K -e 2K -n 1 -w 0 --plot "$tmp/plots"
	PYTHONPATH=$tmp python3 - "$tmp/plots/figure14.csv" <<'PY' 2>"$tmp/err"
import sys
from read import read
told, rows = read(sys.argv[1], None)
assert told["values"] and told["Figure 14"], told
PY
	result 'figures: the same head'
fi
finish
