#!/bin/sh
# SPDX-License-Identifier: MIT
# top on a copy of what the module shows in sysfs.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

class=$tmp/class

# rank NUMBER OWNER [host|pes]: attributes as pimdimm.ko shows them, all at once
rank()
{
	mkdir -p "$class" "$tmp/pimdimm$1"
	for pair in abi:1 channel:0 "rank:$1" channels:1 ranks:11 \
		mram_size:1048576 window_size:67108864 allocated:4096 \
		transfers_to_mram:0 transfers_from_mram:0 bytes_to_mram:0 \
		bytes_from_mram:0 opens:7 resets:2 exports:1 errors:5 \
		pinned:8192 "owner:$2" "mux:${3:-host}" layout:linear system:default; do
		echo "${pair#*:}" >"$tmp/pimdimm$1/${pair%%:*}"
	done
	mv "$tmp/pimdimm$1" "$class"
}

fails 'without a module' 1 '^pimdimm: no ranks: the module is not loaded' \
	top -d 0.01 --sysfs "$class"

rank 0 0
rank 3 $$ pes
rank 10 -1
succeeds 'three ranks' top -n 1 -d 0.01 --sysfs "$class"
prints 'all of them together' '^3 ranks, 2 taken, 12 KiB allocated; to MRAM 0 B/s'
prints 'a free one' '^/dev/pimdimm0  *4 KiB  *8 KiB .* 7  *2  *5 host  free$'
prints 'who has one' "^/dev/pimdimm3 .*\[$$\]\$"
prints 'whose its MRAM is' '^/dev/pimdimm3 .* 5  pes  '
prints 'a taken one' '^/dev/pimdimm10 .*  taken$'
prints 'what is not seen' '^Not seen: mem: systems'
! grep -q "$(printf '\033')" "$tmp/out"
result 'plain text where there is no terminal'

succeeds 'one round into a file' top -d 0.01 --sysfs "$class"
[ "$(grep -c '^NODE' "$tmp/out")" = 1 ]
result 'and no more'

succeeds 'two rounds' top -n 2 -d 0.01 --sysfs "$class"
[ "$(grep -c '^NODE' "$tmp/out")" = 2 ]
result 'one after the other'

# rounds NUMBER: once so many can be read, while top goes on
rounds()
{
	until [ "$(grep -cs '^Not seen' "$tmp/out")" -ge "$1" ] || ! kill -0 $top; do
		sleep 0.01
	done
}

# after_a_round COMMAND...: what a round shows, and three that begin after the command
after_a_round()
{
	rm -f "$tmp/out"
	: >"$tmp/out"
	"$TOOL" top -n 10000 -d 0.1 --sysfs "$class" >>"$tmp/out" 2>"$tmp/err" </dev/null &
	top=$!
	rounds 1
	"$@"
	rounds $(($(grep -c '^Not seen' "$tmp/out") + 4))
	kill -INT $top
	wait $top
	status=$?
}

# 4 MB and 20 transfers between two samples, in whatever time
transfers()
{
	echo 20 >"$tmp/transfers" && mv "$tmp/transfers" "$class/pimdimm3/transfers_to_mram"
	echo 4000000 >"$tmp/bytes" && mv "$tmp/bytes" "$class/pimdimm3/bytes_to_mram"
}
after_a_round transfers
awk '$1 == "/dev/pimdimm3" && $7 == "MB/s" { mb += $6 }
	$1 == "/dev/pimdimm3" { n += $(NF - 5); rounds += $(NF - 5) > 0 }
	END { exit !(n && rounds <= 2 && mb > 0.19 * n && mb < 0.21 * n) }' "$tmp/out"
result 'the bandwidth, once'

come_and_go()
{
	rank 4 0
	mv "$class/pimdimm10" "$tmp"
}
after_a_round come_and_go
[ "$status" = 0 ] && [ ! -s "$tmp/err" ]
result 'ranks that come and go'
prints 'the new one' '^/dev/pimdimm4 '
awk '$1 == "/dev/pimdimm10" { old = NR } $1 == "NODE" { last = NR }
	END { exit !(old && old < last) }' "$tmp/out"
result 'the old one no longer'

fails 'a delay that is none' 2 'expected seconds' top -d 0
fails 'a number that is none' 2 'expected a number' top -n -1
fails 'an operand' 2 'unexpected' top all
echo rubbish >"$class/pimdimm0/opens"
fails 'an attribute that is no number' 1 'pimdimm0/opens: ' \
	top -n 1 -d 0.01 --sysfs "$class"
finish
