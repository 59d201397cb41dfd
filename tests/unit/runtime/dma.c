// SPDX-License-Identifier: MIT
/* PE kernels on their own MRAM: contiguous to them, and what is refused. */
#include <stdatomic.h>

#include "tests/unit/unit.h"

#define MRAM	0x10000u
#define NR_PES	128u

static atomic_uint wrong;

/* Adds 1 to each byte, in pieces of every size that the DMA takes. */
static void increment_kernel(struct pimdimm_pe *pe, void *arg)
{
	uint8_t *buf = pimdimm_wram_alloc(pe, 2048);
	size_t bytes = 8;

	(void)arg;
	for (uint64_t off = 0; off < MRAM; off += bytes) {
		bytes = 8 + (off * 7 + pimdimm_pe_id(pe) * 8) % 2048 / 8 * 8;
		if (bytes > 2048)
			bytes = 2048;
		if (bytes > MRAM - off)
			bytes = MRAM - off;
		if (pimdimm_mram_read(pe, off, buf, bytes))
			wrong++;
		for (size_t i = 0; i < bytes; i++)
			buf[i]++;
		if (pimdimm_mram_write(pe, off, buf, bytes))
			wrong++;
	}
}

static void test_contiguous(void **state)
{
	uint8_t *want = need(malloc(NR_PES * MRAM)), *got = need(malloc(MRAM));
	struct rng rng = { 9 };

	(void)state;
	for (size_t u = 0; u < ARRAY_SIZE(unit_uris); u++) {
		struct pimdimm *sys = unit_open(unit_uris[u]);

		rng_fill(&rng, want, NR_PES * MRAM);
		for (uint32_t pe = 0; pe < NR_PES; pe++)
			assert_ok(pimdimm_write(sys, pe, 0, want + pe * MRAM,
						MRAM));
		assert_ok(pimdimm_launch(sys, 3, NR_PES - 6, 1, increment_kernel,
					 NULL));
		for (uint32_t pe = 0; pe < NR_PES; pe++) {
			for (uint32_t i = 0; i < MRAM; i++)
				want[pe * MRAM + i] += pe >= 3 && pe < NR_PES - 3;
			assert_ok(pimdimm_read(sys, pe, 0, got, MRAM));
			assert_memory_equal(got, want + pe * MRAM, MRAM);
		}
		assert_int_equal(wrong, 0);
		pimdimm_close(sys);
	}
	free(want);
	free(got);
}

/* One access that PE @pe's tasklet @tasklet makes, and the others do not. */
struct access {
	uint32_t pe;
	unsigned tasklet;
	uint64_t off;
	size_t bytes, wram;		/* wram: misalignment of the address */
	bool write;
	const char *word;		/* of the message, besides PE and tasklet */
};

static void access_kernel(struct pimdimm_pe *pe, void *arg)
{
	const struct access *a = arg;
	uint8_t *buf = pimdimm_wram(pe);
	int err;

	if (pimdimm_pe_id(pe) < a->pe || pimdimm_tasklet_id(pe) != a->tasklet)
		return;
	memset(buf, 0x77, 4096);
	err = a->write ? pimdimm_mram_write(pe, a->off, buf + a->wram, a->bytes) :
		pimdimm_mram_read(pe, a->off, buf + a->wram, a->bytes);
	if (err != -EINVAL)
		wrong++;
	for (int i = 0; i < 4096; i++)
		if (buf[i] != 0x77)
			wrong++;
	/* it goes on, and its next access is not refused */
	if (pimdimm_mram_read(pe, 0, buf, 8) || memcmp(buf, "\0\0\0\0\0\0\0", 8))
		wrong++;
}

static const struct access bad_accesses[] = {
	{ .pe = 0, .off = 4, .bytes = 8, .word = "4" },
	{ .pe = 5, .off = 1, .bytes = 8, .write = true, .word = "1" },
	{ .pe = 7, .off = 8, .bytes = 0, .word = "0" },
	{ .pe = 8, .off = 8, .bytes = 12, .word = "12" },
	{ .pe = 9, .off = 8, .bytes = 4, .write = true, .word = "4" },
	{ .pe = 70, .off = 0, .bytes = 2056, .word = "2056" },
	{ .pe = 71, .off = 0, .bytes = 1 << 30, .word = "1073741824" },
	{ .pe = 100, .off = 0, .bytes = SIZE_MAX - 7, .write = true, .word = "" },
	{ .pe = 101, .off = MRAM, .bytes = 8, .word = "65536" },
	{ .pe = 102, .off = MRAM - 8, .bytes = 16, .write = true, .word = "16" },
	{ .pe = 103, .off = UINT64_MAX - 7, .bytes = 8, .word = "" },
	{ .pe = 104, .off = UINT64_MAX - 7, .bytes = 16, .write = true, .word = "" },
	{ .pe = 126, .tasklet = 2, .off = 8, .bytes = 8, .wram = 4, .word = "" },
	{ .pe = 127, .tasklet = 3, .off = 8, .bytes = 8, .wram = 1,
	  .write = true, .word = "" },
};

static void test_refused(void **state)
{
	struct pimdimm *sys = unit_open(unit_uris[1]);
	static uint8_t got[MRAM], zero[MRAM];

	(void)state;
	wrong = 0;
	for (size_t i = 0; i < ARRAY_SIZE(bad_accesses); i++) {
		struct access a = bad_accesses[i];
		char pe[16], tasklet[24];

		snprintf(pe, sizeof(pe), "PE %u", a.pe);
		snprintf(tasklet, sizeof(tasklet), "tasklet %u", a.tasklet);
		assert_refused(pimdimm_launch(sys, 0, NR_PES, 4, access_kernel,
					      &a), EFAULT, pe);
		assert_non_null(strstr(pimdimm_errmsg(), tasklet));
		assert_non_null(strstr(pimdimm_errmsg(), a.word));
		assert_int_equal(wrong, 0);
	}
	for (uint32_t pe = 0; pe < NR_PES; pe++) {
		assert_ok(pimdimm_read(sys, pe, 0, got, MRAM));
		assert_memory_equal(got, zero, MRAM);
	}
	pimdimm_close(sys);
}

/* A launch after one that failed starts clean. */
static void test_forgotten(void **state)
{
	struct pimdimm *sys = unit_open(unit_uris[0]);
	struct access a = bad_accesses[0];

	(void)state;
	wrong = 0;
	assert_refused(pimdimm_launch(sys, 0, 4, 1, access_kernel, &a), EFAULT,
		       "PE 0");
	a.pe = NR_PES;
	assert_ok(pimdimm_launch(sys, 0, NR_PES, 1, access_kernel, &a));
	pimdimm_close(sys);
}

/* The tasklets that fault are many, and the lowest is the one named. */
static void late_kernel(struct pimdimm_pe *pe, void *arg)
{
	uint8_t *buf = pimdimm_wram(pe);

	(void)arg;
	if (pimdimm_pe_id(pe) == 17)
		usleep(20000);
	if (pimdimm_pe_id(pe) >= 17)
		pimdimm_mram_read(pe, 2, buf, 8);
}

static void test_lowest(void **state)
{
	struct pimdimm *sys = unit_open(unit_uris[0]);

	(void)state;
	assert_refused(pimdimm_launch(sys, 0, NR_PES, 3, late_kernel, NULL),
		       EFAULT, "PE 17");
	pimdimm_close(sys);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_contiguous),
	cmocka_unit_test(test_refused),
	cmocka_unit_test(test_forgotten),
	cmocka_unit_test(test_lowest),
};

UNIT_MAIN(tests)
