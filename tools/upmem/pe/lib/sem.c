// SPDX-License-Identifier: MIT
/* Counting semaphores. */
#include <sem.h>

#include "pe.h"

#define NONE_GIVEN	0xff

/* `lock` counts those who wait; wait_queue goes down by what they were given */
struct taking {
	volatile sem_t *sem;
	int waits;
	uint32_t me;
};

static uint32_t take(void *arg)
{
	struct taking *t = arg;
	volatile sem_t *s = t->sem;

	if (!t->waits) {
		s->count--;
		if ((int8_t)s->count >= 0) {
			PE_ACQUIRE_BY(t->me, s, 0);
			return PE_WAIT_NOTHING;
		}
		s->lock++;
		/* what is given by now is for those who came before */
		t->waits = 1;
		return PE_WAIT_SEMAPHORE;
	}
	if (s->wait_queue == NONE_GIVEN)
		return PE_WAIT_SEMAPHORE;
	s->wait_queue++;
	s->lock--;
	PE_ACQUIRE_BY(t->me, s, 0);
	return PE_WAIT_NOTHING;
}

void sem_take(sem_t *sem)
{
	struct taking t = { .sem = sem, .me = PE_SELF->tasklet };

	pe_charge(7);
	pe_turn(take, &t, sem);
}

void sem_give(sem_t *sem)
{
	volatile sem_t *s = sem;
	uint8_t given;

	pe_charge(6);
	pe_enter();
	PE_RELEASE(s, 0);
	given = NONE_GIVEN - s->wait_queue;
	s->count++;
	if ((int8_t)s->count <= 0 && s->lock > given) {
		s->wait_queue--;
		PE_SVC->wake(s, 1);
	}
	pe_leave();
}
