// SPDX-License-Identifier: MIT
/*
 * Short messages between memories, by calls that wait for them: where nothing else is under way
 * they go into the ring and out of it without a parcel and a request, which take as long to make
 * as such a message takes. Whatever is not as usual is refused here, and goes the way of all
 * others: so is MRAM, whose transfers may fail.
 */
#include "collectives/messages/engine/match.h"
#include "collectives/messages/engine/send.h"
#include "collectives/messages/pair/pair.h"
#include "collectives/messages/payload.h"
#include "runtime/base/clock.h"

/* looks for a message before its receive is posted: longer than it takes to come back */
#define SHORT_LOOKS	64

/* whether a call has nothing else to do but what has come, nor to listen */
static bool short_alone(struct pair *p)
{
	return !p->broken && !p->gone && !p->backlog && !p->nr_lists && !p->nr_parts &&
	       !p->nr_out && !pm_pair_listens_next(p);
}

static void short_done(struct pair *p)
{
	p->calls++;
	p->vain = 0;
	pm_pair_ring_bell(p);
}

bool pm_pair_send_short(struct pm_world *world, const struct me_send *send)
{
	struct pair *p = pair_of(world);
	const struct me_buffer *from = &send->buffer;
	struct pair_head head;
	uint8_t *data;

	if (send->to == p->me || send->synchronous || !from->bytes ||
	    from->bytes >= send->eager_bytes || pm_is_mram(from) || !short_alone(p) ||
	    pm_pair_is_next(p) || !pm_pair_pool_take(p, from->bytes))
		return false;
	data = pm_pair_reserve(p, from->bytes);
	if (!data) {
		p->sent -= from->bytes;
		return false;
	}
	pm_pair_ask(p, pm_buffer_is_run(from));
	pm_pair_phase(p, PAIR_PHASE_COPIES);
	pm_gather(world, from, data);
	pm_pair_phase(p, PAIR_PHASE_REST);
	head = (struct pair_head){ .kind = PAIR_PARCEL, .bytes = (uint32_t)from->bytes };
	me_send_frame(pair_node(p), send, &head.frame);
	pm_pair_commit(p, &head);
	short_done(p);
	return true;
}

/* the next message, if it is the data of an envelope that makes sense */
static bool short_next(struct pair *p, struct pair_head *head, uint8_t **data)
{
	struct me_frame *frame = &head->frame;

	if (!pm_pair_next(p, head, data) || head->kind != PAIR_PARCEL ||
	    frame->kind != ME_ENVELOPE || frame->flags != ME_EAGER || frame->status ||
	    frame->tag < 0 || frame->bytes != head->bytes ||
	    head->bytes > p->world.room - (p->arrived - p->returned))
		return false;
	frame->from = p->other;
	frame->home = p->me;
	return true;
}

static void short_look(const struct pair *p)
{
	const uint32_t there = atomic_load_explicit(&p->theirs->cpu, memory_order_relaxed);

	if (!p->spins || there == atomic_load_explicit(&p->mine->cpu, memory_order_relaxed))
		return;
	for (unsigned int i = 0; i < SHORT_LOOKS && !pm_pair_is_next(p); i++)
		pd_relax();
}

bool pm_pair_receive_short(struct pm_world *world, const struct me_receive *receive,
			   struct me_status *status)
{
	struct pair *p = pair_of(world);
	struct me_node *node = pair_node(p);
	struct pair_head head;
	uint8_t *data;

	if (node->unexpected.all.first || node->posted.all.first || node->poll ||
	    receive->key.source == (int32_t)p->me || pm_is_mram(&receive->buffer) ||
	    !short_alone(p))
		return false;
	short_look(p);
	if (!short_next(p, &head, &data) ||
	    !me_match_arriving(node, receive, &head.frame, status))
		return false;
	pm_pair_phase(p, PAIR_PHASE_COPIES);
	pm_scatter(world, &receive->buffer, head.bytes, data);
	pm_pair_phase(p, PAIR_PHASE_REST);
	p->arrived += head.bytes;
	pm_pair_pool_return(p, head.bytes);
	pm_pair_taken(p, &head);
	short_done(p);
	return true;
}
