#!/bin/sh
# SPDX-License-Identifier: MIT
# PID-Comm's figure 23b in small: a hypercube over two emulated machines with two hosts each,
# 256 PEs a machine, 64 KiB a PE, a network of 1 Gb/s, by each MPI library. Every result is
# checked, and bytes between machines are counted; times decide nothing.
# shellcheck source=tests/tool/lib.sh
. "$(dirname "$0")/lib.sh"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
TOOL=$(realpath "$TOOL")

if ! "$TOOL" machines -n 2 --rate 1gbit -- true 2>"$tmp/err"; then
	echo "1..0 # SKIP no emulated machines: $(cat "$tmp/err")"
	exit
fi

# rows FILE: how many there are below the head
rows()
{
	grep -c '^\(alltoall\|allreduce\),' "$1"
}

# over MPI: runs it until all is printed; MPICH 4.0's MPI_Finalize() does not always end over
# TCP, as processes that are through with it no longer answer others
over()
{
	# not what the other one has printed
	: >"$tmp/out"
	"$TOOL" machines -n 2 --slots 2 --rate 1gbit -- "mpirun.$1" -n 4 "$TOOL" perf --hosts 4 \
		--no-baseline -a auto,conventional -s 512 -x 1 -b 64K -n 1 -w 0 --csv \
		alltoall allreduce >"$tmp/out" 2>"$tmp/err" </dev/null &
	first=$!
	for _ in $(seq 6000); do
		kill -0 $first 2>/dev/null || break
		[ "$1" = mpich ] && [ "$(rows "$tmp/out")" = 4 ] && break
		sleep 0.1
	done
	[ "$1" = openmpi ] || kill $first 2>/dev/null
	wait $first 2>/dev/null
	status=$?
}

for mpi in openmpi mpich; do
	if ! command -v mpirun.$mpi >/dev/null || ! [ -f "${TOOL%/*}/libpimdimm-$mpi.so" ]; then
		echo "# skipped: $mpi is not installed"
		continue
	fi
	if mpirun.$mpi -n 2 "$TOOL" perf --hosts -b 4K -n 1 alltoall 2>&1 |
	   grep -q 'MPI itself sees 1: it was built for another launcher'; then
		echo "# skipped: processes of $mpi do not find each other"
		continue
	fi
	over $mpi
	[ "$(rows "$tmp/out")" = 4 ] && { [ $mpi = mpich ] || [ $status = 0 ]; }
	result "$mpi: two machines of two hosts"
	# of alltoall half of what each PE has is for the other machine; of allreduce one vector
	# goes there, and a result comes back
	awk -F, '
		$1 == "collective" { for (i = 1; i <= NF; i++) at[$i] = i }
		$1 == "alltoall" || $1 == "allreduce" {
			n++
			s = 65536
			sent = $1 == "alltoall" ? 2 * 256 * s / 2 : 2 * s
			if ($at["size_bytes"] != s || $at["wrong"] != 0 || $at["shape"] != 512 ||
			    $at["sent_bytes"] != sent || $at["most_sent_bytes"] > sent / 2 ||
			    $at["most_sent_bytes"] < sent / 4 || $at["network_ns"] <= 0)
				bad = 1
		}
		END { exit bad || n != 4 }' "$tmp/out"
	result "$mpi: all is right, and as many bytes are sent as there must be"
done
[ "$count" = 0 ] && echo "1..0 # SKIP no MPI library is installed" && exit
finish
