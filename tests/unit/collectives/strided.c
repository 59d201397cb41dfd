// SPDX-License-Identifier: MIT
/* The loops that move evenly spaced runs, of every length and on every tier. */
#include "collectives/types/strided.h"

#include "tests/unit/tiers.h"

#define ROOM	(1 << 14)	/* bytes of a buffer */

static struct rng rng = { 17 };
static uint8_t mem[ROOM + 64], want[ROOM + 64], stream[ROOM + 64], got[ROOM + 64];

static void nest_of(struct pt_nest *nest, uint64_t len, bool packed_to)
{
	const int64_t packed[] = { (int64_t)len, (int64_t)(5 * len) };
	const int64_t apart[] = { (int64_t)len + 3, 5 * (int64_t)(len + 3) + 11 };

	*nest = (struct pt_nest){ .len = len, .n = { 5, 3 } };
	for (unsigned int i = 0; i < 2; i++) {
		nest->to[i] = packed_to ? packed[i] : apart[i];
		nest->from[i] = packed_to ? apart[i] : packed[i];
	}
}

/* every length, whatever the tier does with it, from and to odd addresses */
static void strided_tier(int isa)
{
	const struct pt_strided *s = pt_isa_strided((enum pd_isa)isa);

	for (uint64_t len = 1; len < 200; len++) {
		static const int64_t offs[] = { 401, 0, 800, 1203, 3000, 2201 };
		struct pt_nest nest;

		nest_of(&nest, len, len % 2);
		memset(got, 0, ROOM);
		memset(want, 0, ROOM);
		for (unsigned int i = 0; i < 15; i++)
			memcpy(want + 1 + i / 5 * nest.to[1] + i % 5 * nest.to[0],
			       mem + 3 + i / 5 * nest.from[1] +
				       i % 5 * nest.from[0], len);
		s->copy(got + 1, mem + 3, &nest);
		assert_tier_memory(isa, got, want, ROOM, len, 0, 0);
		memset(want, 0, ROOM);
		memset(got, 0, ROOM);
		for (unsigned int i = 0; i < 6; i++)
			memcpy(want + 5 + i * len, mem + offs[i], len);
		s->gather(got + 5, mem, offs, 0, 6, len);
		assert_tier_memory(isa, got, want, ROOM, len, 1, 0);
		s->scatter(stream, got + 5, offs, 0, 6, len);
		for (unsigned int i = 0; i < 6; i++)
			assert_memory_equal(stream + offs[i], mem + offs[i], len);
		memset(want, 0, ROOM);
		memset(got, 0, ROOM);
		for (unsigned int i = 0; i < 3; i++)
			memcpy(want + 2 * offs[2 * i], mem + 2 * offs[2 * i + 1],
			       len);
		s->pairs(got, mem, offs, 1, 3, len);
		assert_tier_memory(isa, got, want, ROOM, len, 2, 0);
	}
}

static void strided_tiers(void **state)
{
	(void)state;
	rng_fill(&rng, mem, ROOM);
	each_tier(strided_tier);
}

/* `lines` runs of a turn lie in lines of their own, those of `turns` side by side, or so
 * backwards: at the destination, the source, or both */
static void cross_nest(struct pt_nest *nest, uint64_t len, uint64_t lines, uint64_t turns,
		       unsigned int how)
{
	const int64_t across[] = { how & 4 ? -72 : 72, (int64_t)len * (how & 8 ? -1 : 1) };
	const int64_t packed[] = { (int64_t)len, (int64_t)(lines * len) };

	*nest = (struct pt_nest){ .len = len, .n = { lines, turns } };
	for (unsigned int i = 0; i < 2; i++) {
		nest->to[i] = how & 1 ? across[i] : packed[i];
		nest->from[i] = how & 2 ? across[i] : packed[i];
	}
}

static void check_cross(int isa, const struct pt_nest *nest, unsigned int odd)
{
	uint8_t *to = got + ROOM / 2 + odd, *expected = want + ROOM / 2 + odd;
	const uint8_t *from = mem + ROOM / 2 + 3 * odd;

	memset(got, 0, ROOM);
	memset(want, 0, ROOM);
	for (unsigned int j = 0; j < nest->n[1]; j++)
		for (unsigned int i = 0; i < nest->n[0]; i++)
			memcpy(expected + j * nest->to[1] + i * nest->to[0],
			       from + j * nest->from[1] + i * nest->from[0], nest->len);
	pt_isa_strided((enum pd_isa)isa)->copy(to, from, nest);
	assert_tier_memory(isa, got, want, ROOM, nest->len, nest->n[0], nest->n[1]);
}

/* rows that become columns, columns that become rows, and columns that stay */
static void cross_tier(int isa)
{
	static const uint64_t lines[] = { 31, 32, 33, 60 };

	for (uint64_t len = 1; len <= 40; len += len < 9 ? 1 : 3)
		for (unsigned int l = 0; l < sizeof(lines) / sizeof(*lines); l++)
			for (unsigned int how = 1; how < 16; how++) {
				/* there is room for so many beside each other */
				const uint64_t most = 72 / len;
				struct pt_nest nest;

				cross_nest(&nest, len, lines[l], most < 4 + l ? most : 4 + l,
					   how);
				check_cross(isa, &nest, how);
			}
}

static void cross_tiers(void **state)
{
	(void)state;
	rng_fill(&rng, mem, ROOM);
	each_tier(cross_tier);
}

static void lanes_tier(int isa)
{
	const struct pt_strided *s = pt_isa_strided((enum pd_isa)isa);

	for (unsigned int n = 0; n < 40; n++) {
		uint8_t which[8];

		for (unsigned int l = 0; l < 8; l++)
			which[l] = (uint8_t)rng_below(&rng, 12);
		rng_fill(&rng, got, 8 * 40);
		memcpy(want, got, 8 * 40);
		for (unsigned int i = 0; i < 8 * n; i++) {
			if (which[i % 8] < 8)
				want[i] = mem[i / 8 * 8 + which[i % 8]];
		}
		s->lanes(got, mem, which, n);
		assert_tier_memory(isa, got, want, 8 * 40, n, 0, 0);
	}
}

/* rows of two sources, or of one, to lanes in any order; runs of whole rows anywhere */
static void turn_tier(int isa)
{
	const struct pt_strided *s = pt_isa_strided((enum pd_isa)isa);

	for (unsigned int n = 1; n < 30 && s->turn; n++) {
		struct pt_nest nest;
		struct pt_turned turned = { .other = 3001 };
		bool two = rng_below(&rng, 2);

		nest_of(&nest, 8 * n, n % 2);
		for (unsigned int l = 0; l < 8; l++) {
			unsigned int from = two ? (unsigned int)rng_below(&rng, 2) : 0;

			turned.from[from][l] = (uint8_t)rng_below(&rng, 8);
			turned.from[!from][l] = 8;
		}
		memset(got, 0, ROOM);
		memset(want, 0, ROOM);
		for (unsigned int i = 0; i < 15 * 8 * n; i++) {
			unsigned int run = i / (8 * n), in = i % (8 * n), l = in % 8;
			unsigned int from = turned.from[0][l] < 8 ? 0 : 1;

			want[1 + run / 5 * nest.to[1] + run % 5 * nest.to[0] + in] =
				mem[3 + run / 5 * nest.from[1] + run % 5 * nest.from[0] +
				    in - l + turned.from[from][l] + from * turned.other];
		}
		s->turn(got + 1, mem + 3, &nest, &turned);
		assert_tier_memory(isa, got, want, ROOM, n, two, 0);
	}
}

static void turn_tiers(void **state)
{
	(void)state;
	rng_fill(&rng, mem, ROOM);
	each_tier(turn_tier);
}

static void lanes_tiers(void **state)
{
	(void)state;
	each_tier(lanes_tier);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strided_tiers),
		cmocka_unit_test(cross_tiers),
		cmocka_unit_test(lanes_tiers),
		cmocka_unit_test(turn_tiers),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
