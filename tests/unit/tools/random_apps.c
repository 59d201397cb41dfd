// SPDX-License-Identifier: MIT
/*
 * gnn, mlp and dlrm with random sizes, types, PEs, axes, algorithms and layouts: each is
 * compared with its reference on the host, and what its collectives read and wrote with what
 * pimdimm-apps(7) says of their lengths. Brute force on such runs is tests/tool's, in Python.
 */
#include "tests/unit/small_apps.h"

#include "collectives/call/comm.h"
#include "tools/apps/common/fit.h"
#include "tools/apps/common/pes.h"
#include "tools/apps/common/random.h"
#include "tools/apps/dlrm/samples.h"

/* of each application; sanitizers take long for one */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CASES 12
#else
#define CASES 200
#endif

/* what a number makes */
struct sample {
	uint64_t seed, drawn;
	char uri[80], input[80];
	char values[8][24];
	unsigned int nr_values;
	struct app_context *ctx;
};

static uint64_t from_to(struct sample *s, uint64_t from, uint64_t to)
{
	return from + app_random_below(app_random(s->seed, 7, s->drawn++), to - from + 1);
}

/* An option, whose text stays as long as the sample. */
__attribute__((format(printf, 3, 4)))
static void ask(struct sample *s, const char *option, const char *format, ...)
{
	char *value = s->values[s->nr_values++];
	va_list args;

	va_start(args, format);
	vsnprintf(value, sizeof(s->values[0]), format, args);
	va_end(args);
	set_option(s->ctx, option, value);
}

static uint64_t ask_number(struct sample *s, const char *option, uint64_t from, uint64_t to)
{
	uint64_t n = from_to(s, from, to);

	ask(s, option, "%u", (unsigned int)n);
	return n;
}

static void begin_sample(struct sample *s, const struct app *app, uint64_t seed)
{
	static const char *const algorithms[] = {
		NULL, "direct", "direct", "conventional", "pr", "pr+im", "sdk",
	};

	*s = (struct sample){ .seed = seed, .ctx = calloc(1, sizeof(*s->ctx)) };
	assert_ok(app_begin(s->ctx, app));
	s->ctx->seed = seed;
	s->ctx->threads = (unsigned int)from_to(s, 1, 3);
	s->ctx->algorithm = algorithms[from_to(s, 0, ARRAY_SIZE(algorithms) - 1)];
	s->ctx->uri = s->uri;
	s->ctx->input = s->input;
}

/* PEs, of a system that has as many ranks as they need. */
static void ask_pes(struct sample *s, uint64_t pes)
{
	snprintf(s->uri, sizeof(s->uri), "mem:ranks=%u,mram=1M,layout=%s%s",
		 (unsigned int)(pes + 63) / 64, from_to(s, 0, 1) ? "linear" : "xeon_sp",
		 from_to(s, 0, 2) ? "" : ",strict=1");
	s->ctx->pes_asked = (uint32_t)pes;
}

static void run_sample(struct sample *s)
{
	assert_ok(app_load(s->ctx));
	assert_ok(app_open(s->ctx));
	assert_ok(app_execute(s->ctx));
	if (s->ctx->wrong)
		fail_msg("%s, sample %u: %u elements are wrong", s->ctx->app->name,
			 (unsigned int)s->seed, (unsigned int)s->ctx->wrong);
}

static uint64_t up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b * b;
}

/* What a plan says that algorithms stage is what they have taken. */
static void assert_staged(const struct sample *s)
{
	const struct app_context *ctx = s->ctx;
	uint64_t staged = ctx->by_sdk ? ctx->sdk.staging_bytes : ctx->cube->staging_bytes;
	uint64_t planned = app_fit_staging(ctx);

	if (!ctx->by_sdk)
		planned = up(planned, 4096);
	if (ctx->by_sdk || (ctx->algorithm && !strcmp(ctx->algorithm, "conventional")))
		assert_int_equal(staged, planned);
	else
		assert_int_equal(planned, 0);
}

static void end_sample(struct sample *s)
{
	assert_staged(s);
	app_end(s->ctx);
	free(s->ctx);
}

/* MRAM bytes of all rows of a collective; those of its own that folds at once alone. */
static void assert_moved(const struct sample *s, const char *name, uint64_t bytes)
{
	const struct app_report *report = &s->ctx->report;
	uint64_t moved = 0;

	for (unsigned int i = 0; i < report->nr_rows[APP_RUN]; i++) {
		if (!strcmp(report->rows[APP_RUN][i].name, name))
			moved += report->rows[APP_RUN][i].mram_bytes;
	}
	if (s->ctx->algorithm && strcmp(s->ctx->algorithm, "direct"))
		return;
	if (moved != bytes)
		fail_msg("%s, sample %u: %s moved %llu bytes, expected %llu",
			 s->ctx->app->name, (unsigned int)s->seed, name,
			 (unsigned long long)moved, (unsigned long long)bytes);
}

/* --- gnn --- */

static void draw_graph(struct sample *s, uint64_t vertices)
{
	static const char *const kinds[] = {
		"uniform:vertices=%u,edges=%u,seed=%u", "sbm:vertices=%u,inside=%u,seed=%u",
	};

	snprintf(s->input, sizeof(s->input), kinds[from_to(s, 0, 1)], (unsigned int)vertices,
		 (unsigned int)from_to(s, 1, 5), (unsigned int)s->seed);
}

/* A strip of r rows of so many features, each member's part padded as the page says. */
static uint64_t strip_bytes(uint64_t vertices, uint64_t features, uint64_t width, uint64_t p)
{
	uint64_t cut = (features + p - 1) / p * width;

	cut = cut <= 2 ? cut : cut <= 4 ? 4 : up(cut, 8);
	while (cut * p % 8)
		cut *= 2;
	return up((vertices + p - 1) / p, 8) * cut * p;
}

static void check_gnn(uint64_t seed)
{
	static const char *const types[] = { "I8", "I16", "I32", "F32" };
	static const uint64_t widths[] = { 1, 2, 4, 4 };
	uint64_t type, p, vertices, layers, features, hidden, all, first, last;
	struct sample s;
	bool rsar;

	begin_sample(&s, &app_gnn, seed);
	type = from_to(&s, 0, 3);
	rsar = from_to(&s, 0, 1);
	p = from_to(&s, 0, 2) ? 4 : 8;
	vertices = from_to(&s, 1, 150);
	draw_graph(&s, vertices);
	ask_pes(&s, p * p);
	ask(&s, "type", "%s", types[type]);
	ask(&s, "strategy", "%s", rsar ? "rsar" : "arag");
	layers = ask_number(&s, "layers", 1, 4);
	features = ask_number(&s, "features", 1, 40);
	hidden = ask_number(&s, "hidden", 1, 40);
	if (from_to(&s, 0, 1))
		ask(&s, "activation", "relu");
	run_sample(&s);
	first = p * p * strip_bytes(vertices, features, widths[type], p);
	last = p * p * strip_bytes(vertices, hidden, widths[type], p);
	/* what layers begin with, of all PEs */
	all = first + (layers - 1) * last;
	if (rsar) {
		assert_moved(&s, "reduce_scatter", all + all / p);
		assert_moved(&s, "allreduce", 2 * (layers - 1) * last);
		assert_moved(&s, "reduce", last);
	} else {
		assert_moved(&s, "allreduce", 2 * all);
		assert_moved(&s, "allgather", (layers - 1) * (last + last / p));
		assert_moved(&s, "gather", last / p);
	}
	end_sample(&s);
}

/* --- mlp --- */

/* With slots for more features where it would be no multiple of 8. */
static uint64_t chunk_bytes(uint64_t features, uint64_t batch, uint64_t size)
{
	while (features * batch * size % 8)
		features++;
	return features * batch * size;
}

static void check_mlp(uint64_t seed)
{
	static const char *const types[] = { "i8", "i16", "i32", "f32", "i8-i32" };
	static const uint64_t sums[] = { 1, 2, 4, 4, 4 };
	uint64_t type, pes, features, layers, batch, partial;
	struct sample s;

	begin_sample(&s, &app_mlp, seed);
	strcpy(s.input, "random:");
	type = from_to(&s, 0, 4);
	pes = 8 * from_to(&s, 1, 24);
	ask_pes(&s, pes);
	ask(&s, "type", "%s", types[type]);
	features = ask_number(&s, "features", 1, 300);
	layers = ask_number(&s, "layers", 1, 4);
	batch = ask_number(&s, "batch", 1, 40);
	if (from_to(&s, 0, 1))
		ask(&s, "activation", "none");
	if (!from_to(&s, 0, 2))
		ask(&s, "in-turn", "%s", "");
	run_sample(&s);
	/* of all PEs: a chunk for each, or one of all features */
	partial = pes * pes * chunk_bytes((features + pes - 1) / pes, batch, sums[type]);
	assert_moved(&s, "reduce_scatter", (layers - 1) * (partial + partial / pes));
	assert_moved(&s, "reduce", pes * chunk_bytes(features, batch, sums[type]));
	end_sample(&s);
}

/* --- dlrm --- */

static void check_dlrm(uint64_t seed)
{
	uint64_t rows, batch, batches, pooling, dimension, pes, y, z, tables, words, chunk;
	uint64_t samples, partial;
	struct sample s;

	begin_sample(&s, &app_dlrm, seed);
	rows = from_to(&s, 1, 90);
	snprintf(s.input, sizeof(s.input), "criteo:rows=%u", (unsigned int)rows);
	batch = ask_number(&s, "batch", 1, rows);
	pooling = ask_number(&s, "pooling", 1, 3);
	dimension = 16 * from_to(&s, 1, 2);
	ask(&s, "dimension", "%u", (unsigned int)dimension);
	ask(&s, "type", "%s", from_to(&s, 0, 1) ? "i32" : "f32");
	ask_number(&s, "max-rows", 1, 200);
	ask(&s, "bottom", "%u-%u", (unsigned int)from_to(&s, 1, 20),
	    (unsigned int)from_to(&s, 1, 9));
	ask(&s, "top", "%u", (unsigned int)from_to(&s, 1, 20));
	assert_ok(app_load(s.ctx));
	pes = app_dlrm.fit(s.ctx, (uint32_t)(8 * from_to(&s, 1, 24)));
	ask_pes(&s, pes);
	assert_ok(app_open(s.ctx));
	assert_ok(app_execute(s.ctx));
	assert_int_equal(s.ctx->wrong, 0);
	y = s.ctx->plan.dims[1];
	z = s.ctx->plan.dims[2];
	tables = (26 + z - 1) / z;
	words = up(tables * dimension / s.ctx->plan.dims[0], 2);
	samples = (batch + pes - 1) / pes;
	chunk = up(4 * samples * tables * pooling, 8);
	batches = (rows + batch - 1) / batch;
	partial = 4 * pes * samples * words;
	assert_moved(&s, "reduce_scatter", batches * pes * (partial + partial / y));
	assert_moved(&s, "alltoall",
		     batches * pes * 2 * (pes * chunk + partial / y));
	end_sample(&s);
}

static void take_cases(void (*check)(uint64_t seed))
{
	if (!app_runs_here(&app_gnn))
		unit_skip("the command's own programs for PEs are built on x86-64 alone");
	for (uint64_t seed = 1; seed <= CASES; seed++)
		check(seed);
}

static void gnns(void **state)
{
	(void)state;
	take_cases(check_gnn);
}

static void mlps(void **state)
{
	(void)state;
	take_cases(check_mlp);
}

static void dlrms(void **state)
{
	(void)state;
	take_cases(check_dlrm);
}

/* FNV-1a */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/* Samples of a seed are the same whoever makes them. */
static void criteo(void **state)
{
	uint32_t rows[DLRM_MAX_TABLES];

	(void)state;
	for (uint32_t t = 0; t < DLRM_MAX_TABLES; t++)
		rows[t] = 1 + t * t * 1000;
	for (unsigned int threads = 1; threads < 6; threads += 2) {
		uint64_t hash = UINT64_C(0xcbf29ce484222325);
		struct dlrm_samples samples;

		assert_ok(dlrm_make_samples(999, 2, rows, 5, threads, &samples));
		hash = hash_bytes(hash, samples.dense, 999 * DLRM_DENSE * 4);
		hash = hash_bytes(hash, samples.categories, 999 * DLRM_MAX_TABLES * 2 * 4);
		dlrm_samples_free(&samples);
		if (hash != UINT64_C(0x2fb827eec1fa7d0c))
			fail_msg("%u threads: %#llx", threads, (unsigned long long)hash);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(criteo),
	cmocka_unit_test(gnns),
	cmocka_unit_test(mlps),
	cmocka_unit_test(dlrms),
};

UNIT_MAIN(tests)
