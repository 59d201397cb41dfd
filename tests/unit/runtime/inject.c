// SPDX-License-Identifier: MIT
/*
 * Injected faults: every collective meets each of them at each rank, leaves what
 * is documented, and the system goes on. With INJECT_ON_DEV set the ranks are those
 * of the module, three of 64K, and the knobs its own; what they are compared with
 * is of mem: always. With INJECT_BRIEF set each collective meets its faults at one
 * rank only, as where page faults take long.
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "runtime/base/clock.h"
#include "tests/unit/unit.h"

#define RANKS	3u
#define RANK_PES 64u
#define MRAM	0x10000u
#define WINDOW	(RANK_PES * MRAM)
#define GROUPS	64u		/* along the axis of 3 */
#define MEMBERS	RANKS
#define BYTES	(24u * 8 * MEMBERS)
#define SRC	4096u
#define DST	16384u
#define GEOMETRY "mem:ranks=3,mram=64K"

struct rig {
	struct pimdimm *sys;
	struct pidcomm *hc;
	uint8_t *window[RANKS];
	uint8_t *host[GROUPS];
	uint8_t *host_memory;
};

/* MRAM and buffers begin alike in every rig; filling them is no transfer. */
static void fill(struct rig *r)
{
	struct rng rng = { 7 };

	for (uint32_t i = 0; i < RANKS; i++)
		rng_fill(&rng, r->window[i], WINDOW);
	rng_fill(&rng, r->host_memory, GROUPS * MEMBERS * BYTES);
}

static bool on_dev(void)
{
	return getenv("INJECT_ON_DEV");
}

/* Whether the collective of that number meets its faults at this rank. */
static bool meets(size_t collective, uint32_t rank)
{
	return !getenv("INJECT_BRIEF") || rank == collective % RANKS;
}

static void turn(uint32_t rank, const char *knob, const char *value)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/sys/class/pimdimm/pimdimm%u/inject/%s",
		 rank, knob);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_true(write(fd, value, strlen(value)) > 0);
	close(fd);
}

static void turn_off(void)
{
	static const char *const knobs[] = { "delay_us", "fail_nth", "fail_ppm",
					     "flip_ppm", "gone", "gone_nth",
					     "seed" };

	for (uint32_t rank = 0; rank < RANKS && on_dev(); rank++) {
		for (size_t i = 0; i < ARRAY_SIZE(knobs); i++)
			turn(rank, knobs[i], "0");
	}
}

/* "KNOB:VALUE[@RANK]+..." by the module's own knobs */
static void turn_all(const char *inject)
{
	char text[128], *rest = text, *setting;

	snprintf(text, sizeof(text), "%s", inject);
	while ((setting = strsep(&rest, "+"))) {
		char *knob = strsep(&setting, ":");
		char *value = strsep(&setting, "@");

		for (uint32_t rank = 0; rank < RANKS; rank++) {
			if (!setting || rank == (uint32_t)atoi(setting))
				turn(rank, knob, value);
		}
	}
}

/* a system with faults */
static struct pimdimm *open_with(const char *inject)
{
	struct pimdimm *sys;
	char uri[128];

	if (on_dev()) {
		turn_off();
		sys = unit_open("dev:system=default");
		turn_all(inject);
		return sys;
	}
	snprintf(uri, sizeof(uri), GEOMETRY ",inject=%s", inject);
	return unit_open(uri);
}

static void prepare(struct rig *r)
{
	const uint32_t dims[] = { 8, 8, RANKS };

	assert_ok(pidcomm_create(r->sys, 3, dims, &r->hc));
	r->host_memory = need(malloc(GROUPS * MEMBERS * BYTES));
	for (uint32_t i = 0; i < GROUPS; i++)
		r->host[i] = r->host_memory + i * MEMBERS * BYTES;
	for (uint32_t i = 0; i < RANKS; i++)
		r->window[i] = need(pimdimm_mram(r->sys, i, NULL));
	fill(r);
}

static void start(struct rig *r)
{
	r->sys = unit_open(GEOMETRY);
	prepare(r);
}

static void start_with(struct rig *r, const char *inject)
{
	r->sys = open_with(inject);
	prepare(r);
}

static void stop(struct rig *r)
{
	pidcomm_destroy(r->hc);
	pimdimm_close(r->sys);
	free(r->host_memory);
}

static void *const *bufs(const struct rig *r)
{
	return (void *const *)r->host;
}

static int alltoall(struct rig *r)
{
	return pidcomm_alltoall(r->hc, "001", BYTES, SRC, DST);
}

static int alltoall_in_place(struct rig *r)
{
	return pidcomm_alltoall(r->hc, "001", BYTES, DST, DST);
}

static int reduce_scatter(struct rig *r)
{
	return pidcomm_reduce_scatter(r->hc, "001", BYTES, SRC, DST, PIDCOMM_I32,
				      PIDCOMM_SUM);
}

static int allreduce(struct rig *r)
{
	return pidcomm_allreduce(r->hc, "001", BYTES, SRC, DST, PIDCOMM_I32,
				 PIDCOMM_SUM);
}

static int allgather(struct rig *r)
{
	return pidcomm_allgather(r->hc, "001", BYTES, SRC, DST);
}

static int scatter(struct rig *r)
{
	return pidcomm_scatter(r->hc, "001", BYTES, (const void *const *)bufs(r),
			       DST);
}

static int gather(struct rig *r)
{
	return pidcomm_gather(r->hc, "001", BYTES, SRC, bufs(r));
}

static int reduce(struct rig *r)
{
	return pidcomm_reduce(r->hc, "001", BYTES, SRC, bufs(r), PIDCOMM_I32,
			      PIDCOMM_SUM);
}

static int broadcast(struct rig *r)
{
	return pidcomm_broadcast(r->hc, "001", BYTES,
				 (const void *const *)bufs(r), DST);
}

static int prepared(struct rig *r)
{
	struct pidcomm_plan *plan;
	int ret;

	assert_ok(pidcomm_plan_allreduce(r->hc, "001", BYTES, SRC, DST,
					 PIDCOMM_I32, PIDCOMM_SUM, &plan));
	ret = pidcomm_plan_run(plan);
	pidcomm_plan_free(plan);
	return ret;
}

static int in_the_background(struct rig *r)
{
	struct pidcomm_request *request;

	assert_ok(pidcomm_ialltoall(r->hc, "001", BYTES, SRC, DST, &request));
	return pidcomm_wait(&request);
}

static const struct collective {
	const char *name;
	int (*run)(struct rig *r);
	bool to_mram, to_host;
} collectives[] = {
	{ "alltoall", alltoall, true, false },
	{ "alltoall in place", alltoall_in_place, true, false },
	{ "reduce_scatter", reduce_scatter, true, false },
	{ "allreduce", allreduce, true, false },
	{ "allgather", allgather, true, false },
	{ "scatter", scatter, true, false },
	{ "gather", gather, false, true },
	{ "reduce", reduce, false, true },
	{ "broadcast", broadcast, true, false },
	{ "a plan", prepared, true, false },
	{ "a request", in_the_background, true, false },
};

/* whether byte `at` of a window is in what collectives write */
static bool written(size_t at)
{
	size_t off = at % (WINDOW / 8) / 64 * 8;

	return off >= DST && off < DST + BYTES;
}

/* Everything but what the call may have written is as in `before`. */
static void check_rest(const struct rig *r, const struct rig *before,
		       const struct collective *c, uint32_t but_rank)
{
	for (uint32_t i = 0; i < RANKS; i++) {
		if (i == but_rank ||
		    !memcmp(r->window[i], before->window[i], WINDOW))
			continue;
		for (size_t at = 0; at < WINDOW; at++) {
			if (r->window[i][at] != before->window[i][at] &&
			    !(c->to_mram && written(at)))
				fail_msg("%s: rank %u, byte %zu of the window",
					 c->name, i, at);
		}
	}
	if (!c->to_host)
		assert_memory_equal(r->host_memory, before->host_memory,
				    GROUPS * MEMBERS * BYTES);
}

static void check_same(const struct rig *a, const struct rig *b)
{
	for (uint32_t i = 0; i < RANKS; i++)
		assert_memory_equal(a->window[i], b->window[i], WINDOW);
	assert_memory_equal(a->host_memory, b->host_memory,
			    GROUPS * MEMBERS * BYTES);
}

static bool same_mram(const struct rig *a, const struct rig *b)
{
	for (uint32_t i = 0; i < RANKS; i++) {
		if (memcmp(a->window[i], b->window[i], WINDOW))
			return false;
	}
	return true;
}

/* A failed transfer, before the first byte or after the last: seeds give both. */
static void fail_one(const struct collective *c, uint32_t rank,
		     const struct rig *before, const struct rig *after,
		     unsigned int outcome[2])
{
	char inject[64], word[32];
	struct rig r;

	for (unsigned int seed = 0; seed < 4; seed++) {
		snprintf(inject, sizeof(inject), "fail_nth:1@%u+seed:%u", rank,
			 seed);
		snprintf(word, sizeof(word), "rank %u", rank);
		start_with(&r, inject);
		assert_refused(c->run(&r), EIO, word);
		check_rest(&r, before, c, RANKS);
		outcome[!same_mram(&r, before)]++;
		/* what it read and may have written is made good: it works */
		fill(&r);
		assert_ok(c->run(&r));
		check_same(&r, after);
		stop(&r);
	}
}

static void test_failed_transfers(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(collectives); i++) {
		const struct collective *c = &collectives[i];
		unsigned int outcome[2] = { 0 };
		struct rig before, after;

		start(&before);
		start(&after);
		assert_ok(c->run(&after));
		for (uint32_t rank = 0; rank < RANKS; rank++) {
			if (meets(i, rank))
				fail_one(c, rank, &before, &after, outcome);
		}
		/* both kinds have been seen where they differ in MRAM */
		if (c->to_mram && (!outcome[0] || !outcome[1]))
			fail_msg("%s: %u early, %u late", c->name, outcome[0],
				 outcome[1]);
		stop(&before);
		stop(&after);
	}
}

/* The ranks before the one that is gone make a system that works. */
static void check_others(struct rig *r, uint32_t lost)
{
	const uint32_t dims[] = { 8, 8 };
	uint64_t word = 42, seen = 0;
	struct pidcomm *hc;

	for (uint32_t i = 0; i < RANKS; i++) {
		uint32_t pe = i * RANK_PES + 5;

		if (i == lost) {
			assert_refused(pimdimm_write(r->sys, pe, 0, &word, 8),
				       ENODEV, "gone");
			assert_refused(pimdimm_read(r->sys, pe, 0, &word, 8),
				       ENODEV, "gone");
			continue;
		}
		assert_ok(pimdimm_write(r->sys, pe, 0, &word, 8));
		assert_ok(pimdimm_read(r->sys, pe, 0, &seen, 8));
		assert_int_equal(seen, word);
	}
	if (!lost)
		return;
	assert_ok(pidcomm_create(r->sys, 2, dims, &hc));
	assert_ok(pidcomm_alltoall(hc, "10", 512, SRC, DST));
	pidcomm_destroy(hc);
}

static void idle_kernel(struct pimdimm_pe *pe, void *arg)
{
	(void)pe;
	(void)arg;
}

static void test_ranks_that_go(void **unused)
{
	char inject[64], word[32];
	struct rig before, r;

	(void)unused;
	start(&before);
	for (size_t i = 0; i < ARRAY_SIZE(collectives); i++) {
		const struct collective *c = &collectives[i];

		for (uint32_t rank = 0; rank < RANKS; rank++) {
			if (!meets(i, rank))
				continue;
			snprintf(inject, sizeof(inject), "gone_nth:1@%u", rank);
			snprintf(word, sizeof(word), "rank %u is gone", rank);
			start_with(&r, inject);
			assert_refused(c->run(&r), ENODEV, word);
			check_rest(&r, &before, c, rank);
			assert_false(*r.window[rank]);
			assert_memory_equal(r.window[rank],
					    r.window[rank] + 1, WINDOW - 1);
			assert_refused(c->run(&r), ENODEV, word);
			assert_refused(pimdimm_launch(r.sys, 0, 192, 1, idle_kernel,
						      NULL), ENODEV, word);
			check_others(&r, rank);
			stop(&r);
		}
	}
	stop(&before);
}

/* a transfer that was done, but with bits that are not its own */
static unsigned int wrong_bits(const uint8_t *a, const uint8_t *b, size_t bytes)
{
	unsigned int bits = 0;

	for (size_t i = 0; i < bytes; i++)
		bits += (unsigned int)__builtin_popcount(a[i] ^ b[i]);
	return bits;
}

static void test_flips_of_collectives(void **unused)
{
	struct rig plain, a, b, other;

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(collectives); i++) {
		const struct collective *c = &collectives[i];

		start(&plain);
		start_with(&a, "flip_ppm:20000@1+seed:5");
		/* the module and the library decide alike */
		b.sys = unit_open(GEOMETRY ",inject=flip_ppm:20000@1+seed:5");
		prepare(&b);
		other.sys = unit_open(GEOMETRY ",inject=flip_ppm:20000@1+seed:6");
		prepare(&other);
		assert_ok(c->run(&plain));
		assert_ok(c->run(&a));
		assert_ok(c->run(&b));
		assert_ok(c->run(&other));
		check_same(&a, &b);
		assert_false(same_mram(&a, &plain));
		assert_false(same_mram(&a, &other));
		stop(&plain);
		stop(&a);
		stop(&b);
		stop(&other);
	}
}

#define PE_BYTES 8192u

static void pull_all(struct pimdimm *sys, uint8_t *to, bool odd)
{
	void *at[RANK_PES];

	for (uint32_t i = 0; i < RANK_PES; i++)
		at[i] = odd || i % 2 ? to + i * PE_BYTES : NULL;
	assert_ok(pimdimm_pull(sys, RANK_PES, RANK_PES, 0, at, PE_BYTES));
}

/* As many as asked for, none of them in PEs that are left out. */
static void test_rate_of_flips(void **unused)
{
	uint8_t *got = need(calloc(RANK_PES, PE_BYTES));
	uint8_t *zero = need(calloc(RANK_PES, PE_BYTES));
	struct pimdimm *sys = open_with("flip_ppm:10000");
	unsigned int bits;

	(void)unused;
	pull_all(sys, got, false);
	bits = wrong_bits(got, zero, RANK_PES * PE_BYTES);
	/* of 32 PEs' 1024 words, a hundredth; a few may hit the same bit */
	assert_in_range(bits, 310, 329);
	for (uint32_t i = 0; i < RANK_PES; i += 2)
		assert_int_equal(0, wrong_bits((uint8_t *)pimdimm_mram(sys, 1,
								      NULL) + i,
					       zero, 1));
	pimdimm_close(sys);
	free(got);
	free(zero);
}

static unsigned int count_failures(const char *inject, uint64_t trail[64])
{
	unsigned int failures = 0;
	struct pimdimm *sys = open_with(inject);
	uint64_t word = 1;

	memset(trail, 0, 64 * sizeof(*trail));
	for (unsigned int i = 0; i < 4096; i++) {
		int ret = pimdimm_write(sys, 70, 8, &word, 8);

		if (!ret)
			continue;
		assert_int_equal(ret, -EIO);
		failures++;
		trail[i / 64] |= UINT64_C(1) << i % 64;
	}
	pimdimm_close(sys);
	return failures;
}

static void test_rate_of_failures(void **unused)
{
	uint64_t a[64], b[64];

	(void)unused;
	assert_in_range(count_failures("fail_ppm:250000+seed:3", a), 900, 1150);
	count_failures("fail_ppm:250000+seed:3", b);
	assert_memory_equal(a, b, sizeof(a));
	count_failures("fail_ppm:250000+seed:4", b);
	assert_memory_not_equal(a, b, sizeof(a));
	/* the same seed at another rank is another sequence */
	assert_int_equal(count_failures("fail_ppm:1000000@1", a), 4096);
	assert_int_equal(count_failures("fail_ppm:1000000@0", a), 0);
	assert_int_equal(count_failures("fail_nth:9", a), 1);
	assert_int_equal(a[0], 1 << 8);
}

static void test_slow_rank(void **unused)
{
	struct pimdimm *sys = open_with("delay_us:20000@2");
	uint64_t word = 1, from;

	(void)unused;
	from = pd_now_ns();
	assert_ok(pimdimm_write(sys, 2 * RANK_PES, 0, &word, 8));
	assert_true(pd_now_ns() - from >= 20000000);
	pimdimm_close(sys);
}

/* What moves nothing is no transfer, and what is refused is none. */
static void test_what_counts(void **unused)
{
	struct pimdimm *sys = open_with("fail_nth:1");
	const void *none[RANK_PES] = { NULL };
	uint64_t word = 1;

	(void)unused;
	assert_ok(pimdimm_write(sys, 0, 0, &word, 0));
	assert_ok(pimdimm_push(sys, 0, RANK_PES, 0, none, 64));
	assert_ok(pimdimm_push(sys, 0, 0, 0, none, 64));
	assert_refused(pimdimm_write(sys, 0, MRAM, &word, 8), EINVAL, "off");
	assert_refused(pimdimm_write(sys, 0, 0, &word, 8), EIO, "rank 0");
	assert_ok(pimdimm_write(sys, 0, 0, &word, 8));
	none[3] = &word;
	assert_refused(pimdimm_push(sys, RANK_PES, RANK_PES, 0, none, 8), EIO,
		       "rank 1");
	pimdimm_close(sys);
}

static void test_wishes_that_are_none(void **unused)
{
	static const char *const bad[] = {
		"fail", "fail_nth", "fail_nth:", "fail_nth:x", "fail_nth:-1",
		"fail_nth:1@", "fail_nth:1@3", "fail_nth:1@x", "fail_nth@1:1",
		"fail_nth:1+", "+", "flop_ppm:1", "fail_ppm:1000001", "gone:2",
		"delay_us:10000001", "seed:18446744073709551616", ":1",
	};
	struct pimdimm *sys;
	char uri[128];

	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		snprintf(uri, sizeof(uri), GEOMETRY ",inject=%s", bad[i]);
		assert_refused(pimdimm_open(uri, &sys), EINVAL, "inject");
	}
	assert_refused(pimdimm_open(GEOMETRY ",inject=", &sys), EINVAL,
		       "inject");
}

static void test_environment(void **unused)
{
	struct pimdimm *sys;
	uint64_t word = 1;

	(void)unused;
	assert_int_equal(setenv("PIMDIMM_INJECT", "gone:1@1", 1), 0);
	sys = unit_open(GEOMETRY);
	assert_ok(pimdimm_write(sys, 0, 0, &word, 8));
	assert_refused(pimdimm_write(sys, RANK_PES, 0, &word, 8), ENODEV,
		       "rank 1");
	pimdimm_close(sys);
	/* the URI's come first */
	sys = unit_open(GEOMETRY ",inject=fail_nth:1@0");
	assert_ok(pimdimm_write(sys, RANK_PES, 0, &word, 8));
	assert_refused(pimdimm_write(sys, 0, 0, &word, 8), EIO, "rank 0");
	pimdimm_close(sys);
	assert_int_equal(setenv("PIMDIMM_INJECT", "nonsense", 1), 0);
	assert_refused(pimdimm_open(GEOMETRY, &sys), EINVAL, "nonsense");
	assert_int_equal(unsetenv("PIMDIMM_INJECT"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failed_transfers),
		cmocka_unit_test(test_ranks_that_go),
		cmocka_unit_test(test_flips_of_collectives),
		cmocka_unit_test(test_rate_of_flips),
		cmocka_unit_test(test_rate_of_failures),
		cmocka_unit_test(test_slow_rank),
		cmocka_unit_test(test_what_counts),
		cmocka_unit_test(test_wishes_that_are_none),
		cmocka_unit_test(test_environment),
	};
	int result;

	unsetenv("PIMDIMM_INJECT");
	unit_start();
	result = cmocka_run_group_tests(tests, NULL, NULL);
	turn_off();
	return result;
}
