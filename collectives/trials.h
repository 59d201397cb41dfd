/* SPDX-License-Identifier: MIT */
/*
 * Around the caches or through them, for calls that exceed them. Around moves
 * fewer bytes and wins where many threads share the memory; through lets a
 * thread have more lines under way and wins where few do. No table of machines
 * knows which, so the first calls of a kind try both, and the later ones do as
 * the faster did.
 */
#ifndef PC_TRIALS_H
#define PC_TRIALS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "stores.h"

struct pidcomm_algorithm;

/* calls that do the same, so that their speeds compare */
struct pc_kind {
	const struct pidcomm_algorithm *algorithm;
	uint32_t axes;
	uint64_t work_set;	/* bytes; of one kind up to twice as many */
};

/* of each way, what has been timed, and the least of it */
struct pc_tried {
	unsigned int asked, timed;
	double ns_per_byte;
};

struct pc_trial {
	struct pc_kind kind;
	struct pc_tried around, through;
};

/* of a hypercube; a kind takes the place of another when there are many */
struct pc_trials {
	pthread_mutex_t lock;
	struct pc_trial at[64];
};

void pc_trials_init(struct pc_trials *t);
void pc_trials_destroy(struct pc_trials *t);

/*
 * PD_STORES_AROUND or PD_STORES_AHEAD, for a call of this kind; *open tells
 * whether its time is still to be learned from.
 */
enum pd_stores pc_trials_choose(struct pc_trials *t, const struct pc_kind *kind,
				bool *open);

/* It took so long, and met nothing that its stores are not to blame for. */
void pc_trials_learn(struct pc_trials *t, const struct pc_kind *kind,
		     enum pd_stores stores, uint64_t ns);

#endif /* PC_TRIALS_H */
