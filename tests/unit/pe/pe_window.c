// SPDX-License-Identifier: MIT
/* MRAM as programs see it is MRAM as the host sees it. */
#include "tests/unit/pe/pe_unit.h"

enum act { WALK, SWEEP, CORNERS, OVERWRITE };

static uint64_t recipe(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

static void model_transfer(uint8_t *mram, uint32_t size, uint32_t at,
			   uint32_t bytes, int write, uint64_t *sum)
{
	bytes = (bytes % 2041 & ~7u) + 8;
	at &= ~7u;
	if (at > size - bytes)
		at = size - bytes;
	for (uint32_t i = 0; i < bytes; i++) {
		*sum = 31 * *sum + mram[at + i];
		if (write)
			mram[at + i] = (uint8_t)(mram[at + i] + at + i);
	}
}

static void model_blindly(uint8_t *mram, uint32_t size, uint32_t at,
			  uint32_t bytes, int whole, uint32_t pe)
{
	at &= whole ? ~1023u : ~7u;
	bytes = whole ? (bytes % 2 ? 1024 : 2048) : (bytes % 2041 & ~7u) + 8;
	if (at > size - bytes)
		at = size - bytes;
	for (uint32_t i = 0; i < bytes; i++)
		mram[at + i] = (uint8_t)(at + 7 * i + pe);
}

static void model_pointer(uint8_t *mram, uint32_t at, uint32_t width, int write,
			  uint64_t *sum)
{
	const uint32_t bytes = 1u << width % 4;
	uint64_t value = 0, changed;

	at &= ~7u;
	memcpy(&value, mram + at, bytes);
	changed = value + 2 * (width % 4) + 1;
	if (write)
		memcpy(mram + at, &changed, bytes);
	*sum = 31 * *sum + value;
}

/* what tests/unit/pe/programs/window.c does */
static uint64_t model_walk(uint8_t *mram, uint32_t size, uint64_t seed,
			   uint32_t steps, uint32_t pe)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < steps; i++) {
		uint64_t r = recipe(&seed);
		uint32_t at = (uint32_t)(recipe(&seed) % size);

		if ((r >> 2 & 3) == 3)
			model_blindly(mram, size, at, (uint32_t)(r >> 8), r & 1,
				      pe);
		else if (r & 1)
			model_transfer(mram, size, at, (uint32_t)(r >> 8),
				       r >> 1 & 1, &sum);
		else
			model_pointer(mram, at, (uint32_t)(r >> 8), r >> 1 & 1,
				      &sum);
	}
	return sum;
}

static void pattern(uint32_t pe, uint8_t *mram, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		mram[i] = (uint8_t)(i * 13 + (i >> 8) * 5 + pe);
}

static void fill(struct pe_unit *u, uint32_t pe, uint8_t *mram, uint32_t size)
{
	pattern(pe, mram, size);
	assert_ok(pimdimm_write(u->sys, pe, 0, mram, size));
}

/* Walk on some PEs; the others' MRAM stays as it is. */
static void walk(const char *uri, const uint32_t pes[], uint32_t nr_pes,
		 uint32_t all, uint32_t steps)
{
	uint32_t size;
	uint8_t *mram[PE_UNIT_MAX], *seen;
	uint64_t sums[PE_UNIT_MAX];
	struct pe_unit u;

	pe_unit_open(&u, uri, "window", all);
	size = (uint32_t)pimdimm_geometry(u.sys)->mram_size;
	seen = malloc(size);
	for (uint32_t pe = 0; pe < all; pe++) {
		mram[pe] = malloc(size);
		fill(&u, pe, mram[pe], size);
	}
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < nr_pes; i++) {
			uint64_t seed = 1000 * pes[i] + (uint64_t)round;
			uint64_t zero = 0;

			pe_set(&u, pes[i], "seed", &seed, 8);
			pe_set(&u, pes[i], "sum", &zero, 8);
			pe_set32(&u, pes[i], "steps", steps);
			sums[i] = model_walk(mram[pes[i]], size, seed, steps,
					     pes[i]);
		}
		assert_ok(pimdimm_run(u.sys, pes, nr_pes, &u.run));
		for (uint32_t i = 0; i < nr_pes; i++) {
			uint64_t sum;

			pe_get(&u, pes[i], "sum", &sum, 8);
			assert_int_equal(sum, sums[i]);
		}
		for (uint32_t pe = 0; pe < all; pe++) {
			assert_ok(pimdimm_read(u.sys, pe, 0, seen, size));
			assert_memory_equal(seen, mram[pe], size);
		}
	}
	for (uint32_t pe = 0; pe < all; pe++)
		free(mram[pe]);
	free(seen);
	pe_unit_close(&u);
}

static void test_walk(void **state)
{
	uint32_t pes[24];

	(void)state;
	for (uint32_t i = 0; i < 24; i++)
		pes[i] = 23 - i;
	for (size_t i = 0; i < ARRAY_SIZE(unit_uris); i++)
		walk(unit_uris[i], pes, 24, 24, 300);
	walk("mem:ranks=1,mram=1M", pes, 24, 24, 300);
}

/* parts of entangled groups, in no order: neighbours keep every byte */
static void test_parts(void **state)
{
	static const uint32_t pes[] = { 17, 2, 3, 12, 0, 16, 23, 9, 5 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(unit_uris); i++)
		walk(unit_uris[i], pes, ARRAY_SIZE(pes), 24, 200);
}

/* more pages than a window keeps */
static void test_sweep(void **state)
{
	const uint32_t pages = 32 << 8;
	uint64_t *words = malloc((size_t)pages * 4096);
	struct pe_unit u;

	(void)state;
	pe_unit_open(&u, "mem:ranks=1,mram=32M", "window", 3);
	for (uint32_t pe = 0; pe < 3; pe++)
		pe_set32(&u, pe, "act", SWEEP);
	assert_ok(pe_unit_run(&u));
	assert_ok(pe_unit_run(&u));
	for (uint32_t pe = 0; pe < 3; pe++) {
		assert_ok(pimdimm_read(u.sys, pe, 0, words,
				       (size_t)pages * 4096));
		for (uint32_t p = 0; p < pages; p++) {
			assert_int_equal(words[p * 512], 2 * (pe + 1));
			assert_int_equal(words[p * 512 + 1],
					 p < pages - 1 ? 2 : 0);
			assert_int_equal(words[p * 512 + 2], 0);
		}
	}
	free(words);
	pe_unit_close(&u);
}

/* what OVERWRITE leaves of a PE's MRAM that was `mram`; the sum that it sees */
static uint64_t model_overwrite(uint8_t *mram, uint32_t size, uint32_t pe)
{
	uint8_t buffer[2048] = { 0 };
	uint64_t sum = 0, word;

	for (uint32_t at = 0; at < size; at += 2048) {
		uint32_t n = at / 2048 % 6 == 3 ? 1024 : 2048;

		for (uint32_t i = 0; i < n; i += 1024) {
			word = at + i + pe;
			memcpy(buffer + i, &word, 8);
		}
		memcpy(mram + at, buffer, n);
	}
	for (uint32_t at = 0; at < size; at += 1024) {
		memcpy(&word, mram + at, 8);
		sum = 31 * sum + word;
	}
	return sum;
}

/* MRAM and sum of a PE that ran OVERWRITE last, or did not run at all */
static void check_overwritten(struct pe_unit *u, uint32_t pe, bool ran,
			      uint8_t *mram, uint8_t *seen, uint32_t size)
{
	uint64_t sum, want;

	pattern(pe, mram, size);
	if (ran) {
		want = model_overwrite(mram, size, pe);
		pe_get(u, pe, "sum", &sum, 8);
		assert_int_equal(sum, want);
	}
	assert_ok(pimdimm_read(u->sys, pe, 0, seen, size));
	assert_memory_equal(seen, mram, size);
}

/* On the first nr_pes of a group, after a run of another kind or of the same. */
static void overwrite(uint32_t size, uint32_t nr_pes, enum act before)
{
	uint8_t *mram = malloc(size), *seen = malloc(size);
	const uint64_t zero = 0;
	struct pe_unit u;
	char uri[40];

	snprintf(uri, sizeof(uri), "mem:ranks=1,mram=%u", size);
	pe_unit_open(&u, uri, "window", nr_pes);
	for (uint32_t pe = 0; pe < 8; pe++)
		fill(&u, pe, mram, size);
	for (uint32_t pe = 0; pe < nr_pes; pe++)
		pe_set32(&u, pe, "act", before);
	assert_ok(pe_unit_run(&u));
	for (uint32_t pe = 0; pe < nr_pes; pe++) {
		pe_set(&u, pe, "sum", &zero, 8);
		pe_set32(&u, pe, "act", OVERWRITE);
	}
	assert_ok(pe_unit_run(&u));
	for (uint32_t pe = 0; pe < 8; pe++)
		check_overwritten(&u, pe, pe < nr_pes, mram, seen, size);
	pe_unit_close(&u);
	free(mram);
	free(seen);
}

/*
 * Pages that are written over are not fetched: whole groups and parts of them,
 * and more pages than a window keeps.
 */
static void test_overwrite(void **state)
{
	(void)state;
	overwrite(256 << 10, 8, SWEEP);
	overwrite(256 << 10, 8, OVERWRITE);
	overwrite(256 << 10, 3, SWEEP);
	overwrite(17 << 20, 8, OVERWRITE);
	overwrite(17 << 20, 1, SWEEP);
}

static void test_corners(void **state)
{
	static const uint64_t constants[2] = { 0x1234567890abcdef, 42 };
	uint8_t mram[65536], seen[65536];
	uint64_t word;
	struct pe_unit u;

	(void)state;
	pe_unit_open(&u, "mem:ranks=1,mram=64K", "window", 8);
	for (uint32_t pe = 0; pe < 8; pe++) {
		fill(&u, pe, mram, sizeof(mram));
		pe_set32(&u, pe, "act", CORNERS);
	}
	assert_ok(pe_unit_run(&u));
	memcpy(mram + 8192 - 24, mram + 4096 - 24, 40);
	memcpy(&word, mram + 8192 + 8, 8);
	word++;
	memcpy(mram + 8192 + 8, &word, 8);
	memcpy(mram + 16384, constants, 16);
	memcpy(mram + 20480 - 16, mram + 4096 - 16, 32);
	memcpy(mram + 24576 + 5, mram + 3, 700);
	assert_ok(pimdimm_read(u.sys, 7, 0, seen, sizeof(seen)));
	assert_memory_equal(seen, mram, sizeof(mram));
	pe_unit_close(&u);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_walk),
	cmocka_unit_test(test_parts),
	cmocka_unit_test(test_sweep),
	cmocka_unit_test(test_overwrite),
	cmocka_unit_test(test_corners),
};

UNIT_MAIN(tests)
