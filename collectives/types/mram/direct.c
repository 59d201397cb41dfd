// SPDX-License-Identifier: MIT
/* Moves long runs by the domain transfer alone, from where they lie to where they go. */
#include "collectives/types/mram/direct.h"
#include "runtime/ranks/transfer.h"

/* below that a call of the transfer for each run costs more than a copy in the cache */
#define LEAST	128u

static bool long_run(uint64_t bytes)
{
	return bytes >= LEAST && !(bytes % PIMDIMM_WORD_BYTES);
}

static bool on_words(int64_t off)
{
	return !(off % PIMDIMM_WORD_BYTES);
}

/* words: also where the runs lie, by words from the first one on */
static bool node_direct(const struct pt_node *node, bool words);

static bool list_direct(const struct pt_node *list, bool words)
{
	for (uint64_t i = 0; i < list->n; i++) {
		const struct pt_entry *e = &list->entries[i];

		if ((words && !on_words(e->off[0])) ||
		    !(e->node ? node_direct(e->node, words) : long_run(e->size)))
			return false;
	}
	return true;
}

static bool blocks_direct(const struct pt_node *blocks, bool words)
{
	for (uint64_t i = 0; i < blocks->n && words; i++) {
		if (!on_words(blocks->offs[i]))
			return false;
	}
	return long_run(blocks->len);
}

static bool node_direct(const struct pt_node *node, bool words)
{
	switch (node->kind) {
	case PT_DENSE:
		return long_run(node->size);
	case PT_LOOP:
		return (!words || on_words(node->stride[0])) &&
		       node_direct(node->child, words);
	case PT_BLOCKS:
		return blocks_direct(node, words);
	case PT_LIST:
		return list_direct(node, words);
	default:
		return false;
	}
}

enum pt_direct_way pt_direct_way(const struct pt_whole *mram, const struct pt_whole *host)
{
	if (!mram->node || !host->node || !on_words(mram->off) ||
	    !node_direct(mram->node, true) || !node_direct(host->node, false))
		return PT_DIRECT_NOT;
	if (host->node->kind == PT_DENSE)
		return PT_DIRECT_ROW;
	return pt_same(host->node, mram->node) ? PT_DIRECT_ALIKE : PT_DIRECT_WALK;
}

/* one run of MRAM, which the host's are parts of */
struct run {
	const struct pt_direct *d;
	uint64_t word;
};

static void move_words(const struct run *run, uint64_t at, int64_t mem,
		       uint64_t bytes)
{
	const struct pt_direct *d = run->d;
	uint64_t word = run->word + at / PIMDIMM_WORD_BYTES;
	void *lanes[PIMDIMM_CHIPS];

	for (unsigned int i = 0; i < PIMDIMM_CHIPS; i++)
		lanes[i] = d->bufs[i] + mem;
	if (d->to_mram)
		pd_eg_put(d->sys, d->eg, word, bytes / PIMDIMM_WORD_BYTES,
			  (const void *const *)lanes, d->stores);
	else
		pd_eg_get(d->sys, d->eg, word, bytes / PIMDIMM_WORD_BYTES, lanes,
			  PD_STORES_PLAIN);
}

/* each run of a leaf, by its place in memory and in the stream */
static bool each_run(const struct pt_leaf *leaf, void *ctx,
		     void (*fn)(void *ctx, uint64_t at, int64_t mem, uint64_t len))
{
	uint64_t at = leaf->at;

	for (uint64_t j = 0; j < leaf->n[1]; j++) {
		int64_t mem = leaf->mem + (int64_t)j * leaf->stride[1];

		for (uint64_t i = 0; i < leaf->n[0]; i++, at += leaf->len)
			fn(ctx, at,
			   mem + (leaf->offs ? leaf->offs[i] :
					       (int64_t)i * leaf->stride[0]),
			   leaf->len);
	}
	return true;
}

static void host_run(void *ctx, uint64_t at, int64_t mem, uint64_t len)
{
	move_words(ctx, at, mem, len);
}

static bool host_leaf(void *ctx, const struct pt_leaf *leaf)
{
	return each_run(leaf, ctx, host_run);
}

struct walk_mram {
	const struct pt_direct *d;
	uint64_t first;		/* of the stream */
};

static void mram_run(void *ctx, uint64_t at, int64_t mem, uint64_t len)
{
	const struct walk_mram *w = ctx;
	const struct pt_whole *host = w->d->host;
	struct run run = { w->d, (uint64_t)mem / PIMDIMM_WORD_BYTES };

	if (w->d->way == PT_DIRECT_ROW)
		move_words(&run, 0, host->off + (int64_t)(w->first + at), len);
	else if (w->d->way == PT_DIRECT_ALIKE)
		move_words(&run, 0, mem - w->d->mram->off + host->off, len);
	else
		pt_walk(host, w->first + at, len, host_leaf, &run);
}

static bool mram_leaf(void *ctx, const struct pt_leaf *leaf)
{
	return each_run(leaf, ctx, mram_run);
}

void pt_direct_move(const struct pt_direct *d, uint64_t at, uint64_t bytes)
{
	struct walk_mram w = { d, at };

	pt_walk(d->mram, at, bytes, mram_leaf, &w);
}
