// SPDX-License-Identifier: MIT
/*
 * Finds out whether parts meet: by where they begin and end, and where that
 * does not tell, by marking the bytes that are written. That takes as long as to move
 * them, so lists of claims that were found to keep apart are remembered for a while, by
 * content, never by address.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/types/apart.h"
#include "collectives/types/claims.h"
#include "collectives/types/layouts.h"
#include "collectives/types/type.h"
#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include "runtime/base/threads.h"

#define NAME_BYTES 48

/* lists of claims that are kept, and claims of one */
#define KEPT		16
#define KEPT_CLAIMS	64

struct marks {
	uint64_t *bits;
	int64_t lo, hi; /* of what is written */
	bool mark;	/* else only look */
	bool met;
};

static int by_begin(const void *a, const void *b)
{
	const struct pt_claim *x = a, *y = b;

	return (x->whole->lo > y->whole->lo) - (x->whole->lo < y->whole->lo);
}

/* whether their ends tell that no written one meets another; they are sorted */
static bool spans_tell(const struct pt_claim claims[], size_t nr)
{
	int64_t end = INT64_MIN, written_end = INT64_MIN;

	for (size_t i = 0; i < nr; i++) {
		const struct pt_whole *w = claims[i].whole;

		if (!w->size)
			continue;
		if (w->lo < (claims[i].written ? end : written_end))
			return false;
		end = w->hi > end ? w->hi : end;
		if (claims[i].written && w->hi > written_end)
			written_end = w->hi;
	}
	return true;
}

/* up to 64 bytes at a time */
static void mark_run(struct marks *m, int64_t from, int64_t to)
{
	from = from > m->lo ? from : m->lo;
	to = to < m->hi ? to : m->hi;
	while (from < to) {
		uint64_t at = (uint64_t)(from - m->lo), n = 64 - at % 64, bits;

		n = n < (uint64_t)(to - from) ? n : (uint64_t)(to - from);
		bits = (UINT64_MAX >> (64 - n)) << at % 64;
		m->met |= !!(m->bits[at / 64] & bits);
		if (m->mark)
			m->bits[at / 64] |= bits;
		from += (int64_t)n;
	}
}

static bool mark_leaf(void *ctx, const struct pt_leaf *leaf)
{
	struct marks *m = ctx;

	for (uint64_t j = 0; j < leaf->n[1] && !m->met; j++) {
		int64_t mem = leaf->mem + (int64_t)j * leaf->stride[1];

		for (uint64_t i = 0; i < leaf->n[0]; i++) {
			int64_t at =
				mem + (leaf->offs
					       ? leaf->offs[i]
					       : (int64_t)i * leaf->stride[0]);

			mark_run(m, at, at + (int64_t)leaf->len);
		}
	}
	return !m->met;
}

static int mark_claims(const struct pt_claim claims[], size_t nr,
		       struct marks *m)
{
	for (size_t i = 0; i < nr; i++) {
		const struct pt_claim *c = &claims[i];

		if (c->written != m->mark || !c->whole->size)
			continue;
		pt_walk(c->whole, 0, c->whole->size, mark_leaf, m);
		if (m->met)
			return pd_error(
				EINVAL,
				"%s[%u] has a byte that is %s another part, expected "
				"parts that keep apart",
				c->name, c->index,
				m->mark ? "received by" : "written by");
	}
	return 0;
}

static int look_at_bytes(const struct pt_claim claims[], size_t nr)
{
	struct marks m = { .lo = INT64_MAX, .hi = INT64_MIN, .mark = true };
	int ret;

	for (size_t i = 0; i < nr; i++) {
		const struct pt_whole *w = claims[i].whole;

		if (!claims[i].written || !w->size)
			continue;
		m.lo = w->lo < m.lo ? w->lo : m.lo;
		m.hi = w->hi > m.hi ? w->hi : m.hi;
	}
	m.bits = calloc((uint64_t)(m.hi - m.lo) / 64 + 1, sizeof(*m.bits));
	if (!m.bits)
		return pd_error(ENOMEM,
				"no memory to look at the bytes of %zu parts",
				nr);
	ret = mark_claims(claims, nr, &m);
	m.mark = false;
	if (!ret)
		ret = mark_claims(claims, nr, &m);
	free(m.bits);
	return ret;
}

/* bytes: whether they had to be looked at */
static int check_claims(struct pt_claim claims[], size_t nr, bool *bytes)
{
	char name[NAME_BYTES];
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++) {
		if (!claims[i].written)
			continue;
		snprintf(name, sizeof(name), "%s[%u]", claims[i].name,
			 claims[i].index);
		ret = pt_check_apart(claims[i].whole, name);
	}
	if (ret)
		return ret;
	qsort(claims, nr, sizeof(*claims), by_begin);
	*bytes = !spans_tell(claims, nr);
	return *bytes ? look_at_bytes(claims, nr) : 0;
}

/* claims that keep apart, in their caller's order */
struct kept {
	uint64_t hash;
	size_t nr;
	struct kept_claim {
		struct pt_side side;
		int64_t off;
		bool written;
	} claims[KEPT_CLAIMS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept *kept[KEPT];		/* the latest first */

PD_FORK_SAFE(&lock);

/* of parts without bytes nothing is said */
static void set_kept(struct kept *k, const struct pt_claim claims[], size_t nr)
{
	k->hash = k->nr = 0;
	for (size_t i = 0; i < nr; i++) {
		const struct pt_claim *c = &claims[i];
		struct kept_claim *own = &k->claims[k->nr];

		if (!c->whole->size)
			continue;
		own->side = pt_side_of(c->part);
		own->off = c->whole->off;
		own->written = c->written;
		k->hash = pt_hash_side(pt_mix(k->hash, 2 * (uint64_t)own->off + own->written),
				       &own->side);
		k->nr++;
	}
}

static bool same_claims(const struct kept *a, const struct kept *b)
{
	bool same = a->hash == b->hash && a->nr == b->nr;

	for (size_t i = 0; i < a->nr && same; i++)
		same = a->claims[i].off == b->claims[i].off &&
		       a->claims[i].written == b->claims[i].written &&
		       pt_same_side(&a->claims[i].side, &b->claims[i].side);
	return same;
}

/* whether they were found to keep apart, which makes them the latest */
static bool find_kept(const struct kept *key)
{
	size_t i = 0;

	pthread_mutex_lock(&lock);
	while (i < KEPT && kept[i] && !same_claims(kept[i], key))
		i++;
	if (i < KEPT && kept[i]) {
		struct kept *found = kept[i];

		memmove(kept + 1, kept, i * sizeof(*kept));
		kept[0] = found;
	} else {
		i = KEPT;
	}
	pthread_mutex_unlock(&lock);
	return i < KEPT;
}

static void kept_free(struct kept *k)
{
	for (size_t i = 0; k && i < k->nr; i++)
		pt_put((struct pt_node *)(uintptr_t)k->claims[i].side.node);
	free(k);
}

/* Where there is no memory for it nothing is lost. */
static int keep(const struct kept *key)
{
	size_t bytes = offsetof(struct kept, claims) + key->nr * sizeof(key->claims[0]);
	struct kept *k, *drop;
	uint64_t most;
	int ret = pd_env_layouts(&most);

	if (ret || !most)
		return ret;
	k = malloc(bytes);
	if (!k)
		return 0;
	memcpy(k, key, bytes);
	for (size_t i = 0; i < k->nr; i++)
		pt_get((struct pt_node *)(uintptr_t)k->claims[i].side.node);
	pthread_mutex_lock(&lock);
	drop = kept[KEPT - 1];
	memmove(kept + 1, kept, (KEPT - 1) * sizeof(*kept));
	kept[0] = k;
	pthread_mutex_unlock(&lock);
	kept_free(drop);
	return 0;
}

int pt_check_claims(struct pt_claim claims[], size_t nr)
{
	struct kept key;
	bool bytes = false;
	int ret;

	if (nr > KEPT_CLAIMS)
		return check_claims(claims, nr, &bytes);
	set_kept(&key, claims, nr);
	if (find_kept(&key))
		return 0;
	ret = check_claims(claims, nr, &bytes);
	return ret || !bytes ? ret : keep(&key);
}
