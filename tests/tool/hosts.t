#!/bin/sh
# SPDX-License-Identifier: MIT
# What is told of hosts: where they are, and which algorithm serves which size.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

for hosts in 1 3; do
	succeeds "$hosts hosts" info --hosts $hosts
	prints "$hosts hosts: how many" "^hosts *$hosts on 1 machine\$"
	prints "$hosts hosts: the first one" '^ *0 *0 *0 *[1-9][0-9]* .* itself$'
	[ "$(grep -c ' mapped$' "$tmp/out")" = $((hosts - 1)) ]
	result "$hosts hosts: the others' memory is mapped"
	[ "$(awk '$NF == "itself" || $NF == "mapped" { print $4 }' "$tmp/out" | sort -u |
		wc -l)" = $hosts ]
	result "$hosts hosts: processes"
done
prints 'small vectors come with the arrival' \
	'^allreduce *private *integers *1 *4096 flat *through caches$'
prints 'mapped buffers are folded at once' '^allreduce *mapped *floats *4097 .* direct '
prints 'private ones by the paper' '^reduce *private *integers *4097 .* ma '
prints 'in the order of the hosts' '^reduce *private *floats *4097 .* wave '
prints 'what is not folded' '^allgather *private *any *4097 .* pipelined '
# each row begins behind the one before, and the last one has no end
awk '$1 ~ /^(allreduce|reduce|reduce_scatter|broadcast|allgather)$/ {
		key = $1 $2 $3
		if (!(key in end)) { if ($4 != 1) bad = 1 }
		else if ($4 != end[key] + 1) bad = 1
		end[key] = $5; keys++
	}
	END { for (key in end) if (end[key] != "-") bad = 1; exit bad || keys < 16 }' "$tmp/out"
result 'sizes leave nothing out'

succeeds 'JSON' info --hosts 2 --json
python3 -c 'import json, sys
o = json.load(sys.stdin)
assert o["machines"] == 1 and [h["path"] for h in o["hosts"]] == ["itself", "mapped"]
assert o["switches"][0] == {"collective": "allreduce", "mapped": False, "elements": "integers",
			    "from": 1, "to": 4096, "algorithm": "flat", "around": False}
' <"$tmp/out"
result 'JSON: what it says'
deep=$tmp/$(printf '%040d' 0)
mkdir "$deep"
TMPDIR=$deep succeeds 'they meet in a folder of a long name' info --hosts 2
# each host says so that gets to it
TMPDIR=$tmp/$(printf '%0120d' 0) tool info --hosts 2
[ "$status" = 1 ] && grep -q 'expected a path of 1 to 107 bytes' "$tmp/err"
result 'one whose name is too long is refused'
fails 'no hosts' 2 '[-][-]hosts 0: expected 1 to 128' info --hosts 0
fails 'hosts and algorithms' 2 'exclude each other' info --hosts 2 --algorithms
finish
