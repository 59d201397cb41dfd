// SPDX-License-Identifier: MIT
/*
 * Turns: travellers of one node begin in the order in which they left it, but may be switched
 * as they come in. So each says the how many-th it is. One that lies would wait for ever, and
 * as many as there are places would keep all others out: the PE that a traveller is from is
 * known, and so whether any other of its travellers is here that may still come first.
 */
#include <pimdimm.h>

#include "travel.h"
#include "turns.h"

static volatile uint64_t mpi_turns[4] __attribute__((aligned(32)));

/* what waits, by place, and for which turn */
static struct {
	bool waits;
	uint16_t turn;
} places[PE_TRAVELLERS] MPI_BOOT;
static uint32_t waiting MPI_BOOT;

static uint32_t own_place(void)
{
	return PE_SELF->tasklet % PE_TRAVELLERS;
}

/* whether another traveller of this one's PE goes on by itself, or will as its turn comes */
static bool any_goes_on(uint16_t came)
{
	uint32_t own = own_place();

	for (uint32_t i = 0; i < PE_TRAVELLERS; i++) {
		if (i != own && PE_SELF->sender[i] == PE_SELF->sender[own] &&
		    (!places[i].waits || places[i].turn == came))
			return true;
	}
	return false;
}

static void wake_all(void)
{
	if (waiting)
		PE_SVC->wake(mpi_turns, UINT32_MAX);
}

bool mpi_turn_await(uint32_t from, uint16_t turn)
{
	uint32_t own = own_place();
	uint16_t came;

	while ((came = mpi_peer_load(from).came) != turn) {
		if (!any_goes_on(came)) {
			/* nor do those that wait for this one */
			wake_all();
			return false;
		}
		places[own].waits = true;
		places[own].turn = turn;
		waiting++;
		pe_wait(PE_WAIT_FULL, mpi_turns);
		waiting--;
		places[own].waits = false;
	}
	return true;
}

void mpi_turn_pass(uint32_t from)
{
	struct mpi_peer_state peer = mpi_peer_load(from);

	peer.came++;
	mpi_peer_store(from, &peer);
	/* of those of its PE that are here it is none any more that comes first */
	PE_SELF->sender[own_place()] = PE_NOBODY;
	wake_all();
}
