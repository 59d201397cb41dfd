// SPDX-License-Identifier: MIT
/*
 * Travellers: parcels from PE to PE. One tasklet or traveller of a PE at a time sends what
 * leaves it, in the order in which it left; at its destination a traveller waits for those
 * of its PE that left before. So the order of one node's messages to another is kept.
 */
#include <pimdimm.h>

#include "collectives/messages/engine/receive.h"
#include "juggle.h"
#include "shares.h"
#include "turns.h"

/* of a large message with gaps, at a time */
#define GATHERED	2048u
/* of so many questions in vain the last one gives the PE up */
#define IN_VAIN		8u

struct me_node mpi_node MPI_BOOT;
/* what tasklets wait for: its name is told where they wait in vain */
static volatile uint64_t mpi_messages[4] __attribute__((aligned(32)));

static struct {
	bool open, gate;
	uint32_t in_vain;	/* so often somebody has asked */
	struct mpi_parcel *leaving, **last;
} state MPI_BOOT;

static uint8_t gathered[GATHERED] __attribute__((aligned(8)));

/* by whoever is first: a tasklet that calls, or a traveller */
static void open_node(void)
{
	/* the host is the last one */
	uint32_t size = PE_SELF->nr_pes + !!PE_SELF->host;

	state.open = true;
	state.last = &state.leaving;
	mpi_node = (struct me_node){
		.port = &mpi_port,
		.id = PE_SELF->pe - PE_SELF->first_pe,
		.size = size,
		.eager_bytes = PE_SELF->eager,
		.poll = PE_SELF->poll,
	};
	me_node_open(&mpi_node);
	mpi_peers_open(size);
	mpi_shares_open(size);
}

static void enter(void)
{
	pe_enter();
	if (!state.open)
		open_node();
}

void mpi_node_enter(void)
{
	enter();
	if (MPI_JUGGLES)
		mpi_advance();
}

static bool may_send(void)
{
	return state.leaving && !state.gate;
}

void mpi_wait_event(void)
{
	if (!MPI_JUGGLES) {
		pe_wait(PE_WAIT_FULL, mpi_messages);
		return;
	}
	if (!mpi_advance() && !may_send()) {
		pe_wait(PE_WAIT_FULL, mpi_messages);
		mpi_advance();
	}
	/* what others may wait for goes before anybody sleeps */
	if (may_send()) {
		mpi_node_leave();
		pe_enter();
	}
}

/*
 * Travellers go on without their tasklets, so that nothing has to be waited for. Without
 * them sends do not, which nobody else advances.
 */
void mpi_node_finish(void)
{
	if (!MPI_JUGGLES)
		return;
	mpi_node_enter();
	while (mpi_sends_run())
		mpi_wait_event();
	mpi_node_leave();
}

void mpi_event(void)
{
	PE_SVC->wake(mpi_messages, UINT32_MAX);
}

/*
 * Nothing comes to a PE before it is given up, and who asks again and again would not give
 * it up: waiting for room for a parcel to itself, which there is, does.
 */
void mpi_give_way(void)
{
	if (++state.in_vain % IN_VAIN)
		PE_SVC->yield();
	else
		PE_SVC->wait(PE_WAIT_ROOM, (const void *)(uintptr_t)PE_SELF->pe);
}

void mpi_depart(uint32_t to, struct mpi_parcel *p)
{
	if (p->gone)
		*p->gone = true;
	p->gone = NULL;
	p->to = to;
	p->next = NULL;
	*state.last = p;
	state.last = &p->next;
}

/* there is memory for the data before anybody may see the message: it may stay */
static struct mpi_parcel *parcel_of(uint32_t from, const struct me_hop *hop, const void *lent)
{
	uint32_t bytes = me_hop_has_data(&hop->frame) ? hop->bytes : 0;
	struct mpi_parcel *p;

	while (!(p = mpi_parcel_new(bytes))) {
		/* a tasklet that sends to itself is the one that could make room */
		if (!MPI_JUGGLES || from != mpi_node.id || !mpi_advance())
			mpi_wait_memory();
	}
	p->parcel.frame = hop->frame;
	p->lent = lent;
	p->aboard = !lent;
	return p;
}

/* the data is where it stays until it is received, which a traveller leaves to others */
static void unload(struct mpi_parcel *p)
{
	if (p->bytes && p->aboard)
		parcel_unload(p->data, 0, p->bytes);
	else if (p->bytes)
		mpi_copy(p->data, p->lent, p->bytes);
	p->aboard = false;
	p->lent = NULL;
}

/* the engine's; what has become void while there was no memory for it is dropped */
static void arrive_parcel(struct mpi_parcel *p)
{
	bool gone = false;
	int error;

	p->gone = &gone;
	error = me_arrive(&mpi_node, &p->parcel);
	if (gone)
		return;
	p->gone = NULL;
	if (error)
		mpi_parcel_free(p);
	else
		unload(p);
}

/* what a receive has claimed goes where it wants it */
static void arrive_chunk(const struct me_hop *hop, const void *lent)
{
	struct me_request *r = me_request_of(&mpi_node, hop->frame.receive, ME_RECEIVE,
					     ME_CLAIMED);
	struct mpi_part part = mpi_part_of(&r->buffer);
	uint64_t at = hop->frame.there[0];

	if (lent)
		mpi_stream(&part, at, (void *)(uintptr_t)lent, hop->bytes, true);
	else
		mpi_stream_aboard(&part, at, hop->bytes);
}

/* to the engine; or into the inbox, but for data that is claimed, as networks do it */
static void arrive_message(uint32_t from, const struct me_hop *hop, const void *lent)
{
	struct mpi_parcel *p = parcel_of(from, hop, lent);

	if (MPI_JUGGLES && from != mpi_node.id) {
		unload(p);
		mpi_deposit(p);
	} else {
		arrive_parcel(p);
	}
}

/* inside, in its turn; lent NULL: the data is aboard. false: no node of MPI's sends it */
static bool arrive(uint32_t from, struct me_hop *hop, const void *lent)
{
	const struct me_frame *frame = &hop->frame;
	const uint8_t kind = frame->kind;

	if (kind > ME_HOP_CHUNK)
		return mpi_room_hop(from, frame);
	if (!me_hop_is_sound(&mpi_node, from, hop))
		return false;
	if (kind == ME_ENVELOPE && frame->flags & ME_EAGER && !mpi_room_came(from, frame->bytes))
		return false;
	if (kind == ME_CLAIM && !mpi_room_gain(from, frame->reserved))
		return false;
	if (kind == ME_HOP_CHUNK || kind == ME_DATA) {
		if (hop->bytes)
			arrive_chunk(hop, lent);
		hop->frame.flags &= (uint8_t)~ME_WITH_DATA;
	}
	if (kind != ME_HOP_CHUNK)
		arrive_message(from, hop, lent);
	return true;
}

/* what a program may forge is no more than it has aboard, and lies on a traveller's stack */
static bool may_be_hop(const struct me_hop *hop)
{
	uint32_t at = (uint32_t)(uintptr_t)hop, top = PE_STACK_TOP(PE_SELF->tasklet);

	return (uintptr_t)hop % _Alignof(struct me_hop) == 0 && at < top &&
	       top - at >= sizeof(*hop) && top - at <= PE_TRAVELLER_STACK &&
	       (hop->bytes <= ME_HOP_BYTES || hop->bytes == parcel_aboard());
}

/*
 * Where it comes from is known, and nothing else: what no node of MPI's sends is dropped, as
 * its receiver is not to suffer for its sender.
 */
static void traveller(void *frame)
{
	uint32_t sender = parcel_sender();
	uint32_t from = sender == PE_HOST ? PE_SELF->nr_pes : sender - PE_SELF->first_pe;
	struct me_hop *hop = frame;
	bool forged = true;

	enter();
	if (from < mpi_node.size && from != mpi_node.id && may_be_hop(hop) &&
	    mpi_turn_await(from, hop->turn)) {
		forged = !arrive(from, hop, hop->bytes <= ME_HOP_BYTES ? hop->data : NULL);
		mpi_turn_pass(from);
	}
	mpi_node.counts.forged += forged;
	mpi_node_leave();
}

static void written_over(void)
{
	PE_SVC->fault(PE_FAULT_RUNTIME, (uintptr_t)&mpi_node,
		      "the program has written over MPI's memory");
}

/* inside: whoever has done that stops here, before others hear of it */
static void check_own_node(void)
{
	if (mpi_node.port != &mpi_port || mpi_node.id != PE_SELF->pe - PE_SELF->first_pe)
		written_over();
}

/* the gate is this tasklet's; waits where parcels have to */
static void send_abroad(struct me_hop *hop, uint32_t to, const void *data, uint32_t bytes)
{
	uint32_t pe = to == PE_SELF->nr_pes ? PE_HOST : PE_SELF->first_pe + to;
	struct mpi_peer_state peer;

	pe_enter();
	check_own_node();
	peer = mpi_peer_load(to);
	hop->turn = peer.sent++;
	mpi_peer_store(to, &peer);
	pe_leave();
	if (bytes <= ME_HOP_BYTES) {
		mpi_copy(hop->data, data, bytes);
		parcel_frame(pe, traveller, hop, sizeof(*hop));
	} else {
		parcel_bulk(pe, traveller, hop, sizeof(*hop), data, bytes, PE_ABOARD);
	}
}

static void send_hop(struct me_hop *hop, uint32_t to, const void *data, uint32_t bytes)
{
	hop->bytes = bytes;
	if (to != mpi_node.id) {
		send_abroad(hop, to, data, bytes);
		return;
	}
	enter();
	if (!arrive(to, hop, data))
		written_over();
	mpi_node_leave();
}

/* the next bytes of a large message: where they are, or put together */
static const void *next_chunk(const struct mpi_part *part, uint64_t at, uint32_t *n)
{
	uint32_t most = mpi_is_dense(part) ? PE_PAYLOAD_MAX : GATHERED;

	*n = *n < most ? *n : most;
	if (mpi_is_dense(part))
		return part->base + part->type->true_lb + at;
	pe_enter();
	mpi_stream(part, at, gathered, *n, false);
	pe_leave();
	return gathered;
}

/* what a claim came home for: all of it, the last chunk with what ends the receive */
static void send_job(const struct mpi_parcel *p, struct me_hop *hop)
{
	struct me_request *r = p->job;
	struct mpi_part part = mpi_part_of(&r->buffer);
	uint64_t bytes = r->buffer.bytes, at = 0;
	const void *data;
	uint32_t n;

	hop->frame.flags = ME_WITH_DATA;
	do {
		n = (uint32_t)(bytes - at);
		data = n ? next_chunk(&part, at, &n) : gathered;
		hop->frame.kind = at + n == bytes ? ME_DATA : ME_HOP_CHUNK;
		hop->frame.there[0] = at;
		send_hop(hop, p->to, data, n);
		at += n;
	} while (at < bytes);
	pe_enter();
	mpi_node.counts.hops++;
	r->parcel = NULL;
	me_request_end(&mpi_node, r, 0);
	pe_leave();
}

static void send_parcel(const struct mpi_parcel *p)
{
	struct me_hop hop = { .frame = p->parcel.frame };

	if (p->job)
		send_job(p, &hop);
	else
		send_hop(&hop, p->to, p->data, me_hop_has_data(&hop.frame) ? p->bytes : 0);
}

/* inside: the next one that leaves, unless somebody else sends */
static struct mpi_parcel *take_leaving(void)
{
	struct mpi_parcel *p = state.gate ? NULL : state.leaving;

	if (!p)
		return NULL;
	state.gate = true;
	state.leaving = p->next;
	if (!p->next)
		state.last = &state.leaving;
	return p;
}

void mpi_node_leave(void)
{
	struct mpi_parcel *p = take_leaving();

	pe_leave();
	while (p) {
		send_parcel(p);
		pe_enter();
		state.gate = false;
		mpi_parcel_free(p);
		p = take_leaving();
		pe_leave();
	}
}
