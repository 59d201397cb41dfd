/* SPDX-License-Identifier: MIT */
/*
 * Messages between entangled groups, all lanes of each at once: what ring and
 * tree are made of. A step is a set of messages, none of which touches what
 * another one writes; all of them lie in MRAM before the next step begins.
 */
#ifndef PC_MESSAGES_H
#define PC_MESSAGES_H

#include "collectives/call/call.h"

/* words of an entangled group */
struct pc_place {
	uint32_t eg;
	uint64_t word;
};

/* `words` words at `to` become those at `first`, folded with those at `second` */
struct pc_message {
	struct pc_place first, second, to;
	uint64_t words;
};

struct pc_step {
	struct pc_call *call;
	uint32_t number;	/* what it means is the algorithm's matter */
	uint64_t messages;
	uint64_t words;		/* of the longest message */
	void (*message)(const struct pc_step *step, uint64_t index,
			struct pc_message *message);
	bool fold;		/* else they are copied: there is no second */

	uint64_t tiles;		/* of the longest message */
	struct pc_lanes lanes;	/* every lane for itself */
};

void pc_step_run(struct pc_step *step);

#endif /* PC_MESSAGES_H */
