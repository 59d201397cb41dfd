/* SPDX-License-Identifier: MIT */
/* Included before all else of the benchmark's program, which has a hand in its waits. */
#ifndef PERF_PE_EXCHANGE_WAIT_H
#define PERF_PE_EXCHANGE_WAIT_H

#include <pe.h>

void exchange_wait(enum pe_wait kind, const volatile void *object);

#define pe_wait(kind, object)	exchange_wait(kind, object)

#endif /* PERF_PE_EXCHANGE_WAIT_H */
