// SPDX-License-Identifier: MIT
/* Barriers: tasklets wait until all of theirs have come. */
#include <barrier.h>

#include "pe.h"

void barrier_wait(struct barrier_t *barrier)
{
	volatile struct barrier_t *b = barrier;
	uint8_t round;

	pe_charge(18);
	pe_enter();
	round = b->wait_queue;
	if (b->count <= 1) {
		b->count = b->initial_count;
		b->wait_queue = round + 1;
		if (b->initial_count > 1)
			PE_SVC->wake(b, PE_MAX_TASKLETS);
	} else {
		b->count--;
		while (b->wait_queue == round)
			pe_wait(PE_WAIT_BARRIER, b);
	}
	pe_leave();
}
