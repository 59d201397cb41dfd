/* SPDX-License-Identifier: MIT */
/*
 * Around the caches or through them. Around moves fewer bytes and wins where the
 * caches are others' as well or many threads share the memory; through wins where
 * what is stored is still there when it is wanted, or few threads have memory to
 * themselves. No table of machines knows which, so parts of a call try both by
 * turns, the rest of it and later calls of the kind do as the faster. Where calls
 * fit in the caches a few whole ones do, since each finds what the last one left.
 */
#ifndef PD_TRIALS_H
#define PD_TRIALS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/simd/stores.h"

struct pd_workers;

/* Less is in a core's own caches, and over before anything could be learned. */
#define PD_TRIALS_LEAST	(UINT64_C(1) << 20)

/* times of each way that a call keeps, and speeds that a kind keeps: no more than a
 * median needs, so that later ones soon outvote those of another time */
#define PD_TRIAL_TIMES	64
#define PD_TRIAL_ROUNDS	3

/* calls that do the same, so that what one has learned serves the others */
struct pd_kind {
	const void *what;	/* the algorithm */
	uint64_t traits;	/* what else tells kinds apart */
	uint64_t work_set;	/* bytes; of one kind up to half as many more */
	bool fits;		/* in the caches: the next call finds it there */
};

/* what parts of a call took, in nanoseconds for each unit of their work */
struct pd_times {
	_Atomic uint32_t count;
	float ns[PD_TRIAL_TIMES];
};

/* one call's stores; one that tries nothing is { .stores = ... } */
struct pd_trial {
	struct pd_kind kind;
	_Atomic enum pd_stores stores;	/* of parts that try nothing */
	enum pd_stores through;		/* what competes with around */
	bool open;			/* parts are to try */
	bool whole;			/* the call does, as a step of its kind's */
	bool tried;			/* it or its parts did */
	unsigned int step;
	uint64_t start;			/* of the call, and page faults by then */
	long faults;
	float past[PD_TRIAL_ROUNDS];	/* of the kind, see trials.c */
	unsigned int rounds;
	struct pd_times around_times, through_times;

	/* the run of items whose parts try */
	_Atomic uint64_t waited_for;	/* such parts that are not done */
};

/*
 * How a call of this kind stores. through: the other way than around the caches;
 * guess: the way where nothing is known. Of process-wide memory.
 */
void pd_trials_begin(struct pd_trial *trial, const struct pd_kind *kind,
		     enum pd_stores through, enum pd_stores guess);
/* The call is over: the kind learns what it took, or its parts. */
void pd_trials_end(struct pd_trial *trial);
/* The same for tests: when the call took so long, and had page faults or none. */
void pd_trials_learn(struct pd_trial *trial, uint64_t ns, bool faulted);
/* forget everything that was learned */
void pd_trials_forget(void);

/*
 * Page faults so far, of RUSAGE_THREAD or RUSAGE_SELF: a page's first touch takes longer than all
 * that is done with it, so that what has some tells nothing.
 */
long pd_page_faults(int who);

/* Do the items [first, first + count), storing so; returns how much work it was. */
typedef uint64_t (*pd_part_fn)(void *ctx, uint64_t first, uint64_t count,
			       enum pd_stores stores);

/*
 * As pd_workers_run(); where the trial is open and there are enough items, the
 * first ones try.
 */
void pd_trial_run(struct pd_trial *trial, struct pd_workers *workers,
		  uint64_t items, uint64_t grain, pd_part_fn fn, void *ctx);

/*
 * Items of a call that a trial asks for at least, for its parts to be small beside
 * the call. It is the same all the time that the call lasts.
 */
uint64_t pd_trial_items(const struct pd_trial *trial, unsigned int threads);

/* The parts of pd_trial_run(), for tests: which way part number `part` tries, of
 * those that `threads` threads work on together; what it took; all are done. */
enum pd_stores pd_trial_way(const struct pd_trial *trial, uint64_t part,
			    unsigned int threads);
void pd_trial_note(struct pd_trial *trial, enum pd_stores stores, uint64_t ns,
		   uint64_t work);
void pd_trial_decide(struct pd_trial *trial);

#endif /* PD_TRIALS_H */
