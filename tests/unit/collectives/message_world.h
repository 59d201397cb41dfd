/* SPDX-License-Identifier: MIT */
/*
 * Nodes of the engine of messages on a port without threads: parcels lie between each pair
 * of nodes in their order until the test hands one over, transfers of long messages end
 * when the test says, and memory, pools and transfers fail as it says.
 */
#ifndef TESTS_MESSAGE_WORLD_H
#define TESTS_MESSAGE_WORLD_H

#include "collectives/messages/engine/node.h"
#include "collectives/messages/engine/receive.h"
#include "collectives/messages/engine/send.h"
#include "tests/unit/unit.h"

#define NODES		5
#define MW_FAULT	1u	/* words[1] of a send's buffer: its data cannot be read */
#define MW_ANY_TYPE	0u	/* signature: agrees with all */

/* a parcel under way or held, and its data */
struct mw_parcel {
	struct me_parcel parcel;
	uint8_t *data;
	uint64_t bytes;
	struct mw_parcel *next;
};

struct mw_world {
	struct me_node nodes[NODES];
	struct mw_parcel *first[NODES][NODES], *last[NODES][NODES];
	uint64_t pool[NODES], room;	/* in use; how much there is */
	struct { uint32_t node; struct me_request *send; } later[64];
	unsigned int nr_later;
	bool locked[NODES];
	struct rng rng, entries;
	unsigned int put;		/* how transfers are done: 0 at once, 1 later, 2 taken along, 3 any */
	long parcels, memory;		/* that live, pieces */
	long fail_in;			/* allocations until one fails; negative: none */
	unsigned int enter;		/* how often nodes can be entered, in percent */
	unsigned int travels;		/* parcels that have left nodes */
	unsigned int done, woken;
};

static inline struct mw_world *mw_of(struct me_node *node)
{
	return node->world;
}

static inline bool mw_fails(struct mw_world *w)
{
	return w->fail_in >= 0 && !w->fail_in--;
}

static inline void *mw_alloc(struct me_node *node, uint64_t bytes)
{
	if (mw_fails(mw_of(node)))
		return NULL;
	mw_of(node)->memory++;
	return malloc(bytes);
}

static inline void mw_free(struct me_node *node, void *memory, uint64_t bytes)
{
	(void)bytes;
	mw_of(node)->memory--;
	free(memory);
}

static inline void mw_lock(struct me_node *node)
{
	assert_false(mw_of(node)->locked[node->id]);
	mw_of(node)->locked[node->id] = true;
}

static inline void mw_unlock(struct me_node *node)
{
	assert_true(mw_of(node)->locked[node->id]);
	mw_of(node)->locked[node->id] = false;
}

static inline struct me_parcel *mw_parcel(struct me_node *node, uint64_t bytes)
{
	struct mw_parcel *p;

	if (mw_fails(mw_of(node)))
		return NULL;
	p = calloc(1, sizeof(*p));
	p->bytes = bytes;
	p->data = malloc(bytes + 1);
	mw_of(node)->parcels++;
	return &p->parcel;
}

static inline void mw_drop(struct me_node *node, struct me_parcel *parcel)
{
	struct mw_parcel *p = (struct mw_parcel *)parcel;

	mw_of(node)->parcels--;
	free(p->data);
	free(p);
}

static inline void mw_travel(struct me_node *node, uint32_t to, struct me_parcel *parcel)
{
	struct mw_world *w = mw_of(node);
	struct mw_parcel *p = (struct mw_parcel *)parcel;

	assert_true(w->locked[node->id]);
	assert_true(to < NODES);
	p->next = NULL;
	if (w->first[node->id][to])
		w->last[node->id][to]->next = p;
	else
		w->first[node->id][to] = p;
	w->last[node->id][to] = p;
	w->travels++;
}

/* with something under way to it somebody is there */
static inline struct me_node *mw_enter(struct me_node *node, uint32_t to)
{
	struct mw_world *w = mw_of(node);

	assert_true(to < NODES);
	for (uint32_t from = 0; from < NODES; from++) {
		if (w->first[from][to])
			return NULL;
	}
	if (w->locked[to] || !rng_chance(&w->entries, w->enter))
		return NULL;
	w->locked[to] = true;
	return &w->nodes[to];
}

static inline bool mw_reserve(struct me_node *node, uint32_t whose, uint64_t bytes)
{
	struct mw_world *w = mw_of(node);

	if (w->pool[whose] + bytes > w->room)
		return false;
	w->pool[whose] += bytes;
	return true;
}

static inline void mw_unreserve(struct me_node *node, uint32_t whose, uint32_t by,
				uint64_t bytes)
{
	(void)by;
	assert_true(mw_of(node)->pool[whose] >= bytes);
	mw_of(node)->pool[whose] -= bytes;
}

static inline int mw_gather(struct me_node *node, const struct me_buffer *from,
			    struct me_parcel *parcel)
{
	struct mw_parcel *p = (struct mw_parcel *)parcel;

	(void)node;
	assert_true(p->bytes >= from->bytes);
	if (from->words[1] & MW_FAULT)
		return -EIO;
	memcpy(p->data, (void *)(uintptr_t)from->words[0], from->bytes);
	return 0;
}

static inline int mw_scatter(struct me_node *node, const struct me_buffer *to,
			     const struct me_parcel *parcel)
{
	const struct mw_parcel *p = (const struct mw_parcel *)parcel;

	(void)node;
	assert_true(p->bytes >= parcel->frame.bytes && parcel->frame.bytes <= to->bytes);
	memcpy((void *)(uintptr_t)to->words[0], p->data, parcel->frame.bytes);
	return 0;
}

static inline int mw_copy(struct me_node *node, const struct me_buffer *to,
			  const struct me_buffer *from)
{
	assert_true(mw_of(node)->locked[node->id]);
	assert_true(from->bytes <= to->bytes && !(from->words[1] & MW_FAULT));
	memcpy((void *)(uintptr_t)to->words[0], (void *)(uintptr_t)from->words[0], from->bytes);
	return 0;
}

static inline void mw_move(const struct me_request *send, const struct me_parcel *parcel)
{
	memcpy((void *)(uintptr_t)parcel->frame.there[0],
	       (void *)(uintptr_t)send->buffer.words[0], send->buffer.bytes);
}

static inline int mw_put(struct me_node *node, struct me_request *send,
			 struct me_parcel **parcel, uint32_t to)
{
	struct mw_world *w = mw_of(node);
	struct mw_parcel *p = (struct mw_parcel *)*parcel;
	unsigned int how = w->put == 3 ? (unsigned int)rng_below(&w->rng, 3) : w->put;

	assert_true(to < NODES);
	if (send->buffer.words[1] & MW_FAULT)
		return -EIO;
	if (how == 1 && w->nr_later < ARRAY_SIZE(w->later)) {
		w->later[w->nr_later].node = node->id;
		w->later[w->nr_later++].send = send;
		return ME_LATER;
	}
	if (how != 2) {
		mw_move(send, *parcel);
		return 0;
	}
	free(p->data);
	p->bytes = send->buffer.bytes;
	p->data = malloc(p->bytes + 1);
	memcpy(p->data, (void *)(uintptr_t)send->buffer.words[0], p->bytes);
	return ME_TAKEN;
}

static inline bool mw_agree(struct me_node *node, const struct me_buffer *to,
			    uint64_t bytes, uint64_t signature)
{
	(void)node;
	return !bytes || signature == MW_ANY_TYPE || to->signature == MW_ANY_TYPE ||
	       signature == to->signature;
}

static inline void mw_done(struct me_node *node, struct me_request *request)
{
	if (request->waiter)
		*(bool *)request->waiter = true;
	mw_of(node)->done++;
}

static inline void mw_wake(struct me_node *node, void *waiter)
{
	mw_of(node)->woken++;
	*(bool *)waiter = true;
}

static const struct me_port mw_port = {
	mw_alloc, mw_free, mw_lock, mw_unlock, mw_parcel, mw_drop, mw_travel, mw_enter,
	mw_reserve, mw_unreserve, mw_gather, mw_scatter, mw_copy, mw_put, mw_agree, mw_done,
	mw_wake, NULL,
};

static inline void mw_open(struct mw_world *w, uint64_t seed, uint64_t eager, uint64_t room)
{
	memset(w, 0, sizeof(*w));
	w->rng = rng_of(seed, 0);
	w->entries = rng_of(seed, 2);
	w->room = room;
	w->fail_in = -1;
	for (uint32_t i = 0; i < NODES; i++) {
		w->nodes[i].port = &mw_port;
		w->nodes[i].world = w;
		w->nodes[i].id = i;
		w->nodes[i].size = NODES;
		w->nodes[i].eager_bytes = eager;
		w->nodes[i].notes_matches = true;
		me_node_open(&w->nodes[i]);
	}
}

static inline struct mw_parcel *mw_pop(struct mw_world *w, uint32_t from, uint32_t to)
{
	struct mw_parcel *p = w->first[from][to];

	w->first[from][to] = p->next;
	return p;
}

static inline void mw_close(struct mw_world *w)
{
	for (uint32_t from = 0; from < NODES; from++) {
		for (uint32_t to = 0; to < NODES; to++) {
			while (w->first[from][to])
				mw_drop(&w->nodes[to], &mw_pop(w, from, to)->parcel);
		}
	}
	for (uint32_t i = 0; i < NODES; i++)
		me_node_close(&w->nodes[i]);
	assert_int_equal(w->parcels, 0);
	assert_int_equal(w->memory, 0);
}

static inline uint64_t mw_hops(const struct mw_world *w)
{
	uint64_t hops = 0;

	for (uint32_t i = 0; i < NODES; i++)
		hops += w->nodes[i].counts.hops;
	return hops;
}

#endif /* TESTS_MESSAGE_WORLD_H */
