// SPDX-License-Identifier: MIT
/*
 * Layouts travel once. Each end numbers those of its own, found by what they are; the other
 * one keeps them by these numbers, as many as PIMDIMM_LAYOUTS says, and asks for what it has
 * dropped. Numbers are never used again, so that none is found for another's.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/messages/pair/pair.h"
#include "collectives/types/type.h"
#include "collectives/types/shared/words.h"

#define FEW_WORDS	64u

static struct pt_node *layouts_node(const struct pair_layout *l)
{
	return (struct pt_node *)(uintptr_t)l->side.node;
}

void pm_pair_layout_put(struct pair_layout *l)
{
	if (!l || --l->users)
		return;
	pt_put(layouts_node(l));
	free(l->runs);
	free(l);
}

static void layouts_take(struct pair_layouts *all, struct pair_layout *l)
{
	*(l->newer ? &l->newer->older : &all->newest) = l->older;
	*(l->older ? &l->older->newer : &all->oldest) = l->newer;
	l->newer = l->older = NULL;
}

static void layouts_put(struct pair_layouts *all, struct pair_layout *l)
{
	l->older = all->newest;
	*(all->newest ? &all->newest->newer : &all->oldest) = l;
	all->newest = l;
}

static void layouts_evict(struct pair_layouts *all)
{
	struct pair_layout *l = all->oldest, **link = &all->chains[l->key % PAIR_CHAINS];

	while (*link != l)
		link = &(*link)->chain;
	*link = l->chain;
	layouts_take(all, l);
	all->nr--;
	pm_pair_layout_put(l);
}

static void layouts_keep(struct pair_layouts *all, struct pair_layout *l, uint64_t most)
{
	l->users++;
	l->chain = all->chains[l->key % PAIR_CHAINS];
	all->chains[l->key % PAIR_CHAINS] = l;
	layouts_put(all, l);
	all->nr++;
	while (all->nr > most)
		layouts_evict(all);
}

static bool layouts_like(const struct pair_layout *a, const struct pair_layout *b)
{
	if (!b->runs)
		return pt_same_side(&a->side, &b->side);
	return a->nr_runs == b->nr_runs &&
	       !memcmp(a->runs, b->runs, a->nr_runs * sizeof(*a->runs));
}

/* by its number, or by what it is */
static struct pair_layout *layouts_find(struct pair_layouts *all, uint64_t key,
					const struct pair_layout *like)
{
	struct pair_layout *l = all->chains[key % PAIR_CHAINS];

	while (l && (l->key != key || (like && !layouts_like(l, like))))
		l = l->chain;
	if (l && l != all->newest) {
		layouts_take(all, l);
		layouts_put(all, l);
	}
	return l;
}

/* the words of a layout, in `few` or in memory that is the caller's to free; NULL: none */
static int64_t *layouts_words(const struct pt_whole *whole, int64_t few[FEW_WORDS], size_t *nr)
{
	const size_t most = PAIR_LAYOUT_MOST / sizeof(*few);
	int64_t *words;

	*nr = pt_encode(whole->node, few, FEW_WORDS);
	if (*nr)
		return few;
	words = malloc(most * sizeof(*words));
	*nr = words ? pt_encode(whole->node, words, most) : 0;
	if (!*nr) {
		free(words);
		words = NULL;
	}
	return words;
}

static void layouts_send_words(struct pair *p, uint64_t number, const uint8_t *words,
			       uint64_t bytes)
{
	enum pair_phase before = pm_pair_phase(p, PAIR_PHASE_TELLS);
	uint64_t sent = 0;

	for (uint64_t at = 0, n; at < bytes; at += n) {
		struct pair_parcel *parcel;

		n = bytes - at < PAIR_BLOCK ? bytes - at : PAIR_BLOCK;
		parcel = pm_pair_parcel_new(p, n);
		/* what is not there whole is asked for */
		if (!parcel)
			break;
		parcel->head.kind = PAIR_LAYOUT;
		parcel->head.bytes = (uint32_t)n;
		parcel->head.at = at;
		parcel->head.more = bytes;
		parcel->head.frame.serial = number;
		memcpy(parcel->data, words + at, n);
		pm_pair_post(p, parcel);
		sent += n;
	}
	pm_pair_phase(p, before);
	if (sent < bytes)
		return;
	p->stats.layouts_sent++;
	p->stats.layout_bytes += bytes;
}

/* false: there are too many words, or no memory for them */
static bool layouts_send(struct pair *p, uint64_t number, const struct pair_layout *l,
			 const struct pt_whole *whole)
{
	int64_t few[FEW_WORDS], *words;
	size_t nr;

	if (l->runs) {
		layouts_send_words(p, number, (const uint8_t *)l->runs,
				   l->nr_runs * sizeof(*l->runs));
		return true;
	}
	words = layouts_words(whole, few, &nr);
	if (!words)
		return false;
	layouts_send_words(p, number, (const uint8_t *)words, nr * sizeof(*words));
	if (words != few)
		free(words);
	return true;
}

/* what a layout is found by: its list of runs where such are told; false: it has too many */
static bool layouts_make(const struct pair *p, const struct pimtype_part *part,
			 const struct pt_whole *whole, struct pair_layout *l)
{
	*l = (struct pair_layout){ .users = 1 };
	if (p->design != PD_ZEROCOPY_EXCHANGE) {
		l->side = pt_side_of(part);
		l->key = pt_hash_side(0, &l->side);
		return true;
	}
	l->runs = pm_pair_list_all(whole, &l->nr_runs);
	if (l->runs)
		l->key = pm_pair_list_hash(l->runs, l->nr_runs);
	return l->runs;
}

static uint64_t layouts_number(struct pair *p, const struct pimtype_part *part,
			       const struct pt_whole *whole)
{
	struct pair_layout like, *l;

	if (!layouts_make(p, part, whole, &like))
		return 0;
	l = layouts_find(&p->own, like.key, &like);
	if (l) {
		free(like.runs);
		return l->number;
	}
	l = malloc(sizeof(*l));
	if (!l || !layouts_send(p, p->last_layout + 1, &like, whole)) {
		free(like.runs);
		free(l);
		return 0;
	}
	*l = like;
	l->number = ++p->last_layout;
	pt_get(layouts_node(l));
	layouts_keep(&p->own, l, p->most_layouts);
	pm_pair_layout_put(l);
	return p->last_layout;
}

uint64_t pm_pair_layout_of(struct pair *p, const struct pimtype_part *part,
			   const struct pt_whole *whole)
{
	enum pair_phase before = pm_pair_phase(p, PAIR_PHASE_LISTS);
	uint64_t number = layouts_number(p, part, whole);

	pm_pair_phase(p, before);
	return number;
}

struct pair_layout *pm_pair_layout_get(struct pair *p, uint64_t number)
{
	struct pair_layout *l = layouts_find(&p->others, number, NULL);

	if (l)
		l->users++;
	return l;
}

bool pm_pair_layout_ask(struct pair *p, const struct pair_transfer *t, uint32_t slot,
			bool of_send)
{
	struct pair_parcel *parcel = pm_pair_parcel_new(p, 0);

	if (!parcel)
		return false;
	parcel->head.kind = PAIR_ASK;
	parcel->head.slot = slot;
	parcel->head.at = t->there.layout;
	parcel->head.way = of_send ? 0 : 1;
	if (of_send)
		parcel->head.frame.send = t->claim->head.frame.send;
	pm_pair_post(p, parcel);
	p->stats.layouts_asked += t->there.layout != PAIR_LISTED;
	return true;
}

/* the request whose buffer somebody asks about; NULL: it is done, or there is none */
static const struct me_request *layouts_asked(struct pair *p, const struct pair_head *head)
{
	const struct me_request *r;

	if (head->way)
		return p->in[head->slot].request;
	r = me_request_of(pair_node(p), head->frame.send, ME_SEND, ME_ACTIVE);
	return r && r->peer == p->other && !r->parcel ? r : NULL;
}

/* a layout that the other process has dropped, which may have been dropped here, too */
static void layouts_answer(struct pair *p, uint64_t number, const struct me_buffer *buffer)
{
	struct pair_layout l;
	struct pt_whole whole;
	struct pimtype_part part = pm_buffer_whole(buffer, &whole);

	pm_pair_phase(p, PAIR_PHASE_LISTS);
	if (!whole.node || pt_is_run(&whole) || !layouts_make(p, &part, &whole, &l))
		return;
	layouts_send(p, number, &l, &whole);
	free(l.runs);
}

int pm_pair_arrive_ask(struct pair *p, const struct pair_head *head)
{
	const uint64_t slot = UINT64_C(1) << head->slot % PAIR_SLOTS;
	const struct me_request *r;

	/* once for each message, or there were no end of answers */
	if (head->slot >= PAIR_SLOTS || head->way > 1 || p->answered[head->way] & slot)
		return pm_pair_lied(p, "it asks for a layout again");
	r = layouts_asked(p, head);
	if (!r && (!head->way || !p->in[head->slot].used))
		return pm_pair_lied(p, "it asks for the layout of no message");
	if (!r)
		return 0;
	p->answered[head->way] |= slot;
	if (head->at == PAIR_LISTED && !head->way && pm_pair_lists(p))
		pm_pair_list_begin(p, head->slot, head->frame.send);
	else
		layouts_answer(p, head->at, &r->buffer);
	pm_pair_phase(p, PAIR_PHASE_REST);
	return 0;
}

static int layouts_begin(struct pair *p, const struct pair_head *head)
{
	const bool runs = p->design == PD_ZEROCOPY_EXCHANGE;
	const uint64_t most = runs ? PAIR_LIST_MOST : PAIR_LAYOUT_MOST;
	const uint64_t each = runs ? sizeof(struct pair_run) : sizeof(int64_t);

	free(p->coming.words);
	p->coming.words = NULL;
	if (!head->more || head->more > most || head->more % each)
		return pm_pair_lied(p, "a layout of %llu bytes", (unsigned long long)head->more);
	p->coming.words = malloc(head->more);
	if (!p->coming.words)
		return -ENOMEM;
	p->coming.number = head->frame.serial;
	p->coming.bytes = head->more;
	p->coming.at = 0;
	return 0;
}

/* what its words are; runs are looked at where they are used */
static int layouts_read(struct pair *p, struct pair_layout *l)
{
	struct pt_layout layout;
	int ret;

	*l = (struct pair_layout){ .key = p->coming.number, .number = p->coming.number,
				   .users = 1 };
	if (p->design == PD_ZEROCOPY_EXCHANGE) {
		l->runs = (struct pair_run *)(void *)p->coming.words;
		l->nr_runs = p->coming.bytes / sizeof(*l->runs);
		p->coming.words = NULL;
		return 0;
	}
	ret = pt_decode(p->coming.words, p->coming.bytes / sizeof(int64_t), &layout);
	if (ret)
		return ret == -ENOMEM ? ret : pm_pair_lied(p, "a layout that is none");
	l->side = (struct pt_side){ .node = layout.node, .count = 1 };
	return 0;
}

/* all of its words are there */
static int layouts_end(struct pair *p)
{
	struct pair_layout *l;
	int ret;

	if (layouts_find(&p->others, p->coming.number, NULL))
		return 0;
	l = malloc(sizeof(*l));
	if (!l)
		return -ENOMEM;
	ret = layouts_read(p, l);
	if (ret) {
		free(l);
		return ret;
	}
	pm_pair_phase(p, PAIR_PHASE_REST);
	pm_pair_transfers_resume(p, l);
	layouts_keep(&p->others, l, p->most_layouts);
	pm_pair_layout_put(l);
	return 0;
}

int pm_pair_arrive_layout(struct pair *p, const struct pair_head *head, const uint8_t *data)
{
	int ret = 0;

	if (!head->at)
		ret = layouts_begin(p, head);
	if (ret)
		return ret;
	if (!p->coming.words || head->at != p->coming.at || !head->bytes ||
	    head->more != p->coming.bytes || head->frame.serial != p->coming.number ||
	    head->bytes > p->coming.bytes - p->coming.at)
		return pm_pair_lied(p, "%u bytes of a layout that do not follow", head->bytes);
	memcpy((uint8_t *)p->coming.words + p->coming.at, data, head->bytes);
	if (p->coming.at + head->bytes == p->coming.bytes)
		ret = layouts_end(p);
	if (ret)
		return ret;
	p->coming.at += head->bytes;
	return 0;
}

void pm_pair_layouts_drop(struct pair *p)
{
	while (p->own.nr)
		layouts_evict(&p->own);
	while (p->others.nr)
		layouts_evict(&p->others);
	free(p->coming.words);
	p->coming.words = NULL;
}
