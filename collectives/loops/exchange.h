/* SPDX-License-Identifier: MIT */
/*
 * The lane exchange on registers, the cursor by which loops ask for what is
 * read next, and the broadcast of what was folded last; expanded in the loops
 * of every tier.
 */
#ifndef PC_EXCHANGE_H
#define PC_EXCHANGE_H

#include "collectives/loops/loops.h"
#include "runtime/simd/vec.h"

/*
 * Parts that all loops have in common are expanded in each. -DPD_CALLS makes them functions,
 * for builds that take longer to compile than to run, such as those with sanitizers.
 */
#ifdef PD_CALLS
#define PD_PART static __attribute__((noinline, unused))
#else
#define PD_PART PD_INLINE
#endif

/*
 * One stage swaps, between registers that differ in one bit of their number,
 * the lanes that differ in the same bit of their rank. Unless it is all
 * unrolled, the registers are memory.
 */
PD_INLINE void stage(v64 r[8], unsigned int nl, unsigned int bit, v64 low,
		     unsigned int shift)
{
#pragma GCC unroll 8
	for (unsigned int j = 0; j < nl; j++) {
		v64 a = r[j];

		if (j & bit)
			continue;
		r[j] = v_select(low, a, v_shl(r[j | bit], shift));
		r[j | bit] = v_select(low, v_shr(a, shift), r[j | bit]);
	}
}

/* All stages, between the nl streams of one entangled group, or of each of several. */
PD_INLINE void butterfly(v64 r[8], unsigned int streams, unsigned int nl,
			 const v64 low[3], const unsigned int shift[3])
{
#if V_EIGHTS
	if (nl == 8) {
		v_eight_exchange(r);
		return;
	}
#endif
	if (streams > 1 && nl > 1)
		stage(r, streams, 1, low[0], shift[0]);
	if (streams > 2 && nl > 2)
		stage(r, streams, 2, low[1], shift[1]);
	if (streams > 4 && nl > 4)
		stage(r, streams, 4, low[2], shift[2]);
}

struct stages {
	v64 low[3];
	unsigned int shift[3];
};

PD_INLINE struct stages stages(const struct pc_lanes *lanes)
{
	struct stages s;

	for (int k = 0; k < 3; k++) {
		s.low[k] = v_set1(lanes->low[k]);
		s.shift[k] = lanes->shift[k];
	}
	return s;
}

/*
 * Of each of the streams the block `at` bytes behind where it begins, exchanged; in the
 * host domain, if asked: where eight go at once the transfer is a part of the exchange.
 */
PD_INLINE void read_row(v64 r[8], const struct stages *s, uint8_t *const src[], size_t at,
			unsigned int streams, unsigned int nl, bool host)
{
	const uint8_t *block[8];

	for (unsigned int j = 0; j < streams; j++)
		block[j] = src[j] + at;
	if (V_EIGHTS && nl == 8 && host) {
		v_eight_lanes(r, block);
		return;
	}
	for (unsigned int j = 0; j < streams; j++)
		r[j] = v_load(block[j]);
	butterfly(r, streams, nl, s->low, s->shift);
	for (unsigned int j = 0; host && j < streams; j++)
		r[j] = v_transpose(r[j]);
}

/* expand a call for each number of lanes, as a constant */
#define FOR_EACH_NL(nl_value, call)			\
	do {						\
		switch (nl_value) {			\
		case 1: {				\
			enum { nl = 1 };		\
			call;				\
			break;				\
		}					\
		case 2: {				\
			enum { nl = 2 };		\
			call;				\
			break;				\
		}					\
		case 4: {				\
			enum { nl = 4 };		\
			call;				\
			break;				\
		}					\
		default: {				\
			enum { nl = 8 };		\
			call;				\
			break;				\
		}					\
		}					\
	} while (0)

/* a position in what is read next */
struct cursor {
	const struct pc_ahead *ahead;
	const uint8_t *at;
	size_t step;
	unsigned int stream;
	size_t left;	/* blocks of the stream */
	/* n rows that are read now, where each stream asks for its own next blocks, so many
	 * rows ahead; else NULL */
	uint8_t *const *src;
	size_t n, rows;
	bool first;	/* into the first cache */
};

PD_INLINE struct cursor cursor(const struct pc_ahead *ahead)
{
	if (!ahead || !ahead->streams)
		return (struct cursor){ 0 };
	return (struct cursor){
		.ahead = ahead,
		.at = ahead->ptr[0],
		.step = ahead->step,
		.left = ahead->n,
		.first = ahead->first,
	};
}

/* ask for the next few blocks of one stream */
PD_INLINE void look_ahead(struct cursor *c, unsigned int blocks)
{
	if (!c->left)
		return;
	/* which cache is to be a constant */
	if (c->first) {
		for (unsigned int i = 0; i < blocks; i++)
			__builtin_prefetch(c->at + i * c->step, 0, 3);
	} else {
		for (unsigned int i = 0; i < blocks; i++)
			__builtin_prefetch(c->at + i * c->step, 0, 2);
	}
	c->at += blocks * c->step;
	if (c->left > blocks) {
		c->left -= blocks;
		return;
	}
	c->left = 0;
	if (++c->stream < c->ahead->streams) {
		c->at = c->ahead->ptr[c->stream];
		c->left = c->ahead->n;
	}
}

/* rows that streams side by side ask ahead, of one group and of several, and the fewest for
 * which that is worth it */
#define BESIDE_ROWS	8
#define GROUPS_ROWS	16
#define BESIDE_LEAST	32

/* prefetchers follow one place of memory to the end of its page */
#define PLACE_BYTES	4096

/*
 * A cursor for a loop that reads n rows of several streams, nl of each entangled group. Where
 * these lie in several pages, what comes next has as many streams, as far apart, and V_BESIDE
 * says so, or V_GROUPS_BESIDE or `first` for those of several groups, all are asked for by
 * turns.
 */
PD_PART struct cursor cursor_beside(const struct pc_ahead *ahead, uint8_t *const src[],
				    size_t src_step, unsigned int streams, unsigned int nl,
				    size_t n)
{
	struct cursor c = cursor(ahead);
	bool beside = streams == nl ? V_BESIDE : V_GROUPS_BESIDE || c.first;

	if (beside && c.left && n >= BESIDE_LEAST && ahead->streams == streams &&
	    ahead->step == src_step &&
	    (uintptr_t)src[streams - 1] - (uintptr_t)src[0] >= PLACE_BYTES) {
		c.src = src;
		c.n = n;
		c.rows = streams != nl && c.first ? GROUPS_ROWS : BESIDE_ROWS;
	}
	return c;
}

PD_INLINE void ask_row(uint8_t *const src[], size_t at, unsigned int streams)
{
	for (unsigned int j = 0; j < streams; j++)
		__builtin_prefetch(src[j] + at, 0, 3);
}

/* look_ahead() at row i, or ask for what each stream has a few rows further on */
PD_PART void look_beside(struct cursor *c, size_t i, unsigned int streams)
{
	if (!c->src) {
		look_ahead(c, streams);
		return;
	}
	i += c->rows;
	if (i < c->n)
		ask_row(c->src, i * c->step, streams);
	else
		ask_row(c->ahead->ptr, (i - c->n) * c->step, streams);
}

/*
 * The order in which n rows are read. Where they lie end to end, and V_BANDS says so, it
 * is a row of each of BANDS by turns, which have pages of their own; prefetchers find
 * these by themselves.
 */
#define BANDS	4

struct bands {
	unsigned int nr;
	size_t rows;	/* of each */
};

PD_PART struct bands bands(const struct pc_ahead *ahead, uint8_t *const src[], size_t src_step,
			   unsigned int streams, size_t n)
{
	bool even = src_step == 64 * streams &&
		    src[streams - 1] == src[0] + 64 * (streams - 1);

	if (V_BANDS && even && ahead && ahead->streams && n % BANDS == 0 &&
	    n * src_step >= BANDS * PLACE_BYTES)
		return (struct bands){ BANDS, n / BANDS };
	return (struct bands){ 1, n };
}

PD_INLINE size_t band_row(const struct bands *b, size_t i)
{
	return V_BANDS && b->nr == BANDS ? i % BANDS * b->rows + i / BANDS : i;
}

/* what was folded last, with its picks where there is any */
struct trail {
	struct pc_behind *behind;
	size_t at;
	v64_pick pick[8];
};

PD_PART struct trail trail(const struct pc_lanes *lanes, unsigned int streams,
			   struct pc_behind *behind)
{
	struct trail t = { .behind = behind };

	if (behind && !behind->n)
		t.behind = NULL;
	if (t.behind && !t.behind->lines) {
		for (unsigned int j = 0; j < streams; j++)
			t.pick[j] = v_pick_prepare(
				&lanes->pick[j & (lanes->nl - 1)]);
	}
	return t;
}

/* store one register of it to the blocks `at` bytes on */
PD_PART void store_register(const struct trail *t, const uint8_t *row, size_t at,
			    unsigned int nl)
{
	const struct pc_behind *b = t->behind;
	v64 a = v_load(row);

	if (b->stores == PD_STORES_AROUND) {
		for (unsigned int j = 0; j < nl; j++)
			v_stream(b->to[j] + at, v_pick(a, &t->pick[j]));
		return;
	}
	/* apart, for the loops that this is expanded in to stay short */
	if (b->stores == PD_STORES_AHEAD) {
		for (unsigned int j = 0; j < nl; j++)
			v_ask_ahead(b->to[j] + at);
	}
	for (unsigned int j = 0; j < nl; j++)
		v_store(b->to[j] + at, v_pick(a, &t->pick[j]));
}

/* both blocks of a line that two groups share */
PD_INLINE void put_both(uint8_t *dst, v64 a, v64 b, const v64_pick *pick,
			enum pd_stores stores)
{
	v_put(dst, v_pick(a, pick), stores);
	v_put(dst + 64, v_pick(b, pick), stores);
}

/* the same of two groups that share lines, of each line both blocks at once */
PD_PART void store_twins(const struct trail *t, size_t i, unsigned int nl)
{
	const struct pc_behind *b = t->behind;
	v64 a = v_load(b->rows + 64 * i), o = v_load(b->other + 64 * i);

	for (unsigned int j = 0; j < nl; j++)
		put_both(b->to[j] + i * b->step, a, o, &t->pick[j], b->stores);
}

/* store a line of those that go to host memory */
PD_INLINE void store_line(struct pc_lines *lines)
{
	struct pc_run *run = &lines->run[lines->first];

	v_stream(run->to, v_load(run->from));
	run->to += 64;
	run->from += 64;
	if (!--run->n)
		lines->first++;
}

/* store one register of it, and that of its twin, if there is any; or a line for each of the
 * 1 + twins that were made */
PD_PART void store_behind(struct trail *t, unsigned int nl, unsigned int twins)
{
	const struct pc_behind *b = t->behind;
	size_t i;

	if (!b || t->at == b->n)
		return;
	i = t->at++;
	if (b->lines) {
		store_line(b->lines);
		if (twins && t->at < b->n) {
			store_line(b->lines);
			t->at++;
		}
	} else if (b->other) {
		store_twins(t, i, nl);
	} else {
		store_register(t, b->rows + 64 * i, i * b->step, nl);
	}
}

/* say what is left */
PD_PART void trail_end(struct trail *t, unsigned int nl)
{
	struct pc_behind *b = t->behind;

	if (!b)
		return;
	b->n -= t->at;
	if (b->lines)
		return;
	for (unsigned int j = 0; j < nl; j++)
		b->to[j] += t->at * b->step;
	b->rows += 64 * t->at;
	if (b->other)
		b->other += 64 * t->at;
}

#endif /* PC_EXCHANGE_H */
