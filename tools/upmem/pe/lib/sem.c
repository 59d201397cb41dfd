// SPDX-License-Identifier: MIT
/* Counting semaphores. */
#include <sem.h>

#include "pe.h"

#define NONE_GIVEN	0xff

/* `lock` counts those who wait; wait_queue goes down by what they were given */
void sem_take(sem_t *sem)
{
	volatile sem_t *s = sem;

	pe_charge(7);
	pe_enter();
	s->count--;
	if ((int8_t)s->count < 0) {
		s->lock++;
		/* what is given by now is for those who came before */
		do {
			pe_wait(PE_WAIT_SEMAPHORE, s);
		} while (s->wait_queue == NONE_GIVEN);
		s->wait_queue++;
		s->lock--;
	}
	pe_leave();
}

void sem_give(sem_t *sem)
{
	volatile sem_t *s = sem;
	uint8_t given;

	pe_charge(6);
	pe_enter();
	given = NONE_GIVEN - s->wait_queue;
	s->count++;
	if ((int8_t)s->count <= 0 && s->lock > given) {
		s->wait_queue--;
		PE_SVC->wake(s, 1);
	}
	pe_leave();
}
