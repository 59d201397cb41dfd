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

static void transfer_in_parts(struct pair *p, struct pair_transfer *t, bool in_parts)
{
	p->nr_parts += (uint32_t)in_parts - (uint32_t)t->in_parts;
	t->in_parts = in_parts;
}

static bool transfer_is_mapped(const struct pair_place *place)
{
	return place->where == PAIR_MAPPED || place->where == PAIR_WINDOW;
}

/* whether the sender can reach the own buffer, and nobody better copies */
static bool transfer_you(const struct pair *p, const struct pair_transfer *t)
{
	if (!(t->there.flags & PAIR_COPIES))
		return false;
	return transfer_is_mapped(&t->here) ||
	       (t->here.where == PAIR_PRIVATE && t->there.where == PAIR_PRIVATE &&
		!p->is_refused);
}

/* who is to copy, if anybody can: what the claim tells the sender */
static void transfer_decide(struct pair *p, struct pair_transfer *t, bool reached)
{
	bool you = transfer_you(p, t);

	t->alone = you && !reached;
	t->here.flags = (you ? PAIR_COPIES : 0) | (t->alone ? PAIR_ALONE : 0);
	if (reached || you)
		pm_pair_parts_begin(t);
	/* what a list named has been copied */
	t->copies = reached && !t->listed;
	transfer_in_parts(p, t, t->way == PAIR_PARTS);
	memcpy(t->claim->head.frame.there, &t->here, sizeof(t->here));
}

/* where memory that both map is at one end alone, who has it mapped copies alone */
static int transfer_look(struct pair *p, struct pair_transfer *t)
{
	if (!t->total)
		return PAIR_UNREACHED;
	if (!t->described)
		pm_pair_describe(p, &t->request->buffer, false, &t->here);
	t->described = true;
	if (t->there.where == PAIR_PRIVATE && transfer_is_mapped(&t->here) &&
	    t->there.flags & PAIR_COPIES)
		return PAIR_UNREACHED;
	return pm_pair_reach(p, t, false);
}

/* of the receiver: the request is done, the slot is not free yet */
static void transfer_received(struct pair *p, struct pair_transfer *t, int error)
{
	struct me_request *r = t->request;

	t->ended = true;
	t->request = NULL;
	t->copies = false;
	transfer_in_parts(p, t, false);
	pm_pair_unreach(p, t);
	me_request_end(pair_node(p), r, error);
}

static void transfer_free(struct pair *p, struct pair_transfer *t)
{
	t->used = false;
	p->answered[1] &= ~(UINT64_C(1) << (t - p->in));
	p->nr_in--;
}

/*
 * What is one part is copied as it is claimed, as the other end could only watch, and the sender is
 * told no more than that its message has been received. Not so where it knows of the slot, as it has
 * been asked for its layout, and where a list has been copied by now.
 */
static bool transfer_at_once(struct pair *p, struct pair_transfer *t)
{
	struct pair_parcel *claim = t->claim;
	int error;

	pm_pair_parts_begin(t);
	if (!t->mapped || t->asked || t->listed || t->nr > 1)
		return false;
	error = pm_pair_copy(p, t, false, 0, t->total);
	p->stats.mapped_bytes += error ? 0 : t->total;
	t->claim = NULL;
	transfer_received(p, t, error);
	transfer_free(p, t);
	claim->head.frame.kind = ME_MATCHED;
	pm_pair_post(p, claim);
	return true;
}

/* as soon as all that is to be known of the sender's buffer is there */
static void transfer_claim(struct pair *p, struct pair_transfer *t, uint32_t slot)
{
	struct pair_parcel *claim = t->claim;
	int ret = transfer_look(p, t);

	if (ret == PAIR_NOT_YET) {
		transfer_in_parts(p, t, true);
		if (!t->asked)
			t->asked = pm_pair_layout_ask(p, t, slot, true);
	}
	if (ret < 0 || ret == PAIR_NOT_YET || (ret == PAIR_READY && transfer_at_once(p, t)))
		return;
	transfer_decide(p, t, ret == PAIR_READY);
	atomic_store(&p->mine->slots[slot].next, 0);
	atomic_store(&p->mine->slots[slot].done, t->listed ? t->nr : 0);
	t->claim = NULL;
	claim->head.slot = slot;
	claim->head.way = t->way;
	pm_pair_post(p, claim);
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
		.there = claim->place,
		.claim = claim,
	};
	p->nr_in++;
	transfer_claim(p, t, slot);
}

/* the next claim may leave its slot free at once */
static void transfer_start_waiting(struct pair *p)
{
	uint32_t slot;

	while (p->claims && (slot = transfer_slot(p)) < PAIR_SLOTS) {
		struct pair_parcel *claim = p->claims;

		p->claims = claim->next;
		transfer_start(p, claim, slot);
	}
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

int pm_pair_arrive_data(struct pair *p, const struct pair_head *head, const uint8_t *data)
{
	struct pair_transfer *t = &p->in[head->slot % PAIR_SLOTS];

	/* of one that the sender alone was to copy, and cannot */
	if (head->slot < PAIR_SLOTS && t->alone && !t->claim && !t->ended) {
		transfer_in_parts(p, t, false);
		t->way = PAIR_PACKED;
	}
	if (head->slot >= PAIR_SLOTS || !t->used || t->ended || t->claim ||
	    t->way != PAIR_PACKED || head->at != t->at || !head->bytes ||
	    head->bytes > t->total - t->at)
		return pm_pair_lied(p, "%u bytes of data that nobody waits for", head->bytes);
	pm_pair_phase(p, PAIR_PHASE_COPIES);
	if (!t->error)
		t->error = pm_buffer_stream(&p->world, &t->request->buffer, t->at,
					    (uint8_t *)(uintptr_t)data, head->bytes, true);
	pm_pair_phase(p, PAIR_PHASE_REST);
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

	if (head->slot >= PAIR_SLOTS || !t->used || t->claim || status > 0 || status < -4095 ||
	    (!t->ended && !status && t->total &&
	     !(t->in_parts && pm_pair_parts_done(t, &p->mine->slots[head->slot]))))
		return pm_pair_lied(p, "the end of what nobody has begun");
	if (!t->ended)
		transfer_received(p, t, status ? status : t->error);
	transfer_free(p, t);
	transfer_start_waiting(p);
	return 0;
}

/* what the receiver wants of it; by the ring where it cannot be done */
static void transfer_reach(struct pair *p, struct pair_transfer *t, uint32_t slot)
{
	int ret;

	/* what is private there is only named where both ends' runs are long */
	t->here.where = PAIR_PRIVATE;
	ret = pm_pair_reach(p, t, true);
	t->wants = ret == PAIR_NOT_YET;
	t->copies = ret == PAIR_READY;
	if (t->wants && !t->asked)
		t->asked = pm_pair_layout_ask(p, t, slot, false);
	if (ret == PAIR_UNREACHED && t->there.flags & PAIR_ALONE) {
		transfer_in_parts(p, t, false);
		t->way = PAIR_PACKED;
		p->nr_packed++;
	}
}

int pm_pair_put(struct pair *p, struct me_request *send, struct pair_parcel *claim)
{
	const uint32_t slot = claim->head.slot;
	struct pair_transfer *t = &p->out[slot];

	if (!send->buffer.bytes)
		return 0;
	*t = (struct pair_transfer){
		.request = send,
		.used = true,
		.way = claim->head.way,
		.total = send->buffer.bytes,
		.there = claim->place,
	};
	p->nr_out++;
	if (t->way == PAIR_PACKED) {
		p->nr_packed++;
		return ME_LATER;
	}
	pm_pair_parts_begin(t);
	transfer_in_parts(p, t, true);
	if (t->there.flags & PAIR_COPIES)
		transfer_reach(p, t, slot);
	return ME_LATER;
}

static void transfer_sent(struct pair *p, struct pair_transfer *t, int error)
{
	t->used = false;
	p->answered[0] &= ~(UINT64_C(1) << (t - p->out));
	p->nr_out--;
	p->nr_packed -= t->way == PAIR_PACKED;
	transfer_in_parts(p, t, false);
	pm_pair_unreach(p, t);
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
		pm_pair_phase(p, PAIR_PHASE_COPIES);
		pm_pair_ask(p, pm_buffer_is_run(&t->request->buffer));
		error = pm_buffer_stream(&p->world, &t->request->buffer, t->at, data, bytes,
					 false);
		pm_pair_phase(p, PAIR_PHASE_REST);
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

/* what this end receives */
static void transfer_move_in(struct pair *p, uint32_t slot)
{
	struct pair_transfer *t = &p->in[slot];

	/* what a list names has been copied, or could not be asked for */
	if (t->claim && (!t->asked || t->listed == t->total))
		transfer_claim(p, t, slot);
	if (!t->claim && t->in_parts &&
	    pm_pair_parts_move(p, t, &p->mine->slots[slot], false) == PAIR_READY)
		transfer_received(p, t, t->error);
}

static void transfer_move_out(struct pair *p, uint32_t slot)
{
	struct pair_transfer *t = &p->out[slot];
	int ret;

	if (t->way == PAIR_PACKED) {
		transfer_pack(p, t, slot);
		return;
	}
	if (t->wants && !t->asked)
		transfer_reach(p, t, slot);
	if (!t->in_parts)
		return;
	ret = pm_pair_parts_move(p, t, &p->theirs->slots[slot], true);
	if (ret != PAIR_NOT_YET)
		transfer_sent(p, t, ret);
}

void pm_pair_move(struct pair *p)
{
	pm_pair_lists_move(p);
	for (uint32_t slot = 0; slot < PAIR_SLOTS && p->nr_parts && !p->broken; slot++) {
		if (p->in[slot].in_parts)
			transfer_move_in(p, slot);
	}
	for (uint32_t slot = 0; slot < PAIR_SLOTS && p->nr_out && !p->broken; slot++) {
		if (p->out[slot].used)
			transfer_move_out(p, slot);
	}
}

static bool transfer_waits_for(const struct pair_transfer *t, const struct pair_layout *layout)
{
	return t->used && !t->layout && (t->claim || t->wants) &&
	       t->there.layout == layout->number;
}

void pm_pair_transfers_resume(struct pair *p, struct pair_layout *layout)
{
	for (uint32_t slot = 0; slot < PAIR_SLOTS && p->nr_parts && !p->broken; slot++) {
		struct pair_transfer *in = &p->in[slot], *out = &p->out[slot];

		if (transfer_waits_for(in, layout)) {
			in->layout = layout;
			layout->users++;
			transfer_claim(p, in, slot);
		}
		if (transfer_waits_for(out, layout)) {
			out->layout = layout;
			layout->users++;
			transfer_reach(p, out, slot);
		}
	}
}

bool pm_pair_has_ended_parts(const struct pair *p)
{
	for (uint32_t slot = 0; slot < PAIR_SLOTS && p->nr_parts; slot++) {
		const struct pair_transfer *in = &p->in[slot], *out = &p->out[slot];

		if ((in->in_parts && !in->claim &&
		     pm_pair_parts_done(in, &p->mine->slots[slot])) ||
		    (out->in_parts && pm_pair_parts_done(out, &p->theirs->slots[slot])))
			return true;
	}
	return false;
}

static void transfer_drop(struct pair *p, struct pair_transfer *t)
{
	pm_pair_unreach(p, t);
	if (t->claim)
		pm_pair_parcel_drop(p, t->claim);
	*t = (struct pair_transfer){ .used = false };
}

void pm_pair_transfers_drop(struct pair *p)
{
	for (uint32_t slot = 0; slot < PAIR_SLOTS; slot++) {
		transfer_drop(p, &p->in[slot]);
		transfer_drop(p, &p->out[slot]);
	}
	p->nr_in = p->nr_out = p->nr_packed = p->nr_parts = 0;
}
