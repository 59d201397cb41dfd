/* SPDX-License-Identifier: MIT */
/* Time spent in sections of a program, summed up for the host to read. */
#ifndef PROFILING_H
#define PROFILING_H

#include <stdint.h>

#include <attributes.h>

typedef struct {
	uint32_t start[NR_THREADS];	/* cycles, 0 outside; the lowest bit set */
	uint32_t count[NR_THREADS];	/* cycles inside, by tasklet */
} profiling_t;

/* a section at file scope */
#define PROFILING_INIT(name)	__host profiling_t name;

/**
 * profiling_start() - a tasklet enters a section; faults where it is in it
 * @context: the section
 */
__pe_keeps_caller
void profiling_start(profiling_t *context);

/**
 * profiling_stop() - it leaves it; faults where it is not in it
 * @context: the section
 */
__pe_keeps_caller
void profiling_stop(profiling_t *context);

#endif /* PROFILING_H */
