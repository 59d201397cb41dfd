// SPDX-License-Identifier: MIT
/* Hands the loops of layouts to those that move bytes. */
#include "collectives/types/mover.h"

static int64_t shifted(int64_t x, unsigned int shift)
{
	return (int64_t)((uint64_t)x << shift);
}

static void move_offs(const struct pt_mover *m, const struct pt_leaf *leaf,
		      uint8_t *mem, uint8_t *stream)
{
	if (m->to_mem)
		m->strided->scatter(mem, stream, leaf->offs, m->shift,
				    leaf->n[0], leaf->len << m->shift);
	else
		m->strided->gather(stream, mem, leaf->offs, m->shift,
				   leaf->n[0], leaf->len << m->shift);
}

/* whether all that is stored are whole lines */
static bool whole_lines(const uint8_t *mem, const struct pt_nest *nest)
{
	return !(((uintptr_t)mem | nest->len | (uint64_t)nest->to[0] |
		  (uint64_t)nest->to[1]) % 64);
}

bool pt_move_leaf(void *mover, const struct pt_leaf *leaf)
{
	const struct pt_mover *m = mover;
	uint8_t *mem = m->mem + shifted(leaf->mem, m->shift);
	uint8_t *stream = m->stream + (leaf->at << m->shift);
	struct pt_nest nest = {
		.len = leaf->len << m->shift,
		.n = { leaf->n[0], leaf->n[1] },
		.to = { shifted(leaf->stride[0], m->shift),
			shifted(leaf->stride[1], m->shift) },
	};

	if (leaf->offs) {
		move_offs(m, leaf, mem, stream);
		return true;
	}
	nest.from[0] = (int64_t)nest.len;
	nest.from[1] = (int64_t)(nest.len * nest.n[0]);
	if (!m->to_mem) {
		struct pt_nest back = nest;

		back.to[0] = nest.from[0];
		back.to[1] = nest.from[1];
		back.from[0] = nest.to[0];
		back.from[1] = nest.to[1];
		m->strided->copy(stream, mem, &back);
	} else if (m->stores == PD_STORES_AROUND && whole_lines(mem, &nest)) {
		m->strided->lines(mem, stream, &nest, m->stores);
	} else {
		m->strided->copy(mem, stream, &nest);
	}
	return true;
}

/* how bytes of a merged layout are moved */
struct merged {
	const struct pt_strided *strided;
	const struct pt_turned *turned;		/* of rows whose lanes change, or NULL */
	unsigned int shift;
};

static void merged_node(const struct merged *m, const struct pt_node *node, uint8_t *dst,
			const uint8_t *src);

static void merged_nest(const struct merged *m, uint8_t *dst, const uint8_t *src,
			const struct pt_nest *nest)
{
	if (m->turned)
		m->strided->turn(dst, src, nest, m->turned);
	else
		m->strided->copy(dst, src, nest);
}

/* a run, by the loops that know of its length */
static void merged_run(const struct merged *m, uint8_t *dst, const uint8_t *src,
		       uint64_t bytes)
{
	const struct pt_nest nest = { .len = bytes, .n = { 1, 1 } };

	merged_nest(m, dst, src, &nest);
}

static void merged_loop(const struct merged *m, const struct pt_node *loop, uint8_t *dst,
			const uint8_t *src)
{
	const struct pt_node *child = loop->child;
	const unsigned int shift = m->shift;
	const int64_t to = shifted(loop->stride[0], shift);
	const int64_t from = shifted(loop->stride[1], shift);
	struct pt_nest nest = { .len = child->size << shift,
				.n = { loop->n, 1 },
				.to = { to, 0 }, .from = { from, 0 } };

	if (child->kind == PT_DENSE) {
		merged_nest(m, dst, src, &nest);
		return;
	}
	if (child->kind == PT_LOOP && child->child->kind == PT_DENSE) {
		nest = (struct pt_nest){
			.len = child->child->size << shift,
			.n = { child->n, loop->n },
			.to = { shifted(child->stride[0], shift), to },
			.from = { shifted(child->stride[1], shift), from },
		};
		merged_nest(m, dst, src, &nest);
		return;
	}
	for (uint64_t i = 0; i < loop->n; i++)
		merged_node(m, child, dst + (int64_t)i * to, src + (int64_t)i * from);
}

static void merged_list(const struct merged *m, const struct pt_node *list, uint8_t *dst,
			const uint8_t *src)
{
	for (uint64_t i = 0; i < list->n; i++) {
		const struct pt_entry *e = &list->entries[i];
		uint8_t *to = dst + shifted(e->off[0], m->shift);
		const uint8_t *from = src + shifted(e->off[1], m->shift);

		if (e->node)
			merged_node(m, e->node, to, from);
		else
			merged_run(m, to, from, e->size << m->shift);
	}
}

static void merged_pairs(const struct merged *m, const struct pt_node *pairs, uint8_t *dst,
			 const uint8_t *src)
{
	if (!m->turned) {
		m->strided->pairs(dst, src, pairs->offs, m->shift, pairs->n,
				  pairs->len << m->shift);
		return;
	}
	for (uint64_t i = 0; i < pairs->n; i++)
		merged_run(m, dst + shifted(pairs->offs[2 * i], m->shift),
			   src + shifted(pairs->offs[2 * i + 1], m->shift),
			   pairs->len << m->shift);
}

static void merged_node(const struct merged *m, const struct pt_node *node, uint8_t *dst,
			const uint8_t *src)
{
	switch ((enum pt_kind)node->kind) {
	case PT_LOOP:
		merged_loop(m, node, dst, src);
		break;
	case PT_PAIRS:
		merged_pairs(m, node, dst, src);
		break;
	case PT_LIST:
		merged_list(m, node, dst, src);
		break;
	default:
		merged_run(m, dst, src, node->size << m->shift);
		break;
	}
}

void pt_run_merged(const struct pt_strided *strided, const struct pt_node *node,
		   uint8_t *dst, const uint8_t *src, unsigned int shift)
{
	const struct merged m = { strided, NULL, shift };

	merged_node(&m, node, dst, src);
}

void pt_run_turned(const struct pt_strided *strided, const struct pt_node *node,
		   uint8_t *dst, const uint8_t *src, const struct pt_turned *turned)
{
	/* a byte of the layout is a row */
	const struct merged m = { strided, turned, 3 };

	merged_node(&m, node, dst, src);
}
