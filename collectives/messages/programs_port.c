// SPDX-License-Identifier: MIT
/*
 * The engine's port to PE programs: parcels as tools/upmem/pe/mpi sends and takes them. One
 * thread has the node. Large messages go a chunk at a time; elements are not compared, as
 * programs know signatures of their own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/messages/engine/receive.h"
#include "collectives/messages/payload.h"
#include "collectives/messages/port.h"
#include "collectives/messages/programs_port.h"
#include "collectives/messages/waits.h"

/* what the host lends at once, in messages like the one that had no room, and in all to a PE */
#define LENT_MESSAGES	4u
#define LENT_MOST	(1u << 12)	/* grains, its share included */

static struct pm_programs *port_of(struct me_node *node)
{
	return pm_programs_of(node->world);
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
	pm_hop_drain(port_of(node));
}

static struct pm_hop_parcel *parcel_new(uint64_t bytes)
{
	struct pm_hop_parcel *p = aligned_alloc(16, (sizeof(*p) + bytes + 15) & ~UINT64_C(15));

	if (p) {
		memset(p, 0, sizeof(*p));
		p->bytes = bytes;
	}
	return p;
}

static struct me_parcel *port_parcel(struct me_node *node, uint64_t bytes)
{
	struct pm_hop_parcel *p = parcel_new(bytes);

	(void)node;
	return p ? &p->parcel : NULL;
}

static void port_drop(struct me_node *node, struct me_parcel *parcel)
{
	(void)node;
	free(parcel);
}

/* 0, -EPIPE or -ENOMEM; data of more than a frame has room for goes behind it */
static int send_hop(struct pm_programs *p, uint32_t to, const struct me_frame *frame,
		    const uint8_t *data, uint32_t bytes)
{
	struct me_hop hop = {
		.frame = *frame,
		.turn = p->programs[to].sent,
		.bytes = bytes,
	};
	struct pd_parcel parcel = {
		.p = {
			.pe = p->world.first_pe + to,
			.entry = p->programs[to].entry,
			.bytes = sizeof(hop),
			.to_mram = PE_ABOARD,
		},
	};
	int ret;

	if (bytes > ME_HOP_BYTES) {
		parcel.payload = malloc(bytes);
		if (!parcel.payload)
			return -ENOMEM;
		memcpy(parcel.payload, data, bytes);
		parcel.p.payload = bytes;
	} else if (bytes) {
		memcpy(hop.data, data, bytes);
	}
	hop.frame.signature = 0;
	memcpy(parcel.p.frame, &hop, sizeof(hop));
	if (p->programs[to].entry) {
		ret = pd_guest_send(p->guest, &parcel);
	} else {
		ret = pd_inbox_put(&p->early, &parcel) ? 0 : -ENOMEM;
		if (ret)
			free(parcel.payload);
	}
	if (!ret)
		p->programs[to].sent++;
	return ret;
}

/* The host has memory to lend: what a message had no room for may come, several times. */
static uint16_t lend(struct pm_program *to, const struct me_node *node, uint64_t bytes)
{
	uint64_t grains = LENT_MESSAGES * me_room(bytes);

	if (bytes >= node->eager_bytes || to->credit.lent + grains > LENT_MOST)
		return 0;
	me_credit_lend(&to->credit, (uint32_t)grains);
	return (uint16_t)grains;
}

static void port_travel(struct me_node *node, uint32_t to, struct me_parcel *parcel)
{
	struct pm_hop_parcel *hop = (struct pm_hop_parcel *)parcel;
	struct pm_programs *p = port_of(node);
	struct me_frame *frame = &parcel->frame;

	if (to != node->id) {
		if (frame->kind == ME_CLAIM)
			frame->reserved = frame->flags & ME_DROP ? 0 :
					  lend(&p->programs[to], node, frame->bytes);
		/* without memory for it its peer waits until the launch is over */
		send_hop(p, to, frame, hop->data,
			 me_hop_has_data(frame) ? (uint32_t)frame->bytes : 0);
		free(hop);
		return;
	}
	hop->next = NULL;
	if (p->inbox)
		p->last_inbox->next = hop;
	else
		p->inbox = hop;
	p->last_inbox = hop;
}

void pm_hop_drain(struct pm_programs *p)
{
	while (p->inbox) {
		struct pm_hop_parcel *hop = p->inbox;

		p->inbox = hop->next;
		if (me_arrive(&p->world.nodes->node, &hop->parcel))
			free(hop);
	}
}

static bool port_reserve(struct me_node *node, uint32_t whose, uint64_t bytes)
{
	struct pm_programs *p = port_of(node);

	if (whose != node->id)
		return me_credit_take(&p->programs[whose].credit, bytes);
	if (bytes > p->world.room - p->held)
		return false;
	p->held += bytes;
	return true;
}

static void port_unreserve(struct me_node *node, uint32_t whose, uint32_t by, uint64_t bytes)
{
	struct pm_programs *p = port_of(node);
	struct me_frame credit = { .kind = ME_HOP_CREDIT };
	struct pm_program *of;

	if (whose != node->id) {
		me_credit_untake(&p->programs[whose].credit, bytes);
		return;
	}
	if (by == node->id) {
		p->held -= bytes;
		return;
	}
	of = &p->programs[by];
	credit.bytes = me_credit_freed(&of->credit, bytes);
	if (credit.bytes && !send_hop(p, by, &credit, NULL, 0))
		me_credit_told(&of->credit);
}

static int port_gather(struct me_node *node, const struct me_buffer *from,
		       struct me_parcel *parcel)
{
	return pm_gather(node->world, from, ((struct pm_hop_parcel *)parcel)->data);
}

static int port_scatter(struct me_node *node, const struct me_buffer *to,
			const struct me_parcel *parcel)
{
	return pm_scatter(node->world, to, parcel->frame.bytes,
			  ((const struct pm_hop_parcel *)parcel)->data);
}

/* all of it before the hop that ends the receive */
static int port_put(struct me_node *node, struct me_request *send,
		    struct me_parcel **parcel, uint32_t to)
{
	struct me_frame chunk = (*parcel)->frame;
	struct me_buffer there = { .bytes = send->buffer.bytes };
	uint64_t bytes = send->buffer.bytes, n;
	uint8_t *data;
	int ret = 0;

	if (to == node->id) {
		memcpy(there.words, chunk.there, sizeof(there.words));
		return pm_copy_buffers(node->world, &there, &send->buffer);
	}
	data = malloc(PE_PAYLOAD_MAX);
	if (!data)
		return -ENOMEM;
	chunk.kind = ME_HOP_CHUNK;
	chunk.flags = ME_WITH_DATA;
	for (uint64_t at = 0; at < bytes && !ret; at += n) {
		n = bytes - at < PE_PAYLOAD_MAX ? bytes - at : PE_PAYLOAD_MAX;
		chunk.there[0] = at;
		ret = pm_buffer_stream(node->world, &send->buffer, at, data, n, false);
		if (!ret)
			ret = send_hop(port_of(node), to, &chunk, data, (uint32_t)n);
	}
	free(data);
	return ret;
}

const struct me_port pm_hop_port = {
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
	.done = pm_port_done,
	.wake = pm_port_wake,
};

static int arrive_message(struct pm_programs *p, uint32_t from, const struct me_hop *hop,
			  const uint8_t *data)
{
	struct pm_hop_parcel *parcel = parcel_new(hop->bytes);

	if (!parcel)
		return -ENOMEM;
	parcel->parcel.frame = hop->frame;
	parcel->parcel.frame.home = hop->frame.kind == ME_ENVELOPE ? p->world.host_node : from;
	parcel->parcel.frame.signature = 0;
	memcpy(parcel->data, data, hop->bytes);
	if (me_arrive(&p->world.nodes->node, &parcel->parcel)) {
		free(parcel);
		return -EBADMSG;
	}
	return 0;
}

/* of a receive that has claimed it; its last hop is the engine's, then without data */
static int arrive_data(struct pm_programs *p, uint32_t from, struct me_hop *hop,
		       const uint8_t *data)
{
	struct me_node *node = &p->world.nodes->node;
	const struct me_request *r = me_request_of(node, hop->frame.receive, ME_RECEIVE,
						   ME_CLAIMED);

	if (hop->bytes && pm_buffer_stream(&p->world, &r->buffer, hop->frame.there[0],
					   (uint8_t *)(uintptr_t)data, hop->bytes, true))
		return -EBADMSG;
	if (hop->frame.kind == ME_HOP_CHUNK)
		return 0;
	hop->frame.flags &= (uint8_t)~ME_WITH_DATA;
	hop->bytes = 0;
	return arrive_message(p, from, hop, data);
}

/* either's share of the other's pool, once */
static bool arrive_hello(struct pm_program *of, uint64_t grains)
{
	if (of->share || grains > ME_CREDIT_MAX / 2)
		return false;
	of->share = (uint32_t)grains;
	me_credit_lend(&of->credit, of->share);
	return me_credit_gain(&of->credit, grains);
}

/* what was lent besides, and is not taken, is asked back */
static void arrive_recall(struct pm_programs *p, uint32_t from)
{
	struct pm_program *of = &p->programs[from];
	struct me_frame frame = { .kind = ME_HOP_RETURN };

	if (of->credit.ours <= of->share)
		return;
	frame.bytes = of->credit.ours - of->share;
	if (!send_hop(p, from, &frame, NULL, 0))
		of->credit.ours = of->share;
}

static bool arrive_room(struct pm_programs *p, uint32_t from, const struct me_frame *frame)
{
	struct pm_program *of = &p->programs[from];

	switch (frame->kind) {
	case ME_HOP_HELLO:
		return arrive_hello(of, frame->bytes);
	case ME_HOP_CREDIT:
		return me_credit_gain(&of->credit, frame->bytes);
	case ME_HOP_RECALL:
		arrive_recall(p, from);
		return true;
	default:
		return false;
	}
}

/* what an eager message takes, and what a claim brings */
static bool arrive_credit(struct pm_program *of, const struct me_frame *frame)
{
	if (frame->kind == ME_ENVELOPE && frame->flags & ME_EAGER)
		return me_credit_came(&of->credit, frame->bytes);
	return frame->kind != ME_CLAIM || me_credit_gain(&of->credit, frame->reserved);
}

static int arrive_hop(struct pm_programs *p, uint32_t from, struct me_hop *hop,
		      const uint8_t *data)
{
	if (hop->frame.kind > ME_HOP_CHUNK)
		return arrive_room(p, from, &hop->frame) ? 0 : -EBADMSG;
	if (!me_hop_is_sound(&p->world.nodes->node, from, hop) ||
	    !arrive_credit(&p->programs[from], &hop->frame))
		return -EBADMSG;
	if (hop->frame.kind == ME_HOP_CHUNK || hop->frame.kind == ME_DATA)
		return arrive_data(p, from, hop, data);
	return arrive_message(p, from, hop, data);
}

/* now it is known where a PE's travellers begin: its own program's business, and its risk */
static void send_early(struct pm_programs *p, uint32_t pe, uint64_t entry)
{
	for (uint32_t n = pd_inbox_count(&p->early); n--;) {
		struct pd_parcel parcel = *pd_inbox_at(&p->early, 0);

		pd_inbox_drop(&p->early, 1);
		if (parcel.p.pe == pe) {
			parcel.p.entry = entry;
			pd_guest_send(p->guest, &parcel);
		} else if (!pd_inbox_put(&p->early, &parcel)) {
			free(parcel.payload);
		}
	}
}

static void learn_entry(struct pm_programs *p, const struct pd_parcel *parcel)
{
	struct pm_program *of = &p->programs[parcel->from - p->world.first_pe];

	if (of->entry)
		return;
	of->entry = parcel->p.entry;
	send_early(p, parcel->from, of->entry);
}

void pm_hop_arrive(struct pm_programs *p, const struct pd_parcel *parcel)
{
	const uint32_t from = parcel->from - p->world.first_pe;
	const uint8_t *data = parcel->payload;
	struct me_hop hop;
	int ret = -EBADMSG;

	learn_entry(p, parcel);
	if (parcel->p.bytes == sizeof(hop)) {
		memcpy(&hop, parcel->p.frame, sizeof(hop));
		if (hop.bytes <= ME_HOP_BYTES)
			data = hop.data;
		if (data == hop.data || hop.bytes == parcel->p.payload)
			ret = arrive_hop(p, from, &hop, data);
	}
	if (ret)
		p->world.nodes->node.counts.forged++;
}
