// SPDX-License-Identifier: MIT
/*
 * Keeps merged layouts by what the two types are and how many there are of each, never
 * by address: types that are made again find theirs, and none is found for another's.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "collectives/types/layouts.h"
#include "collectives/types/merge.h"
#include "collectives/types/type.h"
#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include "runtime/base/threads.h"

#define CHAINS	1024	/* of the table, by hash */

struct kept {
	struct pt_side to, from;
	uint64_t hash;
	struct pt_node *merged;		/* NULL: none is worth it */
	struct kept *chain;
	struct kept *newer, *older;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept *chains[CHAINS];
static struct kept *newest, *oldest;
static struct pimtype_stats counters;
static _Atomic uint64_t staged;

PD_FORK_SAFE(&lock);

struct pt_side pt_side_of(const struct pimtype_part *part)
{
	return (struct pt_side){
		.node = part->type->layout.node,
		.count = part->count,
		.extent = part->count > 1 ? pt_extent(part->type) : 0,
	};
}

uint64_t pt_hash_side(uint64_t hash, const struct pt_side *side)
{
	return pt_mix(pt_mix(pt_mix(hash, side->node->hash), side->count),
		      (uint64_t)side->extent);
}

bool pt_same_side(const struct pt_side *a, const struct pt_side *b)
{
	return a->count == b->count && a->extent == b->extent &&
	       pt_same(a->node, b->node);
}

static void lru_take(struct kept *k)
{
	*(k->newer ? &k->newer->older : &newest) = k->older;
	*(k->older ? &k->older->newer : &oldest) = k->newer;
	k->newer = k->older = NULL;
}

static void lru_put(struct kept *k)
{
	k->older = newest;
	*(newest ? &newest->newer : &oldest) = k;
	newest = k;
}

static void kept_free(struct kept *k)
{
	pt_put((struct pt_node *)(uintptr_t)k->to.node);
	pt_put((struct pt_node *)(uintptr_t)k->from.node);
	pt_put(k->merged);
	free(k);
}

/* the oldest one, taken off; the caller frees it outside of the lock */
static struct kept *evict(void)
{
	struct kept *k = oldest, **link = &chains[k->hash % CHAINS];

	while (*link != k)
		link = &(*link)->chain;
	*link = k->chain;
	lru_take(k);
	counters.layouts--;
	counters.evictions++;
	return k;
}

static struct kept *lookup(const struct kept *key)
{
	struct kept *k = chains[key->hash % CHAINS];

	while (k && (k->hash != key->hash || !pt_same_side(&k->to, &key->to) ||
		     !pt_same_side(&k->from, &key->from)))
		k = k->chain;
	return k;
}

static bool find(const struct kept *key, struct pt_node **merged)
{
	struct kept *k;

	pthread_mutex_lock(&lock);
	k = lookup(key);
	if (k) {
		*merged = pt_get(k->merged);
		counters.hits++;
		if (k != newest) {
			lru_take(k);
			lru_put(k);
		}
	} else {
		counters.misses++;
	}
	pthread_mutex_unlock(&lock);
	return k;
}

/* another thread may have kept the same one meanwhile: then it stays the one */
static void keep(struct kept *k, uint64_t most)
{
	struct kept *drop = NULL, *next;

	pthread_mutex_lock(&lock);
	if (lookup(k)) {
		drop = k;
	} else {
		k->chain = chains[k->hash % CHAINS];
		chains[k->hash % CHAINS] = k;
		lru_put(k);
		counters.layouts++;
		while (counters.layouts > most) {
			next = evict();
			next->chain = drop;
			drop = next;
		}
	}
	pthread_mutex_unlock(&lock);
	for (; drop; drop = next) {
		next = drop->chain;
		kept_free(drop);
	}
}

static int make_layout(const struct kept *key, const struct pt_whole *to,
		       const struct pt_whole *from, uint64_t most,
		       struct pt_node **merged)
{
	struct kept *k;
	int ret = pt_merge(to, from, merged);

	if (ret || !most)
		return ret;
	k = malloc(sizeof(*k));
	if (!k) {
		pt_put(*merged);
		return pd_error(ENOMEM, "no memory for a merged layout");
	}
	*k = *key;
	k->chain = NULL;
	pt_get((struct pt_node *)(uintptr_t)k->to.node);
	pt_get((struct pt_node *)(uintptr_t)k->from.node);
	k->merged = pt_get(*merged);
	keep(k, most);
	return 0;
}

int pt_layouts_find_sides(struct pt_side to, const struct pt_whole *whole_to,
			  struct pt_side from, const struct pt_whole *whole_from,
			  struct pt_node **merged)
{
	struct kept key = { .to = to, .from = from };
	uint64_t most;
	int ret;

	key.hash = pt_hash_side(pt_hash_side(0, &key.to), &key.from);
	if (find(&key, merged))
		return 0;
	ret = pd_env_layouts(&most);
	return ret ? ret : make_layout(&key, whole_to, whole_from, most, merged);
}

int pt_layouts_find(const struct pimtype_part *to, const struct pt_whole *whole_to,
		    const struct pimtype_part *from,
		    const struct pt_whole *whole_from, struct pt_node **merged)
{
	return pt_layouts_find_sides(pt_side_of(to), whole_to, pt_side_of(from), whole_from,
				     merged);
}

void pt_layouts_staged(void)
{
	atomic_fetch_add_explicit(&staged, 1, memory_order_relaxed);
}

void pt_layouts_stats(struct pimtype_stats *stats)
{
	pthread_mutex_lock(&lock);
	*stats = counters;
	pthread_mutex_unlock(&lock);
	stats->staged = atomic_load_explicit(&staged, memory_order_relaxed);
}
