#!/bin/sh
# SPDX-License-Identifier: MIT
# Datatypes of each MPI library that is installed, as <pimdimm/mpi_types.h> converts them:
# it compiles without a warning, its types agree with that library, and its example runs.
. "$(dirname "$0")/tap.sh"

work=$(mktemp -d)
trap 'rm -rf "$work" "$output"' EXIT

# as root, bound to no processor; what MPI looks for is not here
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1
export TMPDIR="$work" TYPES_SEED="${TYPES_SEED:-17}" TYPES_CASES="${TYPES_CASES:-100000}"

strict='-Wall -Wextra -Werror -pedantic -Wconversion'

# those of MPI are not held to warnings
mpi_headers()
{
	pkg-config --cflags "$@" | sed 's/-I/-isystem /g'
}

# as LANGUAGE STANDARD PC COMPILER: a program that converts
as()
{
	printf '%s\n' '#include <pimdimm/mpi_types.h>' \
		'int convert(MPI_Datatype mpi, struct pimtype **type);' \
		'int convert(MPI_Datatype mpi, struct pimtype **type)' \
		'{ return pimtype_from_mpi(mpi, type); }' |
		"$4" -x "$1" -std="$2" $strict -O2 -I"$B/include" $(mpi_headers "$3") \
			-c -o "$work/converts.o" -
}

# build PROGRAM SOURCE MPI PC
build()
{
	"${CC:-gcc}" -std=gnu11 -Wall -Wextra -Werror -Wno-unused-parameter -O1 -I. \
		-I"$B/include" $(mpi_headers "$4" cmocka) -o "$work/$1-$3" "$2" -L"$B" \
		-Wl,-rpath,"$PWD/$B" -lpimdimm $(pkg-config --libs "$4" cmocka)
}

# run PROGRAM MPI
run()
{
	timeout -k 5 900 "mpirun.$2" -n 1 "$work/$1-$2" >"$work/out" 2>&1
	ended=$?
	grep -v '^$' "$work/out" | head -n 40
	return $ended
}

skip()
{
	tests=$((tests + 1))
	echo "ok $tests - $1 # SKIP $2"
}

echo "# TYPES_SEED=$TYPES_SEED TYPES_CASES=$TYPES_CASES"
for mpi in openmpi mpich; do
	pc=$mpi
	[ $mpi != openmpi ] || pc=ompi-c
	if ! pkg-config --exists $pc || ! command -v "mpirun.$mpi" >/dev/null; then
		skip "$mpi" "$mpi is not installed"
		continue
	fi
	for c in c99 c11; do
		ok "$mpi: the header as $c" as c $c $pc "${CC:-gcc}"
	done
	for c in c++11 c++20; do
		ok "$mpi: the header as $c" as c++ $c $pc "${CXX:-g++}"
	done
	for program in types named; do
		ok "$mpi: mpi_$program.c" build $program tests/install/mpi_$program.c $mpi $pc
		ok "$mpi: mpi_$program.c agrees" run $program $mpi
	done
	ok "$mpi: the manual page's example" build example tools/man/examples/mpi_types.c $mpi $pc
	ok "$mpi: it runs" run example $mpi
done
finish
