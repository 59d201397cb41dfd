// SPDX-License-Identifier: MIT
/*
 * Rendezvous with another process. The receiver claims a message by one of its slots, by
 * which both name it from then on, until the sender says that it is through.
 */
#include <errno.h>
#include <string.h>

#include "collectives/messages/engine/send.h"
#include "collectives/messages/pair/pair.h"

static uint32_t transfer_slot(const struct pair *p)
{
	uint32_t slot = 0;

	while (slot < PAIR_SLOTS && p->in[slot].used)
		slot++;
	return slot;
}

static void transfer_start(struct pair *p, struct pair_parcel *claim, uint32_t slot)
{
	struct pair_transfer *t = &p->in[slot];

	*t = (struct pair_transfer){
		.request = me_request_of(pair_node(p), claim->head.frame.receive, ME_RECEIVE,
					 ME_CLAIMED),
		.used = true,
		.way = PAIR_PACKED,
		.total = claim->head.frame.bytes,
	};
	p->nr_in++;
	claim->head.slot = slot;
	claim->head.way = t->way;
	pm_pair_post(p, claim);
}

void pm_pair_claim(struct pair *p, struct pair_parcel *claim)
{
	uint32_t slot = p->claims ? PAIR_SLOTS : transfer_slot(p);

	if (p->broken) {
		pm_pair_parcel_drop(p, claim);
		return;
	}
	if (slot < PAIR_SLOTS) {
		transfer_start(p, claim, slot);
		return;
	}
	claim->next = NULL;
	if (p->claims)
		p->last_claims->next = claim;
	else
		p->claims = claim;
	p->last_claims = claim;
}

/* of the receiver: the request is done, the slot is not free yet */
static void transfer_received(struct pair *p, struct pair_transfer *t, int error)
{
	struct me_request *r = t->request;

	t->ended = true;
	t->request = NULL;
	me_request_end(pair_node(p), r, error);
}

int pm_pair_arrive_data(struct pair *p, const struct pair_head *head, const uint8_t *data)
{
	struct pair_transfer *t = &p->in[head->slot % PAIR_SLOTS];

	if (head->slot >= PAIR_SLOTS || !t->used || t->ended || t->way != PAIR_PACKED ||
	    head->at != t->at || !head->bytes || head->bytes > t->total - t->at)
		return pm_pair_lied(p, "%u bytes of data that nobody waits for", head->bytes);
	if (!t->error)
		t->error = pm_buffer_stream(&p->world, &t->request->buffer, t->at,
					    (uint8_t *)(uintptr_t)data, head->bytes, true);
	t->at += head->bytes;
	p->stats.packed_bytes += head->bytes;
	if (t->at == t->total)
		transfer_received(p, t, t->error);
	return 0;
}

int pm_pair_arrive_end(struct pair *p, const struct pair_head *head)
{
	struct pair_transfer *t = &p->in[head->slot % PAIR_SLOTS];
	int status = head->frame.status;

	if (head->slot >= PAIR_SLOTS || !t->used || status > 0 || status < -4095 ||
	    (!t->ended && !status && t->total))
		return pm_pair_lied(p, "the end of what nobody has begun");
	if (!t->ended)
		transfer_received(p, t, status);
	t->used = false;
	p->nr_in--;
	if (p->claims) {
		struct pair_parcel *claim = p->claims;

		p->claims = claim->next;
		transfer_start(p, claim, head->slot);
	}
	return 0;
}

int pm_pair_put(struct pair *p, struct me_request *send, struct pair_parcel *claim)
{
	struct pair_transfer *t = &p->out[claim->head.slot];

	if (!send->buffer.bytes)
		return 0;
	*t = (struct pair_transfer){
		.request = send,
		.used = true,
		.way = claim->head.way,
		.total = send->buffer.bytes,
	};
	p->nr_out++;
	p->nr_packed++;
	return ME_LATER;
}

static void transfer_sent(struct pair *p, struct pair_transfer *t, int error)
{
	t->used = false;
	p->nr_out--;
	p->nr_packed--;
	me_put_done(pair_node(p), t->request, error);
}

/* as much as the ring has room for */
static void transfer_pack(struct pair *p, struct pair_transfer *t, uint32_t slot)
{
	while (t->used && !p->backlog) {
		uint64_t bytes = t->total - t->at < PAIR_BLOCK ? t->total - t->at : PAIR_BLOCK;
		struct pair_head head = { .kind = PAIR_DATA, .bytes = (uint32_t)bytes,
					  .slot = slot, .at = t->at };
		uint8_t *data = pm_pair_reserve(p, bytes);
		int error;

		if (!data)
			return;
		error = pm_buffer_stream(&p->world, &t->request->buffer, t->at, data, bytes,
					 false);
		if (error) {
			pm_pair_cancel(p);
			transfer_sent(p, t, error);
			return;
		}
		pm_pair_commit(p, &head);
		t->at += bytes;
		if (t->at == t->total)
			transfer_sent(p, t, 0);
	}
}

void pm_pair_move(struct pair *p)
{
	for (uint32_t slot = 0; slot < PAIR_SLOTS && p->nr_out; slot++) {
		if (p->out[slot].used)
			transfer_pack(p, &p->out[slot], slot);
	}
}

void pm_pair_transfers_drop(struct pair *p)
{
	memset(p->in, 0, sizeof(p->in));
	memset(p->out, 0, sizeof(p->out));
	p->nr_in = p->nr_out = p->nr_packed = 0;
}
