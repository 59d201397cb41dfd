/* SPDX-License-Identifier: MIT */
/*
 * Two ranks for `perf --suite messages`: R03's benchmark under callgrind, and what is timed.
 * One program by this library and one by each MPI library, of which only the engine differs.
 */
#ifndef PIMDIMM_PERF_ROUNDS_H
#define PIMDIMM_PERF_ROUNDS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/perf/pe/exchange.h"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define ROUNDS_COUNTED	1
#else
#define ROUNDS_COUNTED	0
#define RUNNING_ON_VALGRIND		0
#define CALLGRIND_TOGGLE_COLLECT	((void)0)
#define CALLGRIND_ZERO_STATS		((void)0)
#define CALLGRIND_DUMP_STATS_AT(text)	((void)(text))
#endif

/* exit status of a program that cannot be counted, since it was built without that header */
#define ROUNDS_UNCOUNTED	77

#define ROUNDS_MESSAGES	10	/* of a round, each way */
#define ROUNDS_REPEATS	6	/* of a kind that are counted, the first of which has first uses */
#define ROUNDS_HALF	(ROUNDS_MESSAGES / 2)	/* posted where a routine is counted alone */
#define ROUNDS_WINDOW	64	/* under way at once where a rate is measured */
#define ROUNDS_LONGEST	81920
#define ROUNDS_QUEUE	5000	/* receives that nothing matches */
#define ROUNDS_SLOTS	(ROUNDS_QUEUE + ROUNDS_WINDOW)

/* where two ranks meet without a message, in memory that both have */
struct rounds_place {
	_Atomic uint32_t came, left;
};

/* a rank; its requests are the engine's */
struct rounds_rank {
	int rank;
	void *end;
	struct rounds_place *place;
};

/* What fails ends the process with a message. */
struct rounds_engine {
	/* runs main of both ranks, of this process or of two */
	void (*run)(int argc, char **argv, void (*main)(struct rounds_rank *));
	void (*send)(struct rounds_rank *r, void *data, size_t bytes, int tag);
	void (*recv)(struct rounds_rank *r, void *data, size_t bytes, int tag);
	void (*probe)(struct rounds_rank *r, int tag);
	/* requests of slots, of which a rank has ROUNDS_SLOTS */
	void (*isend)(struct rounds_rank *r, unsigned int slot, void *data, size_t bytes, int tag);
	void (*irecv)(struct rounds_rank *r, unsigned int slot, void *data, size_t bytes, int tag);
	void (*wait)(struct rounds_rank *r, unsigned int first, unsigned int nr);
	void (*cancel)(struct rounds_rank *r, unsigned int first, unsigned int nr);
	/* a receive that asks again and again; NULL: as any */
	void (*recv_polled)(struct rounds_rank *r, void *data, size_t bytes, int tag);
	/* lets the other rank run */
	void (*idle)(struct rounds_rank *r);
	/*
	 * What is counted of all routines: of an engine whose ranks are processes, the calls
	 * themselves; where both are threads of one, all that happens in a round, as a call of one
	 * rank does work of the other's.
	 */
	_Bool by_call;
};

extern const struct rounds_engine rounds_engine;

/* whether this program counts: what is timed is to have nothing to do for counts */
extern _Bool rounds_counts;

/*
 * What runs is the routine's from now on, and whose it was before; ROUTINE_ALL: none's. An engine
 * whose ranks share a thread says so where one of them goes on.
 */
enum exchange_routine rounds_run_for(enum exchange_routine routine);

__attribute__((noreturn, format(printf, 1, 2))) void rounds_die(const char *format, ...);

#endif /* PIMDIMM_PERF_ROUNDS_H */
