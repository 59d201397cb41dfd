// SPDX-License-Identifier: MIT
/* Barriers: tasklets wait until all of theirs have come. */
#include <barrier.h>

#include "pe.h"

struct arrival {
	volatile struct barrier_t *barrier;
	uint8_t round;
	uint8_t counted;
	uint32_t me;
};

static uint32_t arrive(void *arg)
{
	struct arrival *a = arg;
	volatile struct barrier_t *b = a->barrier;

	if (!a->counted) {
		a->counted = 1;
		a->round = b->wait_queue;
		PE_CHECK_ONLY(pe_check_arrive(a->me, PE_KEY(b, 0)));
		if (b->count <= 1) {
			b->count = b->initial_count;
			b->wait_queue = a->round + 1;
			PE_CHECK_ONLY(pe_check_pass(PE_KEY(b, 0)));
			if (b->initial_count > 1)
				PE_SVC->wake(b, PE_MAX_TASKLETS);
			return PE_WAIT_NOTHING;
		}
		b->count--;
	}
	return b->wait_queue == a->round ? PE_WAIT_BARRIER : PE_WAIT_NOTHING;
}

void barrier_wait(struct barrier_t *barrier)
{
	struct arrival a = { .barrier = barrier, .me = PE_SELF->tasklet };

	pe_charge(18);
	pe_turn(arrive, &a, barrier);
}
