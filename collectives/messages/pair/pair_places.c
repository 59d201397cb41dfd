// SPDX-License-Identifier: MIT
/*
 * Where buffers are: of the own ones the other process is told, and what it tells of its
 * own is checked before anything is copied from or to there.
 */
#include <errno.h>
#include <stdlib.h>

#include "collectives/messages/pair/pair.h"
#include "collectives/types/stream.h"
#include "collectives/types/type.h"

#define STAGE	8192u
/* shorter runs, on the average, are packed sooner than the kernel has copied them */
#define CMA_BLOCK	(UINT64_C(16) << 10)
/* messages of fewer bytes take their data along even out of memory that both have mapped */
#define SHARED_EAGER	(UINT64_C(8) << 10)

/* whether it is worth the while to let the kernel copy to or from private memory */
static bool places_private(const struct pair *p, const struct pimtype_part *part,
			   const struct pt_whole *whole)
{
	uint64_t pieces = 1;

	if (p->refused && p->is_refused)
		return false;
	if (p->design != PD_ZEROCOPY_AUTO)
		return true;
	if (!pt_is_run(whole) &&
	    __builtin_mul_overflow(part->type->layout.node->pieces, part->count, &pieces))
		return false;
	return whole->size / pieces >= CMA_BLOCK;
}

/* how it lies; false: that cannot be told */
static bool places_layout(struct pair *p, const struct pimtype_part *part,
			  const struct pt_whole *whole, struct pair_place *place)
{
	if (pt_is_run(whole))
		return true;
	place->layout = pm_pair_lists(p) ? PAIR_LISTED : pm_pair_layout_of(p, part, whole);
	return place->layout;
}

static void places_mram(struct pair *p, const struct me_buffer *buffer, bool in_full,
			struct pair_place *place)
{
	struct pt_whole whole;
	struct pimtype_part part = pm_buffer_whole(buffer, &whole);
	uint32_t pe;

	pm_mram_part(buffer, &pe, &part);
	place->segment = pm_pair_window_of(p, pe);
	if (!place->segment || (in_full && !places_layout(p, &part, &whole, place)))
		return;
	place->where = PAIR_WINDOW;
	place->pe = pe % PIMDIMM_RANK_PES;
	place->at = (uint64_t)whole.off;
}

void pm_pair_describe(struct pair *p, const struct me_buffer *buffer, bool sends,
		      struct pair_place *place)
{
	const bool both = p->design == PD_ZEROCOPY_AUTO;
	struct pt_whole whole;
	struct pimtype_part part = pm_buffer_whole(buffer, &whole);
	uintptr_t ptr = (uintptr_t)pm_buffer_ptr(buffer);
	struct pm_segment *s;

	*place = (struct pair_place){ .where = PAIR_NOWHERE, .flags = both ? PAIR_COPIES : 0 };
	if (!whole.size || p->design == PD_ZEROCOPY_SHM)
		return;
	if (pm_is_mram(buffer)) {
		places_mram(p, buffer, sends || both, place);
		return;
	}
	s = pm_segment_of(&p->world, ptr + (uintptr_t)whole.lo, ptr + (uintptr_t)whole.hi);
	if (s && !s->told)
		pm_pair_share(&p->world, s);
	if ((!s || !s->told) && !places_private(p, &part, &whole))
		return;
	/* where it lies is nobody's concern who does not copy */
	if ((sends || both) && !places_layout(p, &part, &whole, place))
		return;
	place->where = PAIR_PRIVATE;
	place->at = ptr + (uintptr_t)whole.off;
	if (s && s->told) {
		place->where = PAIR_MAPPED;
		place->segment = s->number;
		place->at -= (uintptr_t)s->base;
	}
}

/* that of private memory has addresses, whether there is something or not */
static int places_addresses(struct pair *p, const struct pair_transfer *t)
{
	const struct pt_node *node = t->whole.node;
	int64_t end;

	if (t->there.at > INT64_MAX || -(uint64_t)node->lo > t->there.at ||
	    __builtin_add_overflow((int64_t)t->there.at, node->hi, &end))
		return pm_pair_lied(p, "a buffer at %#llx", (unsigned long long)t->there.at);
	return 0;
}

/* the other end's layout, behind which there is memory of its own; -EBADMSG */
static int places_whole(struct pair *p, struct pair_transfer *t, bool sends)
{
	const struct pair_place *there = &t->there;
	struct pt_whole *w = &t->whole;
	uint64_t bytes;

	if (t->layout) {
		w->node = t->layout->side.node;
	} else {
		w->dense = (struct pt_node){ .kind = PT_DENSE, .size = t->total, .n = 1,
					     .hi = (int64_t)t->total, .depth = 1 };
		w->node = &w->dense;
	}
	w->off = (int64_t)there->at;
	w->size = w->node->size;
	if (sends ? w->size < t->total : w->size != t->total)
		return pm_pair_lied(p, "a layout of %llu bytes for a message of %llu",
				    (unsigned long long)w->size, (unsigned long long)t->total);
	if (!t->mapped)
		return places_addresses(p, t);
	bytes = t->mapped->view ? pm_pair_window_bytes(t->mapped->view) : t->mapped->bytes;
	if (there->at > bytes || -(uint64_t)w->node->lo > there->at ||
	    (uint64_t)w->node->hi > bytes - there->at)
		return pm_pair_lied(p, "a buffer that is not in its memory %llu",
				    (unsigned long long)there->segment);
	return 0;
}

/* both layouts in one, if neither is a run: without, copies are slower and no worse */
static void places_merge(struct pair_transfer *t, bool sends)
{
	const struct me_buffer *own = &t->request->buffer;
	struct pt_whole whole;
	struct pimtype_part part = pm_buffer_whole(own, &whole);
	struct pt_side here, there;

	if (pm_is_mram(own) || !t->mapped || t->mapped->view || pt_is_run(&whole) || !t->layout ||
	    whole.size != t->whole.size)
		return;
	here = pt_side_of(&part);
	there = t->layout->side;
	if (sends ? pt_layouts_find_sides(there, &t->whole, here, &whole, &t->merged) :
		    pt_layouts_find_sides(here, &whole, there, &t->whole, &t->merged))
		t->merged = NULL;
}

/* as far as it is a matter of memory */
static int places_reach(struct pair *p, struct pair_transfer *t)
{
	switch (t->there.where) {
	case PAIR_NOWHERE:
		return PAIR_UNREACHED;
	case PAIR_MAPPED:
	case PAIR_WINDOW:
		if (!t->mapped)
			t->mapped = pm_pair_mapped_get(p, t->there.segment);
		if (t->mapped && (!t->mapped->view != (t->there.where == PAIR_MAPPED) ||
				  t->there.pe >= PIMDIMM_RANK_PES))
			return pm_pair_lied(p, "PE %llu of memory %llu",
					    (unsigned long long)t->there.pe,
					    (unsigned long long)t->there.segment);
		return t->mapped ? PAIR_READY : PAIR_UNREACHED;
	case PAIR_PRIVATE:
		/* short runs of the own buffer are not worth it either; none are MRAM's */
		if (t->here.where == PAIR_NOWHERE || pm_is_mram(&t->request->buffer))
			return PAIR_UNREACHED;
		return pm_pair_cma_reach(p, t);
	default:
		return pm_pair_lied(p, "a buffer at a place of kind %u", t->there.where);
	}
}

static int places_find(struct pair *p, struct pair_transfer *t, bool sends)
{
	int ret = places_reach(p, t);

	if (ret)
		return ret;
	if (t->there.layout == PAIR_LISTED && pm_pair_lists(p) && !sends)
		return t->listed == t->total ? PAIR_READY : PAIR_NOT_YET;
	if (t->there.layout && !t->layout) {
		t->layout = pm_pair_layout_get(p, t->there.layout);
		if (!t->layout)
			return PAIR_NOT_YET;
	}
	if (t->layout && t->layout->runs)
		return pm_pair_list_kept(p, t);
	ret = places_whole(p, t, sends);
	if (ret)
		return ret;
	pm_pair_phase(p, PAIR_PHASE_LISTS);
	places_merge(t, sends);
	return PAIR_READY;
}

int pm_pair_reach(struct pair *p, struct pair_transfer *t, bool sends)
{
	enum pair_phase before = pm_pair_phase(p, PAIR_PHASE_PLACES);
	int ret = places_find(p, t, sends);

	pm_pair_phase(p, before);
	return ret;
}

void pm_pair_unreach(struct pair *p, struct pair_transfer *t)
{
	pm_pair_mapped_put(p, t->mapped);
	pm_pair_layout_put(t->layout);
	pt_put(t->merged);
	free(t->runs);
	t->mapped = NULL;
	t->layout = NULL;
	t->merged = NULL;
	t->runs = NULL;
}

/* the other end's stream, mapped */
static void places_stream(struct pair_transfer *t, uint64_t at, uint8_t *data, uint64_t bytes,
			  bool to_there)
{
	if (t->mapped->view)
		pm_pair_window_stream(t->mapped->view, (uint32_t)t->there.pe, &t->whole, at, data,
				      bytes, to_there);
	else
		pt_stream(&t->whole, t->mapped->base, at, data, bytes, to_there);
}

/* by way of the cache: MRAM at one end at least, and nowhere a run of memory */
static int places_copy_staged(struct pair *p, struct pair_transfer *t, bool sends,
			      uint64_t first, uint64_t bytes)
{
	_Alignas(64) uint8_t stage[STAGE];
	int ret = 0;

	for (uint64_t end = first + bytes, n; first < end && !ret; first += n) {
		n = end - first < STAGE ? end - first : STAGE;
		if (!sends)
			places_stream(t, first, stage, n, false);
		ret = pm_buffer_stream(&p->world, &t->request->buffer, first, stage, n, !sends);
		if (sends && !ret)
			places_stream(t, first, stage, n, true);
	}
	return ret;
}

/* MRAM at one end at least */
static int places_copy_mram(struct pair *p, struct pair_transfer *t, bool sends,
			    uint64_t first, uint64_t bytes)
{
	const struct me_buffer *own = &t->request->buffer;
	struct pt_whole whole;

	if (!t->mapped->view && pt_is_run(&t->whole))
		return pm_buffer_stream(&p->world, own, first,
					t->mapped->base + t->whole.off + first, bytes, !sends);
	pm_buffer_whole(own, &whole);
	if (pm_is_mram(own) || !pt_is_run(&whole))
		return places_copy_staged(p, t, sends, first, bytes);
	places_stream(t, first, pm_buffer_ptr(own) + whole.off + first, bytes, sends);
	return 0;
}

/* whether the other process has the buffer mapped, or can have */
static bool places_is_shared(struct pair *p, const struct me_buffer *buffer)
{
	struct pt_whole whole;
	struct pimtype_part part = pm_buffer_whole(buffer, &whole);
	uintptr_t ptr = (uintptr_t)pm_buffer_ptr(buffer);
	uint32_t pe;

	if (!pm_is_mram(buffer))
		return pm_segment_of(&p->world, ptr + (uintptr_t)whole.lo,
				     ptr + (uintptr_t)whole.hi);
	pm_mram_part(buffer, &pe, &part);
	return pm_pair_window_of(p, pe);
}

/*
 * The data of an eager message goes through the ring, and from one CPU's cache to the other's twice
 * as often as when the receiver copies it from where it lies; the two hops more are soon made up for.
 */
uint64_t pm_pair_eager_bytes(struct pm_world *world, const struct me_buffer *buffer)
{
	struct pair *p = pair_of(world);
	uint64_t usual = pair_node(p)->eager_bytes;

	if (p->eager_given || p->design != PD_ZEROCOPY_AUTO || buffer->bytes < SHARED_EAGER ||
	    usual < SHARED_EAGER || !places_is_shared(p, buffer))
		return usual;
	return SHARED_EAGER;
}

static int places_copy(struct pair *p, struct pair_transfer *t, bool sends, uint64_t first,
		       uint64_t bytes)
{
	const struct me_buffer *own = &t->request->buffer;
	struct pt_whole whole;
	struct pt_pair pair;

	if (!t->mapped)
		return pm_pair_cma_copy(p, t, sends, first, bytes);
	if (pm_is_mram(own) || t->mapped->view)
		return places_copy_mram(p, t, sends, first, bytes);
	pm_buffer_whole(own, &whole);
	if (sends)
		pair = (struct pt_pair){ &t->whole, &whole, t->merged, t->mapped->base,
					 pm_buffer_ptr(own) };
	else
		pair = (struct pt_pair){ &whole, &t->whole, t->merged, pm_buffer_ptr(own),
					 t->mapped->base };
	pt_copy_range(&pair, first, bytes, &t->cursor);
	return 0;
}

int pm_pair_copy(struct pair *p, struct pair_transfer *t, bool sends, uint64_t first,
		 uint64_t bytes)
{
	enum pair_phase before = pm_pair_phase(p, PAIR_PHASE_COPIES);
	int ret = places_copy(p, t, sends, first, bytes);

	pm_pair_phase(p, before);
	return ret;
}
