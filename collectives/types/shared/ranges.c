// SPDX-License-Identifier: MIT
/*
 * Ranges of the stream that two layouts have in common: several who copy share a pair of
 * buffers by them. A merged layout is cut where a range begins and ends; whole turns and
 * pairs between are done at once.
 */
#include "collectives/types/mover.h"
#include "collectives/types/shared/ranges.h"
#include "collectives/types/stream.h"
#include "collectives/types/strided.h"

#define STAGE_BYTES	8192

struct range {
	const struct pt_strided *strided;
	uint8_t *dst;
	const uint8_t *src;
	uint64_t first, bytes;
};

static void range_of(const struct pt_node *node, struct range r, struct pt_cursor *cursor);

static void range_run(struct range r)
{
	const struct pt_node run = { .kind = PT_DENSE, .size = r.bytes };

	pt_run_merged(r.strided, &run, r.dst + r.first, r.src + r.first, 0);
}

/* a part of the loop's number i */
static void range_turn(const struct pt_node *loop, struct range r, uint64_t i, uint64_t first,
		       uint64_t bytes)
{
	r.dst += (int64_t)i * loop->stride[0];
	r.src += (int64_t)i * loop->stride[1];
	r.first = first;
	r.bytes = bytes;
	range_of(loop->child, r, NULL);
}

static void range_loop(const struct pt_node *loop, struct range r)
{
	const uint64_t size = loop->child->size;
	uint64_t i = r.first / size, inside = r.first % size, bytes = r.bytes, n;

	if (inside) {
		uint64_t had = size - inside < bytes ? size - inside : bytes;

		range_turn(loop, r, i++, inside, had);
		bytes -= had;
	}
	n = bytes / size;
	if (n) {
		const struct pt_node turns = {
			.kind = PT_LOOP, .n = n, .size = n * size, .child = loop->child,
			.stride = { loop->stride[0], loop->stride[1] },
		};

		pt_run_merged(r.strided, &turns, r.dst + (int64_t)i * loop->stride[0],
			      r.src + (int64_t)i * loop->stride[1], 0);
	}
	if (bytes % size)
		range_turn(loop, r, i + n, 0, bytes % size);
}

static void range_pair(const struct pt_node *pairs, struct range r, uint64_t i, uint64_t first,
		       uint64_t bytes)
{
	r.dst += pairs->offs[2 * i];
	r.src += pairs->offs[2 * i + 1];
	r.first = first;
	r.bytes = bytes;
	range_run(r);
}

static void range_pairs(const struct pt_node *pairs, struct range r)
{
	const uint64_t len = pairs->len;
	uint64_t i = r.first / len, inside = r.first % len, bytes = r.bytes, n;

	if (inside) {
		uint64_t had = len - inside < bytes ? len - inside : bytes;

		range_pair(pairs, r, i++, inside, had);
		bytes -= had;
	}
	n = bytes / len;
	if (n)
		r.strided->pairs(r.dst, r.src, pairs->offs + 2 * i, 0, n, len);
	if (bytes % len)
		range_pair(pairs, r, i + n, 0, bytes % len);
}

static void range_list(const struct pt_node *list, struct range r, struct pt_cursor *cursor)
{
	struct pt_cursor from_start = { 0 };
	struct pt_cursor *c = cursor && cursor->at <= r.first ? cursor : &from_start;
	uint64_t end = r.first + r.bytes;

	for (;; c->at += list->entries[c->entry++].size) {
		const struct pt_entry *e = &list->entries[c->entry];
		uint64_t first = r.first > c->at ? r.first - c->at : 0;
		struct range part = r;

		if (first >= e->size)
			continue;
		part.dst += e->off[0];
		part.src += e->off[1];
		part.first = first;
		part.bytes = (end - c->at < e->size ? end - c->at : e->size) - first;
		if (e->node)
			range_of(e->node, part, NULL);
		else
			range_run(part);
		if (end - c->at <= e->size)
			return;
	}
}

static void range_of(const struct pt_node *node, struct range r, struct pt_cursor *cursor)
{
	if (!r.first && r.bytes == node->size) {
		pt_run_merged(r.strided, node, r.dst, r.src, 0);
		return;
	}
	switch ((enum pt_kind)node->kind) {
	case PT_LOOP:
		range_loop(node, r);
		break;
	case PT_PAIRS:
		range_pairs(node, r);
		break;
	case PT_LIST:
		range_list(node, r, cursor);
		break;
	default:
		range_run(r);
		break;
	}
}

/* by way of the cache, some at a time */
static void range_staged(const struct pt_pair *pair, uint64_t first, uint64_t bytes)
{
	_Alignas(64) uint8_t stage[STAGE_BYTES];

	for (uint64_t had = 0; had < bytes; had += STAGE_BYTES) {
		uint64_t n = bytes - had < STAGE_BYTES ? bytes - had : STAGE_BYTES;

		pt_stream(pair->from, pair->src, first + had, stage, n, false);
		pt_stream(pair->to, pair->dst, first + had, stage, n, true);
	}
}

void pt_copy_range(const struct pt_pair *pair, uint64_t first, uint64_t bytes,
		   struct pt_cursor *cursor)
{
	if (!bytes)
		return;
	if (pt_is_run(pair->from))
		pt_stream(pair->to, pair->dst, first, pair->src + pair->from->off + first,
			  bytes, true);
	else if (pt_is_run(pair->to))
		pt_stream(pair->from, pair->src, first, pair->dst + pair->to->off + first,
			  bytes, false);
	else if (pair->merged)
		range_of(pair->merged,
			 (struct range){ pt_strided_best(), pair->dst + pair->to->off,
					 pair->src + pair->from->off, first, bytes },
			 cursor);
	else
		range_staged(pair, first, bytes);
}
