#!/bin/sh
# SPDX-License-Identifier: MIT
# Hosts from MPI's processes, by each MPI library that is installed: they meet, compute,
# end together, and learn of a death.
. "$(dirname "$0")/tap.sh"

work=$(mktemp -d)
trap 'rm -rf "$work" "$output"' EXIT

# shellcheck source=mpi.sh
. "$(dirname "$0")/mpi.sh"

# build MPI PC
build()
{
	# shellcheck disable=SC2046 # lists of options
	"${CC:-gcc}" -Wall -Werror -O1 -I"$B/include" -isystem collectives/include \
		$(pkg-config --cflags "$2" | sed 's/-I/-isystem /g') -o "$work/hosts-$1" \
		tests/install/mpi_hosts.c -L"$B" -Wl,-rpath,"$PWD/$B" "-lpimdimm-$1" -lpimdimm \
		$(pkg-config --libs "$2")
}

# run MPI LAYOUT WHAT: no process of MPI's outlives it
run()
{
	keep=
	[ "$3" != death ] || keep=--enable-recovery
	# shellcheck disable=SC2086 # none or one
	timeout -k 5 900 "mpirun.$1" $keep -n ${#2} "$work/hosts-$1" "$2" "$3" "${4-$work/words}" >"$work/out" 2>&1
	ended=$?
	grep -v '^$' "$work/out" | head -n 20
	return $ended
}

# of the others each has said that it goes on
survive()
{
	rm -f "$work/words"
	run "$@"
	cat "$work/words"
	[ "$(wc -l <"$work/words")" = 3 ]
}

# hosts of other tests may be meeting there
clean()
{
	for _ in $(seq 600); do
		[ -n "$(find /tmp -maxdepth 1 -name 'pimdimm-hosts-*')" ] || return 0
		sleep 1
	done
	find /tmp -maxdepth 1 -name 'pimdimm-hosts-*'
	return 1
}

for mpi in openmpi mpich; do
	pc=$mpi
	[ $mpi != openmpi ] || pc=ompi-c
	usable $mpi || continue
	ok "$mpi: a program of hosts" build $mpi $pc
	for layout in 00 01 0011 0102; do
		ok "$mpi: sums on machines $layout" run $mpi $layout sums
	done
	for layout in 00 01 0011 0102; do
		ok "$mpi: a hypercube on machines $layout" run $mpi $layout cubes
	done
	ok "$mpi: a hypercube's requests, where threads may use MPI" run $mpi 01 cubes threads
	ok "$mpi: abort travels" run $mpi 0011 abort
	# hydra itself ends with a process that does, and kills the others
	[ $mpi = mpich ] || ok "$mpi: a death is told to other machines" survive $mpi 0011 death
done
ok 'nothing stays where hosts meet' clean
finish
