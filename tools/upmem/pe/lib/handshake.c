// SPDX-License-Identifier: MIT
/* Handshakes: one tasklet waits for the notification of another. */
#include <errno.h>
#include <handshake.h>

#include "pe.h"

/* who waits for a tasklet's notification: its number + 1, or the notifier's own
 * where it came first; 0: nobody */
static volatile uint8_t met[PE_PLACES];

struct meeting {
	volatile uint8_t *met;
	uint32_t me, notifier;
	int came;	/* and waits */
	int error;
	int gives_way;
};

static uint32_t notify(void *arg)
{
	struct meeting *m = arg;

	if (!m->came && *m->met) {
		PE_CHECK_ONLY(pe_check_meet(m->me, *m->met - 1u));
		*m->met = 0;
		PE_SVC->wake(m->met, 1);
		return PE_WAIT_NOTHING;
	}
	if (!m->came)
		*m->met = (uint8_t)(m->me + 1);
	m->came = 1;
	return *m->met == m->me + 1 ? PE_WAIT_HANDSHAKE : PE_WAIT_NOTHING;
}

void handshake_notify(void)
{
	uint32_t me = PE_SELF->tasklet;
	struct meeting m = { .met = &met[me], .me = me };

	pe_charge(10);
	pe_turn(notify, &m, m.met);
}

static uint32_t wait_for(void *arg)
{
	struct meeting *m = arg;

	if (m->came || !*m->met) {
		if (!m->came)
			*m->met = (uint8_t)(m->me + 1);
		m->came = 1;
		return *m->met == m->me + 1 ? PE_WAIT_HANDSHAKE : PE_WAIT_NOTHING;
	}
	if (*m->met == m->notifier + 1) {
		PE_CHECK_ONLY(pe_check_meet(m->me, m->notifier));
		*m->met = 0;
		PE_SVC->wake(m->met, 1);
		m->gives_way = 1;
	} else {
		m->error = EALREADY;
	}
	return PE_WAIT_NOTHING;
}

int handshake_wait_for(sysname_t notifier)
{
	struct meeting m = { .me = PE_SELF->tasklet, .notifier = notifier };

	if (notifier >= PE_PLACES || notifier == m.me) {
		errno = EINVAL;
		return EINVAL;
	}
	m.met = &met[notifier];
	pe_charge(10);
	pe_turn(wait_for, &m, m.met);
	/*
	 * Whoever comes first, the notifier goes on first: in a chain of handshakes
	 * programs write what overlaps the next one's data, and hardware is done with
	 * that before the next one writes.
	 */
	if (m.gives_way)
		PE_SVC->yield();
	if (m.error)
		errno = m.error;
	return m.error;
}
