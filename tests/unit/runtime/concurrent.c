// SPDX-License-Identifier: MIT
/* Writers to different PEs of one entangled group lose nothing. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "tests/unit/unit.h"

#define MRAM	0x10000u
#define ROUNDS	40

static atomic_uint wrong;

struct writer {
	pthread_t thread;
	struct pimdimm *sys;
	uint32_t pe, nr;
	bool push;
	uint64_t seed;
};

static uint8_t expected(uint64_t seed, uint32_t pe, uint64_t off)
{
	return (uint8_t)(seed * 101 + pe * 37 + off * 11 + off / 256);
}

static void fill(uint8_t *buf, uint64_t seed, uint32_t pe)
{
	for (uint64_t off = 0; off < MRAM; off++)
		buf[off] = expected(seed, pe, off);
}

/* Its own PEs, in small pieces of any alignment. */
static void write_pieces(struct writer *w, const uint8_t *buf, uint32_t pe)
{
	size_t piece = 1 + (w->seed + pe) % 29;

	for (uint64_t off = 0; off < MRAM; off += piece) {
		size_t bytes = MRAM - off < piece ? MRAM - off : piece;

		if (pimdimm_write(w->sys, pe, off, buf + off, bytes))
			wrong++;
	}
}

static void *writer_main(void *arg)
{
	struct writer *w = arg;
	uint8_t *buf = need(malloc(w->nr * MRAM));
	const void *bufs[8];

	for (uint32_t i = 0; i < w->nr; i++) {
		bufs[i] = buf + i * MRAM;
		fill(buf + i * MRAM, w->seed, w->pe + i);
	}
	if (w->push) {
		for (uint64_t off = 0; off < MRAM; off += 64) {
			const void *at[8];

			for (uint32_t i = 0; i < w->nr; i++)
				at[i] = (const uint8_t *)bufs[i] + off;
			if (pimdimm_push(w->sys, w->pe, w->nr, off, at, 64))
				wrong++;
		}
	} else {
		for (uint32_t i = 0; i < w->nr; i++)
			write_pieces(w, bufs[i], w->pe + i);
	}
	free(buf);
	return NULL;
}

static void check_pe(struct pimdimm *sys, uint32_t pe, uint64_t seed)
{
	static uint8_t got[MRAM];

	assert_ok(pimdimm_read(sys, pe, 0, got, MRAM));
	for (uint64_t off = 0; off < MRAM; off++)
		if (got[off] != expected(seed, pe, off))
			fail_msg("PE %u lost byte %llu", pe,
				 (unsigned long long)off);
}

/* Threads that share out the 8 PEs of one group: 3 pushed, 5 written. */
static void write_group(struct pimdimm *sys, uint64_t seed)
{
	struct writer writers[] = {
		{ .pe = 8, .nr = 2, .push = true }, { .pe = 10, .nr = 1 },
		{ .pe = 11, .nr = 3 }, { .pe = 14, .nr = 1, .push = true },
		{ .pe = 15, .nr = 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(writers); i++) {
		writers[i].sys = sys;
		writers[i].seed = seed;
		assert_int_equal(pthread_create(&writers[i].thread, NULL,
						writer_main, &writers[i]), 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(writers); i++)
		pthread_join(writers[i].thread, NULL);
	for (uint32_t pe = 8; pe < 16; pe++)
		check_pe(sys, pe, seed);
}

static void test_threads(void **state)
{
	(void)state;
	for (size_t u = 0; u < ARRAY_SIZE(unit_uris); u++) {
		struct pimdimm *sys = unit_open(unit_uris[u]);

		for (uint64_t seed = 0; seed < 6; seed++)
			write_group(sys, seed);
		assert_int_equal(wrong, 0);
		pimdimm_close(sys);
	}
}

static void fill_kernel(struct pimdimm_pe *pe, void *arg)
{
	uint64_t *seed = arg;
	uint8_t *buf = pimdimm_wram_alloc(pe, 256);
	unsigned t = pimdimm_tasklet_id(pe);

	for (uint64_t off = t * 256; off < MRAM; off += 3 * 256) {
		for (unsigned i = 0; i < 256; i++)
			buf[i] = expected(*seed, pimdimm_pe_id(pe), off + i);
		if (pimdimm_mram_write(pe, off, buf, 256))
			wrong++;
	}
}

/* All PEs of all groups at once, three tasklets each. */
static void test_kernels(void **state)
{
	(void)state;
	for (size_t u = 0; u < ARRAY_SIZE(unit_uris); u++) {
		struct pimdimm *sys = unit_open(unit_uris[u]);

		for (uint64_t seed = 0; seed < 5; seed++) {
			assert_ok(pimdimm_launch(sys, 0, 64, 3, fill_kernel, &seed));
			for (uint32_t pe = 0; pe < 64; pe++)
				check_pe(sys, pe, seed);
		}
		assert_int_equal(wrong, 0);
		pimdimm_close(sys);
	}
}

/* PE kernels on the even PEs of a group while a thread writes an odd one. */
static void test_kernel_and_thread(void **state)
{
	struct pimdimm *sys = unit_open(unit_uris[0]);
	uint64_t seed;

	(void)state;
	for (seed = 0; seed < 10; seed++) {
		struct writer w = { .sys = sys, .pe = 13, .nr = 3, .seed = seed };

		assert_int_equal(pthread_create(&w.thread, NULL, writer_main, &w),
				 0);
		assert_ok(pimdimm_launch(sys, 8, 5, 3, fill_kernel, &seed));
		pthread_join(w.thread, NULL);
		for (uint32_t pe = 8; pe < 16; pe++)
			check_pe(sys, pe, seed);
	}
	pimdimm_close(sys);
}

/* A hypercube of its own, on a range of MRAM of its own. */
struct caller {
	pthread_t thread;
	struct pimdimm *sys;
	uint64_t base;
	const char *algorithm;
};

static void *caller_main(void *arg)
{
	static const uint32_t dims[] = { 4, 32 };
	struct caller *c = arg;
	struct pidcomm *hc;

	if (pidcomm_create(c->sys, 2, dims, &hc) ||
	    pidcomm_set_algorithm(hc, NULL, c->algorithm))
		wrong++;
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		uint32_t in[128], out[128];

		for (uint32_t pe = 0; pe < 128; pe++) {
			for (uint32_t i = 0; i < 128; i++)
				in[i] = pe * round + i;
			if (pimdimm_write(c->sys, pe, c->base, in, sizeof(in)))
				wrong++;
		}
		if (pidcomm_allreduce(hc, "11", sizeof(in), c->base,
				      c->base + 1024, PIDCOMM_U32, PIDCOMM_SUM))
			wrong++;
		if (pimdimm_read(c->sys, round, c->base + 1024, out, sizeof(out)))
			wrong++;
		for (uint32_t i = 0; i < 128; i++)
			if (out[i] != 127 * 64 * round + 128 * i)
				wrong++;
	}
	pidcomm_destroy(hc);
	return NULL;
}

static void test_hypercubes(void **state)
{
	(void)state;
	for (size_t u = 0; u < ARRAY_SIZE(unit_uris); u++) {
		struct pimdimm *sys = unit_open(unit_uris[u]);
		struct caller callers[] = {
			{ .base = 0, .algorithm = "direct" },
			{ .base = 8192, .algorithm = "conventional" },
			{ .base = 40960, .algorithm = "direct" },
		};

		for (size_t i = 0; i < ARRAY_SIZE(callers); i++) {
			callers[i].sys = sys;
			assert_int_equal(pthread_create(&callers[i].thread, NULL,
							caller_main,
							&callers[i]), 0);
		}
		for (size_t i = 0; i < ARRAY_SIZE(callers); i++)
			pthread_join(callers[i].thread, NULL);
		assert_int_equal(wrong, 0);
		pimdimm_close(sys);
	}
}

/* A child has the library's memory and none of its threads: it works alone. */
static void test_fork(void **state)
{
	static const uint32_t dims[] = { 128 };
	struct pimdimm *sys = unit_open(unit_uris[0]);
	struct pidcomm *hc;
	uint32_t sum = 0, one = 1;
	int status;
	pid_t child;

	(void)state;
	assert_ok(pidcomm_create(sys, 1, dims, &hc));
	for (uint32_t pe = 0; pe < 128; pe++)
		for (uint64_t off = 0; off < 8192; off += 4)
			assert_ok(pimdimm_write(sys, pe, off, &one, 4));
	child = fork();
	if (!child) {
		int err = pidcomm_allreduce(hc, "1", 8192, 0, 8192, PIDCOMM_U32,
					    PIDCOMM_SUM);

		pidcomm_destroy(hc);
		pimdimm_close(sys);
		_exit(err != 0);
	}
	waitpid(child, &status, 0);
	assert_int_equal(status, 0);
	/* in memory that both share */
	assert_ok(pimdimm_read(sys, 77, 16380, &sum, 4));
	assert_int_equal(sum, 128);
	assert_ok(pidcomm_allreduce(hc, "1", 8192, 0, 0, PIDCOMM_U32,
				    PIDCOMM_SUM));
	pidcomm_destroy(hc);
	pimdimm_close(sys);
}

static void *open_close(void *arg)
{
	for (int i = 0; i < 20; i++) {
		struct pimdimm *sys;

		if (pimdimm_open("mem:ranks=1,mram=64K", &sys)) {
			wrong++;
			continue;
		}
		pimdimm_close(sys);
	}
	return arg;
}

static void test_open_close(void **state)
{
	pthread_t threads[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, open_close,
						NULL), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(wrong, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_threads),
	cmocka_unit_test(test_kernels),
	cmocka_unit_test(test_kernel_and_thread),
	cmocka_unit_test(test_hypercubes),
	cmocka_unit_test(test_fork),
	cmocka_unit_test(test_open_close),
};

UNIT_MAIN(tests)
