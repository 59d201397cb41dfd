// SPDX-License-Identifier: MIT
/* The pool of programs that have not said how large it is to be. */
#include <mpi.h>

MPIX_POOL_INIT(512 << 10)
