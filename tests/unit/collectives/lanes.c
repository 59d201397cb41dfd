// SPDX-License-Identifier: MIT
/*
 * The collectives' loops on lanes: every lane mask and tier, in place or not,
 * against what their definitions say of each byte.
 */
#include "collectives/call/ops.h"
#include "tests/unit/tiers.h"

#define BLOCKS	11
#define STEP	128
#define STREAM	(BLOCKS * STEP)
#define ARENA	(16 * STREAM + 64)

typedef uint8_t arena[ARENA] __attribute__((aligned(64)));

static arena src, dst, want;

/* A call's geometry, by the bits of the mask alone. */
struct shape {
	unsigned mask, nl, rank[8], group[8], lane[8][8];	/* the last of group and rank */
	struct pc_lanes lanes;
};

static unsigned nr_bits(unsigned mask)
{
	return (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1);
}

/* The bits of @lane that @mask has, packed. */
static unsigned pack(unsigned lane, unsigned mask)
{
	unsigned packed = 0, at = 0;

	for (unsigned bit = 0; bit < 3; bit++)
		if (mask >> bit & 1)
			packed |= (lane >> bit & 1) << at++;
	return packed;
}

static struct shape shape_of(unsigned mask)
{
	struct shape s = { .mask = mask, .nl = 1u << nr_bits(mask) };

	pc_lanes_init(&s.lanes, mask);
	for (unsigned lane = 0; lane < 8; lane++) {
		s.rank[lane] = pack(lane, mask);
		s.group[lane] = pack(lane, ~mask & 7);
		s.lane[s.group[lane]][s.rank[lane]] = lane;
	}
	return s;
}

static void test_geometry(void **state)
{
	(void)state;
	for (unsigned mask = 0; mask < 8; mask++) {
		struct shape s = shape_of(mask);

		assert_int_equal(s.lanes.nl, s.nl);
		assert_int_equal(1u << s.lanes.bits, s.nl);
		for (unsigned lane = 0; lane < 8; lane++) {
			assert_int_equal(s.lanes.rank[lane], s.rank[lane]);
			assert_int_equal(s.lanes.group[lane], s.group[lane]);
			assert_int_equal(s.lanes.lane[s.group[lane]][s.rank[lane]], lane);
		}
	}
}

/* Streams one after the other in an arena, from one place or another. */
static void streams_in(uint8_t *base, unsigned first, size_t step, size_t n,
		       uint8_t *out[8])
{
	(void)n;
	for (unsigned j = 0; j < 8; j++)
		out[j] = base + (first + j) * STREAM + (step == 64 ? 0 : 64 * (j % 2));
}

static void fill_all(uint64_t seed)
{
	struct rng rng = { seed };

	rng_fill(&rng, src, ARENA);
	rng_fill(&rng, dst, ARENA);
	memcpy(want, dst, ARENA);
}

/* Lane rank r of the result's stream j is lane rank j of stream r. */
static void expect_exchange(const struct shape *s, uint8_t *to[8], size_t to_step,
			    uint8_t *from[8], size_t from_step, size_t n)
{
	for (unsigned j = 0; j < s->nl; j++) {
		for (size_t i = 0; i < n; i++) {
			for (unsigned at = 0; at < 64; at++) {
				unsigned lane = at % 8, r = s->rank[lane];
				unsigned other = s->lane[s->group[lane]][j];

				to[j][i * to_step + at] =
					from[r][i * from_step + at - lane + other];
			}
		}
	}
}

static void check_exchange_one(int isa, const struct shape *s, size_t n,
			       size_t src_step, size_t dst_step, enum pd_stores stores)
{
	uint8_t *from[8], *to[8], *expected[8];

	fill_all(s->mask * 100 + n);
	streams_in(src, 0, src_step, n, from);
	streams_in(dst, 0, dst_step, n, to);
	streams_in(want, 0, dst_step, n, expected);
	expect_exchange(s, expected, dst_step, from, src_step, n);
	pc_isa_moves((enum pd_isa)isa)
		->exchange(&s->lanes, to, dst_step, from, src_step, n, stores,
			   NULL);
	assert_tier_memory(isa, dst, want, ARENA, s->mask, n, dst_step);

	/* in place */
	fill_all(s->mask * 100 + n);
	memcpy(src, dst, ARENA);
	streams_in(src, 0, dst_step, n, from);
	expect_exchange(s, expected, dst_step, from, dst_step, n);
	pc_isa_moves((enum pd_isa)isa)
		->exchange(&s->lanes, to, dst_step, to, dst_step, n, stores,
			   NULL);
	assert_tier_memory(isa, dst, want, ARENA, s->mask, n, dst_step);
}

static void check_exchange(int isa)
{
	for (unsigned mask = 0; mask < 8; mask++) {
		struct shape s = shape_of(mask);

		for (size_t n = 0; n <= BLOCKS - 1; n++) {
			for (enum pd_stores how = 0; how < PD_NR_STORES; how++) {
				check_exchange_one(isa, &s, n, 64, 64, how);
				check_exchange_one(isa, &s, n, 64, 128, how);
				check_exchange_one(isa, &s, n, 128, 128, how);
				check_exchange_one(isa, &s, n, 128, 64, how);
			}
		}
	}
}

/* The streams of the second of two groups that share lines. */
static void behind_them(uint8_t *const first[8], uint8_t *out[8])
{
	for (unsigned j = 0; j < 8; j++)
		out[j] = first[j] + 64;
}

/* What two sources hold for two destinations, each of the two sharing lines. */
static void check_exchange_pairs_one(int isa, const struct shape *s, size_t n,
				     size_t step, enum pd_stores stores)
{
	uint8_t *from[2][8], *to[2][8], *expected[2][8], *a[8], *b[8];
	/* what it asks for in between changes nothing */
	struct pc_ahead ahead = { .streams = (unsigned)(n + step / 128) % 3, .step = 64,
				  .n = 2 * n };

	streams_in(src, 4, step, n, ahead.ptr);
	fill_all(s->mask * 100 + n);
	for (unsigned k = 0; k < 2; k++) {
		streams_in(src, 8 * k, step, n, from[k]);
		streams_in(dst, 8 * k, step, n, to[k]);
		streams_in(want, 8 * k, step, n, expected[k]);
	}
	expect_exchange(s, expected[0], step, from[0], step, n);
	behind_them(expected[0], b);
	expect_exchange(s, b, step, from[1], step, n);
	behind_them(from[0], a);
	expect_exchange(s, expected[1], step, a, step, n);
	behind_them(from[1], a);
	behind_them(expected[1], b);
	expect_exchange(s, b, step, a, step, n);
	pc_isa_moves((enum pd_isa)isa)
		->exchange_pairs(&s->lanes, to, from, step, n, stores, &ahead);
	assert_tier_memory(isa, dst, want, ARENA, s->mask, n, step);
}

static void check_exchange_pairs(int isa)
{
	for (unsigned mask = 0; mask < 8; mask++) {
		struct shape s = shape_of(mask);

		for (size_t n = 0; n <= BLOCKS - 1; n++)
			for (enum pd_stores how = 0; how < PD_NR_STORES; how++)
				for (size_t step = 128; step <= 256 && n * step < STREAM; step *= 2)
					check_exchange_pairs_one(isa, &s, n, step, how);
	}
}

static void check_swap_one(int isa, const struct shape *s, size_t n, size_t step)
{
	uint8_t *a[8], *b[8], *kept_a[8], *kept_b[8], *want_a[8], *want_b[8];

	fill_all(s->mask * 1000 + n);
	memcpy(src, dst, ARENA);
	streams_in(dst, 0, step, n, a);
	streams_in(dst, 8, step, n, b);
	streams_in(src, 0, step, n, kept_a);
	streams_in(src, 8, step, n, kept_b);
	streams_in(want, 0, step, n, want_a);
	streams_in(want, 8, step, n, want_b);
	expect_exchange(s, want_b, step, kept_a, step, n);
	expect_exchange(s, want_a, step, kept_b, step, n);
	pc_isa_moves((enum pd_isa)isa)->swap(&s->lanes, a, b, step, n);
	assert_tier_memory(isa, dst, want, ARENA, s->mask, n, step);
}

static void check_swap(int isa)
{
	for (unsigned mask = 0; mask < 8; mask++) {
		struct shape s = shape_of(mask);

		for (size_t n = 0; n <= BLOCKS - 1; n++) {
			check_swap_one(isa, &s, n, 64);
			check_swap_one(isa, &s, n, 128);
		}
	}
}

/* Transposes blocks in place. */
static void transpose(uint8_t *blocks, size_t n)
{
	for (; n--; blocks += 64) {
		for (unsigned i = 0; i < 8; i++) {
			for (unsigned j = 0; j < i; j++) {
				uint8_t t = blocks[8 * i + j];

				blocks[8 * i + j] = blocks[8 * j + i];
				blocks[8 * j + i] = t;
			}
		}
	}
}

static void check_collect_one(int isa, const struct shape *s, size_t n,
			      size_t step, bool domain)
{
	uint8_t *from[8], *expected[8];
	/* what it asks for in between changes nothing */
	struct pc_ahead ahead = { .streams = (unsigned)(n + step) % 9,
				  .step = step, .n = 1 + n / 2 };

	streams_in(src, 8, step, n, ahead.ptr);
	fill_all(s->mask * 10 + n);
	streams_in(src, 0, step, n, from);
	for (unsigned j = 0; j < 8; j++)
		expected[j] = want + 64 * j * n;
	expect_exchange(s, expected, 64, from, step, n);
	if (domain)
		transpose(want, s->nl * n);
	pc_isa_moves((enum pd_isa)isa)
		->collect(&s->lanes, dst, n, from, step, n, domain, &ahead,
			  NULL);
	assert_tier_memory(isa, dst, want, ARENA, s->mask, n, step);
}

static void check_collect(int isa)
{
	for (unsigned mask = 0; mask < 8; mask++) {
		struct shape s = shape_of(mask);

		for (size_t n = 0; n <= BLOCKS - 1; n++)
			for (size_t step = 64; step <= 128; step += 64)
				for (int domain = 0; domain < 2; domain++)
					check_collect_one(isa, &s, n, step,
							  domain);
	}
}

static void check_load_store_one(int isa, size_t n, size_t step, bool domain,
				 enum pd_stores stores)
{
	fill_all(n * 2 + step);
	for (size_t i = 0; i < n; i++)
		memcpy(want + 64 * i, src + step * i, 64);
	pc_isa_moves((enum pd_isa)isa)->load(dst, src, step, n);
	assert_tier_memory(isa, dst, want, ARENA, n, step, 0);

	fill_all(n * 2 + step);
	for (size_t i = 0; i < n; i++) {
		memcpy(want + step * i, src + 64 * i, 64);
		if (domain)
			transpose(want + step * i, 1);
	}
	pc_isa_moves((enum pd_isa)isa)
		->store(dst, step, src, n, domain, stores);
	assert_tier_memory(isa, dst, want, ARENA, n, step, domain);
}

static void check_load_store(int isa)
{
	for (size_t n = 0; n <= BLOCKS - 1; n++)
		for (size_t step = 64; step <= 128; step += 64)
			for (int flags = 0; flags < 2 * PD_NR_STORES; flags++)
				check_load_store_one(isa, n, step, flags & 1,
						     flags / 2);
}

/* Stream j gets in all lanes what rank j of their group has. */
static void expect_spread(const struct shape *s, uint8_t *const to[],
			  unsigned streams, size_t step, const uint8_t *tile,
			  size_t n)
{
	for (unsigned j = 0; j < streams; j++) {
		for (size_t i = 0; i < 64 * n; i++) {
			unsigned lane = i % 8, other = s->lane[s->group[lane]][j];

			to[j][i / 64 * step + i % 64] = tile[i - lane + other];
		}
	}
}

static void check_spread_one(int isa, const struct shape *s, unsigned streams,
			     size_t n, size_t step, enum pd_stores stores)
{
	uint8_t *to[8], *expected[8];

	fill_all(s->mask * 7 + n);
	streams_in(dst, 0, step, n, to);
	streams_in(want, 0, step, n, expected);
	expect_spread(s, expected, streams, step, src, n);
	pc_isa_moves((enum pd_isa)isa)
		->spread(&s->lanes, to, streams, step, src, n, stores, NULL);
	assert_tier_memory(isa, dst, want, ARENA, s->mask, n, streams);
}

static void check_spread(int isa)
{
	for (unsigned mask = 0; mask < 8; mask++) {
		struct shape s = shape_of(mask);

		for (unsigned streams = 1; streams <= s.nl; streams++)
			for (size_t n = 0; n <= BLOCKS - 1; n++)
				for (size_t step = 64; step <= 128; step += 64)
					check_spread_one(isa, &s, streams, n,
							 step, n % PD_NR_STORES);
	}
}

static void check_spread_pairs_one(int isa, const struct shape *s, size_t n,
				   size_t step, enum pd_stores stores)
{
	/* the second group's tile is another one, or the same */
	const uint8_t *other = src + n % 3 * STREAM;
	uint8_t *to[8], *expected[8], *second[8];
	/* what it asks for in between changes nothing */
	struct pc_ahead ahead = { .streams = (unsigned)n % 2, .step = step, .n = n };

	streams_in(src, 8, step, n, ahead.ptr);
	fill_all(s->mask * 7 + n);
	streams_in(dst, 0, step, n, to);
	streams_in(want, 0, step, n, expected);
	behind_them(expected, second);
	expect_spread(s, expected, s->nl, step, src, n);
	expect_spread(s, second, s->nl, step, other, n);
	pc_isa_moves((enum pd_isa)isa)
		->spread_pairs(&s->lanes, to, step, src, other, n, stores, &ahead);
	assert_tier_memory(isa, dst, want, ARENA, s->mask, n, step);
}

static void check_spread_pairs(int isa)
{
	for (unsigned mask = 0; mask < 8; mask++) {
		struct shape s = shape_of(mask);

		for (size_t n = 0; n <= BLOCKS - 1; n++)
			for (enum pd_stores how = 0; how < PD_NR_STORES; how++)
				for (size_t step = 128; step <= 256 && n * step < STREAM; step *= 2)
					check_spread_pairs_one(isa, &s, n, step, how);
	}
}

/*
 * The lane exchange of each entangled group's nl streams, the domain transfer,
 * and the left fold over all of them.
 */
static void expect_reduce(const struct shape *s, unsigned streams,
			  uint8_t *from[8], size_t step, size_t n, bool first,
			  enum pidcomm_type type, unsigned op, uint8_t *acc)
{
	pc_fold_fn fold = pc_isa_folds(PD_ISA_PORTABLE)->fold[type][op];
	static arena exchanged;
	uint8_t *to[8];

	for (unsigned k = 0; k < streams; k += s->nl) {
		for (unsigned j = 0; j < s->nl; j++)
			to[j] = exchanged + (k + j) * STREAM;
		expect_exchange(s, to, 64, from + k, step, n);
	}
	for (unsigned j = 0; j < streams; j++) {
		uint8_t *row = exchanged + j * STREAM;

		if (type != PIDCOMM_I8 && type != PIDCOMM_U8)
			transpose(row, n);
		if (first && !j)
			memcpy(acc, row, 64 * n);
		else
			fold(acc, row, 64 * n);
	}
}

static void check_reduce_of(int isa, const struct shape *s, unsigned streams,
			    size_t n, size_t step, bool first,
			    enum pidcomm_type type, unsigned op)
{
	pc_reduce_fn reduce = pc_isa_folds((enum pd_isa)isa)->reduces->reduce[type][op];
	uint8_t *from[8], *second[8];

	if (!reduce) {
		assert_int_equal(isa, PD_ISA_PORTABLE);
		return;
	}
	fill_all(s->mask * 11 + n + type);
	streams_in(src, 8, step, n, from);
	expect_reduce(s, streams, from, step, n, first, type, op, want);
	reduce(&s->lanes, streams, dst, from, step, n, 0, first, NULL, NULL);
	assert_tier_memory(isa, dst, want, ARENA, s->mask, type, op);
	if (step != 128 || s->nl != 8)
		return;

	/* and the blocks behind them, into an accumulator further on */
	fill_all(s->mask * 12 + n + type);
	expect_reduce(s, streams, from, step, n, first, type, op, want);
	behind_them(from, second);
	expect_reduce(s, streams, second, step, n, first, type, op, want + STREAM);
	reduce(&s->lanes, streams, dst, from, step, n, STREAM, first, NULL, NULL);
	assert_tier_memory(isa, dst, want, ARENA, s->mask, type, op);
}

static void check_reduce_one(int isa, const struct shape *s, unsigned streams,
			     size_t n, size_t step, bool first)
{
	static const struct {
		enum pidcomm_type type;
		pidcomm_op op;
	} cases[] = {
		{ PIDCOMM_I8, PIDCOMM_SUM }, { PIDCOMM_U16, PIDCOMM_MIN },
		{ PIDCOMM_I32, PIDCOMM_SUM }, { PIDCOMM_I64, PIDCOMM_MAX },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned op;

		assert_true(pc_op_builtin(cases[i].op, &op));
		check_reduce_of(isa, s, streams, n, step, first, cases[i].type, op);
	}
}

/* Every type, and every operation whose result has one value in bits, NaN or not. */
static void check_reduce_types(int isa, const struct shape *s)
{
	static const pidcomm_op ops[] = { PIDCOMM_MIN, PIDCOMM_MAX, PIDCOMM_SUM };

	for (enum pidcomm_type type = 0; type <= PIDCOMM_F64; type++) {
		if (type == PIDCOMM_F16 || type == PIDCOMM_BF16)
			continue;
		for (size_t i = 0; i < (type < PIDCOMM_F16 ? 3 : 2); i++) {
			unsigned op;

			assert_true(pc_op_builtin(ops[i], &op));
			check_reduce_of(isa, s, 8, BLOCKS, 64, false, type, op);
		}
	}
}

static void check_reduce(int isa)
{
	for (unsigned mask = 0; mask < 8; mask++) {
		struct shape s = shape_of(mask);

		check_reduce_types(isa, &s);
		for (unsigned streams = s.nl; streams <= 8; streams *= 2)
			for (size_t n = 0; n < BLOCKS; n++)
				for (int flags = 0; flags < 4; flags++)
					check_reduce_one(isa, &s, streams, n,
							 64 + flags % 2 * 64,
							 flags / 2);
	}
}

/* What is stored behind `n` registers of a fold: one for each, if there are. */
static void expect_behind(const struct shape *s, unsigned streams,
			  const struct pc_behind *behind, size_t rows, size_t n,
			  size_t step, enum pd_stores stores)
{
	size_t stored = rows < n ? rows : n;
	uint8_t *expected[8], *second[8];

	streams_in(want, 0, step, rows, expected);
	behind_them(expected, second);
	for (unsigned k = 0; k < streams; k += s->nl) {
		expect_spread(s, expected + k, s->nl, step, src, stored);
		if (behind->other)
			expect_spread(s, second + k, s->nl, step, src + STREAM, stored);
	}
	assert_int_equal(behind->n, rows - stored);
	assert_ptr_equal(behind->rows, src + 64 * stored);
	if (behind->other)
		assert_ptr_equal(behind->other, src + STREAM + 64 * stored);
	for (unsigned j = 0; j < streams && behind->n; j++)
		assert_ptr_equal(behind->to[j] - dst,
				 expected[j] - want + stored * step);
	assert_int_equal(behind->step, step);
	assert_int_equal(behind->stores, stores);
}

static void check_behind_collect(int isa, const struct shape *s, size_t rows,
				 size_t n, size_t step, enum pd_stores stores)
{
	static arena tile;
	struct pc_behind behind = {
		.step = step, .rows = src, .n = rows, .stores = stores,
	};
	uint8_t *from[8];

	fill_all(s->mask * 9 + n);
	streams_in(src, 8, step, n, from);
	streams_in(dst, 0, step, rows, behind.to);
	pc_isa_moves((enum pd_isa)isa)
		->collect(&s->lanes, tile, n, from, step, n, false, NULL,
			  &behind);
	expect_behind(s, s->nl, &behind, rows, n, step, stores);
	assert_tier_memory(isa, dst, want, ARENA, s->mask, n, rows);
}

static void check_behind_reduce(int isa, const struct shape *s, unsigned streams,
				size_t rows, size_t n, size_t step,
				bool twins, enum pd_stores stores)
{
	static arena folded;
	struct pc_behind behind = {
		.step = step, .rows = src, .n = rows, .stores = stores,
		.other = twins ? src + STREAM : NULL,
	};
	const struct pc_reduces *reduces =
		pc_isa_folds((enum pd_isa)isa)->reduces;
	pc_reduce_fn sum = reduces->reduce[PIDCOMM_I32][0];
	uint8_t *from[8];

	if (!sum)
		return;
	fill_all(s->mask * 9 + n + 1);
	streams_in(src, 8, step, n, from);
	streams_in(dst, 0, step, rows, behind.to);
	sum(&s->lanes, streams, folded, from, step, n, twins && s->nl == 8 ? STREAM : 0, true, NULL,
	    &behind);
	expect_behind(s, streams, &behind, rows, n, step, stores);
	assert_tier_memory(isa, dst, want, ARENA, s->mask, n, rows);
}

static void check_behind_one(int isa, const struct shape *s, size_t rows,
			     size_t n)
{
	enum pd_stores stores = (enum pd_stores)(n % PD_NR_STORES);
	size_t step = 64 + rows % 2 * 64;

	check_behind_collect(isa, s, rows, n, step, stores);
	for (unsigned streams = s->nl; streams <= 8; streams *= 2) {
		check_behind_reduce(isa, s, streams, rows, n, step, false, stores);
		if (step == 128)
			check_behind_reduce(isa, s, streams, rows, n, step, true, stores);
	}
}

static void check_behind(int isa)
{
	for (unsigned mask = 0; mask < 8; mask++) {
		struct shape s = shape_of(mask);

		for (size_t rows = 0; rows < BLOCKS; rows++)
			for (size_t n = 0; n < BLOCKS; n++)
				check_behind_one(isa, &s, rows, n);
	}
}

/* Runs of one line, two, three, ..., a line apart; sources lie anywhere. */
static size_t lines_in(struct pc_lines *lines, unsigned runs)
{
	size_t all = 0;

	*lines = (struct pc_lines){ .first = 1, .end = 1 + runs };
	for (unsigned i = 0; i < runs; i++) {
		lines->run[1 + i] = (struct pc_run){ dst + 64 * (all + i),
						     src + 64 * all + 8 * i, 1 + i };
		all += 1 + i;
	}
	return all;
}

/* The first `stored` lines of these are, and what is left is told. */
static void expect_lines(const struct pc_lines *lines, unsigned runs, size_t stored)
{
	struct pc_lines all;
	unsigned run = 1;

	lines_in(&all, runs);
	for (; run < all.end && stored >= all.run[run].n; run++) {
		memcpy(want + (all.run[run].to - dst), all.run[run].from, 64 * all.run[run].n);
		stored -= all.run[run].n;
	}
	assert_int_equal(lines->first, run);
	assert_int_equal(lines->end, all.end);
	if (run == all.end)
		return;
	memcpy(want + (all.run[run].to - dst), all.run[run].from, 64 * stored);
	assert_ptr_equal(lines->run[run].to, all.run[run].to + 64 * stored);
	assert_ptr_equal(lines->run[run].from, all.run[run].from + 64 * stored);
	assert_int_equal(lines->run[run].n, all.run[run].n - stored);
}

/* A line goes to host memory for each register that is folded, those of twins too. */
static void check_lines_one(int isa, const struct shape *s, size_t n, unsigned runs)
{
	static arena folded;
	pc_reduce_fn sum = pc_isa_folds((enum pd_isa)isa)->reduces->reduce[PIDCOMM_I32][0];
	size_t twin = s->nl == 8 && runs % 2 ? STREAM : 0;
	struct pc_lines lines;
	struct pc_behind behind = { .lines = &lines };
	uint8_t *from[8];
	size_t all, stored;

	for (unsigned how = sum ? 0 : 1; how < 2; how++) {
		fill_all(s->mask * 9 + n + runs);
		all = lines_in(&lines, runs);
		stored = how == 0 && twin ? 2 * n : n;
		if (stored > all)
			stored = all;
		behind.n = all;
		streams_in(src, 8, STEP, n, from);
		if (how == 0)
			sum(&s->lanes, s->nl, folded, from, STEP, n, twin, true, NULL, &behind);
		else
			pc_isa_moves((enum pd_isa)isa)->collect(&s->lanes, folded, n, from, STEP, n,
								false, NULL, &behind);
		expect_lines(&lines, runs, stored);
		assert_int_equal(behind.n, all - stored);
		assert_tier_memory(isa, dst, want, ARENA, s->mask, n, runs);
	}
}

static void check_lines(int isa)
{
	for (unsigned mask = 0; mask < 8; mask++) {
		struct shape s = shape_of(mask);

		for (size_t n = 0; n < BLOCKS; n++)
			for (unsigned runs = 0; runs < 6; runs++)
				check_lines_one(isa, &s, n, runs);
	}
}

/* Word nl * i + r of group g is rank r's word of block i. */
static void check_rows_one(int isa, const struct shape *s, size_t n, size_t last,
			   size_t at)
{
	size_t words = s->nl * (n - 1) + last;
	uint8_t *bufs[8], *expected[8];
	const uint8_t *in[8];

	fill_all(s->mask + n * 8);
	streams_in(dst, 0, 64, n, bufs);
	streams_in(want, 0, 64, n, expected);
	for (unsigned g = 0; g < 8 / s->nl; g++) {
		bufs[g] += at * g % 64;
		expected[g] += at * g % 64;
		for (size_t w = 0; w < words; w++)
			memcpy(expected[g] + 8 * w, src + 64 * (w / s->nl) +
			       8 * s->lane[g][w % s->nl], 8);
	}
	pc_isa_moves((enum pd_isa)isa)->rows_out(&s->lanes, bufs, src, n, last);
	assert_tier_memory(isa, dst, want, ARENA, s->mask, n, last);

	/* back again: words beyond the last are of no interest */
	memcpy(want, src, 64 * n);
	memset(src, 0x66, ARENA);
	for (unsigned g = 0; g < 8; g++)
		in[g] = bufs[g];
	pc_isa_moves((enum pd_isa)isa)->rows_in(&s->lanes, src, in, n, last);
	assert_tier_memory(isa, src, want, 64 * (n - 1), s->mask, n, last);
	for (unsigned lane = 0; lane < 8; lane++)
		if (s->rank[lane] < last)
			assert_memory_equal(src + 64 * (n - 1) + 8 * lane,
					    want + 64 * (n - 1) + 8 * lane, 8);
	for (size_t i = 64 * n; i < ARENA; i++)
		assert_int_equal(src[i], 0x66);
}

static void check_rows(int isa)
{
	for (unsigned mask = 0; mask < 8; mask++) {
		struct shape s = shape_of(mask);

		for (size_t n = 1; n <= 2 * BLOCKS; n++)
			for (size_t last = 1; last <= s.nl; last++)
				check_rows_one(isa, &s, n, last, n * 5);
	}
}

#define TIER_TEST(name)							\
	static void test_##name(void **state)				\
	{								\
		(void)state;						\
		each_tier(check_##name);				\
	}

TIER_TEST(exchange)
TIER_TEST(exchange_pairs)
TIER_TEST(swap)
TIER_TEST(collect)
TIER_TEST(load_store)
TIER_TEST(spread)
TIER_TEST(spread_pairs)
TIER_TEST(reduce)
TIER_TEST(behind)
TIER_TEST(lines)
TIER_TEST(rows)

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_geometry),
	cmocka_unit_test(test_exchange),
	cmocka_unit_test(test_exchange_pairs),
	cmocka_unit_test(test_swap),
	cmocka_unit_test(test_collect),
	cmocka_unit_test(test_load_store),
	cmocka_unit_test(test_spread),
	cmocka_unit_test(test_spread_pairs),
	cmocka_unit_test(test_reduce),
	cmocka_unit_test(test_behind),
	cmocka_unit_test(test_lines),
	cmocka_unit_test(test_rows),
};

UNIT_MAIN(tests)
