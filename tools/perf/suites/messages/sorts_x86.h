/* SPDX-License-Identifier: MIT */
/* What functions of messages are there for, where the host runs them. */
#ifndef PIMDIMM_PERF_SORTS_X86_H
#define PIMDIMM_PERF_SORTS_X86_H

#include "tools/perf/suites/messages/sorts.h"

/* of resident kernels, by the file that an instruction is of */
enum message_sort message_sort_of_kernels(const char *file, const char *function);
/* of an MPI library and what it calls, by the object that a function is in */
enum message_sort message_sort_of_mpi(const char *object, const char *function);

#endif /* PIMDIMM_PERF_SORTS_X86_H */
