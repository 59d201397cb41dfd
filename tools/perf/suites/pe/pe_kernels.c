// SPDX-License-Identifier: MIT
/* PE kernels: vector addition, reduction and matrix by vector, against plain loops. */
#include <stdlib.h>
#include <string.h>

#include "tools/perf/suites/pe/pe_kernels.h"
#include "tools/tool.h"

#define ROW (PE_COLUMNS * sizeof(uint32_t))

/* operands of all PEs, and what came back */
struct vectors {
	uint64_t bytes;
	uint32_t nr_pes;
	uint64_t *a, *b, *out;
};

static uint64_t pe_kernels_hash(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static uint64_t *make_words(uint64_t words, uint64_t seed)
{
	uint64_t *v = malloc(words * sizeof(*v));

	for (uint64_t i = 0; v && i < words; i++)
		v[i] = pe_kernels_hash(seed + i);
	return v;
}

static int make_all(struct vectors *v, uint64_t seed)
{
	uint64_t words = v->bytes / 8 * v->nr_pes;

	v->a = make_words(words, seed);
	v->b = make_words(words, ~seed);
	v->out = make_words(words, seed / 2);
	return v->a && v->b && v->out ? TOOL_OK : tool_error("no memory");
}

static void free_all(struct vectors *v)
{
	free(v->a);
	free(v->b);
	free(v->out);
}

/* the 32-bit elements of a PE's operand of `bytes` */
static const uint32_t *elements_of(const uint64_t *all, uint32_t pe, uint64_t bytes)
{
	return (const uint32_t *)(all + pe * (bytes / 8));
}

static int check_va(struct pe_rig *rig, struct vectors *v, uint64_t *wrong)
{
	uint64_t count = v->bytes / 4 * v->nr_pes;
	const uint32_t *a = elements_of(v->a, 0, 0), *b = elements_of(v->b, 0, 0);
	const uint32_t *c = elements_of(v->out, 0, 0);

	if (pe_rig_pull(rig, 2 * v->bytes, v->out, v->bytes))
		return TOOL_FAILED;
	for (uint64_t i = 0; i < count; i++)
		*wrong += c[i] != a[i] + b[i];
	return TOOL_OK;
}

static int check_red(struct pe_rig *rig, struct vectors *v, uint64_t *wrong)
{
	if (pe_rig_read(rig, "total", v->out, sizeof(*v->out)))
		return TOOL_FAILED;
	for (uint32_t pe = 0; pe < v->nr_pes; pe++) {
		const uint32_t *a = elements_of(v->a, pe, v->bytes);
		uint64_t sum = 0;

		for (uint64_t i = 0; i < v->bytes / 4; i++)
			sum += a[i];
		*wrong += v->out[pe] != sum;
	}
	return TOOL_OK;
}

static int check_gemv(struct pe_rig *rig, struct vectors *v, uint64_t *wrong)
{
	uint64_t rows = v->bytes / ROW, bytes = rows * 4;

	if (pe_rig_pull(rig, v->bytes + ROW, v->out, bytes))
		return TOOL_FAILED;
	for (uint64_t r = 0; r < rows * v->nr_pes; r++) {
		const uint32_t *x = elements_of(v->b, (uint32_t)(r / rows), ROW);
		const uint32_t *a = elements_of(v->a, 0, 0) + r * PE_COLUMNS;
		uint32_t sum = 0;

		for (uint32_t i = 0; i < PE_COLUMNS; i++)
			sum += a[i] * x[i];
		*wrong += elements_of(v->out, 0, 0)[r] != sum;
	}
	return TOOL_OK;
}

static const struct {
	const char *name;
	int (*check)(struct pe_rig *rig, struct vectors *v, uint64_t *wrong);
} pe_kernels[] = {
	[PE_VA] = { "vector addition", check_va },
	[PE_RED] = { "reduction", check_red },
	[PE_GEMV] = { "GEMV", check_gemv },
};

static int run_vectors(struct pe_rig *rig, enum pe_image image, struct vectors *v,
	       struct pe_row *row)
{
	struct pe_args args = { .bytes = (uint32_t)v->bytes };
	struct pimdimm_run middle;

	if (make_all(v, rig->suite->how.seed) ||
	    pe_rig_load(rig, image, v->nr_pes, NULL) ||
	    pe_rig_write(rig, "args", &args, sizeof(args)) ||
	    pe_rig_push(rig, 0, v->a, v->bytes) ||
	    /* GEMV's vector is one row */
	    pe_rig_push(rig, v->bytes, v->b,
			image == PE_GEMV ? ROW : v->bytes) ||
	    pe_rig_run(rig, &middle, NULL))
		return TOOL_FAILED;
	row->work = v->bytes / 4 * v->nr_pes;
	row->measured = (double)middle.ns;
	row->emulation = (double)middle.emulation_ns;
	row->modelled = (double)middle.cycles * 1e9 / (double)middle.clock_hz;
	row->figure = (double)row->work * 1e3 / row->measured;
	return pe_kernels[image].check(rig, v, &row->wrong);
}

int pe_measure_vectors(struct pe_rig *rig, enum pe_image image, uint32_t nr_pes,
		       uint64_t bytes, struct pe_row *row)
{
	struct vectors v = { .bytes = bytes, .nr_pes = nr_pes };
	int ret;

	*row = (struct pe_row){ .name = pe_kernels[image].name, .nr_pes = nr_pes,
				.work_unit = "elements",
				.figure_unit = "M elements/s" };
	ret = run_vectors(rig, image, &v, row);
	free_all(&v);
	return ret;
}
