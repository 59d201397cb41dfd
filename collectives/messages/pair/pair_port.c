// SPDX-License-Identifier: MIT
/*
 * The engine's port to another process: one thread has the node, and what travels to the
 * other process leaves through the ring. Eager data is gathered in the ring itself, and
 * scattered from there where its receive is posted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/messages/arrows.h"
#include "collectives/messages/engine/receive.h"
#include "collectives/messages/pair/pair.h"
#include "collectives/messages/port.h"

/* so many parcels are kept, with room for so much data */
#define SPARES		256
#define SPARE_BYTES	512

static struct pair *port_pair(struct me_node *node)
{
	return pair_of(node->world);
}

static void *port_alloc(struct me_node *node, uint64_t bytes)
{
	(void)node;
	return malloc(bytes);
}

static void port_free(struct me_node *node, void *memory, uint64_t bytes)
{
	(void)node;
	(void)bytes;
	free(memory);
}

static void port_lock(struct me_node *node)
{
	(void)node;
}

static void port_unlock(struct me_node *node)
{
	pm_pair_drain_inbox(port_pair(node));
}

struct pair_parcel *pm_pair_parcel_new(struct pair *p, uint64_t bytes)
{
	struct pair_parcel *parcel = p->spare;
	uint64_t room = bytes > SPARE_BYTES ? (bytes + 15) & ~UINT64_C(15) : SPARE_BYTES;

	if (room == SPARE_BYTES && parcel) {
		p->spare = parcel->next;
		p->nr_spare--;
	} else {
		parcel = aligned_alloc(16, sizeof(*parcel) + room);
		if (!parcel)
			return NULL;
	}
	*parcel = (struct pair_parcel){ .room = room };
	if (bytes)
		parcel->data = parcel->own;
	return parcel;
}

void pm_pair_parcel_drop(struct pair *p, struct pair_parcel *parcel)
{
	if (parcel == p->arriving)
		p->arriving = NULL;
	if (parcel->room > SPARE_BYTES || p->nr_spare == SPARES) {
		free(parcel);
		return;
	}
	parcel->next = p->spare;
	p->spare = parcel;
	p->nr_spare++;
}

static struct me_parcel *port_parcel(struct me_node *node, uint64_t bytes)
{
	struct pair *p = port_pair(node);
	struct pair_parcel *parcel;
	uint8_t *data = NULL;

	if (bytes && bytes <= PAIR_MOST && !p->to_self && !p->backlog && !p->broken)
		data = pm_pair_reserve(p, bytes);
	parcel = pm_pair_parcel_new(p, data ? 0 : bytes);
	if (parcel && data)
		parcel->data = data;
	return parcel ? &parcel->parcel : NULL;
}

static void port_drop(struct me_node *node, struct me_parcel *parcel)
{
	pm_pair_parcel_drop(port_pair(node), (struct pair_parcel *)parcel);
}

static void port_append(struct pair_parcel **first, struct pair_parcel **last,
			struct pair_parcel *parcel)
{
	parcel->next = NULL;
	if (*first)
		(*last)->next = parcel;
	else
		*first = parcel;
	*last = parcel;
}

/* where the data is that an envelope leaves behind */
static void port_describe(struct pair *p, struct me_frame *frame)
{
	const struct me_request *send = me_request_of(pair_node(p), frame->send, ME_SEND,
						      ME_ACTIVE);
	struct pair_place place = { .where = PAIR_NOWHERE };

	if (send && !p->broken)
		pm_pair_describe(p, &send->buffer, true, &place);
	memcpy(frame->there, &place, sizeof(place));
}

static void port_travel(struct me_node *node, uint32_t to, struct me_parcel *travels)
{
	struct pair *p = port_pair(node);
	struct pair_parcel *parcel = (struct pair_parcel *)travels;
	struct me_frame *frame = &travels->frame;

	if (parcel == p->arriving)
		p->arriving = NULL;
	if (to == p->me) {
		port_append(&p->inbox, &p->last_inbox, parcel);
		return;
	}
	parcel->head.kind = PAIR_PARCEL;
	parcel->head.bytes = 0;
	if (frame->kind == ME_ENVELOPE && frame->flags & ME_EAGER)
		parcel->head.bytes = (uint32_t)frame->bytes;
	else if (frame->kind == ME_ENVELOPE)
		port_describe(p, frame);
	parcel->head.frame = *frame;
	if (frame->kind == ME_CLAIM && !(frame->flags & ME_DROP))
		pm_pair_claim(p, parcel);
	else
		pm_pair_post(p, parcel);
}

/* of the other's pool, which is asked where what is known of it does not do */
static uint64_t port_room_there(struct pair *p, uint64_t bytes)
{
	uint64_t used = p->sent - p->seen_returned;

	if (bytes <= p->room_there - used)
		return p->room_there - used;
	p->seen_returned = atomic_load_explicit(&p->theirs->returned, memory_order_acquire);
	used = p->sent - p->seen_returned;
	if (used <= p->room_there)
		return p->room_there - used;
	pm_pair_lied(p, "it gives back more of its pool than was used");
	p->seen_returned = p->sent - p->room_there;
	return 0;
}

bool pm_pair_pool_take(struct pair *p, uint64_t bytes)
{
	if (bytes > PAIR_MOST || bytes > port_room_there(p, bytes))
		return false;
	p->sent += bytes;
	return true;
}

void pm_pair_pool_return(struct pair *p, uint64_t bytes)
{
	p->returned += bytes;
	atomic_store_explicit(&p->mine->returned, p->returned, memory_order_release);
}

static bool port_reserve(struct me_node *node, uint32_t whose, uint64_t bytes)
{
	struct pair *p = port_pair(node);

	p->to_self = whose == p->me;
	if (p->to_self) {
		if (bytes > p->world.room - p->held)
			return false;
		p->held += bytes;
		return true;
	}
	return pm_pair_pool_take(p, bytes);
}

static void port_unreserve(struct me_node *node, uint32_t whose, uint32_t by,
			   uint64_t bytes)
{
	struct pair *p = port_pair(node);

	if (whose != p->me) {
		p->sent -= bytes;
	} else if (by == p->me) {
		p->held -= bytes;
	} else if (bytes) {
		pm_pair_pool_return(p, bytes);
	}
}

static int port_gather(struct me_node *node, const struct me_buffer *from,
		       struct me_parcel *parcel)
{
	struct pair *p = port_pair(node);
	uint8_t *data = ((struct pair_parcel *)parcel)->data;

	enum pair_phase before = pm_pair_phase(p, PAIR_PHASE_COPIES);
	int ret;

	if (p->reserved && data == p->reserved)
		pm_pair_ask(p, pm_buffer_is_run(from));
	ret = pm_gather(node->world, from, data);
	pm_pair_phase(p, before);
	return ret;
}

static int port_scatter(struct me_node *node, const struct me_buffer *to,
			const struct me_parcel *parcel)
{
	struct pair *p = port_pair(node);
	enum pair_phase before = pm_pair_phase(p, PAIR_PHASE_COPIES);
	int ret = pm_scatter(node->world, to, parcel->frame.bytes,
			     ((const struct pair_parcel *)parcel)->data);

	pm_pair_phase(p, before);
	return ret;
}

static int port_put(struct me_node *node, struct me_request *send,
		    struct me_parcel **parcel, uint32_t to)
{
	struct pair *p = port_pair(node);
	struct me_buffer there = { .bytes = send->buffer.bytes };

	if (to != p->me)
		return pm_pair_put(p, send, (struct pair_parcel *)*parcel);
	memcpy(there.words, (*parcel)->frame.there, sizeof(there.words));
	return pm_copy_buffers(&p->world, &there, &send->buffer);
}

const struct me_port pm_pair_port = {
	.alloc = port_alloc,
	.free = port_free,
	.lock = port_lock,
	.unlock = port_unlock,
	.parcel = port_parcel,
	.drop = port_drop,
	.travel = port_travel,
	.reserve = port_reserve,
	.unreserve = port_unreserve,
	.gather = port_gather,
	.scatter = port_scatter,
	.put = port_put,
	.agree = pm_port_agree,
	.met = pm_arrow_ends,
	.done = pm_port_done,
	.wake = pm_port_wake,
};

void pm_pair_drain_inbox(struct pair *p)
{
	while (p->inbox) {
		struct pair_parcel *parcel = p->inbox;

		p->inbox = parcel->next;
		if (me_arrive(pair_node(p), &parcel->parcel))
			pm_pair_parcel_drop(p, parcel);
	}
}

/* the data of a message that nobody has posted a receive for leaves the ring */
static void port_keep(struct pair *p, struct pair_parcel *parcel, uint8_t *data)
{
	uint64_t bytes = parcel->head.bytes;

	p->arriving = NULL;
	parcel->data = NULL;
	if (!bytes)
		return;
	memcpy(parcel->own, data, bytes);
	parcel->data = parcel->own;
}

static int port_arrive_envelope(struct pair *p, const struct pair_head *head, uint8_t *data)
{
	const struct me_frame *frame = &head->frame;
	bool eager = frame->flags & ME_EAGER;
	struct pair_parcel *parcel;

	if (frame->flags & ~(ME_EAGER | ME_SYNC) || frame->bytes > INT64_MAX ||
	    head->bytes != (eager ? frame->bytes : 0) || frame->tag < 0 ||
	    frame->status > 0 || frame->status < -4095)
		return pm_pair_lied(p, "an envelope of %u bytes has flags %u",
				 head->bytes, frame->flags);
	if (eager && frame->bytes > p->world.room - (p->arrived - p->returned))
		return pm_pair_lied(p, "its messages need more than the pool of %llu bytes",
				 (unsigned long long)p->world.room);
	parcel = pm_pair_parcel_new(p, head->bytes);
	if (!parcel)
		return -ENOMEM;
	if (eager)
		p->arrived += frame->bytes;
	parcel->head = *head;
	memcpy(&parcel->place, frame->there, sizeof(parcel->place));
	parcel->data = data;
	parcel->parcel.frame = *frame;
	parcel->parcel.frame.from = p->other;
	parcel->parcel.frame.home = p->me;
	p->arriving = parcel;
	/* the engine has looked at all that it asks of an envelope's frame */
	me_arrive(pair_node(p), &parcel->parcel);
	if (p->arriving)
		port_keep(p, parcel, data);
	return 0;
}

/* only in one design the sender copies */
static bool port_may_want(const struct pair *p, const struct me_frame *frame)
{
	struct pair_place place;

	memcpy(&place, frame->there, sizeof(place));
	return p->design == PD_ZEROCOPY_AUTO || !(place.flags & PAIR_COPIES);
}

/* answers to a send that runs, and that nobody has answered */
static int port_arrive_answer(struct pair *p, const struct pair_head *head)
{
	const struct me_frame *frame = &head->frame;
	const struct me_request *send = me_request_of(pair_node(p), frame->send, ME_SEND,
						      ME_ACTIVE);
	struct pair_parcel *parcel;
	bool claims = frame->kind == ME_CLAIM && !(frame->flags & ME_DROP);

	if (!send || send->peer != p->other || send->parcel ||
	    (claims && (head->slot >= PAIR_SLOTS || p->out[head->slot].used ||
			head->way >= PAIR_WAYS || !port_may_want(p, frame))))
		return pm_pair_lied(p, "it answers what nobody has sent");
	parcel = pm_pair_parcel_new(p, 0);
	if (!parcel)
		return -ENOMEM;
	parcel->head = *head;
	memcpy(&parcel->place, frame->there, sizeof(parcel->place));
	parcel->parcel.frame = *frame;
	parcel->parcel.frame.home = p->other;
	me_arrive(pair_node(p), &parcel->parcel);
	return 0;
}

static int port_arrive_parcel(struct pair *p, const struct pair_head *head, uint8_t *data)
{
	switch (head->frame.kind) {
	case ME_ENVELOPE:
		return port_arrive_envelope(p, head, data);
	case ME_CLAIM:
	case ME_MATCHED:
		return port_arrive_answer(p, head);
	case ME_DATA:
		return pm_pair_arrive_end(p, head);
	default:
		return pm_pair_lied(p, "a traveller of kind %u", head->frame.kind);
	}
}

static int port_arrive(struct pair *p, const struct pair_head *head, uint8_t *data)
{
	switch (head->kind) {
	case PAIR_PARCEL:
		return port_arrive_parcel(p, head, data);
	case PAIR_DATA:
		return pm_pair_arrive_data(p, head, data);
	case PAIR_LAYOUT:
		return pm_pair_arrive_layout(p, head, data);
	case PAIR_RUNS:
		return pm_pair_arrive_runs(p, head, data);
	case PAIR_ASK:
		return pm_pair_arrive_ask(p, head);
	case PAIR_FREED:
		return pm_pair_arrive_freed(p, head);
	default:
		return pm_pair_lied(p, "a message of kind %u", head->kind);
	}
}

int pm_pair_arrive(struct pair *p, const struct pair_head *head, uint8_t *data)
{
	bool told = head->kind == PAIR_LAYOUT || head->kind == PAIR_RUNS;
	int ret;

	pm_pair_phase(p, told ? PAIR_PHASE_TELLS : PAIR_PHASE_REST);
	ret = port_arrive(p, head, data);
	pm_pair_phase(p, PAIR_PHASE_REST);
	return ret;
}
