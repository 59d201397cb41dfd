/* SPDX-License-Identifier: MIT */
/* What functions of MPI libraries are there for. */
#ifndef PIMDIMM_PERF_SORTS_MPI_H
#define PIMDIMM_PERF_SORTS_MPI_H

#include "tools/perf/suites/messages/sorts/sorts.h"

/*
 * Of an MPI library and what it calls, by the object that a function is in, whose file is read to
 * see which build it is where a function has an address for a name.
 */
enum message_sort message_sort_of_mpi(const char *object, const char *function);

#endif /* PIMDIMM_PERF_SORTS_MPI_H */
