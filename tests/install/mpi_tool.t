#!/bin/sh
# SPDX-License-Identifier: MIT
# The command under mpirun of each MPI library that is installed: its processes are hosts
# of one run, which the first one alone prints.
. "$(dirname "$0")/tap.sh"

work=$(mktemp -d)
trap 'rm -rf "$work" "$output"' EXIT

# shellcheck source=mpi.sh
. "$(dirname "$0")/mpi.sh"

# under MPI HOSTS ARGUMENT...: what pimdimm prints
under()
{
	launcher=$1
	n=$2
	shift 2
	timeout -k 5 900 "$launcher" -n "$n" "$B/pimdimm" "$@"
}

# so many lines of the last output match
lines()
{
	[ "$(grep -c "$2" "$work/out")" = "$1" ] || {
		cat "$work/out"
		return 1
	}
}

prints()
{
	want=$1
	pattern=$2
	shift 2
	"$@" >"$work/out" 2>&1 || {
		cat "$work/out"
		return 1
	}
	lines "$want" "$pattern"
}

refuses()
{
	under "$1" 2 perf --hosts 3 alltoall >"$work/out" 2>&1
	[ $? != 0 ] && grep -q 'the launcher has started 2' "$work/out"
}

alone_by()
{
	under "mpirun.$1" 2 perf --hosts -b 4K alltoall >"$work/out" 2>&1
	[ $? != 0 ] && grep -q 'has started 2 processes, of which MPI itself sees 1' "$work/out"
}

cat >"$work/graph" <<'EOF'
# a path, a triangle and a pair
1 2
2 3
3 4
5 6
6 7
5 7
8 9
EOF

demo()
{
	prints 1 'union-find gives on the host: verified' \
		under "mpirun.$1" "$2" demo --graph "$work/graph" &&
		lines 1 "^  $2 hosts\$" && lines 1 '^  3 components; the largest has 4 ' &&
		lines 1 ' alltoall .* verified$' && lines 0 WRONG
}

for mpi in openmpi mpich; do
	usable $mpi || {
		[ $? = 1 ] || ok "$mpi: processes that do not find each other say so" alone_by $mpi
		continue
	}
	for n in 2 3 4 6; do
		ok "$mpi: demo over $n hosts" demo $mpi $n
	done
	ok "$mpi: perf takes as many hosts as were launched" prints 1 '^# hosts   4 processes' \
		under mpirun.$mpi 4 perf --hosts -s 8x32 -b 4K -n 2 alltoall allreduce
	ok "$mpi: and all is right" lines 1 '^# 2 rows, wrong elements: 0 OK$'
	ok "$mpi: perf with their number" prints 1 '^# hosts   2 processes' \
		under mpirun.$mpi 2 perf -s 8x32 -b 4K -n 2 --hosts 2 allgather
	ok "$mpi: perf of hosts' buffers" prints 1 ' allreduce *16384 *3 private *ma .* 0  *0  *i32  *[0-9]*$' \
		under mpirun.$mpi 3 perf --host-buffers -a ma -b 16K -n 2 allreduce
	ok "$mpi: MPI's own collectives beside hosts'" prints 10 ' private *\(auto\|mpi\) .* 0  *0  *i32  *[0-9]*$' \
		under mpirun.$mpi 3 perf --host-buffers -a auto,mpi -b 12K -n 2
	ok "$mpi: its reduce_scatter_block" prints 1 '^ reduce_scatter .* private *mpi-block .* 0  *0  *i32  *0$' \
		under mpirun.$mpi 3 perf --host-buffers -a auto,mpi-block -b 12K -n 2 reduce_scatter
	ok "$mpi: the same of floats" prints 4 ' private *\(auto\|mpi\) .* 0  *0  *f32  *[0-9]*$' \
		under mpirun.$mpi 3 perf --host-buffers -d f32 -a auto,mpi -b 12K -n 2 \
		allreduce reduce_scatter
	ok "$mpi: another number is refused" refuses mpirun.$mpi
done

# where the library of the launcher's MPI is not there, they meet by its environment alone
alone()
{
	mkdir "$work/bin" && cp "$B/pimdimm" "$work/bin" || return 1
	for rank in 1 0; do
		PMIX_NAMESPACE="job-$$" OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 \
			PIMDIMM_TIMEOUT=300000 timeout 600 "$work/bin/pimdimm" \
			perf --hosts -s 8x16 -b 4K -n 2 alltoall >"$work/out.$rank" 2>&1 &
	done
	wait
	cat "$work/out.0" "$work/out.1" >"$work/out"
	lines 1 'wrong elements: 0 OK$'
}
ok 'without a library of MPI' alone
finish
