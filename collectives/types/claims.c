// SPDX-License-Identifier: MIT
/*
 * Finds out whether parts meet: by where they begin and end, and where that
 * does not tell, by marking the bytes that are written.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "collectives/types/apart.h"
#include "collectives/types/claims.h"
#include "runtime/base/error.h"

#define NAME_BYTES 48

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

int pt_check_claims(struct pt_claim claims[], size_t nr)
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
	return spans_tell(claims, nr) ? 0 : look_at_bytes(claims, nr);
}
