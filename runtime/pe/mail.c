// SPDX-License-Identifier: MIT
/*
 * The post of a launch. An inbox has an end: what is sent to one that is full waits with
 * its sender, and all that its sender sends later behind it, so that the parcels of two
 * PEs keep their order; and the sender waits when it has no room for more.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/pe/mail.h"
#include "runtime/watch/timeline.h"

#define MAX_INBOX	1024u		/* parcels */
#define MAX_PAYLOADS	(256ull << 20)	/* bytes, in all inboxes */

void pd_post_begin(struct pd_post *post, struct pd_entry *entries, uint32_t nr_entries,
		   const struct pimdimm *sys, bool ordered)
{
	uint32_t first, row;

	*post = (struct pd_post){
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.entries = entries,
		.nr_entries = nr_entries,
		.nr_pes = sys->geometry.nr_pes,
		.mram_bytes = (uint32_t)sys->geometry.mram_size,
		.ordered = ordered,
	};
	row = pd_entries_row(entries, nr_entries, &first);
	if (row && pd_entries_alike(entries, nr_entries))
		post->guest = pd_guest_begin(sys, first, row);
}

void pd_post_end(struct pd_post *post)
{
	for (uint32_t i = 0; i < post->nr_entries; i++) {
		pd_inbox_free(&post->entries[i].inbox);
		pd_inbox_free(&post->entries[i].pending);
	}
	pd_guest_end(post->guest);
	free(post->entry_of);
	pthread_mutex_destroy(&post->lock);
}

/* NULL: none of this launch, or no memory. */
static struct pd_entry *entry_of(struct pd_post *post, uint32_t pe)
{
	struct pd_entry *e = NULL;

	pthread_mutex_lock(&post->lock);
	if (!post->entry_of) {
		post->entry_of = calloc(post->nr_pes, sizeof(*post->entry_of));
		for (uint32_t i = 0; post->entry_of && i < post->nr_entries; i++)
			post->entry_of[post->entries[i].pe] = i + 1;
	}
	if (post->entry_of && pe < post->nr_pes && post->entry_of[pe])
		e = &post->entries[post->entry_of[pe] - 1];
	pthread_mutex_unlock(&post->lock);
	return e;
}

static bool fits(uint32_t at, uint32_t bytes, uint32_t room)
{
	return at <= room && bytes <= room - at;
}

/* Whether a parcel may go where it wants to, and its payload. */
static enum pe_refusal check_parcel(struct pd_post *post, const struct pd_entry *from,
				    struct pe_parcel *p)
{
	const struct pd_entry *to = entry_of(post, p->pe);
	bool host = post->guest && p->pe == PE_HOST;

	if (!host && (!to || to->program->id != from->program->id))
		return PE_REFUSED_PE;
	if (p->entry - PE_TEXT_BASE >= from->program->text_bytes)
		return PE_REFUSED_ENTRY;
	if (p->bytes > PE_FRAME_MAX || p->payload > PE_PAYLOAD_MAX ||
	    !fits(p->at, p->payload, PE_OUT_BYTES))
		return PE_REFUSED_BYTES;
	if (!p->payload || p->to_mram == PE_ABOARD || host) {
		p->to_mram = PE_ABOARD;
		return PE_REFUSED_NOT;
	}
	if (p->to_mram >= PE_MRAM_BASE)
		p->to_mram -= PE_MRAM_BASE;
	return fits(p->to_mram, p->payload, post->mram_bytes) ? PE_REFUSED_NOT :
								 PE_REFUSED_MRAM;
}

/* Keep a parcel, whose payload lies in the arena, with its sender. */
static enum pe_refusal keep(struct pd_entry *e, const struct pe_parcel *p,
			    const uint8_t *out)
{
	struct pd_parcel kept = { .p = *p, .from = e->pe, .sent = pd_timeline_now() };

	if (p->payload) {
		kept.payload = malloc(p->payload);
		if (!kept.payload)
			return PE_REFUSED_MEMORY;
		memcpy(kept.payload, out + p->at, p->payload);
	}
	if (pd_inbox_put(&e->pending, &kept))
		return PE_REFUSED_NOT;
	free(kept.payload);
	return PE_REFUSED_MEMORY;
}

/* Called with the lock held. false: there is no room. */
static bool deliver(struct pd_post *post, struct pd_entry *to, const struct pd_parcel *p)
{
	/* a PE that has stopped takes none, and nobody waits for it to */
	if (to->faulted) {
		free(p->payload);
		return true;
	}
	if (pd_inbox_count(&to->inbox) >= MAX_INBOX ||
	    post->payloads + p->p.payload > MAX_PAYLOADS || !pd_inbox_put(&to->inbox, p))
		return false;
	post->payloads += p->p.payload;
	return true;
}

/* to a PE, or to the host */
static bool move_one(void *ctx, const struct pd_parcel *p)
{
	struct pd_post *post = ctx;
	struct pd_entry *to;
	bool moved;

	if (p->p.pe == PE_HOST)
		return pd_guest_post(post->guest, p);
	to = entry_of(post, p->p.pe);
	pthread_mutex_lock(&post->lock);
	moved = deliver(post, to, p);
	pthread_mutex_unlock(&post->lock);
	return moved;
}

static void move_pending(struct pd_post *post, struct pd_entry *e)
{
	while (pd_inbox_count(&e->pending)) {
		if (!move_one(post, pd_inbox_at(&e->pending, 0)))
			return;
		pd_inbox_drop(&e->pending, 1);
	}
}

/* Take one that the program may be writing while it is read. */
static enum pe_refusal take_one(struct pd_post *post, struct pd_entry *e,
				const struct pd_arena *arena, uint32_t i, struct pe_parcel *p)
{
	const struct pe_mail *mail = (const void *)(arena->base + PE_ARENA_MAIL);
	enum pe_refusal why;

	memcpy(p, &mail->out[i], sizeof(*p));
	why = check_parcel(post, e, p);
	return why ? why : keep(e, p, arena->base + PE_ARENA_OUT);
}

struct pd_taken pd_post_take(struct pd_post *post, struct pd_entry *e,
			     const struct pd_arena *arena, bool last)
{
	uint32_t nr = __atomic_load_n(&arena->shared->nr_out, __ATOMIC_RELAXED);
	struct pd_taken taken = { .all = true };

	if (!post->ordered)
		move_pending(post, e);
	if (!last && pd_inbox_count(&e->pending))
		return (struct pd_taken){ .parcel = pd_inbox_at(&e->pending, 0)->p.pe };
	for (uint32_t i = 0; i < nr && i < PE_OUTBOX && !taken.refused; i++) {
		taken.refused = take_one(post, e, arena, i, &taken.of);
		taken.parcel = i;
	}
	if (!post->ordered)
		move_pending(post, e);
	return taken;
}

/* Called with the lock held. */
static bool is_due(const struct pd_entry *e)
{
	if (!e->entered)
		return true;
	if (e->faulted)
		return false;
	return (pd_inbox_count(&e->inbox) && e->travellers < PE_TRAVELLERS) ||
	       (e->wants_room && !pd_inbox_count(&e->pending));
}

bool pd_post_due(struct pd_post *post, const struct pd_entry *e)
{
	bool due;

	pthread_mutex_lock(&post->lock);
	due = is_due(e);
	pthread_mutex_unlock(&post->lock);
	return due;
}

/* A payload that is aboard is put behind those that are; false: it does not fit. */
static bool hold(struct pd_parcel *p, uint32_t *held)
{
	p->p.at = *held;
	if (p->p.to_mram != PE_ABOARD)
		return true;
	if (p->p.payload > PE_HOLD_BYTES - *held)
		return false;
	*held += (p->p.payload + 63) & ~63u;
	return true;
}

void pd_post_give(struct pd_post *post, const struct pd_entry *e, struct pd_order *order)
{
	struct pd_entry *of = &post->entries[e - post->entries];
	uint32_t held = e->stay ? pd_stay_held(e->stay) : 0;

	pthread_mutex_lock(&post->lock);
	while (order->nr_in < PE_INBOX && order->nr_in < pd_inbox_count(&of->inbox)) {
		struct pd_parcel *p = &order->in[order->nr_in];

		*p = *pd_inbox_at(&of->inbox, order->nr_in);
		if (!hold(p, &held))
			break;
		order->nr_in++;
	}
	order->room = e->wants_room && !pd_inbox_count(&e->pending);
	pthread_mutex_unlock(&post->lock);
}

/* Called with the lock held: forget a payload, in its MRAM or with its traveller by now. */
static void forget(struct pd_post *post, struct pd_parcel *p)
{
	post->payloads -= p->p.payload;
	free(p->payload);
	p->payload = NULL;
	p->p.payload = 0;
	p->p.to_mram = PE_ABOARD;
}

void pd_post_begun(struct pd_post *post, struct pd_entry *e, const struct pd_order *order,
		   uint32_t begun)
{
	pthread_mutex_lock(&post->lock);
	for (uint32_t i = 0; i < order->nr_in && i < pd_inbox_count(&e->inbox); i++) {
		struct pd_parcel *p = pd_inbox_at(&e->inbox, i);

		if (i < begun || p->p.to_mram != PE_ABOARD)
			forget(post, p);
	}
	pd_inbox_drop(&e->inbox, begun);
	pthread_mutex_unlock(&post->lock);
}

void pd_post_move(struct pd_post *post)
{
	for (uint32_t i = 0; i < post->nr_entries; i++)
		move_pending(post, &post->entries[i]);
	if (post->guest)
		pd_guest_move(post->guest, move_one, post);
}

void pd_post_drop(struct pd_post *post, struct pd_entry *e)
{
	pthread_mutex_lock(&post->lock);
	for (uint32_t i = 0; i < pd_inbox_count(&e->inbox); i++)
		post->payloads -= pd_inbox_at(&e->inbox, i)->p.payload;
	pd_inbox_free(&e->inbox);
	pthread_mutex_unlock(&post->lock);
}
