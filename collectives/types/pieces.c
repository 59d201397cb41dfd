// SPDX-License-Identifier: MIT
/* A part's contiguous runs, some at a time. */
#include <errno.h>

#include "collectives/types/walk.h"
#include "runtime/base/error.h"

struct pieces {
	struct pimtype_piece *to;
	size_t n, room;
};

/* false: there is no room for it */
static bool add_piece(struct pieces *p, int64_t offset, uint64_t bytes)
{
	struct pimtype_piece *last = p->n ? &p->to[p->n - 1] : NULL;

	if (last && last->offset + (int64_t)last->bytes == offset) {
		last->bytes += bytes;
		return true;
	}
	if (p->n == p->room)
		return false;
	p->to[p->n++] = (struct pimtype_piece){ offset, bytes };
	return true;
}

static bool add_leaf(void *ctx, const struct pt_leaf *leaf)
{
	for (uint64_t j = 0; j < leaf->n[1]; j++) {
		int64_t mem = leaf->mem + (int64_t)j * leaf->stride[1];

		for (uint64_t i = 0; i < leaf->n[0]; i++) {
			int64_t at = leaf->offs ? leaf->offs[i] :
						  (int64_t)i * leaf->stride[0];

			if (!add_piece(ctx, mem + at, leaf->len))
				return false;
		}
	}
	return true;
}

int pimtype_pieces(struct pimtype_part part, uint64_t first,
		   struct pimtype_piece pieces[], size_t *nr)
{
	struct pieces p = { .to = pieces };
	struct pt_whole whole;
	int ret = pt_whole_of(&whole, &part, "part");

	if (ret)
		return ret;
	if (!nr || (!pieces && *nr))
		return pd_error(EINVAL, "%s is NULL", nr ? "pieces" : "nr");
	if (first > whole.size)
		return pd_error(EINVAL, "first=%llu, expected at most %llu",
				(unsigned long long)first,
				(unsigned long long)whole.size);
	p.room = *nr;
	pt_walk(&whole, first, whole.size - first, add_leaf, &p);
	*nr = p.n;
	return 0;
}
