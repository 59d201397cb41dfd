// SPDX-License-Identifier: MIT
/*
 * A handshake blocks whoever comes first; the second to wait for the same tasklet
 * is told so.
 * quirk: tasklets=12
 */
#include <barrier.h>
#include <errno.h>
#include <handshake.h>

#include "quirk.h"

BARRIER_INIT(barrier, NR_TASKLETS);
static volatile uint32_t order[NR_TASKLETS], waiting;

int main(void)
{
	/* a chain, as in a scan: each waits for the one before it */
	for (int round = 0; round < 100; round++) {
		if (me() > 0) {
			CHECK(handshake_wait_for(me() - 1) == 0);
			order[me()] = order[me() - 1] + 1;
		}
		if (me() < NR_TASKLETS - 1)
			handshake_notify();
		CHECK(order[me()] == me());
		barrier_wait(&barrier);
		order[me()] = 0;
		barrier_wait(&barrier);
	}
	CHECK(handshake_wait_for(me()) == EINVAL && errno == EINVAL);
	if (me() == 5 || me() == 6) {
		int err = handshake_wait_for(7);

		if (err)
			CHECK(err == EALREADY && errno == EALREADY);
		__atomic_fetch_add(&waiting, 1, __ATOMIC_RELAXED);
	} else if (me() == 7) {
		while (!waiting)
			;
		handshake_notify();
		while (waiting != 2)
			;
	}
	quirk_end();
	return 0;
}
