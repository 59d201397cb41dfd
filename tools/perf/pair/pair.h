/* SPDX-License-Identifier: MIT */
/*
 * Two processes that send each other the kernels of `--suite datatypes`, by this library or by
 * an MPI library: a program each, of which only the engine differs.
 */
#ifndef PIMDIMM_PERF_PAIR_H
#define PIMDIMM_PERF_PAIR_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/perf/suites/datatypes/kernels.h"

/* what the time of messages is divided into: the rest, layouts, their exchange, addresses, copies */
#define PAIR_PARTS	5

#define PAIR_WINDOW	16	/* messages under way in a bandwidth test, in each direction */

/* what sends: of rank 0 and 1; whatever fails ends the process with a message */
struct pair_engine {
	const struct ddt_maker *maker;
	/* two processes: which of them this one is */
	int (*start)(int argc, char **argv);
	void (*end)(void);
	void *(*alloc)(size_t bytes);
	void (*release)(void *memory);
	/* ready for use, once it is made */
	void (*commit)(ddt_type *type);
	void (*drop)(ddt_type *type);
	void (*send)(void *base, int64_t at, ddt_type type);
	void (*recv)(void *base, int64_t at, ddt_type type);
	/* the slot-th request of at most 2 * PAIR_WINDOW, until all of the first n are done */
	void (*isend)(unsigned int slot, void *base, int64_t at, ddt_type type);
	void (*irecv)(unsigned int slot, void *base, int64_t at, ddt_type type);
	void (*wait)(unsigned int n);
	/* NULL: it cannot be told. What both ranks are at is kept from here on */
	void (*watch)(void);
	/* and, at rank 0, divides the time between two; false: there was too much to keep */
	bool (*divide)(uint64_t start, uint64_t end, double parts[PAIR_PARTS]);
};

extern const struct pair_engine pair_engine;

__attribute__((noreturn, format(printf, 1, 2))) void pair_die(const char *format, ...);

#endif /* PIMDIMM_PERF_PAIR_H */
