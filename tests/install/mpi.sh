# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# For tests that start processes by mpirun of any MPI library; $work is theirs.

# as root, with more processes than processors, bound to none; what MPI looks for is not here
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1 TMPDIR="$work"
