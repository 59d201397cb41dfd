#!/bin/sh
# SPDX-License-Identifier: MIT
# Emulated machines: what is told apart on them, launchers, the ends of commands, and that
# nothing is left.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

# as root, with more processes than processors
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# commands on machines may be in other folders
TOOL=$(realpath "$TOOL")
export TOOL

fails 'no machines' 2 '-n 0: expected 1 to 128' machines -n 0 -- true
fails 'a rate without a unit' 2 '[-][-]rate 10: expected 10kbit to 1000gbit' \
	machines --rate 10 -- true
fails 'too low a rate' 2 '[-][-]rate 1kbit: expected' machines --rate 1kbit -- true
fails 'no slots' 2 '[-][-]slots x: expected 1 to' machines --slots x -- true
fails 'no command' 2 'expected a COMMAND' machines -n 2
fails 'no machines around' 125 'there are no machines around this process' machines --on m0 true

tool machines -n 1 --rate 1gbit -- true
if [ "$status" = 125 ]; then
	[ "$(wc -l <"$tmp/err")" = 1 ]
	result 'a sentence says why there are none'
	echo "# skipped the rest: $(cat "$tmp/err")"
	finish
fi

# what processes on all machines have printed, in order
in_order()
{
	sort "$tmp/out" | tr '\n' ' '
}

succeeds 'a command' machines -n 3 -- sh -c \
	"for i in 0 1 2; do \"\$TOOL\" machines --on m\$i 'echo \$(hostname) \$PIMDIMM_MACHINE'; done"
[ "$(in_order)" = 'm0 m0 m1 m1 m2 m2 ' ]
result 'machines have names'
succeeds 'files and folders' machines -n 1 -- sh -c "cd /usr && echo word |
	MINE='a b' \"\$TOOL\" machines --on m0 'read x; echo \$x \$MINE \$PWD; echo y >&2' 2>/dev/null"
prints 'input, variables and folder are those of who asks' '^word a b /usr$'
# a shell's own and its child's
succeeds 'processes' machines -n 2 -- sh -c \
	"\"\$TOOL\" machines --on m1 'ls -d /proc/[0-9]* | wc -l; ls /dev/shm; cat /proc/net/dev'"
[ "$(head -n 1 "$tmp/out")" -lt 12 ]
result 'a machine has few processes'
prints 'and a link' '^ *veth0:'
! grep -q 'br0' "$tmp/out"
result 'of its own'
if command -v tc >/dev/null && command -v ip >/dev/null; then
	succeeds 'rates' machines -n 2 --rate 2.5gbit -- sh -c \
		"\"\$TOOL\" machines --on m1 'tc qdisc show dev veth0; ip -4 -o addr show dev veth0'"
	prints 'as tc tells them' 'tbf .*rate 2500Mbit'
	prints 'addresses as ip tells them' 'inet 10.77.0.2/24'
	succeeds 'no rate' machines -n 1 -- sh -c \
		"\"\$TOOL\" machines --on m0 'tc qdisc show dev veth0'"
	! grep -q tbf "$tmp/out"
	result 'has no bucket'
else
	echo '# skipped: ip and tc are not installed'
fi

tool machines -n 1 -- sh -c 'exit 9'
[ "$status" = 9 ]
result 'exit status of the command'
# shellcheck disable=SC2016 # the shell within
tool machines -n 1 -- sh -c 'kill -9 $$'
[ "$status" = 137 ]
result 'and its signal'
fails 'no such command' 127 'nonesuch: No such file' machines -n 1 -- nonesuch
tool machines -n 1 -- sh -c "\"\$TOOL\" machines --on m0 'exit 5'"
[ "$status" = 5 ]
result 'exit status on a machine'
tool machines -n 1 -- sh -c "\"\$TOOL\" machines --on m0 'kill -9 1; kill -9 \$\$'"
[ "$status" = 137 ]
result 'and its signal there'
tool machines -n 1 -- sh -c "\"\$TOOL\" machines --on m7 true"
[ "$status" = 255 ] && grep -q 'm7: no such machine' "$tmp/err"
result 'another machine'

# gone NAME WORD: within some seconds no process has the word among its arguments
gone()
{
	for _ in $(seq 6000); do
		grep -qsa "$2" /proc/[0-9]*/cmdline || break
		sleep 0.1
	done
	! grep -sa "$2" /proc/[0-9]*/cmdline
	result "$1"
}

# a word that no other process knows, split so that this shell's own is another one
word=98765$$
for signal in KILL TERM HUP; do
	setsid "$TOOL" machines -n 2 -- sh -c \
		"\"\$TOOL\" machines --on m1 sleep ${word}1 & sleep ${word}2" &
	first=$!
	for _ in $(seq 6000); do
		grep -qsa "^sleep.${word}1" /proc/[0-9]*/cmdline && break
		sleep 0.1
	done
	grep -qsa "^sleep.${word}1" /proc/[0-9]*/cmdline
	result "$signal: a command runs on a machine"
	kill "-$signal" $first
	wait $first 2>/dev/null
	gone "$signal: nothing is left" "${word}[12]"
done
[ ! -e /dev/shm/pimdimm-machines ]
result 'no folder either'

# launches NAME EXPECTED ARGUMENT...: processes of a launcher on machines print this, in order.
# A launcher's own words are not judged, nor that it now and then fails on a busy machine
# after all of its processes have ended well: it is tried anew then, and what it said is told.
launches()
{
	name=$1 expected=$2
	shift 2
	for _ in 1 2 3; do
		tool machines "$@"
		[ "$(in_order)" = "$expected" ] || break
		[ "$status" != 0 ] || break
		echo "# $name: exit status $status"
		sed 's/^/# err: /' "$tmp/err"
	done
	[ "$status" = 0 ] && [ "$(in_order)" = "$expected" ]
	result "$name"
}

for mpi in openmpi mpich; do
	if ! command -v mpirun.$mpi >/dev/null; then
		echo "# skipped: mpirun.$mpi is not installed"
		continue
	fi
	launches "$mpi, a machine each" 'm0 m1 m2 ' -n 3 --rate 1gbit -- mpirun.$mpi -n 3 hostname
	launches "$mpi, slots" '0 m0 1 m0 2 m1 3 m1 ' -n 2 --slots 2 -- mpirun.$mpi -n 4 \
		sh -c "echo \${OMPI_COMM_WORLD_RANK-\$PMI_RANK} \$PIMDIMM_MACHINE"
done
finish
