#!/bin/sh
# SPDX-License-Identifier: MIT
# What PIMDIMM_COST may say, and what each of its mistakes is told.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

# with TEXT NAME ARGUMENT...: succeeds, under PIMDIMM_COST=TEXT
with()
{
	PIMDIMM_COST=$1
	export PIMDIMM_COST
	shift
	succeeds "$@"
	unset PIMDIMM_COST
}

# refused TEXT PATTERN: this one line on standard error
refused()
{
	PIMDIMM_COST=$1
	export PIMDIMM_COST
	fails "refused: $1" 1 "^pimdimm: PIMDIMM_COST: $2\$" info --cost
	unset PIMDIMM_COST
}

# has NAME VALUE SOURCE
has()
{
	prints "$1 is $2" "^$1 *= $2 .*# .*$3"
}

with '' 'nothing' info --cost
has set prim ''
has clock_hz 350000000 'Gomez-Luna'
has dma_read_cycles 55 'Gomez-Luna'
with 450mhz 'a set' info --cost
has set 450mhz ''
has clock_hz 450000000 ''
has dma_read_cycles 59 'DDR4-2400'
has dma_read_byte_millicycles 520 'Gomez-Luna'
with 450mhz,issue_cycles=14 'a set and a change' info --cost
has clock_hz 450000000 ''
has issue_cycles 14 'PIMDIMM_COST'
with ' clock_hz = 400000000 , dma_read_byte_millicycles=250' 'changes in one line' info --cost
has set prim ''
has clock_hz 400000000 'PIMDIMM_COST'
has dma_read_byte_millicycles 250 'PIMDIMM_COST'
cat >"$tmp/cost" <<-'END'
	# another DPU
	set = 450mhz
	issue_cycles = 14	# stages
END
with "$tmp/cost" 'a file' info --cost
has clock_hz 450000000 ''
has issue_cycles 14 'PIMDIMM_COST'
cp "$tmp/out" "$tmp/all"
with "$tmp/all" 'a file that has the lines of info --cost' info --cost
has set 450mhz ''
has issue_cycles 14 'PIMDIMM_COST'
with 450mhz 'as JSON' info --cost --json
python3 -c 'import json, sys
report = json.load(open(sys.argv[1]))
assert report["set"] == "450mhz"
rows = {row["name"]: row for row in report["cost"]}
assert rows["clock_hz"]["value"] == 450000000 and rows["clock_hz"]["unit"] == "Hz"
assert all(row["source"] and row["unit"] for row in rows.values())' "$tmp/out"
result 'as JSON: what it holds'

refused 45mhz 'item 1: there is no set and no file "45mhz", expected prim or 450mhz: did you mean 450mhz?'
refused issue_cycle=14 'item 1: there is no parameter "issue_cycle": did you mean issue_cycles?'
refused stages=14 'item 1: there is no parameter "stages"; pimdimm info --cost lists them'
refused 450mhz,issue_cycles=0 'item 2: issue_cycles is "0", expected a whole number from 1 to 1000'
refused clock_hz=0 'item 1: clock_hz is "0", expected a whole number from 1000000 to 4000000000'
refused clock_hz=18446744073709551617 'item 1: clock_hz is "18446744073709551617", expected .*'
refused clock_hz=4.5e8 'item 1: clock_hz is "4.5e8", expected .*'
refused dma_read_cycles=-1 'item 1: dma_read_cycles is "-1", expected a whole number from 0 to 1000000'
refused dma_read_cycles=1000001 'item 1: dma_read_cycles is "1000001", expected .*'
refused dma_read_cycles= 'item 1: dma_read_cycles is "", expected .*'
refused clock_hz=400000000,issue_cycles=1,clock_hz=1 'item 3: clock_hz was set by item 1 before'
refused issue_cycles=14,450mhz 'item 2: "450mhz", expected name = value'
refused issue_cycles=14,set=450mhz 'item 2: there is one set, and it comes before all parameters'
refused prim,set=450mhz 'item 2: there is one set, and it comes before all parameters'
refused issue_cycles=14, 'item 2: "", expected name = value'
refused ./none './none: No such file or directory'
refused "$tmp" ".*: Is a directory"
refused /dev/zero '/dev/zero: not a regular file'

# lines LINE...: a file of them
lines()
{
	printf '%s\n' "$@" >"$tmp/cost"
}
lines '# one' '' 'issue_cycles = 14' 'issue_cycles = 15'
refused "$tmp/cost" '.*/cost:4: issue_cycles was set by line 3 before'
lines 'issue_cycles 14'
refused "$tmp/cost" '.*/cost:1: "issue_cycles 14", expected name = value'
lines 'issue_cycles = 14' 'set = prim'
refused "$tmp/cost" '.*/cost:2: there is one set, and it comes before all parameters'
lines 'set = 450hz'
refused "$tmp/cost" '.*/cost:1: there is no set "450hz", expected prim or 450mhz: did you mean 450mhz?'
lines 'clock_hz = fast'
refused "$tmp/cost" '.*/cost:1: clock_hz is "fast", expected .*'
head -c 5000 /dev/zero | tr '\0' 'x' >"$tmp/cost"
refused "$tmp/cost" '.*/cost:1: the line is too long'
printf '# one\0two\nclock_hz = 400000000\n' >"$tmp/cost"
refused "$tmp/cost" '.*/cost:1: the line has a NUL byte'

finish
