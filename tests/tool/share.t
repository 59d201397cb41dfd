#!/bin/sh
# SPDX-License-Identifier: MIT
# `pimdimm share`: a rank of this process in another one.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

socket=$tmp/socket
window=$((64 * 65536))

# sender ARGUMENT...: starts one, and waits until it can be connected to: its
# socket is there a moment before
sender()
{
	: >"$tmp/sent"
	"$TOOL" share --uri mem:ranks=2,mram=64K "$@" "$socket" \
		>"$tmp/sent" 2>"$tmp/send.err" </dev/null &
	sender=$!
	for _ in $(seq 6000); do
		! grep -q '^waiting' "$tmp/sent" || return 0
		kill -0 "$sender" 2>/dev/null || return 1
		sleep 0.05
	done
}

# sender_ends STATUS
sender_ends()
{
	wait "$sender"
	[ $? = "$1" ]
}

head -c 100000 /dev/urandom >"$tmp/bytes"
sender --rank 1 --load "$tmp/bytes" --save "$tmp/after"
succeeds 'receive' share --receive --show 32 "$socket"
prints 'it is told what it is' \
	"^rank 1, bytes 0 to $window of its window: layout linear, MRAM of 64 KiB"
[ "$(sed -n 2p "$tmp/out" | cut -c 10-57)" = \
	"$(head -c 16 "$tmp/bytes" | od -An -tx1)" ]
result 'and shows its bytes'
[ "$(grep -c '^000000.0  ' "$tmp/out")" = 2 ]
result 'and no more'
sender_ends 0
result 'the sender ends with its receiver'
grep -q '^handed to pimdimm\[[0-9]*\] of user ' "$tmp/sent"
result 'and has told who that was'
[ ! -e "$socket" ]
result 'and its socket is gone'
head -c 100000 "$tmp/after" | cmp -s - "$tmp/bytes" &&
	[ "$(wc -c <"$tmp/after")" = "$window" ]
result 'and has saved the rank'

# what one stores the others have
sender --peers 2 --save "$tmp/after"
succeeds 'a receiver that stores' share --receive --load "$tmp/bytes" "$socket"
"$TOOL" share --receive --save - "$socket" >"$tmp/seen"
head -c 100000 "$tmp/seen" | cmp -s - "$tmp/bytes"
result 'the next one sees it'
sender_ends 0 && cmp -s "$tmp/seen" "$tmp/after"
result 'and the sender, too'

# the socket is this user's alone
sender --peers 1
[ "$(stat -c %a "$socket")" = 600 ]
result 'nobody else may connect'
fails 'a socket that is in use' 1 \
	'socket: Address already in use: .* was killed has left it: remove it' \
	share --uri mem:ranks=1,mram=64K "$socket"
kill "$sender"
sender_ends 1 && grep -q interrupted "$tmp/send.err" && [ ! -e "$socket" ]
result 'a sender that is interrupted takes its socket with it'

# refusals
fails 'nobody is there' 1 'No such file' share --receive "$socket"
fails 'a path that is too long' 1 'at most 107 bytes' \
	share --receive "$tmp/$(printf '%0200d' 0)"
fails 'a rank that is not there' 1 'rank=4, expected below 4' \
	share --uri mem:mram=64K --rank 4 "$socket"
fails 'a part of a mem: rank' 1 'exported whole' \
	share --uri mem:mram=64K --offset 4K "$socket"
fails 'beyond the window' 1 'off=4194304 bytes=0, expected pages' \
	share --uri mem:mram=64K --offset 4M "$socket"
fails 'no such device' 1 '/nonexistent: No such file' \
	share --uri mem:mram=64K --drm /nonexistent "$socket"
head -c $((window + 1)) /dev/zero >"$tmp/long"
fails 'a file that is too long' 1 'longer than the 4194304 bytes' \
	share --uri mem:mram=64K --load "$tmp/long" "$socket"
[ ! -e "$socket" ]
result 'none of them leaves a socket'

# hostile senders: what they send is refused, with what was wrong
hostile()
{
	rm -f "$socket"
	python3 - "$socket" "$1" <<'END' &
import array, os, socket, struct, sys
path, how = sys.argv[1:]
server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
server.bind(path + ".new")
server.listen()
os.rename(path + ".new", path)
peer, _ = server.accept()
fields = dict(magic=b"pimdimm", version=1, rank=0, layout=0, reserved=0,
              mram=65536, offset=0, bytes=4096)
fd = os.memfd_create("x", os.MFD_ALLOW_SEALING)
os.ftruncate(fd, 4096)
if how == "huge":
    try:                                # a kernel without them has no such peer
        fd = os.memfd_create("x", os.MFD_ALLOW_SEALING | os.MFD_HUGETLB)
        fields["bytes"] = 1 << 30
        os.ftruncate(fd, fields["bytes"])
    except OSError:
        how = "unsealed"
fds = [fd]
if how != "unsealed":
    import fcntl
    fcntl.fcntl(fd, 1033, 2)            # F_ADD_SEALS, F_SEAL_SHRINK
if how in ("magic", "version", "layout", "reserved", "bytes"):
    fields[how] = dict(magic=b"nonsens", version=2, layout=7, reserved=1,
                       bytes=8192)[how]
if how == "file":
    fds = [os.open(sys.argv[0] if os.path.exists(sys.argv[0]) else "/bin/sh",
                   os.O_RDONLY)]
if how == "none":
    fds = []
if how == "two":
    fds = [fd, fd]
if how == "many":
    fds = [fd] * 20
message = struct.pack("8sIIIIQQQ", *fields.values())
if how == "short":
    message = message[:20]
if how == "long":
    message += b"x"
if how != "nothing":
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))]
    peer.sendmsg([message], rights if fds else [])
peer.close()
END
	for _ in $(seq 6000); do
		[ ! -S "$socket" ] || break
		sleep 0.05
	done
	fails "hostile sender: $1" 1 "$2" share --receive "$socket"
	wait
}
hostile nothing 'the other side has left'
hostile short 'is no .pimdimm share'
hostile long 'is no .pimdimm share'
hostile magic 'is no .pimdimm share'
hostile many 'is no .pimdimm share'
hostile version 'of another version'
hostile layout 'makes no sense'
hostile reserved 'makes no sense'
hostile none 'expected exactly one descriptor'
hostile two 'expected exactly one descriptor'
hostile bytes '4096 bytes, expected 8192'
hostile unsealed 'neither a dma-buf nor a sealed file'
hostile huge 'neither a dma-buf nor a sealed file'
hostile file 'neither a dma-buf nor a sealed file'

finish
