#!/bin/sh
# SPDX-License-Identifier: MIT
# The command and the real module: load, list, info, dev: systems, selftest,
# unload, and what they say when they cannot. Runs in the virtual machine.
# shellcheck disable=SC2317 # `holding` calls what seems not to be called
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

# holding NODE COMMAND...: runs it while another process has NODE open
holding()
{
	node=$1
	shift
	# shellcheck disable=SC2217 # the node is not for reading
	sleep 1000 <"$node" &
	holder=$!
	"$@"
	kill "$holder"
	wait "$holder" 2>/dev/null
}

# Some busyboxes run sleep in a child of the script, which keeps the script's name.
holder_name()
{
	cat "/proc/$holder/comm"
}

loaded()
{
	[ -d /sys/module/pimdimm ]
}

# --- nothing loaded ---

succeeds 'list without the module' list
fails 'unload without the module' 1 'not loaded' unload
fails 'a dev: system without the module' 1 'cannot open the system' \
	demo --uri dev: --graph /vm/graph
tool selftest
[ "$status" = 4 ]
result 'selftest without the module skips'

# --- loading ---

fails 'a parameter that the module lacks' 2 'no parameter "rank"' load rank=1
fails 'a parameter that the module refuses' 1 'refuses its parameters' \
	load ranks=0
! loaded
result 'which leaves nothing loaded'
fails 'not a module' 1 'no kernel module' load --module /vm/tool.sh
su user -c "$TOOL load" >"$tmp/out" 2>"$tmp/err"
[ $? = 1 ] && grep -q 'for root' "$tmp/err"
result 'load is for root'

tool load ranks=2 mram_size=64K layout=xeon_sp
[ "$status" = 0 ] && loaded
result 'load, from the modules directory, by name'
prints 'load tells what is there' '^2 ranks, 64 KiB of MRAM a PE, layout xeon_sp'
fails 'load again' 1 'already loaded' load

# --- looking ---

succeeds 'list' list
prints 'list has the node' '^/dev/pimdimm1 .*xeon_sp.*free$'
succeeds 'list --json' list --json
prints 'JSON has the node' '"node": *"/dev/pimdimm1"'
succeeds 'info' info
succeeds 'info --json' info --json

listed_as_taken()
{
	tool list
	grep -q "^/dev/pimdimm0 .*$(holder_name)\[$holder\]" "$tmp/out"
	result 'list names who holds a node'
}
holding /dev/pimdimm0 listed_as_taken

# Others learn neither who that is nor how much it transfers; a group may, which the
# udev rule gives these attributes to.
listed_as_hidden()
{
	su user -c "$TOOL list && $TOOL list --json && $TOOL top -n 1 -d 0.1" \
		>"$tmp/out" 2>"$tmp/err"
	result 'list and top for everybody'
	prints 'list hides who holds a node' '^/dev/pimdimm0 .*?  ?$'
	prints 'JSON hides it' '"owner": *null'
	prints 'top hides it' '^2 ranks, .*for root and group pimdimm'
	chgrp 1000 /sys/class/pimdimm/pimdimm*/owner \
		/sys/class/pimdimm/pimdimm*/bytes_* \
		/sys/class/pimdimm/pimdimm*/transfers_*
	su user -c "$TOOL list" >"$tmp/out" 2>"$tmp/err"
	prints 'list tells the group' "^/dev/pimdimm0 .*$(holder_name)\\[$holder\\]"
}
holding /dev/pimdimm0 listed_as_hidden

# --- running ---

succeeds 'demo on the nodes' demo --uri dev:ranks=2 --graph /vm/graph
prints 'demo verified its components' 'verified'
succeeds 'components on one named node' cc --uri dev:/dev/pimdimm1 /vm/graph
# application NAME RANKS PES OPTION...: what it writes is the same on nodes and in memory
application()
{
	app=$1 ranks=$2 pes=$3
	shift 3
	succeeds "application $app on the nodes" app "$app" --uri "dev:ranks=$ranks" \
		-p "$pes" -o "$tmp/dev" "$@"
	prints 'it is verified' 'verified$'
	succeeds "application $app in memory" app "$app" -p "$pes" -o "$tmp/mem" "$@"
	[ -s "$tmp/dev" ] && cmp "$tmp/dev" "$tmp/mem" >>"$tmp/err"
	result "application $app: the same bytes"
}
application bfs 2 128 kron:scale=9
application cc 2 128 kron:scale=9
application gnn 1 16 --type F32 --layers 2 --features 9 --hidden 5 uniform:vertices=50,edges=2
application mlp 1 16 --type i16 --features 41 --layers 2 --batch 3
application dlrm 1 16 --max-rows 20 --bottom 5 --top 4 --batch 20 criteo:rows=40

refused_while_held()
{
	fails 'a node that is taken' 1 'pimdimm0' \
		cc --uri dev:/dev/pimdimm0 /vm/graph
	succeeds 'the nodes that are free' cc --uri dev: /vm/graph
	tool unload
	[ "$status" = 1 ] && grep -q "pimdimm0: $(holder_name), process $holder" \
		"$tmp/err"
	result 'unload names who holds a node'
	loaded
	result 'and leaves the module alone'
}
holding /dev/pimdimm0 refused_while_held

su user -c "$TOOL cc --uri dev:/dev/pimdimm0 /vm/graph" >"$tmp/out" 2>"$tmp/err"
[ $? = 1 ] && grep -qi 'permission' "$tmp/err"
result 'a node without permission'

# --- sharing ---

# shared RECEIVER_OPTION... -- SENDER_OPTION...: one sends, the other receives
shared()
{
	receiver=
	while [ "$1" != -- ]; do
		receiver="$receiver $1"
		shift
	done
	shift
	: >"$tmp/sent"
	"$TOOL" share --uri dev: "$@" "$tmp/socket" >"$tmp/sent" 2>&1 &
	sender=$!
	for _ in $(seq 600); do
		! grep -q '^waiting' "$tmp/sent" || break
		kill -0 "$sender" || break
		sleep 0.05
	done
	# shellcheck disable=SC2086 # options of one word each
	tool share --receive $receiver "$tmp/socket"
	wait "$sender" && [ "$status" = 0 ]
}

modprobe vgem 2>/dev/null
head -c 8192 /dev/urandom >"$tmp/bytes"
shared --save - -- --rank 1 --offset 260K --bytes 8K --load "$tmp/bytes"
cmp -s "$tmp/out" "$tmp/bytes"
result 'a part of a node in another process'
shared --show 16 -- --bytes 64K
prints 'which is told what it is' \
	'^rank 0, bytes 0 to 65536 of its window: layout xeon_sp'
if [ -e /dev/dri/card0 ]; then
	shared --save - -- --bytes 8K --load "$tmp/bytes" --drm /dev/dri/card0
	cmp -s "$tmp/out" "$tmp/bytes" &&
		grep -q 'imported by /dev/dri/card0' "$tmp/sent"
	result 'the same through a DRM device'
	succeeds 'info --drm' info --drm
	prints 'info --drm has a device that imports' \
		'^/dev/dri/card0 *vgem *import, export *imports$'
	succeeds 'info --drm --json' info --drm --json
	prints 'JSON has it, too' '"imports": *true'
fi
fails 'a part that is no pages' 1 'off=100 bytes=4096, expected pages' \
	share --uri dev: --offset 100 --bytes 4K "$tmp/socket"
chown 1000:1000 /dev/pimdimm0
su user -c "ulimit -l 4; $TOOL share --uri dev:/dev/pimdimm0 --bytes 8K \
	$tmp/s" >"$tmp/out" 2>"$tmp/err"
[ $? = 1 ] && grep -q 'ulimit -l' "$tmp/err"
result 'a user who may not pin so much is told of the limit'
chown 0:0 /dev/pimdimm0

# --- speed, at a tiny size: results, and that there is a verdict ---

succeeds 'perf --suite dev' perf --suite dev -b 4K -e 16K -n 1 -w 0
prints 'transfers have a verdict' \
	'^# xeon_sp, XFER from MRAM, 16 KiB: speed by that of pull .* met$'
prints 'collectives have one' \
	'^# xeon_sp, broadcast, 16 KiB: speed by that of mem: .* met$'
prints 'all are correct' '^# 20 rows, wrong elements: 0 OK$'

# --- watching ---

# events NAME: spans and instants of that name in the last timeline
events()
{
	grep -c "\"ph\":\"[Xi]\",\"name\":\"$1\"" "$tmp/trace.json"
}

# three transfers, one that is refused, one of nothing
tool trace -o "$tmp/trace.json" /libexec/pimdimm/sysfs transfer_counts
[ "$status" = 0 ] && [ "$(events transfer)" = 5 ] && [ "$(events open)" = 1 ] &&
	[ "$(events release)" = 1 ]
result 'trace has the tracepoints of calls'
grep '"direction":"to_mram".*"total_bytes":128,"ret":0' "$tmp/trace.json" \
	>/dev/null && grep -q '"total_bytes":1536,"ret":0' "$tmp/trace.json" &&
	grep -q '"total_bytes":0,"ret":-22' "$tmp/trace.json"
result 'with their bytes and what they returned'
grep -q '"process_name".*"/dev/pimdimm0"' "$tmp/trace.json" &&
	grep -q '"ph":"C","name":"to MRAM"' "$tmp/trace.json"
result 'nodes have tracks and bandwidths'
tool trace -o "$tmp/trace.json" sh -c \
	'echo 1 >/sys/class/pimdimm/pimdimm0/inject/fail_nth
	/libexec/pimdimm/sysfs transfer_counts'
[ "$(events inject)" = 1 ] && grep '"name":"inject"' "$tmp/trace.json" |
	grep -q '"gone":0,"fails":1,'
result 'injected faults, too'
[ -z "$(ls /sys/kernel/tracing/instances)" ]
result 'and tracefs is as it was'
tool trace -o "$tmp/trace.json" "$TOOL" cc --uri dev:ranks=2 /vm/graph
[ "$status" = 0 ] && [ "$(events open)" = 2 ] && [ "$(events run)" -gt 0 ]
result 'trace has calls of the library beside them'
chmod 666 /dev/pimdimm0
chmod 777 "$tmp"
su user -c "$TOOL trace -o $tmp/user.json $TOOL cc --uri dev:/dev/pimdimm0 /vm/graph" \
	>"$tmp/out" 2>"$tmp/err"
[ $? = 0 ] && grep -q 'without events of the kernel: ' "$tmp/err" &&
	grep -q '"name":"run"' "$tmp/user.json"
result 'trace by a user tells what it cannot have'
chmod 660 /dev/pimdimm0

top_names_holder()
{
	succeeds 'top' top -n 1 -d 0.1
	prints 'top names who holds a node' \
		"^/dev/pimdimm0 .*  $(holder_name)\\[$holder\\]\$"
}
holding /dev/pimdimm0 top_names_holder
prints 'top tells what is taken' '^2 ranks, 1 taken'

# --- systems at run time ---

# systems NAME...: these are the ones that are there
systems()
{
	# shellcheck disable=SC2012 # their names are plain
	[ "$(ls /sys/kernel/config/pimdimm | tr '\n' ' ')" = "$*${*:+ }" ]
	result "systems that are there: ${*:-none}"
}

refused_while_in_use()
{
	tool remove big
	[ "$status" = 1 ] && grep -q 'system "big" is in use' "$tmp/err" &&
		grep -q "pimdimm2: $(holder_name), process $holder" "$tmp/err"
	result 'remove names who holds a node of the system'
	tool unload --all
	[ "$status" = 1 ] && grep -q 'the module is in use' "$tmp/err" &&
		[ -e /dev/pimdimm2 ]
	result 'unload --all takes nothing away while a node is open'
	systems big
}

if [ -e "${KO%/*}/pimdimm_configfs.ko" ]; then
	succeeds 'create' create big ranks=1 mram_size=128K
	prints 'create tells its nodes' \
		'^1 rank, 128 KiB of MRAM a PE, layout linear: /dev/pimdimm2$'
	succeeds 'a program on it' cc --uri dev:system=big /vm/graph
	fails 'create of what is there' 1 'there is a system "big" already' \
		create big
	fails 'create: a value' 1 'ranks=300: expected 1 to 256' \
		create bad ranks=300
	fails 'create: a size' 1 'mram_size=1000: expected a multiple of 4K' \
		create bad mram_size=1000
	fails 'create: a layout' 1 'layout=oval: expected linear or xeon_sp' \
		create bad layout=oval
	fails 'create: values that do not go together' 1 \
		'channels times ranks: expected at most 256' \
		create bad channels=20 ranks=20
	fails 'create: too many ranks with the others' 1 \
		'more than 256 ranks in all systems' create bad ranks=254
	systems big
	su user -c "$TOOL create other" >"$tmp/out" 2>"$tmp/err"
	[ $? = 1 ] && grep -q 'for root' "$tmp/err"
	result 'create is for root'
	su user -c "$TOOL remove big" >"$tmp/out" 2>"$tmp/err"
	[ $? = 1 ] && grep -q 'for root' "$tmp/err"
	result 'remove is for root'
	holding /dev/pimdimm2 refused_while_in_use
	succeeds 'another system' create 7.x-y channels=3 ranks=1 layout=xeon_sp
	prints 'its nodes' ' layout xeon_sp: /dev/pimdimm3 to 5$'
	tool remove nobody big
	[ "$status" = 1 ] && grep -q 'no system "nobody"' "$tmp/err" &&
		[ ! -e /dev/pimdimm2 ]
	result 'remove of several goes on behind one that is not there'
	succeeds 'a system in a gap' create gap ranks=3
	prints 'its nodes have a gap' ': /dev/pimdimm2, 6 to 7$'
	tool unload
	[ "$status" = 1 ] && grep -q 'unload --all' "$tmp/err" &&
		[ "$(tail -n 2 "$tmp/err" | tr -d '\n')" = '  7.x-y  gap' ]
	result 'unload names the systems that are in its way'
	systems 7.x-y gap
	succeeds 'unload --all' unload --all
	! loaded && [ ! -d /sys/module/pimdimm_configfs ]
	result 'takes them away, and both modules'
	succeeds 'load once more' load ranks=2 mram_size=64K layout=xeon_sp
	succeeds 'create and remove' create big
	succeeds 'remove' remove big
	systems
fi

# --- selftests, and the end ---

succeeds 'selftest' selftest query features sysfs
prints 'selftest prints TAP' '^ok 3 features$'
tool selftest module
[ "$status" = 4 ]
result 'selftest leaves the module loaded unless told its file'
succeeds 'selftest with the file' selftest --module "$KO" query
succeeds 'unload' unload
! loaded
result 'nothing is loaded in the end'
succeeds 'load of a file' load --module "$KO" ranks=1
succeeds 'unload again' unload

finish
