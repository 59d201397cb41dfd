// SPDX-License-Identifier: MIT
/* The layouts, against their definition written out here once more. */
#include "tests/unit/unit.h"

static const uint64_t sizes[] = {
	0x10000, 0x11000, 0x18000, 0x1f000, 0x20000, 0x21000, 0x40000, 0x7f000,
	0x100000, 0x3ff000, 0x400000, 0x401000,
};

static uint64_t linear(uint64_t mram, uint32_t bank, uint64_t word)
{
	return bank * 8 * mram + 64 * word;
}

/* Bit by bit: bits 21..15 to 20..14, bit 14 to bit 21. */
static uint64_t rotated(uint64_t m)
{
	uint64_t result = 0;

	for (unsigned bit = 0; bit < 64; bit++) {
		unsigned to = bit;

		if (bit >= 15 && bit <= 21)
			to = bit - 1;
		else if (bit == 14)
			to = 21;
		result |= (m >> bit & 1) << to;
	}
	return result;
}

static uint64_t xeon_sp(uint32_t bank, uint64_t word)
{
	uint64_t x = 16 * rotated(8 * word);

	return 0x40000 * (bank % 4) + (bank >= 4 ? 0x40 : 0) + x % 0x20000 +
	       x / 0x20000 * 0x100000;
}

static void test_formula(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (uint32_t bank = 0; bank < 8; bank++) {
			for (uint64_t w = 0; w < sizes[i] / 8; w++) {
				assert_true(pimdimm_layout_offset(0, sizes[i],
						bank, w) ==
					    linear(sizes[i], bank, w));
				assert_true(pimdimm_layout_offset(1, sizes[i],
						bank, w) == xeon_sp(bank, w));
			}
		}
	}
}

static void test_far_words(void **state)
{
	const uint64_t mram = PIMDIMM_MRAM_MAX;

	(void)state;
	for (uint64_t w = 0; w < mram / 8; w += 511) {
		assert_true(pimdimm_layout_offset(1, mram, 7, w) ==
			    xeon_sp(7, w));
		assert_true(pimdimm_layout_offset(0, mram, 7, w) ==
			    linear(mram, 7, w));
	}
}

/* Every block lies inside the window and on no other block. */
static void check_distinct(uint32_t layout, uint64_t mram)
{
	uint64_t span = pimdimm_layout_span(layout, mram);
	uint8_t *taken = need(calloc(span / 64, 1));

	for (uint32_t bank = 0; bank < 8; bank++) {
		for (uint64_t w = 0; w < mram / 8; w++) {
			uint64_t at = pimdimm_layout_offset(layout, mram, bank, w);

			assert_true(at % 64 == 0);
			assert_true(at + 64 <= span);
			assert_true(!taken[at / 64]);
			taken[at / 64] = 1;
		}
	}
	free(taken);
}

static void test_distinct(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (uint32_t layout = 0; layout < PIMDIMM_NR_LAYOUTS; layout++)
			check_distinct(layout, sizes[i]);
}

static void test_known_spans(void **state)
{
	const uint64_t mib = 1 << 20;

	(void)state;
	assert_true(pimdimm_layout_span(0, 0x10000) == 64 * 0x10000);
	assert_true(pimdimm_layout_span(0, 64 * mib) == 4096 * mib);
	assert_true(pimdimm_layout_span(1, 0x10000) == 260 * mib);
	assert_true(pimdimm_layout_span(1, mib) == 320 * mib);
	assert_true(pimdimm_layout_span(1, 64 * mib) == 8192 * mib);
}

/* The largest rotated offset by looking at all: a page keeps its words together,
 * and the span counts pages of 8 KiB. */
static void test_every_span(void **state)
{
	uint64_t max = 0;

	(void)state;
	for (uint64_t page = 0; page < PIMDIMM_MRAM_MAX; page += 0x1000) {
		uint64_t mram = page + 0x1000;

		if (rotated(page) > max)
			max = rotated(page);
		if (mram < PIMDIMM_MRAM_MIN)
			continue;
		assert_true(pimdimm_layout_span(0, mram) == 64 * mram);
		assert_true(pimdimm_layout_span(1, mram) ==
			    0x100000 * (1 + max / 0x2000));
	}
}

/* In a run neighbours are one stride apart; at its end they are not. */
static void check_runs(uint32_t layout, uint64_t mram)
{
	uint64_t stride = pimdimm_layout_stride(layout);
	uint64_t words = mram / 8;

	for (uint64_t w = 0; w < words; w++) {
		uint64_t run = pimdimm_layout_run(layout, mram, w);
		uint64_t at = pimdimm_layout_offset(layout, mram, 5, w);
		uint64_t last = pimdimm_layout_offset(layout, mram, 5,
						      w + run - 1);

		assert_true(run >= 1 && w + run <= words);
		assert_true(last == at + (run - 1) * stride);
		if (run > 1)
			assert_true(pimdimm_layout_run(layout, mram, w + 1) ==
				    run - 1);
	}
}

static void test_runs(void **state)
{
	(void)state;
	assert_int_equal(pimdimm_layout_stride(0), 64);
	assert_int_equal(pimdimm_layout_stride(1), 128);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		for (uint32_t layout = 0; layout < PIMDIMM_NR_LAYOUTS; layout++)
			check_runs(layout, sizes[i]);
	assert_int_equal(pimdimm_layout_run(1, 0x10000, 0), 1024);
}

/* What a system's window shows is where the formulas say. */
static void test_window(void **state)
{
	(void)state;
	for (uint32_t layout = 0; layout < 2; layout++) {
		struct pimdimm *sys = unit_open(unit_uris[layout]);
		size_t bytes = 0;
		uint8_t *window = pimdimm_mram(sys, 1, &bytes);

		assert_non_null(window);
		assert_true(bytes == pimdimm_layout_span(layout, 0x10000));
		assert_int_equal(pimdimm_geometry(sys)->layout, layout);
		for (uint32_t pe = 64; pe < 128; pe++) {
			for (uint64_t off = 0; off < 0x10000; off += 4093) {
				uint8_t byte = (uint8_t)(pe * 31 + off + 1);
				uint64_t block = layout ?
					xeon_sp(pe / 8 % 8, off / 8) :
					linear(0x10000, pe / 8 % 8, off / 8);

				assert_ok(pimdimm_write(sys, pe, off, &byte, 1));
				assert_int_equal(window[block + off % 8 * 8 +
							pe % 8], byte);
			}
		}
		assert_null(pimdimm_mram(sys, 2, &bytes));
		assert_null(pimdimm_mram(sys, UINT32_MAX, NULL));
		assert_ptr_equal(pimdimm_mram(sys, 1, NULL), window);
		pimdimm_close(sys);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_formula),
	cmocka_unit_test(test_far_words),
	cmocka_unit_test(test_distinct),
	cmocka_unit_test(test_known_spans),
	cmocka_unit_test(test_every_span),
	cmocka_unit_test(test_runs),
	cmocka_unit_test(test_window),
};

UNIT_MAIN(tests)
