# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# For tests that start processes by mpirun of any MPI library; $work is theirs.

# as root, with more processes than processors, bound to none; what MPI looks for is not here
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1 TMPDIR="$work"

# Each process that the launcher of an MPI starts believes to be the only one. So do those of
# Ubuntu 24.04's MPICH, whose library was built for other launchers.
are_strangers()
{
	cat >"$work/others.c" <<-'END'
	#include <mpi.h>
	#include <stdio.h>
	int main(int argc, char **argv)
	{
		int size;
		MPI_Init(&argc, &argv);
		MPI_Comm_size(MPI_COMM_WORLD, &size);
		printf("of %d\n", size);
		return MPI_Finalize();
	}
	END
	"mpicc.$1" -o "$work/others-$1" "$work/others.c" &&
		[ "$(timeout 600 "mpirun.$1" -n 2 "$work/others-$1" | grep -c '^of 1$')" = 2 ]
}

# usable MPI: else a test that is skipped says why not; 1: it is not installed, 2: strangers.
# What fails in another way is for the tests to find.
usable()
{
	mpi_unusable=0
	if ! [ -f "$B/libpimdimm-$1.so" ] || ! command -v "mpicc.$1" >/dev/null ||
	   ! command -v "mpirun.$1" >/dev/null; then
		mpi_why="$1 is not installed"
		mpi_unusable=1
	elif are_strangers "$1"; then
		mpi_why="processes of $1 do not find each other"
		mpi_unusable=2
	fi
	[ $mpi_unusable != 0 ] || return 0
	tests=$((tests + 1))
	echo "ok $tests - $1 # SKIP $mpi_why"
	return $mpi_unusable
}
