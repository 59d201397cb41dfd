#!/bin/sh
# SPDX-License-Identifier: MIT
# list and info on a copy of what the module shows in sysfs.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

# rank NUMBER: attributes as pimdimm.ko shows them
rank()
{
	mkdir -p "$tmp/class/pimdimm$1"
	for pair in abi:1 channel:0 "rank:$1" channels:1 ranks:11 \
		mram_size:1048576 window_size:67108864 allocated:4096 \
		transfers_to_mram:3 transfers_from_mram:4 \
		bytes_to_mram:1048576 bytes_from_mram:1000 owner:0 \
		opens:1 resets:0 exports:0 errors:2 pinned:0 \
		mux:host layout:xeon_sp system:default; do
		echo "${pair#*:}" >"$tmp/class/pimdimm$1/${pair%%:*}"
	done
}

# the JSON is one value and has nothing around it
is_json()
{
	if command -v python3 >/dev/null; then
		python3 -m json.tool <"$tmp/out" >/dev/null
		result "$1"
	fi
}

succeeds 'list of a class that is not there' list --sysfs "$tmp/class"
prints 'says so' 'not loaded'
succeeds 'JSON of a class that is not there' list --json --sysfs "$tmp/class"
is_json 'is JSON'

rank 0
rank 2
rank 10
succeeds 'list' list --sysfs "$tmp/class"
[ "$(awk 'NR > 1 { print $1 }' "$tmp/out" | tr '\n' ' ')" = \
	'/dev/pimdimm0 /dev/pimdimm2 /dev/pimdimm10 ' ]
result 'by number'
prints 'attributes' 'default *0 *10 *1 MiB *xeon_sp *4 KiB *1 MiB *1000 bytes *free'
echo $$ >"$tmp/class/pimdimm2/owner"
echo -1 >"$tmp/class/pimdimm10/owner"
succeeds 'list of taken ranks' list --sysfs "$tmp/class"
prints 'owner' "^/dev/pimdimm2 .*\[$$\]"
prints 'an owner that is not visible' '^/dev/pimdimm10 .*taken'

succeeds 'list --json' list --json --sysfs "$tmp/class"
is_json 'list --json is JSON'
prints 'node' '"node": "/dev/pimdimm10"'
prints 'system' '"system": "default"'
prints 'whose its MRAM is' '"mux": "host"'
prints 'owner' '"owner": -1'
prints 'sizes' '"mram_size": 1048576,'

succeeds 'info' info --sysfs "$tmp/class"
prints 'ranks' '^ranks    3: 1 channels of 11, ABI 1'
prints 'header' '^header  *[0-9.]*, ABI 1$'
prints 'library' '^library  *[0-9.]*$'
prints 'environment' '^  PIMDIMM_URI  *(unset)'
succeeds 'info --json' info --json --sysfs "$tmp/class"
is_json 'info --json is JSON'
succeeds 'info --algorithms' info --algorithms
for collective in alltoall reduce_scatter allreduce allgather scatter gather \
	reduce broadcast; do
	prints "$collective direct" "^$collective  *direct "
	prints "$collective conventional" "^$collective  *conventional "
done
prints 'ring' '^allreduce  *ring  *.*built-in operations'
prints 'tree' '^allreduce  *tree '
succeeds 'info --algorithms --json' info --algorithms --json
is_json 'info --algorithms --json is JSON'
succeeds 'info --cost' info --cost
prints 'a parameter, its unit and its source' \
	'^dma_read_cycles  *= 55  *# cycles each mram_read; .*measured: 77, .*$'
cp "$tmp/out" "$tmp/cost"
sed -i 's/^issue_cycles *= 11/issue_cycles = 14/' "$tmp/cost"
export PIMDIMM_COST="$tmp/cost"
succeeds 'info --cost of a file that has its lines' info --cost
prints 'the value of the file' '^issue_cycles  *= 14 '
prints 'the others as they were' '^clock_hz  *= 350000000 '
succeeds 'info --cost --json' info --cost --json
is_json 'info --cost --json is JSON'
prints 'a value' '"value": 14'
echo 'clock_hz = fast' >"$tmp/cost"
fails 'info --cost of a wrong file' 1 'PIMDIMM_COST: .*cost:1: ' info --cost
unset PIMDIMM_COST
export PIMDIMM_THREADS=3
succeeds 'info with a variable set' info
prints 'threads by the environment' '^threads  3$'

# machines that hwloc is told to believe in
export PIMDIMM_THREADS=2 HWLOC_SYNTHETIC='pack:2 node:1 l3:1(size=8388608) core:4 pu:2'
succeeds 'info of two nodes' info
prints 'places' '^places   0-7; 8-15$'
prints 'nothing is bound elsewhere' '^  *not bound: '
prints 'memory' '^memory   .* NUMA nodes 0, 1$'
prints 'its pages' '^  *mem: ranks have \(huge pages\|pages of [0-9]* KiB\): .*$'
prints 'caches' '^caches   L3 2 x 8M; 16 MiB'
prints 'machine' '^machine  processing units: 16, cores: 8, NUMA nodes: 2$'
prints 'who told' '^  *hwloc [0-9.]*, Synthetic'
succeeds 'info --json of two nodes' info --json
is_json 'info --json of two nodes is JSON'
prints 'places in JSON' '"pus": "8-15",'
prints 'nodes in JSON' '"node": 1'
export PIMDIMM_THREADS=17
succeeds 'info of too many threads' info
prints 'no places' '^places   wherever the scheduler'
unset HWLOC_SYNTHETIC
export HWLOC_COMPONENTS=-linux,-x86,-no_os
succeeds 'info without hwloc' info
prints 'sysconf told' '^machine  sysconf alone: hwloc failed'
unset HWLOC_COMPONENTS PIMDIMM_THREADS

echo rubbish >"$tmp/class/pimdimm2/mram_size"
fails 'an attribute that is no number' 1 'pimdimm2/mram_size: ' \
	list --sysfs "$tmp/class"
rm "$tmp/class/pimdimm2/mram_size"
fails 'an attribute that is not there' 1 'pimdimm2/mram_size: ' \
	list --sysfs "$tmp/class"

echo '0 1' >"$tmp/graph"
succeeds 'cc --json' cc --json --uri mem:ranks=1 "$tmp/graph"
is_json 'cc --json is JSON'
succeeds 'demo --json' demo --json --uri mem:ranks=1 --graph "$tmp/graph"
is_json 'demo --json is JSON'
[ "$(grep -c '"verified": true' "$tmp/out")" = 9 ]
result 'all nine results are verified'
finish
