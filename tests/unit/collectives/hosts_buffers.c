// SPDX-License-Identifier: MIT
/*
 * Collectives on hosts' buffers: every algorithm, type and operation against a plain fold,
 * and what is loaded and stored against the formulas of the paper.
 */
#include <time.h>

#include "collectives/hosts/buffers_calls.h"
#include "tests/conformance/numeric.h"
#include "tests/unit/hosts.h"

#define MOST_BYTES	(3u << 20)
#define GUARD		64

/* not commutative, nor associative */
static void thrice_and(void *inout, const void *in, size_t count, enum pidcomm_type type,
		       void *ctx)
{
	uint8_t *a = inout;
	const uint8_t *b = in;

	(void)ctx;
	for (size_t i = 0; i < count * num_size(type); i++)
		a[i] = (uint8_t)(3 * a[i] + b[i]);
}

struct buffers_case {
	enum pc_hosts_kind kind;
	enum pidcomm_type type;
	pidcomm_op op;
	bool user, in_place, mapped;
	uint64_t count, counts[HOSTS_TEST_MOST];
	uint32_t root;
	const char *algorithm;
};

/* a host's memory of a test */
struct memory {
	uint8_t *in[HOSTS_TEST_MOST];	/* what every host has, as all know */
	uint8_t *want;
	uint8_t *own[2][2];		/* source and destination, private and mapped */
	pidcomm_op op;
};

static void make_memory(struct memory *m, struct pimdimm_hosts *h, uint32_t hosts)
{
	for (uint32_t i = 0; i < hosts; i++)
		m->in[i] = need(malloc(MOST_BYTES));
	m->want = need(malloc((size_t)MOST_BYTES * hosts));
	for (int i = 0; i < 2; i++) {
		m->own[0][i] = need(malloc((size_t)MOST_BYTES * hosts + 2 * GUARD));
		host_ok(pimdimm_hosts_alloc(h, (size_t)MOST_BYTES * hosts + 2 * GUARD,
					    (void **)&m->own[1][i]));
	}
	host_ok(pidcomm_op_create(thrice_and, NULL, &m->op));
}

static void free_memory(struct memory *m, struct pimdimm_hosts *h, uint32_t hosts)
{
	for (uint32_t i = 0; i < hosts; i++)
		free(m->in[i]);
	free(m->want);
	for (int i = 0; i < 2; i++) {
		free(m->own[0][i]);
		pimdimm_hosts_free(h, m->own[1][i]);
	}
	pidcomm_op_free(m->op);
}

static bool reduces(enum pc_hosts_kind kind)
{
	return kind == PC_HOSTS_ALLREDUCE || kind == PC_HOSTS_REDUCE ||
	       kind == PC_HOSTS_REDUCE_SCATTER;
}

static uint64_t vector_bytes(const struct buffers_case *c)
{
	return c->count * (reduces(c->kind) ? num_size(c->type) : 1);
}

/* the fold of all, in m->want */
static void fold_all(struct memory *m, const struct buffers_case *c, uint32_t hosts)
{
	const size_t size = num_size(c->type), bytes = vector_bytes(c);

	if (hosts == 1 || c->user) {
		memcpy(m->want, m->in[0], bytes);
		for (uint32_t i = 1; i < hosts; i++)
			thrice_and(m->want, m->in[i], c->count, c->type, NULL);
		return;
	}
	for (uint64_t i = 0; i < c->count; i++)
		num_fold(c->type, c->op, (const uint8_t *const *)m->in, hosts, i,
			 m->want + i * size);
}

/* Where the part of this host begins in what is wanted, and its length; *at: the bytes
 * of dst before it. */
static const uint8_t *wanted(struct memory *m, const struct buffers_case *c,
			     const struct hosts_test *t, uint64_t *bytes)
{
	uint64_t begin = 0;

	*bytes = vector_bytes(c);
	if (c->kind == PC_HOSTS_ALLGATHER) {
		for (uint32_t i = 0; i < t->hosts; i++)
			memcpy(m->want + i * *bytes, m->in[i], *bytes);
		*bytes *= t->hosts;
		return m->want;
	}
	if (c->kind == PC_HOSTS_BROADCAST)
		return m->in[c->root];
	fold_all(m, c, t->hosts);
	if (c->kind == PC_HOSTS_REDUCE && t->host != c->root)
		*bytes = 0;
	if (c->kind == PC_HOSTS_REDUCE_SCATTER) {
		for (uint32_t i = 0; i < t->host; i++)
			begin += c->counts[i] * num_size(c->type);
		*bytes = c->counts[t->host] * num_size(c->type);
	}
	return m->want + begin;
}

static int make_call(struct pimdimm_hosts *h, const struct buffers_case *c, const void *src,
		     void *dst)
{
	switch (c->kind) {
	case PC_HOSTS_ALLREDUCE:
		return pimdimm_hosts_allreduce(h, src, dst, c->count, c->type, c->op);
	case PC_HOSTS_REDUCE:
		return pimdimm_hosts_reduce(h, src, dst, c->count, c->type, c->op, c->root);
	case PC_HOSTS_REDUCE_SCATTER:
		return pimdimm_hosts_reduce_scatter(h, src, dst, c->counts, c->type, c->op);
	case PC_HOSTS_BROADCAST:
		return pimdimm_hosts_broadcast(h, dst, c->count, c->root);
	default:
		return pimdimm_hosts_allgather(h, src, dst, c->count);
	}
}

static void tell(const struct hosts_test *t, const struct buffers_case *c, uint64_t at)
{
	printf("# host %u of %u: %s of %llu %s, %s%s%s, %s, root %u, wrong from byte %llu on\n",
	       t->host, t->hosts, pc_hosts_kind_name(c->kind), (unsigned long long)c->count,
	       num_type_name(c->type), c->user ? "user" : num_op_name(c->op),
	       c->in_place ? ", in place" : "", c->mapped ? ", mapped" : "", c->algorithm, c->root,
	       (unsigned long long)at);
	fflush(stdout);
	_exit(1);
}

static void expect_same(const struct hosts_test *t, const struct buffers_case *c,
			uint8_t *want, const uint8_t *got, uint64_t bytes)
{
	const enum pidcomm_type type = reduces(c->kind) ? c->type : PIDCOMM_U8;

	if (memcmp(want, got, bytes) && !(num_is_float(type) && !c->user &&
					  num_settle(type, want, got, bytes))) {
		uint64_t at = 0;

		while (want[at] == got[at])
			at++;
		tell(t, c, at);
	}
}

static void run_case(struct memory *m, struct pimdimm_hosts *h, const struct hosts_test *t,
		     const struct buffers_case *c, uint64_t seed)
{
	uint8_t *src = m->own[c->mapped][0], *dst = m->own[c->mapped][1] + GUARD;
	uint64_t bytes = vector_bytes(c), got;
	const uint8_t *want;

	for (uint32_t i = 0; i < t->hosts; i++) {
		struct rng rng = rng_of(seed, i);

		rng_fill(&rng, m->in[i], bytes);
	}
	memset(dst - GUARD, 0xa5, MOST_BYTES < 4 * bytes * t->hosts ?
	       (size_t)MOST_BYTES * t->hosts + 2 * GUARD : 4 * bytes * t->hosts + 2 * GUARD);
	if (c->kind == PC_HOSTS_BROADCAST || (c->in_place && c->kind != PC_HOSTS_ALLGATHER))
		src = dst;
	else if (c->in_place)
		src = dst + t->host * bytes;
	if (c->kind != PC_HOSTS_BROADCAST || t->host == c->root)
		memcpy(src, m->in[t->host], bytes);
	host_ok(make_call(h, c, src, dst));
	want = wanted(m, c, t, &got);
	expect_same(t, c, (uint8_t *)(uintptr_t)want, dst, got);
	if (!c->in_place && c->kind != PC_HOSTS_BROADCAST && memcmp(src, m->in[t->host], bytes))
		tell(t, c, 0);
	for (unsigned int i = 0; i < GUARD; i++)
		host_expect(dst[-1 - (int)i] == 0xa5 &&
			    (c->in_place || dst[got + i] == 0xa5));
}

static const char *const names[] = { "auto", "flat", "direct", "ma", "wave", "pipelined",
				     "dpml", "ma:nt-copy", "wave:memmove", "direct:nt-copy",
				     "pipelined:nt-copy", "ma+socket", "ring", "dpml2",
				     "rg", "rabenseifner", "rg:nt-copy", "leader",
				     "leaders", "chain" };

/* those that fold in other orders than the hosts' */
static bool needs_exact(const char *name)
{
	return !strcmp(name, "ma+socket") || !strcmp(name, "ring") || !strcmp(name, "dpml2") ||
	       !strncmp(name, "rg", 2) || !strcmp(name, "rabenseifner") ||
	       !strncmp(name, "leader", 6);
}

static uint64_t random_count(struct rng *rng, uint64_t most)
{
	switch (rng_below(rng, 4)) {
	case 0:
		return rng_below(rng, 40);
	case 1:
		return rng_below(rng, most / 16);
	case 2:
		/* borders of what fits into a slice, and one more or less */
		return most / 3 / 512 * 512 + rng_below(rng, 3) - 1;
	default:
		return rng_below(rng, 2000);
	}
}

static struct buffers_case random_case(struct rng *rng, const struct memory *m, uint32_t hosts)
{
	struct buffers_case c = {
		.kind = PC_HOSTS_ALLREDUCE + (enum pc_hosts_kind)rng_below(rng, 5),
		.type = (enum pidcomm_type)rng_below(rng, NUM_TYPES),
		.op = num_op((unsigned)rng_below(rng, NUM_OPS)),
		.user = rng_chance(rng, 15),
		.in_place = rng_chance(rng, 30),
		.mapped = rng_chance(rng, 50),
		.root = (uint32_t)rng_below(rng, hosts),
		.algorithm = names[rng_below(rng, ARRAY_SIZE(names))],
	};

	if (num_is_float(c.type) && num_is_bitwise(c.op))
		c.op = PIDCOMM_SUM;
	if (c.user)
		c.op = m->op;
	c.count = random_count(rng, 1u << 18 >> (reduces(c.kind) ? 2 : 0));
	if (c.kind == PC_HOSTS_REDUCE_SCATTER) {
		c.in_place = false;
		c.count /= hosts;
		for (uint32_t i = 0; i < hosts; i++)
			c.counts[i] = rng_chance(rng, 10) ? 0 : c.count + rng_below(rng, 3);
		c.count = 0;
		for (uint32_t i = 0; i < hosts; i++)
			c.count += c.counts[i];
	}
	return c;
}

/* What is set may not serve the call: then it is refused, everywhere alike. */
static bool set_for(struct pimdimm_hosts *h, const struct buffers_case *c)
{
	const char *kind = pc_hosts_kind_name(c->kind);
	int ret = pimdimm_hosts_set_algorithm(h, kind, c->algorithm);

	host_expect(!ret || ret == -EOPNOTSUPP);
	if (!ret && needs_exact(c->algorithm) && reduces(c->kind) &&
	    (c->user || num_is_float(c->type)))
		return false;
	if (!ret && !strcmp(c->algorithm, "flat"))
		return vector_bytes(c) <= PC_HOSTS_CELL;
	return !ret && (c->mapped || strncmp(c->algorithm, "direct", 6));
}

static void do_random(const struct hosts_test *t)
{
	const unsigned int *cases = t->ctx;
	struct pimdimm_hosts *h = hosts_joined(t);
	struct rng rng = { t->hosts };
	struct memory m;

	make_memory(&m, h, t->hosts);
	for (unsigned int i = 0; i < *cases; i++) {
		struct buffers_case c = random_case(&rng, &m, t->hosts);

		if (set_for(h, &c))
			run_case(&m, h, t, &c, i);
	}
	free_memory(&m, h, t->hosts);
	pimdimm_hosts_leave(h);
}

static void any_calls(void **state)
{
	const unsigned int cases = 80;

	(void)state;
	for (uint32_t hosts = 1; hosts <= (HOSTS_ARE_THREADS ? 5 : HOSTS_TEST_MOST); hosts++)
		hosts_run(hosts, do_random,
			  &(struct hosts_test){ .ctx = &cases,
						.sockets = hosts % 2 ? hosts / 3 : hosts / 2 });
}

/* hosts of several machines, in whatever order, and as many on each or not */
static const char *const layouts[] = { "01", "0011", "0101", "001", "00011", "012", "0012201" };

static void any_calls_across(void **state)
{
	const unsigned int cases = 300;

	(void)state;
	if (HOSTS_ARE_THREADS)
		unit_skip("a process is on one machine");
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		hosts_run((uint32_t)strlen(layouts[i]), do_random,
			  &(struct hosts_test){ .ctx = &cases, .machines = layouts[i] });
}

/* --- the volume of data access --- */

struct volume {
	const char *algorithm;
	enum pc_hosts_kind kind;
	/* of s: what p hosts load and store, with m sockets */
	int64_t (*formula)(int64_t s, int64_t p, int64_t m);
	bool mapped;
};

#define FORMULA(name, expr)						\
static int64_t name(int64_t s, int64_t p, int64_t m)			\
{									\
	(void)m;							\
	return expr;							\
}
FORMULA(ma_reduce_scatter, s * (3 * p - 1))
FORMULA(ma_allreduce, s * (5 * p - 1))
FORMULA(ma_reduce, s * (3 * p + 1))
FORMULA(wave_reduce_scatter, s * (3 * p + 1))
FORMULA(dpml_allreduce, s * (7 * p - 1))
FORMULA(dpml_reduce, s * (5 * p + 1))
FORMULA(dpml_reduce_scatter, s * (5 * p - 1))
FORMULA(direct_allreduce, 2 * s * p)
FORMULA(direct_reduce, s * (p + 1))
FORMULA(socket_allreduce, s * (5 * p + (m > 1 ? 2 * m - 3 : -1)))
FORMULA(socket_reduce, s * (3 * p + (m > 1 ? 2 * m - 1 : 1)))
FORMULA(socket_reduce_scatter, s * (3 * p + (m > 1 ? 2 * m - 3 : -1)))
FORMULA(ring_allreduce, 11 * s * (p - 1))
FORMULA(ring_reduce_scatter, 7 * s * (p - 1))
FORMULA(dpml2_allreduce, s * (7 * p - 3))
FORMULA(dpml2_reduce, s * (5 * p - 1))

/* Of RG's tree: hosts that are somebody's child before they have folded anything. */
static int64_t rg_copies(int64_t p)
{
	bool folded[HOSTS_TEST_MOST] = { false };
	int64_t copies = 0;

	for (int64_t below = 1; below < p; below *= 3) {
		for (int64_t r = 0; r < p; r += 3 * below) {
			for (int64_t child = r + below; child < p && child < r + 3 * below;
			     child += below) {
				copies += !folded[child];
				folded[r] = true;
			}
		}
	}
	return copies;
}
FORMULA(rg_reduce, 3 * s * (p - 1) + 2 * s * rg_copies(p))
FORMULA(rg_allreduce, rg_reduce(s, p, m) + 2 * s * p)

FORMULA(slots_broadcast, 2 * s * p)
FORMULA(slots_allgather, 2 * s * p * (1 + p))
FORMULA(direct_broadcast, s * p)
FORMULA(direct_allgather, s * p * (1 + p))

static const struct volume volumes[] = {
	{ "ma", PC_HOSTS_REDUCE_SCATTER, ma_reduce_scatter, false },
	{ "ma", PC_HOSTS_ALLREDUCE, ma_allreduce, false },
	{ "ma", PC_HOSTS_REDUCE, ma_reduce, false },
	{ "wave", PC_HOSTS_REDUCE_SCATTER, wave_reduce_scatter, false },
	{ "wave", PC_HOSTS_ALLREDUCE, ma_allreduce, false },
	{ "wave", PC_HOSTS_REDUCE, ma_reduce, false },
	{ "dpml", PC_HOSTS_ALLREDUCE, dpml_allreduce, false },
	{ "dpml", PC_HOSTS_REDUCE, dpml_reduce, false },
	{ "dpml", PC_HOSTS_REDUCE_SCATTER, dpml_reduce_scatter, false },
	{ "ma+socket", PC_HOSTS_ALLREDUCE, socket_allreduce, false },
	{ "ma+socket", PC_HOSTS_REDUCE, socket_reduce, false },
	{ "ma+socket", PC_HOSTS_REDUCE_SCATTER, socket_reduce_scatter, false },
	{ "ring", PC_HOSTS_ALLREDUCE, ring_allreduce, false },
	{ "ring", PC_HOSTS_REDUCE_SCATTER, ring_reduce_scatter, false },
	{ "rabenseifner", PC_HOSTS_ALLREDUCE, ring_allreduce, false },
	{ "rabenseifner", PC_HOSTS_REDUCE_SCATTER, ring_reduce_scatter, false },
	{ "dpml2", PC_HOSTS_ALLREDUCE, dpml2_allreduce, false },
	{ "dpml2", PC_HOSTS_REDUCE, dpml2_reduce, false },
	{ "rg", PC_HOSTS_ALLREDUCE, rg_allreduce, false },
	{ "rg", PC_HOSTS_REDUCE, rg_reduce, false },
	{ "direct", PC_HOSTS_ALLREDUCE, direct_allreduce, true },
	{ "direct", PC_HOSTS_REDUCE, direct_reduce, true },
	{ "direct", PC_HOSTS_REDUCE_SCATTER, direct_reduce, true },
	{ "direct", PC_HOSTS_BROADCAST, direct_broadcast, true },
	{ "direct", PC_HOSTS_ALLGATHER, direct_allgather, true },
	{ "pipelined", PC_HOSTS_BROADCAST, slots_broadcast, false },
	{ "pipelined", PC_HOSTS_ALLGATHER, slots_allgather, false },
};

/* Of s bytes: a host alone copies them, or has them; sockets that hosts fill unevenly are one. */
static int64_t volume_wanted(const struct volume *v, int64_t s, const struct hosts_test *t)
{
	if (t->hosts == 1)
		return v->kind == PC_HOSTS_BROADCAST ? 0 : 2 * s;
	return v->formula(s, t->hosts, t->hosts % t->sockets ? 1 : t->sockets);
}

/* all hosts' sum of what one call has loaded and stored */
static int64_t volume_of(struct pimdimm_hosts *h)
{
	struct pimdimm_hosts_stats stats = { .size = sizeof(stats) };
	uint64_t own, sum = 0;

	host_ok(pimdimm_hosts_stats(h, &stats));
	own = stats.loaded + stats.stored;
	host_ok(pimdimm_hosts_set_algorithm(h, "allreduce", "auto"));
	host_ok(pimdimm_hosts_allreduce(h, &own, &sum, 1, PIDCOMM_U64, PIDCOMM_SUM));
	return (int64_t)sum;
}

static void check_volume(struct memory *m, struct pimdimm_hosts *h, const struct hosts_test *t,
			 const struct volume *v, uint64_t count)
{
	struct buffers_case c = { .kind = v->kind, .type = PIDCOMM_I32, .op = PIDCOMM_SUM,
				  .mapped = v->mapped, .count = count,
				  .algorithm = v->algorithm, .root = t->hosts - 1 };
	int64_t sum, want;

	for (uint32_t i = 0; i < t->hosts; i++)
		c.counts[i] = count / t->hosts + (i < count % t->hosts);
	host_ok(pimdimm_hosts_set_algorithm(h, pc_hosts_kind_name(c.kind), c.algorithm));
	host_ok(make_call(h, &c, m->own[c.mapped][0], m->own[c.mapped][1]));
	sum = volume_of(h);
	want = volume_wanted(v, (int64_t)vector_bytes(&c), t);
	if (sum != want)
		printf("# %s %s, p %u, m %u, %llu bytes: %lld instead of %lld\n", v->algorithm,
		       pc_hosts_kind_name(c.kind), t->hosts, t->sockets,
		       (unsigned long long)vector_bytes(&c), (long long)sum, (long long)want);
	host_expect(sum == want);
}

static void do_volumes(const struct hosts_test *t)
{
	static const uint64_t counts[] = { 1, 15, 16, 17, 1023, 1024, 1025, 65535, 65536, 65537,
					   300001 };
	struct pimdimm_hosts *h = hosts_joined(t);
	struct memory m;

	make_memory(&m, h, t->hosts);
	for (unsigned int i = 0; i < ARRAY_SIZE(volumes); i++) {
		for (unsigned int j = 0; j < ARRAY_SIZE(counts); j++)
			check_volume(&m, h, t, &volumes[i], counts[j]);
	}
	free_memory(&m, h, t->hosts);
	pimdimm_hosts_leave(h);
}

static void moved_bytes(void **state)
{
	(void)state;
	/* the paper's formula, of trees that are whole: 3s(p - 1) + 2skp / (k + 1), k = 2 */
	for (int64_t p = 3; p <= 9; p *= 3)
		assert_int_equal(rg_reduce(3, p, 1), 9 * (p - 1) + 4 * p);
	for (uint32_t hosts = 1; hosts <= (HOSTS_ARE_THREADS ? 4 : HOSTS_TEST_MOST); hosts++) {
		for (uint32_t m = 1; m <= 4; m *= 2)
			hosts_run(hosts, do_volumes, &(struct hosts_test){ .sockets = m });
	}
}

/* --- what hosts keep to themselves --- */

static struct pimdimm_hosts_stats stats_of(struct pimdimm_hosts *h)
{
	struct pimdimm_hosts_stats stats = { .size = sizeof(stats) };

	host_ok(pimdimm_hosts_stats(h, &stats));
	return stats;
}

/* Shared memory gives an allgather's hosts what the others have. */
static void check_gathered(struct memory *m, struct pimdimm_hosts *h, const struct hosts_test *t,
			   uint64_t bytes)
{
	const uint64_t in = t->hosts > 1 ? bytes : 0, out = bytes * (t->hosts - 1);
	uint8_t *src = m->own[0][0], *dst = m->own[0][1];

	for (int in_place = 0; in_place < 2; in_place++) {
		struct pimdimm_hosts_stats s;

		host_ok(pimdimm_hosts_allgather(h, in_place ? dst + t->host * bytes : src, dst,
						bytes));
		s = stats_of(h);
		host_expect(s.copied_in == in && s.copied_out == out);
		host_expect(s.loaded == s.stored && s.stored == in + out + (in_place ? 0 : bytes));
	}
}

/* A host alone copies its vector, where that is to lie elsewhere. */
static void check_alone(struct memory *m, struct pimdimm_hosts *h, uint64_t count)
{
	for (enum pc_hosts_kind kind = PC_HOSTS_ALLREDUCE; kind <= PC_HOSTS_ALLGATHER; kind++) {
		const struct buffers_case c = { .kind = kind, .type = PIDCOMM_I32,
						.op = PIDCOMM_SUM, .count = count,
						.counts = { count } };
		const uint64_t moved = kind == PC_HOSTS_BROADCAST ? 0 : vector_bytes(&c);
		struct pimdimm_hosts_stats s;

		host_ok(make_call(h, &c, m->own[0][0], m->own[0][1]));
		s = stats_of(h);
		host_expect(s.loaded == moved && s.stored == moved);
		host_expect(!s.copied_in && !s.copied_out);
		if (kind == PC_HOSTS_REDUCE_SCATTER)
			continue;
		host_ok(make_call(h, &c, m->own[0][1], m->own[0][1]));
		s = stats_of(h);
		host_expect(!s.loaded && !s.stored && !s.copied_in && !s.copied_out);
	}
}

static void do_kept(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	struct memory m;

	make_memory(&m, h, t->hosts);
	host_ok(pimdimm_hosts_set_algorithm(h, "allgather", "pipelined"));
	for (uint64_t bytes = 1; bytes <= 1000000; bytes *= 10)
		check_gathered(&m, h, t, bytes);
	host_ok(pimdimm_hosts_set_algorithm(h, NULL, "auto"));
	for (uint64_t count = 1; count <= 100000 && t->hosts == 1; count *= 10)
		check_alone(&m, h, count);
	free_memory(&m, h, t->hosts);
	pimdimm_hosts_leave(h);
}

static void kept_bytes(void **state)
{
	(void)state;
	for (uint32_t hosts = 1; hosts <= 3; hosts++)
		hosts_run(hosts, do_kept, &(struct hosts_test){ 0 });
}

/* What is told of the stores is what they are. */
static void do_always_around(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	struct memory m;

	make_memory(&m, h, t->hosts);
	for (uint64_t bytes = 512; bytes <= 16384; bytes *= 2) {
		bool around;

		pc_buffers_auto(h, PC_HOSTS_ALLREDUCE, bytes, true, false, &around);
		host_expect(around == (bytes > PC_HOSTS_CELL));
		host_ok(pimdimm_hosts_allreduce(h, m.own[0][0], m.own[0][1], bytes / 4,
						PIDCOMM_I32, PIDCOMM_SUM));
		host_expect(around == (stats_of(h).stored_around > 0));
	}
	free_memory(&m, h, t->hosts);
	pimdimm_hosts_leave(h);
}

static void always_around(void **state)
{
	(void)state;
	setenv("PIMDIMM_NT", "always", 1);
	hosts_run(2, do_always_around, &(struct hosts_test){ 0 });
	unsetenv("PIMDIMM_NT");
}

static uint64_t stored_around_by(struct pimdimm_hosts *h, const uint8_t *src, uint8_t *dst,
				 enum pidcomm_type type)
{
	host_ok(pimdimm_hosts_allreduce(h, src, dst, 65536 / num_size(type), type, PIDCOMM_SUM));
	return stats_of(h).stored_around;
}

/* Calls that copy nothing in try nothing, and leave the trial to those that do. */
static void do_trials(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	unsigned int seen[2] = { 0 };
	struct memory m;

	make_memory(&m, h, t->hosts);
	memset(m.own[0][0], 0, 65536);
	for (int i = 0; i < 20; i++) {
		host_expect(!stored_around_by(h, m.own[1][0], m.own[1][1], PIDCOMM_I32));
		host_expect(!stored_around_by(h, m.own[0][0], m.own[0][1], PIDCOMM_F16));
	}
	for (int i = 0; i < 300; i++)
		seen[stored_around_by(h, m.own[0][0], m.own[0][1], PIDCOMM_I32) > 0]++;
	host_expect(seen[0] && seen[1]);
	free_memory(&m, h, t->hosts);
	pimdimm_hosts_leave(h);
}

static void copies_are_tried(void **state)
{
	(void)state;
	if (HOSTS_ARE_THREADS)
		unit_skip("what a process learns is all its threads'");
	hosts_run(2, do_trials, &(struct hosts_test){ 0 });
}

/* the paper's numbers: of 1.4 and its figures, in KiB; the switch is where W passes C */
static void adaptive_stores(void **state)
{
	static const struct {
		uint64_t cache, m, p, slice, border;
	} nodes[] = { { 294912, 2, 64, 128, 2176 }, { 116736, 2, 48, 64, 1152 } };

	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(nodes); i++) {
		for (int more = 0; more < 2; more++) {
			uint64_t work = pc_buffers_work_set(PC_HOSTS_ALLREDUCE,
							    nodes[i].border + (uint64_t)more,
							    nodes[i].p, nodes[i].m,
							    nodes[i].slice);

			assert_int_equal(pc_buffers_around(work, nodes[i].cache), more);
		}
	}
}

/* --- what is refused, and who dies in the middle --- */

static void do_refusals(const struct hosts_test *t)
{
	struct pimdimm_hosts *h = hosts_joined(t);
	int32_t a[64] = { 1 }, b[64];
	const bool me = t->host == 1;

	host_expect(pimdimm_hosts_set_algorithm(h, "alltoall", "ma") == -EINVAL);
	host_expect(pimdimm_hosts_set_algorithm(h, "allreduce", "fast") == -EINVAL);
	host_expect(pimdimm_hosts_set_algorithm(h, "allreduce", "ma:fast") == -EINVAL);
	host_expect(pimdimm_hosts_set_algorithm(h, "allreduce", "pipelined") == -EOPNOTSUPP);
	/* refused by one, told by the others, who go on */
	host_expect(pimdimm_hosts_allreduce(h, a, me ? a + 1 : b, 64, PIDCOMM_I32, PIDCOMM_SUM) ==
		    (me ? -EINVAL : -EPROTO));
	host_expect(strstr(pimdimm_errmsg(), "overlap"));
	host_expect(pimdimm_hosts_reduce(h, a, b, 64, PIDCOMM_I32, PIDCOMM_SUM, me ? 3 : 0) ==
		    (me ? -EINVAL : -EPROTO));
	host_expect(pimdimm_hosts_allreduce(h, a, b, 64, me ? PIDCOMM_F32 : PIDCOMM_I32,
					    PIDCOMM_BOR) == (me ? -EINVAL : -EPROTO));
	host_expect(pimdimm_hosts_broadcast(h, me ? NULL : b, 64, 0) == (me ? -EINVAL : -EPROTO));
	host_ok(pimdimm_hosts_set_algorithm(h, "allreduce", "direct"));
	host_expect(pimdimm_hosts_allreduce(h, a, b, 64, PIDCOMM_I32, PIDCOMM_SUM) == -EINVAL);
	host_expect(strstr(pimdimm_errmsg(), "pimdimm_hosts_alloc"));
	host_ok(pimdimm_hosts_set_algorithm(h, NULL, "auto"));
	b[0] = 77;
	host_ok(pimdimm_hosts_barrier(h));
	/* different arguments, for good, and nothing is written */
	host_expect(pimdimm_hosts_allreduce(h, a, b, me ? 63 : 64, PIDCOMM_I32, PIDCOMM_SUM) ==
		    -EPROTO);
	host_expect(strstr(pimdimm_errmsg(), "252 bytes") && strstr(pimdimm_errmsg(), "256 bytes"));
	host_expect(b[0] == 77);
	host_expect(pimdimm_hosts_broadcast(h, b, 64, 0) == -EPROTO);
	pimdimm_hosts_leave(h);
}

static void refusals(void **state)
{
	(void)state;
	hosts_run(3, do_refusals, &(struct hosts_test){ 0 });
}

/* in memory of all */
struct fate {
	unsigned int victim;
	uint64_t seed;
	pid_t pid;
};

static void do_die(const struct hosts_test *t)
{
	const struct fate *fate = t->ctx;
	struct rng rng = { fate->seed };
	struct pimdimm_hosts *h = hosts_joined(t);
	struct memory m;
	int ret = 0;

	make_memory(&m, h, t->hosts);
	host_ok(pimdimm_hosts_barrier(h));
	if (t->host == fate->victim) {
		struct itimerspec when = { .it_value.tv_nsec =
						   1 + (long)rng_below(&rng, 4000000) };
		struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };
		timer_t timer;

		host_ok(timer_create(CLOCK_MONOTONIC, &event, &timer));
		host_ok(timer_settime(timer, 0, &when, NULL));
	}
	rng.state = fate->seed;
	while (!ret) {
		struct buffers_case c = random_case(&rng, &m, t->hosts);

		if (set_for(h, &c))
			ret = make_call(h, &c, m.own[c.mapped][0], m.own[c.mapped][1]);
	}
	host_expect(ret == -ECONNRESET);
	host_expect(strstr(pimdimm_errmsg(), "a host has died: host"));
	host_expect(pimdimm_hosts_barrier(h) == -ECONNRESET);
	free_memory(&m, h, t->hosts);
	pimdimm_hosts_leave(h);
}

static void killed_in_calls(void **state)
{
	const unsigned int kills = hosts_kills(50);
	struct rng rng = { 7 };

	(void)state;
	if (HOSTS_ARE_THREADS)
		unit_skip("no thread is killed alone");
	for (unsigned int i = 0; i < kills; i++) {
		struct hosts_test t = { .hosts = 2 + (uint32_t)rng_below(&rng, 3) };
		struct fate fate = { (unsigned int)rng_below(&rng, t.hosts), i + 1, 0 };
		pid_t pids[HOSTS_TEST_MOST];

		t.ctx = &fate;
		hosts_meeting();
		for (t.host = 0; t.host < t.hosts; t.host++)
			pids[t.host] = hosts_fork(do_die, &t);
		for (uint32_t j = 0; j < t.hosts; j++)
			assert_int_equal(hosts_ended_well(pids[j]), j != fate.victim);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(any_calls),
	cmocka_unit_test(any_calls_across),
	cmocka_unit_test(moved_bytes),
	cmocka_unit_test(kept_bytes),
	cmocka_unit_test(always_around),
	cmocka_unit_test(copies_are_tried),
	cmocka_unit_test(adaptive_stores),
	cmocka_unit_test(refusals),
	cmocka_unit_test(killed_in_calls),
};

UNIT_MAIN(tests)
