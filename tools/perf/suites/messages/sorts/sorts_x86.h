/* SPDX-License-Identifier: MIT */
/* What functions of messages are there for in resident kernels, which the host runs. */
#ifndef PIMDIMM_PERF_SORTS_X86_H
#define PIMDIMM_PERF_SORTS_X86_H

#include "tools/perf/suites/messages/sorts/sorts.h"

/* of resident kernels, by the file that an instruction is of */
enum message_sort message_sort_of_kernels(const char *file, const char *function);

#endif /* PIMDIMM_PERF_SORTS_X86_H */
