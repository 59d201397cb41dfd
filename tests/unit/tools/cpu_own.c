// SPDX-License-Identifier: MIT
/*
 * Our own programs for the CPU on random graphs, matrices and models, with several
 * numbers of threads and each instruction set that this machine has, against plain loops.
 */
#include "tests/unit/unit.h"

#include "tools/apps/common/random.h"
#include "tools/perf/cpu/own/afforest.h"
#include "tools/perf/cpu/own/bfs.h"
#include "tools/perf/cpu/own/dlrm.h"
#include "tools/perf/cpu/own/gemm.h"
#include "tools/perf/cpu/own/gnn.h"
#include "tools/perf/cpu/own/mlp.h"

#define GRAPHS 400
#define MODELS 60
#define MAX_THREADS 5

/* random numbers of one case */
struct draw {
	uint64_t seed, at;
};

static uint32_t draw_below(struct draw *draw, uint32_t n)
{
	return (uint32_t)app_random_below(app_random(draw->seed, 1, draw->at++), n);
}

/* A graph with its matrix, from which the plain loops work. */
struct sample {
	uint32_t n;
	bool directed;
	uint8_t *matrix;		/* [n][n] */
	uint64_t *first, *in_first;
	uint32_t *targets, *in_targets;
	struct cpu_graph graph;
};

static void *room(uint64_t bytes)
{
	void *memory = calloc(1, bytes + 1);

	assert_non_null(memory);
	return memory;
}

static uint64_t make_rows(const struct sample *s, bool turned, uint64_t *first,
			  uint32_t *targets)
{
	uint64_t edges = 0;

	for (uint32_t v = 0; v < s->n; v++) {
		first[v] = edges;
		for (uint32_t w = 0; w < s->n; w++) {
			if (s->matrix[turned ? w * s->n + v : v * s->n + w])
				targets[edges++] = w;
		}
	}
	first[s->n] = edges;
	return edges;
}

static void add_edge(struct sample *s, uint32_t v, uint32_t w)
{
	s->matrix[v * s->n + w] = 1;
	if (!s->directed)
		s->matrix[w * s->n + v] = 1;
}

/* Paths, hubs, sparse and dense graphs. */
static void draw_edges(struct sample *s, struct draw *draw)
{
	uint32_t kind = draw_below(draw, 4), n = s->n;
	uint32_t count = draw_below(draw, kind == 3 ? n * 12 : n * 2) + 1;

	if (kind == 0) {
		for (uint32_t v = 0; v + 1 < n; v++)
			add_edge(s, v * 7919 % n, (v + 1) * 7919 % n);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t v = draw_below(draw, n), w = draw_below(draw, n);

		if (kind == 1)
			v = draw_below(draw, 3) % n;
		if (v != w || s->directed)
			add_edge(s, v, w);
	}
}

static void make_sample(struct sample *s, struct draw *draw, uint32_t most, bool directed)
{
	*s = (struct sample){ .n = 1 + draw_below(draw, most), .directed = directed };
	s->matrix = room((uint64_t)s->n * s->n);
	draw_edges(s, draw);
	s->first = room((s->n + 1) * 8);
	s->in_first = room((s->n + 1) * 8);
	s->targets = room((uint64_t)s->n * s->n * 4);
	s->in_targets = room((uint64_t)s->n * s->n * 4);
	make_rows(s, true, s->in_first, s->in_targets);
	s->graph = (struct cpu_graph){
		.vertices = s->n,
		.edges = make_rows(s, false, s->first, s->targets),
		.first = s->first,
		.targets = s->targets,
		.in_first = s->in_first,
		.in_targets = s->in_targets,
		.source = draw_below(draw, s->n),
	};
}

static void free_sample(struct sample *s)
{
	free(s->matrix);
	free(s->first);
	free(s->in_first);
	free(s->targets);
	free(s->in_targets);
}

/* Distances by relaxing every edge until nothing changes. */
UNWATCHED static void plain_levels(const struct sample *s, uint32_t *levels)
{
	bool changed = true;

	memset(levels, 0xff, s->n * sizeof(*levels));
	levels[s->graph.source] = 0;
	while (changed) {
		changed = false;
		for (uint64_t i = 0; i < (uint64_t)s->n * s->n; i++) {
			uint64_t v = i / s->n, w = i % s->n;

			if (!s->matrix[i] || levels[v] == CPU_UNREACHED ||
			    levels[w] <= levels[v] + 1)
				continue;
			levels[w] = levels[v] + 1;
			changed = true;
		}
	}
}

UNWATCHED static void plain_labels(const struct sample *s, uint32_t *labels)
{
	bool changed = true;

	for (uint32_t v = 0; v < s->n; v++)
		labels[v] = v;
	while (changed) {
		changed = false;
		for (uint64_t i = 0; i < (uint64_t)s->n * s->n; i++) {
			uint64_t v = i / s->n, w = i % s->n;

			if (!s->matrix[i] || labels[v] >= labels[w])
				continue;
			labels[w] = labels[v];
			changed = true;
		}
	}
}

static void searches(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		struct draw draw = { seed, 0 };
		struct team *team = team_make(1 + (unsigned int)seed % MAX_THREADS);
		struct sample s;
		struct own_bfs *bfs;
		uint32_t *expected, *levels;

		make_sample(&s, &draw, seed % 8 ? 120 : 700, seed % 3 == 0);
		expected = room(s.n * 4);
		levels = room(s.n * 4);
		plain_levels(&s, expected);
		bfs = own_bfs_make(&s.graph, team);
		assert_non_null(bfs);
		for (unsigned int i = 0; i < 2; i++) {
			own_bfs_run(bfs, levels);
			assert_memory_equal(levels, expected, s.n * 4);
		}
		own_bfs_free(bfs);
		team_free(team);
		free(expected);
		free(levels);
		free_sample(&s);
	}
}

static void components(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < GRAPHS; seed++) {
		struct draw draw = { seed + 1000, 0 };
		struct team *team = team_make(1 + (unsigned int)seed % MAX_THREADS);
		struct sample s;
		uint32_t *expected, *labels;

		make_sample(&s, &draw, seed % 8 ? 120 : 700, false);
		expected = room(s.n * 4);
		labels = room(s.n * 4);
		plain_labels(&s, expected);
		for (unsigned int i = 0; i < 2; i++) {
			own_afforest_run(&s.graph, team, labels);
			assert_memory_equal(labels, expected, s.n * 4);
		}
		team_free(team);
		free(expected);
		free(labels);
		free_sample(&s);
	}
}

/*
 * Large enough for bottom-up steps, and for threads to meet: a random graph of 20,000
 * vertices, where the levels follow from each other.
 */
static void large(void **state)
{
	enum { VERTICES = 20000, DEGREE = 16 };
	struct draw draw = { 5, 0 };
	uint64_t *first = room((VERTICES + 1) * 8);
	uint32_t *targets = room(VERTICES * 2 * DEGREE * 4);
	uint32_t *levels = room(VERTICES * 4), *labels = room(VERTICES * 4);
	uint32_t *ends = room(VERTICES * DEGREE * 8);
	struct cpu_graph graph = { VERTICES, VERTICES * 2 * DEGREE, first, first,
				   targets, targets, 3 };

	(void)state;
	for (uint32_t i = 0; i < VERTICES * DEGREE; i++) {
		/* half of the vertices, which have no edges among the others */
		ends[2 * i] = draw_below(&draw, VERTICES / 2) * 2 + 1;
		ends[2 * i + 1] = draw_below(&draw, VERTICES / 2) * 2 + 1;
		first[ends[2 * i] + 1]++;
		first[ends[2 * i + 1] + 1]++;
	}
	for (uint32_t v = 0; v < VERTICES; v++)
		first[v + 1] += first[v];
	for (uint32_t i = VERTICES * DEGREE; i--;) {
		targets[--first[ends[2 * i] + 1]] = ends[2 * i + 1];
		targets[--first[ends[2 * i + 1] + 1]] = ends[2 * i];
	}
	/* what was counted down begins where the vertex does */
	memmove(first, first + 1, VERTICES * 8);
	first[VERTICES] = graph.edges;
	for (unsigned int threads = 1; threads <= MAX_THREADS; threads += 2) {
		struct team *team = team_make(threads);
		struct own_bfs *bfs = own_bfs_make(&graph, team);

		own_bfs_run(bfs, levels);
		own_afforest_run(&graph, team, labels);
		for (uint32_t v = 0; v < VERTICES; v++) {
			uint32_t least = UINT32_MAX;

			for (uint64_t e = first[v]; e < first[v + 1]; e++) {
				uint32_t level = levels[targets[e]];

				least = level < least ? level : least;
				assert_int_equal(labels[v], labels[targets[e]]);
			}
			if (v == graph.source)
				assert_int_equal(levels[v], 0);
			else
				assert_int_equal(levels[v], least == UINT32_MAX ?
						 UINT32_MAX : least + 1);
			assert_int_equal(labels[v], v % 2 ? labels[1] : v);
		}
		own_bfs_free(bfs);
		team_free(team);
	}
	free(first);
	free(targets);
	free(levels);
	free(labels);
	free(ends);
}

/* Integers of 64 bits for all types; of floats small ones, whose sums are exact. */
static int64_t wrap(enum cpu_type type, int64_t value)
{
	switch (type) {
	case CPU_I8:
		return (int8_t)value;
	case CPU_I16:
		return (int16_t)value;
	case CPU_F32:
		return value;
	default:
		return (int32_t)value;
	}
}

static void store(enum cpu_type type, void *to, uint64_t at, int64_t value, bool sum)
{
	float number = (float)value;
	uint32_t bytes = sum ? own_sum_bytes(type) : own_element_bytes(type);

	if (type == CPU_F32)
		memcpy((uint8_t *)to + at * 4, &number, 4);
	else
		memcpy((uint8_t *)to + at * bytes, &value, bytes);
}

static int64_t draw_element(struct draw *draw, enum cpu_type type)
{
	uint32_t bits = draw_below(draw, UINT32_MAX);

	if (type == CPU_F32)
		return (int64_t)(bits % 7) - 3;
	return type == CPU_I8_I32 ? (int8_t)bits : wrap(type, bits);
}

/* Elements as numbers, and as the type has them. */
struct elements {
	int64_t *numbers;
	void *bytes;
};

static struct elements draw_elements(struct draw *draw, enum cpu_type type, uint64_t count)
{
	struct elements e = { room(count * 8), room(count * 4) };

	for (uint64_t i = 0; i < count; i++) {
		e.numbers[i] = draw_element(draw, type);
		store(type, e.bytes, i, e.numbers[i], false);
	}
	return e;
}

static void free_elements(struct elements *e)
{
	free(e->numbers);
	free(e->bytes);
}

/* rows x inputs times a layer's weights, and its biases */
UNWATCHED static int64_t *plain_product(enum cpu_type type, const struct cpu_layer *layer,
					const int64_t *weights, const int64_t *bias,
					const int64_t *rows, uint64_t count)
{
	int64_t *out = room(count * layer->outputs * 8);

	for (uint64_t i = 0; i < count; i++) {
		for (uint64_t o = 0; o < layer->outputs; o++) {
			uint64_t sum = bias ? (uint64_t)bias[o] : 0;

			for (uint64_t k = 0; k < layer->inputs; k++)
				sum += (uint64_t)rows[i * layer->inputs + k] *
				       (uint64_t)weights[layer->by_inputs ?
						k * layer->outputs + o :
						o * layer->inputs + k];
			out[i * layer->outputs + o] = wrap(type, (int64_t)sum);
		}
	}
	return out;
}

static void relu(int64_t *values, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		values[i] = values[i] < 0 ? 0 : values[i];
}

static void assert_elements(enum cpu_type type, const void *have, const int64_t *numbers,
			    uint64_t count)
{
	void *expected = room(count * 4);

	for (uint64_t i = 0; i < count; i++)
		store(type, expected, i, numbers[i], true);
	assert_memory_equal(have, expected, count * own_sum_bytes(type));
	free(expected);
}

/* Sums over neighbours and products; what comes in is replaced by what comes out. */
static int64_t *plain_gnn_layer(const struct sample *s, const struct cpu_gnn *in,
				unsigned int l, const int64_t *weights, int64_t *rows)
{
	uint64_t width = in->layers[l].inputs, outputs = in->layers[l].outputs;
	int64_t *sums = room(s->n * width * 8), *out;

	for (uint64_t v = 0; v < s->n; v++)
		for (uint64_t w = 0; w < s->n; w++)
			for (uint64_t k = 0; s->matrix[v * s->n + w] && k < width; k++)
				sums[v * width + k] += rows[w * width + k];
	for (uint64_t i = 0; i < s->n * width; i++)
		sums[i] = wrap(in->type, sums[i]);
	out = plain_product(in->type, &in->layers[l], weights, NULL, sums, s->n);
	if (in->relu)
		relu(out, s->n * outputs);
	free(sums);
	free(rows);
	return out;
}

static void check_gnn(uint64_t seed, enum cpu_type type, const struct own_loops *loops)
{
	struct draw draw = { seed + 2000, 0 };
	struct team *team = team_make(1 + (unsigned int)seed % MAX_THREADS);
	struct elements features, weights[2];
	struct own_gnn *gnn;
	struct cpu_gnn in;
	struct sample s;
	uint32_t hidden = 1 + draw_below(&draw, 70);

	make_sample(&s, &draw, 150, seed % 2);
	in = (struct cpu_gnn){ .graph = s.graph, .type = type, .nr_layers = 2,
			       .relu = seed % 3 == 0 };
	for (unsigned int l = 0; l < 2; l++) {
		uint32_t inputs = l ? hidden : 1 + draw_below(&draw, 400);

		weights[l] = draw_elements(&draw, type, (uint64_t)inputs * hidden);
		in.layers[l] = (struct cpu_layer){ inputs, hidden, weights[l].bytes,
						   NULL, true, 0 };
	}
	/* floats of so small a graph stay whole numbers below 2^24 only in a small one */
	features = draw_elements(&draw, type, (uint64_t)s.n * in.layers[0].inputs);
	if (type == CPU_F32)
		in.nr_layers = 1;
	in.features = features.bytes;
	gnn = own_gnn_make(&in, team, loops, NULL);
	assert_non_null(gnn);
	for (unsigned int l = 0; l < in.nr_layers; l++)
		features.numbers = plain_gnn_layer(&s, &in, l, weights[l].numbers,
						   features.numbers);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(own_gnn_run(gnn), 0);
		assert_elements(type, own_gnn_result(gnn), features.numbers,
				(uint64_t)s.n * hidden);
	}
	own_gnn_free(gnn);
	team_free(team);
	free_elements(&features);
	free_elements(&weights[0]);
	free_elements(&weights[1]);
	free_sample(&s);
}

static void networks(void **state)
{
	const struct own_loops *loops;

	(void)state;
	for (unsigned int i = 0; (loops = own_loops_at(i)); i++) {
		for (uint64_t seed = 0; seed < MODELS; seed++)
			check_gnn(seed, (enum cpu_type)(seed % (CPU_F32 + 1)), loops);
	}
}

static int64_t scale(const struct cpu_mlp *in, unsigned int l, int64_t value)
{
	uint32_t shift = in->layers[l].shift;

	value = in->relu && value < 0 ? 0 : value;
	if (in->type != CPU_I8_I32)
		return value;
	if (shift)
		value = (value + (INT64_C(1) << (shift - 1))) >> shift;
	return value < -128 ? -128 : value > 127 ? 127 : value;
}

static void check_mlp(uint64_t seed, enum cpu_type type, const struct own_loops *loops)
{
	struct draw draw = { seed + 3000, 0 };
	struct team *team = team_make(1 + (unsigned int)seed % MAX_THREADS);
	uint32_t batch = 1 + draw_below(&draw, 90), width = 1 + draw_below(&draw, 300);
	struct elements rows = draw_elements(&draw, type, (uint64_t)batch * width);
	struct elements weights[2];
	struct own_mlp *mlp;
	struct cpu_mlp in = { type, 2, .relu = seed % 2, .last_relu = seed % 3 == 0,
			      .batch = batch, .features = rows.bytes };

	for (unsigned int l = 0; l < 2; l++) {
		/* some rows are longer than what a cache takes at once */
		uint32_t outputs = 1 + draw_below(&draw, l || seed % 9 ? 120 : 1500);

		weights[l] = draw_elements(&draw, type, (uint64_t)width * outputs);
		in.layers[l] = (struct cpu_layer){ width, outputs, weights[l].bytes, NULL,
						   false, draw_below(&draw, 12) };
		width = outputs;
	}
	mlp = own_mlp_make(&in, team, loops, NULL);
	assert_non_null(mlp);
	for (unsigned int l = 0; l < 2; l++) {
		int64_t *out = plain_product(type, &in.layers[l], weights[l].numbers,
					     NULL, rows.numbers, batch);
		uint64_t count = (uint64_t)batch * in.layers[l].outputs;

		for (uint64_t i = 0; !l && i < count; i++)
			out[i] = scale(&in, l, out[i]);
		if (l && in.last_relu)
			relu(out, count);
		free(rows.numbers);
		rows.numbers = out;
	}
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(own_mlp_run(mlp), 0);
		assert_elements(type, own_mlp_result(mlp), rows.numbers,
				(uint64_t)batch * width);
	}
	own_mlp_free(mlp);
	team_free(team);
	free_elements(&rows);
	free_elements(&weights[0]);
	free_elements(&weights[1]);
}

static void perceptrons(void **state)
{
	const struct own_loops *loops;

	(void)state;
	for (unsigned int i = 0; (loops = own_loops_at(i)); i++) {
		for (uint64_t seed = 0; seed < MODELS; seed++)
			check_mlp(seed, (enum cpu_type)(seed % CPU_NR_TYPES), loops);
	}
}

/* The recommendation model in integers modulo 2^32. */
struct recommendation {
	struct cpu_dlrm in;
	struct elements dense, tables[CPU_MAX_TABLES];
	struct elements weights[CPU_MAX_LAYERS], biases[CPU_MAX_LAYERS];
	uint32_t *categories;
};

static void draw_recommendation(struct recommendation *r, struct draw *draw)
{
	struct cpu_dlrm *in = &r->in;
	uint32_t rows = 1 + draw_below(draw, 50), width, most;

	*r = (struct recommendation){ .in = {
		.type = CPU_I32, .dim = 1 + draw_below(draw, CPU_MAX_DIM),
		.nr_tables = 1 + draw_below(draw, CPU_MAX_TABLES), .bottom = 2, .top = 2,
		.samples = 1 + draw_below(draw, 200), .pooling = 1 + draw_below(draw, 3),
	} };
	in->stride = CPU_MAX_TABLES * in->pooling;
	r->categories = room(in->samples * in->stride * 4);
	for (uint64_t i = 0; i < in->samples * in->stride; i++)
		r->categories[i] = draw_below(draw, rows);
	in->categories = r->categories;
	for (uint32_t t = 0; t < in->nr_tables; t++) {
		r->tables[t] = draw_elements(draw, CPU_I32, (uint64_t)rows * in->dim);
		in->tables[t] = r->tables[t].bytes;
	}
	r->dense = draw_elements(draw, CPU_I32, in->samples * 13);
	in->dense = r->dense.bytes;
	width = 13;
	most = in->dim + in->nr_tables * (in->nr_tables + 1) / 2;
	for (unsigned int l = 0; l < 4; l++) {
		uint32_t outputs = l == 1 ? in->dim : l == 3 ? 1 : 1 + draw_below(draw, 90);

		r->weights[l] = draw_elements(draw, CPU_I32, (uint64_t)width * outputs);
		r->biases[l] = draw_elements(draw, CPU_I32, outputs);
		in->layers[l] = (struct cpu_layer){ width, outputs, r->weights[l].bytes,
						    r->biases[l].bytes, false, 0 };
		width = l == 1 ? most : outputs;
	}
}

static void free_recommendation(struct recommendation *r)
{
	for (unsigned int i = 0; i < CPU_MAX_TABLES; i++)
		free_elements(&r->tables[i]);
	for (unsigned int i = 0; i < CPU_MAX_LAYERS; i++) {
		free_elements(&r->weights[i]);
		free_elements(&r->biases[i]);
	}
	free_elements(&r->dense);
	free(r->categories);
}

/* One sample's vectors, the first that of the bottom layers, to the top layers' inputs. */
static int64_t *plain_pairs(const struct recommendation *r, uint64_t sample,
			    const int64_t *bottom)
{
	const struct cpu_dlrm *in = &r->in;
	uint32_t n = in->nr_tables + 1, dim = in->dim, to = dim;
	int64_t *vectors = room((uint64_t)n * dim * 8);
	int64_t *out = room((uint64_t)in->layers[2].inputs * 8);

	memcpy(vectors, bottom, dim * 8);
	memcpy(out, bottom, dim * 8);
	for (uint32_t t = 1; t < n; t++)
		for (uint32_t l = 0; l < in->pooling; l++)
			for (uint32_t k = 0; k < dim; k++)
				vectors[t * dim + k] += r->tables[t - 1].numbers[
					(uint64_t)r->categories[sample * in->stride +
						(t - 1) * in->pooling + l] * dim + k];
	for (uint32_t a = 1; a < n; a++) {
		for (uint32_t b = 0; b < a; b++, to++) {
			uint64_t sum = 0;

			for (uint32_t k = 0; k < dim; k++)
				sum += (uint64_t)vectors[a * dim + k] *
				       (uint64_t)vectors[b * dim + k];
			out[to] = wrap(CPU_I32, (int64_t)sum);
		}
	}
	free(vectors);
	return out;
}

static int64_t plain_score(const struct recommendation *r, uint64_t sample)
{
	int64_t *values = room(13 * 8), score;

	memcpy(values, r->dense.numbers + sample * 13, 13 * 8);
	for (unsigned int l = 0; l < 4; l++) {
		int64_t *next;

		if (l == 2) {
			next = plain_pairs(r, sample, values);
			free(values);
			values = next;
		}
		next = plain_product(CPU_I32, &r->in.layers[l], r->weights[l].numbers,
				     r->biases[l].numbers, values, 1);
		if (l < 3)
			relu(next, r->in.layers[l].outputs);
		free(values);
		values = next;
	}
	score = *values;
	free(values);
	return score;
}

static void recommendations(void **state)
{
	const struct own_loops *loops;

	(void)state;
	for (uint64_t seed = 0; seed < MODELS / 2; seed++) {
		struct draw draw = { seed + 4000, 0 };
		struct recommendation r;

		draw_recommendation(&r, &draw);
		for (unsigned int i = 0; (loops = own_loops_at(i)); i++) {
			struct team *team = team_make(1 + (unsigned int)seed % MAX_THREADS);
			struct own_dlrm *dlrm = own_dlrm_make(&r.in, team, loops, NULL);
			const int32_t *scores;

			assert_non_null(dlrm);
			assert_int_equal(own_dlrm_run(dlrm), 0);
			scores = own_dlrm_result(dlrm);
			for (uint64_t s = 0; s < r.in.samples; s++)
				assert_int_equal(scores[s], (int32_t)plain_score(&r, s));
			own_dlrm_free(dlrm);
			team_free(team);
		}
		free_recommendation(&r);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(searches),
	cmocka_unit_test(components),
	cmocka_unit_test(large),
	cmocka_unit_test(networks),
	cmocka_unit_test(perceptrons),
	cmocka_unit_test(recommendations),
};

UNIT_MAIN(tests)
