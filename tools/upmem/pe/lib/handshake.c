// SPDX-License-Identifier: MIT
/* Handshakes: one tasklet waits for the notification of another. */
#include <errno.h>
#include <handshake.h>

#include "pe.h"

/* who waits for a tasklet's notification: its number + 1, or the notifier's own
 * where it came first; 0: nobody */
static volatile uint8_t met[PE_MAX_TASKLETS];

void handshake_notify(void)
{
	uint32_t me = PE_SELF->tasklet;

	pe_charge(10);
	pe_enter();
	if (met[me]) {
		met[me] = 0;
		PE_SVC->wake(&met[me], 1);
	} else {
		met[me] = me + 1;
		while (met[me] == me + 1)
			pe_wait(PE_WAIT_HANDSHAKE, &met[me]);
	}
	pe_leave();
}

int handshake_wait_for(sysname_t notifier)
{
	uint32_t me = PE_SELF->tasklet;

	if (notifier >= PE_MAX_TASKLETS || notifier == me) {
		errno = EINVAL;
		return EINVAL;
	}
	pe_charge(10);
	pe_enter();
	if (!met[notifier]) {
		met[notifier] = me + 1;
		while (met[notifier] == me + 1)
			pe_wait(PE_WAIT_HANDSHAKE, &met[notifier]);
	} else if (met[notifier] == notifier + 1) {
		met[notifier] = 0;
		PE_SVC->wake(&met[notifier], 1);
		/*
		 * Whoever comes first, the notifier goes on first: in a chain of
		 * handshakes programs write what overlaps the next one's data,
		 * and hardware is done with that before the next one writes.
		 */
		pe_leave();
		PE_SVC->yield();
		return 0;
	} else {
		pe_leave();
		errno = EALREADY;
		return EALREADY;
	}
	pe_leave();
	return 0;
}
