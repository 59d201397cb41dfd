# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# The tool chain in $B as users have it: on the PATH, nothing else said.

B=$(cd "${B:-build}" && pwd) || exit 1
UPMEM_HOME=$B/upmem
PATH=$UPMEM_HOME/bin:$PATH
export B UPMEM_HOME PATH
# what the tests' own make says is not for the Makefiles of users
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CFLAGS \
	UPMEM_PROFILE UPMEM_PROFILE_BASE UPMEM_VERBOSE
