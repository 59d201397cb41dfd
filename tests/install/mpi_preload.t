#!/bin/sh
# SPDX-License-Identifier: MIT
# An MPI program that knows nothing of pimdimm, with the library of its MPI preloaded: its
# results are right, floats bit by bit, and hosts serve what they know.
. "$(dirname "$0")/tap.sh"

work=$(mktemp -d)
trap 'rm -rf "$work" "$output"' EXIT

# shellcheck source=mpi.sh
. "$(dirname "$0")/mpi.sh"

# run MPI HOSTS [VARIABLE=VALUE]...
run()
{
	mpi=$1
	n=$2
	shift 2
	timeout -k 5 900 "mpirun.$mpi" -n "$n" env LD_LIBRARY_PATH="$PWD/$B" \
		LD_PRELOAD="$PWD/$B/libpimdimm-$mpi.so" PIMDIMM_LOG=hosts "$@" \
		"$work/$mpi" >"$work/out" 2>&1
	ended=$?
	cat "$work/out"
	return $ended
}

# serves WORDS MPI HOSTS ...: host 0 says so at the end
serves()
{
	words=$1
	shift
	run "$@" && grep '^pimdimm: process 0: ' "$work/out" | grep -q "$words"
}

# Orders are MPI's own then, and so may be the last bits of a sum.
off()
{
	run "$@" PIMDIMM_MPI=0
	! grep 'calls served' "$work/out" && ! grep -v 'reduce\|results are wrong' "$work/out" |
		grep 'is wrong'
}

some()
{
	run "$1" "$2" PIMDIMM_MPI=reduce,bcast
	grep '^pimdimm: process 0: ' "$work/out" |
		grep -q 'allreduce 0 of 304, reduce 290 of 290, .* bcast 24 of 24,'
}

# fails MPI MODE: each of the processes that remain says that it goes on
fails()
{
	keep=
	[ "$1" = mpich ] || keep=--enable-recovery
	rm -f "$work/words"
	# shellcheck disable=SC2086 # none or one
	timeout -k 5 300 "mpirun.$1" $keep -n 3 env LD_LIBRARY_PATH="$PWD/$B" \
		LD_PRELOAD="$PWD/$B/libpimdimm-$1.so" PIMDIMM_TIMEOUT=3000 \
		"$work/fails-$1" "$2" "$work/words" >"$work/out" 2>&1
	head -n 20 "$work/out"
	cat "$work/words"
	[ "$(grep -c 'goes on' "$work/words")" = "$3" ]
}

for mpi in openmpi mpich; do
	usable $mpi || continue
	ok "$mpi: a program" "mpicc.$mpi" -O1 -Wall -Werror -o "$work/$mpi" \
		tests/install/mpi_preload.c
	# all but those of the program's own operation, of the whole and of the part
	all='allreduce 302 of 304, reduce 290 of 290, reduce_scatter 146 of 146, reduce_scatter_block 290 of 290, bcast 24 of 24, allgather 24 of 24'
	for n in 3 4; do
		ok "$mpi: $n processes" serves "$all" $mpi $n
	done
	ok "$mpi: two, each alone in its part" serves 'allreduce 151 of 303' $mpi 2
	ok "$mpi: switched off" off $mpi 3
	ok "$mpi: two calls alone" some $mpi 3
	ok "$mpi: a program of errors" "mpicc.$mpi" -O1 -Wall -Werror -o "$work/fails-$mpi" \
		tests/install/mpi_preload_fails.c
	ok "$mpi: what is told of counts that differ" fails $mpi counts 3
	ok "$mpi: what one process may not ask for" fails $mpi refused 3
	# hydra itself ends with a process that does, and kills the others
	[ $mpi = mpich ] || ok "$mpi: a death before the first call" fails $mpi death 2
	[ $mpi = mpich ] || ok "$mpi: a death after it" fails $mpi later 2
done
finish
