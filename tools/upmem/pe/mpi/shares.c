// SPDX-License-Identifier: MIT
/*
 * Room in pools. Half of each pool is shared out to the other nodes as MPI begins, alike, so
 * that nobody has to ask; an eighth is lent on demand: a message that went as a large one for
 * want of room brings some home, by its claim, for the next ones. Who has been lent more
 * than it takes is asked for it when others want it. All of that are hops for which nobody
 * waits, and a message without room goes as a large one: so nothing is lost, or stuck.
 */
#include "shares.h"

/* of the pool in grains: what all others have, what is lent, and what a node's own messages have */
#define SHARED(grains)	((grains) / 2)
#define LENT(grains)	((grains) / 8)
#define OWN(grains)	((grains) / 16)
/* what is lent at once, in messages like the one that had no room */
#define LENT_MESSAGES	4u
/* peers that are looked at, and messages that go without room, for each one that is asked */
#define RECALL_LOOKS	8u
#define RECALL_EVERY	4u

static struct {
	uint32_t share;		/* of each node in any other's pool, in grains */
	uint32_t left;		/* of what is lent */
	uint32_t largest;	/* room that a message may have of it */
	uint32_t wants;		/* messages that went without */
	uint32_t recall;	/* the node that is looked at next */
} state MPI_BOOT;

extern const uint32_t mpi_pool_bytes;

static uint32_t at_most(uint32_t grains, uint32_t most)
{
	return grains < most ? grains : most;
}

void mpi_shares_open(uint32_t size)
{
	uint32_t grains = mpi_pool_bytes / ME_GRAIN, share = SHARED(grains);

	if (size > 1)
		share /= size - 1;
	state.left = LENT(grains);
	/* less than any message takes is of use to nobody */
	if (share < ME_ROOM_GRAINS) {
		share = 0;
		state.left += SHARED(grains);
	}
	state.share = at_most(share, ME_CREDIT_MAX / 2);
	state.largest = OWN(grains);
	for (uint32_t i = 0; i < size; i++) {
		bool self = i == mpi_node.id, host = i == PE_SELF->nr_pes;
		uint32_t own = at_most(OWN(grains), ME_CREDIT_MAX / 2);
		struct mpi_peer_state peer = { 0 };

		if (!self)
			me_credit_lend(&peer.credit, state.share);
		/* the host's is had once it has been told */
		if (!host)
			me_credit_gain(&peer.credit, self ? own : state.share);
		mpi_peer_store(i, &peer);
	}
}

static struct mpi_parcel *room_parcel(uint8_t kind, uint64_t grains)
{
	struct mpi_parcel *p = mpi_parcel_new(0);

	if (p)
		p->parcel.frame = (struct me_frame){ .kind = kind, .bytes = grains };
	return p;
}

void mpi_greet_host(void)
{
	struct mpi_parcel *p = room_parcel(ME_HOP_HELLO, state.share);
	uint32_t host = mpi_node.size - 1;
	struct mpi_peer_state peer;

	/* without memory it is not greeted, and messages either way go as large ones */
	if (!p)
		return;
	peer = mpi_peer_load(host);
	me_credit_gain(&peer.credit, state.share);
	mpi_peer_store(host, &peer);
	mpi_depart(host, p);
}

bool mpi_room_take(uint32_t whose, uint64_t bytes)
{
	struct mpi_peer_state peer = mpi_peer_load(whose);
	bool taken = me_credit_take(&peer.credit, bytes);

	if (taken)
		mpi_peer_store(whose, &peer);
	return taken;
}

void mpi_room_free(uint32_t by, uint64_t bytes)
{
	struct mpi_peer_state peer = mpi_peer_load(by);
	uint32_t owed = me_credit_freed(&peer.credit, bytes);
	struct mpi_parcel *p = owed ? room_parcel(ME_HOP_CREDIT, owed) : NULL;

	if (p) {
		me_credit_told(&peer.credit);
		mpi_depart(by, p);
	}
	mpi_peer_store(by, &peer);
}

bool mpi_room_came(uint32_t from, uint64_t bytes)
{
	struct mpi_peer_state peer;

	if (from == mpi_node.id)
		return true;
	peer = mpi_peer_load(from);
	if (!me_credit_came(&peer.credit, bytes))
		return false;
	mpi_peer_store(from, &peer);
	return true;
}

/* what is free here and has not been told; then it asks for what has not been taken there */
static bool recall_from(uint32_t node)
{
	struct mpi_peer_state peer = mpi_peer_load(node);
	struct mpi_parcel *p = NULL;

	if (peer.credit.lent <= state.share || node == mpi_node.id)
		return false;
	state.left += me_credit_withdraw(&peer.credit, state.share);
	mpi_peer_store(node, &peer);
	if (peer.credit.theirs && peer.credit.lent > state.share)
		p = room_parcel(ME_HOP_RECALL, 0);
	if (p)
		mpi_depart(node, p);
	return true;
}

/* of the next one that has been lent more than its share */
static void recall(void)
{
	for (uint32_t i = 0; i < RECALL_LOOKS; i++) {
		if (recall_from(state.recall++ % mpi_node.size))
			return;
	}
}

static uint32_t lend_how_much(const struct me_credit *credit, uint32_t room)
{
	uint32_t grains = at_most(LENT_MESSAGES * room, state.left / 4);

	if (grains < room)
		grains = room;
	/* what it has will do, or is on the way to it */
	if (credit->theirs >= 2 * LENT_MESSAGES * room || credit->lent + grains > ME_CREDIT_MAX)
		return 0;
	if (grains <= state.left)
		return grains;
	if (++state.wants % RECALL_EVERY == 0)
		recall();
	return 0;
}

uint16_t mpi_room_lend(uint32_t to, uint64_t bytes)
{
	struct mpi_peer_state peer;
	uint32_t grains;

	if (to == mpi_node.id || bytes >= mpi_node.eager_bytes || me_room(bytes) > state.largest)
		return 0;
	peer = mpi_peer_load(to);
	grains = lend_how_much(&peer.credit, (uint32_t)me_room(bytes));
	if (!grains)
		return 0;
	me_credit_lend(&peer.credit, grains);
	mpi_peer_store(to, &peer);
	state.left -= grains;
	return (uint16_t)grains;
}

bool mpi_room_gain(uint32_t from, uint64_t grains)
{
	struct mpi_peer_state peer = mpi_peer_load(from);
	bool gained = me_credit_gain(&peer.credit, grains);

	mpi_peer_store(from, &peer);
	return gained;
}

static void give_back(uint32_t to)
{
	struct mpi_peer_state peer = mpi_peer_load(to);
	uint32_t more = peer.credit.ours > state.share ? peer.credit.ours - state.share : 0;
	struct mpi_parcel *p = more ? room_parcel(ME_HOP_RETURN, more) : NULL;

	if (!p)
		return;
	peer.credit.ours = state.share;
	mpi_peer_store(to, &peer);
	mpi_depart(to, p);
}

static bool returned(uint32_t from, uint64_t grains)
{
	struct mpi_peer_state peer = mpi_peer_load(from);

	if (!me_credit_returned(&peer.credit, grains, state.share))
		return false;
	mpi_peer_store(from, &peer);
	state.left += (uint32_t)grains;
	return true;
}

bool mpi_room_hop(uint32_t from, const struct me_frame *frame)
{
	switch (frame->kind) {
	case ME_HOP_CREDIT:
		return mpi_room_gain(from, frame->bytes);
	case ME_HOP_RECALL:
		give_back(from);
		return true;
	case ME_HOP_RETURN:
		return returned(from, frame->bytes);
	default:
		return false;
	}
}
