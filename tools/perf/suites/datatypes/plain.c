// SPDX-License-Identifier: MIT
/*
 * Loops that a program has instead of datatypes. They are compiled as applications are, for
 * speed; the stream is a side without gaps, so that packing is copying.
 */
#include <string.h>

#include "tools/perf/suites/datatypes/plain.h"

/* Have the inner loop be part of the block where it has no gaps at the sides that count. */
static bool join(struct ddt_nest *nest, bool from, bool to)
{
	int64_t run = (int64_t)(nest->block * nest->element);
	const struct ddt_side *s = nest->side;

	if (nest->count[2] > 1 && ((from && (s[DDT_FROM].list || s[DDT_FROM].stride[2] != run)) ||
				   (to && (s[DDT_TO].list || s[DDT_TO].stride[2] != run))))
		return false;
	if (nest->count[0] * nest->count[1] * nest->count[2] == 1)
		return false;
	nest->block *= nest->count[2];
	for (int d = DDT_DEPTH - 1; d >= 0; d--) {
		nest->count[d] = d ? nest->count[d - 1] : 1;
		for (int side = 0; side < DDT_SIDES; side++)
			nest->side[side].stride[d] = d ? s[side].stride[d - 1] : 0;
	}
	nest->side[DDT_FROM].list = nest->side[DDT_TO].list = NULL;
	return true;
}

/* Have a side be the stream, whose next byte is `at`. */
static void make_stream(struct ddt_nest *nest, int side, int64_t at)
{
	int64_t stride = (int64_t)(nest->block * nest->element);

	nest->side[side] = (struct ddt_side){ .at = at };
	for (int d = DDT_DEPTH - 1; d >= 0; d--) {
		nest->side[side].stride[d] = stride;
		stride *= (int64_t)nest->count[d];
	}
}

static void widen(struct ddt_nest *nest, unsigned int lanes)
{
	if (lanes == 1)
		return;
	/* eight lanes of n bytes are n words */
	nest->block *= nest->element;
	nest->element = 8;
	for (int side = 0; side < DDT_SIDES; side++) {
		nest->side[side].at *= lanes;
		for (int d = 0; d < DDT_DEPTH; d++)
			nest->side[side].stride[d] *= lanes;
	}
}

void ddt_loops_make(struct ddt_loops *loops, const struct ddt_kernel *k, bool from, bool to,
		    unsigned int lanes)
{
	int64_t at = 0;

	loops->nr = k->nr;
	for (unsigned int n = 0; n < k->nr; n++) {
		struct ddt_nest *nest = &loops->nests[n];

		*nest = k->nests[n];
		while (join(nest, from, to))
			;
		if (!from)
			make_stream(nest, DDT_FROM, at);
		if (!to)
			make_stream(nest, DDT_TO, at);
		at += (int64_t)(ddt_elements(nest) * nest->element);
		widen(nest, lanes);
	}
}

static inline int64_t step(const struct ddt_side *side, uint64_t i)
{
	return side->stride[2] * (side->list ? side->list[i] : (int64_t)i);
}

/*
 * What is done with each run of elements `type`, as if it stood in the program: with the
 * list, or without one, is decided outside.
 */
#define RUN(type, n)								\
	for (uint64_t i = 0; i < inner; i++) {					\
		type *d = (type *)(dst + (to.list ? to.stride[2] * to.list[i] :	\
						    to.stride[2] * (int64_t)i)); \
		const type *s = (const type *)(src + (from.list ?		\
						from.stride[2] * from.list[i] : \
						from.stride[2] * (int64_t)i));	\
		for (uint64_t e = 0; e < (n); e++)				\
			d[e] = s[e];						\
	}

#define INNER(type)								\
static void inner_##type(struct ddt_side to, char *restrict dst, struct ddt_side from,	\
			 const char *restrict src, uint64_t inner, uint64_t block)	\
{										\
	if (block == 1)								\
		RUN(type, 1)							\
	else if (block == 3)							\
		RUN(type, 3)							\
	else									\
		RUN(type, block)						\
}

INNER(float)
INNER(double)

static void nest_plain(const struct ddt_nest *nest, char *dst, const char *src)
{
	const struct ddt_side *to = &nest->side[DDT_TO], *from = &nest->side[DDT_FROM];

	for (uint64_t a = 0; a < nest->count[0]; a++) {
		for (uint64_t b = 0; b < nest->count[1]; b++) {
			char *d = dst + to->at + to->stride[0] * (int64_t)a +
				  to->stride[1] * (int64_t)b;
			const char *s = src + from->at + from->stride[0] * (int64_t)a +
					from->stride[1] * (int64_t)b;

			if (nest->element == 8)
				inner_double(*to, d, *from, s, nest->count[2], nest->block);
			else
				inner_float(*to, d, *from, s, nest->count[2], nest->block);
		}
	}
}

static void nest_blocks(const struct ddt_nest *nest, char *dst, const char *src)
{
	const struct ddt_side *to = &nest->side[DDT_TO], *from = &nest->side[DDT_FROM];
	size_t bytes = nest->block * nest->element;

	for (uint64_t a = 0; a < nest->count[0]; a++) {
		for (uint64_t b = 0; b < nest->count[1]; b++) {
			char *d = dst + to->at + to->stride[0] * (int64_t)a +
				  to->stride[1] * (int64_t)b;
			const char *s = src + from->at + from->stride[0] * (int64_t)a +
					from->stride[1] * (int64_t)b;

			for (uint64_t i = 0; i < nest->count[2]; i++)
				memcpy(d + step(to, i), s + step(from, i), bytes);
		}
	}
}

void ddt_plain_copy(const struct ddt_loops *loops, void *to, const void *from)
{
	for (unsigned int n = 0; n < loops->nr; n++)
		nest_plain(&loops->nests[n], to, from);
}

void ddt_blocks_copy(const struct ddt_loops *loops, void *to, const void *from)
{
	for (unsigned int n = 0; n < loops->nr; n++)
		nest_blocks(&loops->nests[n], to, from);
}
