// SPDX-License-Identifier: MIT
/*
 * Hosts of PrIM's programs: what they give their DPUs and how often they launch them,
 * and what must come out.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/perf/suites/pe/truth_prim.h"
#include "tools/tool.h"

/* a DPU's part of the elements */
static uint64_t part(const struct truth_run *run)
{
	return run->size / run->dpus;
}

/* arguments of four words, the same for all DPUs */
static int give_words(struct truth_run *run, unsigned int count, const uint32_t words[])
{
	uint32_t *all = calloc(run->dpus, count * sizeof(*all));
	int ret = all ? TOOL_OK : tool_error("no memory");

	for (uint32_t dpu = 0; dpu < run->dpus && !ret; dpu++)
		memcpy(all + (size_t)dpu * count, words, count * sizeof(*all));
	if (!ret)
		ret = truth_give(run, all, count * sizeof(*all));
	free(all);
	return ret;
}

/* Two buffers of so many bytes for one DPU after another. */
struct halves {
	void *a, *b;
};

static int get_halves(struct halves *h, uint64_t bytes)
{
	*h = (struct halves){ calloc(1, bytes), calloc(1, bytes) };
	return h->a && h->b ? TOOL_OK : tool_error("no memory");
}

static void free_halves(struct halves *h)
{
	free(h->a);
	free(h->b);
}

static void fill_words(uint32_t *words, uint64_t count, uint64_t first, uint32_t below)
{
	for (uint64_t i = 0; i < count; i++)
		words[i] = (uint32_t)truth_chance(first + i) % below;
}

static void fill_longs(int64_t *longs, uint64_t count, uint64_t first)
{
	for (uint64_t i = 0; i < count; i++)
		longs[i] = (int64_t)(truth_chance(first + i) & 0x7fffffff);
}

/* VA: C = A + B, C in the place of B */

static uint64_t va_mram(const struct truth_run *run)
{
	return 2 * 4 * part(run);
}

static int va_put(struct truth_run *run, struct halves *h)
{
	uint64_t n = part(run);
	int ret = TOOL_OK;

	for (uint32_t dpu = 0; dpu < run->dpus && !ret; dpu++) {
		fill_words(h->a, n, dpu * n, 1u << 31);
		fill_words(h->b, n, run->size + dpu * n, 1u << 31);
		ret = truth_put(run, dpu, 0, h->a, 4 * n) ||
		      truth_put(run, dpu, 4 * n, h->b, 4 * n);
	}
	return ret;
}

static int va_check(struct truth_run *run, struct halves *h)
{
	uint64_t n = part(run);
	const uint32_t *sum = h->b;

	for (uint32_t dpu = 0; dpu < run->dpus; dpu++) {
		if (truth_get(run, dpu, 4 * n, h->b, 4 * n))
			return TOOL_FAILED;
		for (uint64_t i = 0; i < n; i++)
			run->wrong += sum[i] !=
				      (uint32_t)(truth_chance(dpu * n + i) & 0x7fffffff) +
				      (uint32_t)(truth_chance(run->size + dpu * n + i) &
						 0x7fffffff);
	}
	return TOOL_OK;
}

static int va_run(struct truth_run *run)
{
	uint32_t bytes = (uint32_t)(4 * part(run));
	const uint32_t words[] = { bytes, bytes, 0 };
	struct halves h;
	int ret = get_halves(&h, bytes) || va_put(run, &h) ||
		  give_words(run, 3, words) || truth_launch(run) || va_check(run, &h);

	free_halves(&h);
	return ret;
}

const struct truth_program truth_prim_va = { "VA", va_mram, va_run };

/* RED: the sum of a DPU's elements */

static uint64_t longs_mram(const struct truth_run *run)
{
	return 2 * 8 * part(run);
}

/* a tasklet's results, the first of which is the DPU's */
struct red_result {
	uint64_t cycles;
	int64_t count;
};

static int red_run(struct truth_run *run)
{
	uint64_t n = part(run);
	const uint32_t words[] = { (uint32_t)(8 * n), 0, 0, 0 };
	struct red_result *results = calloc((size_t)run->dpus * PE_TASKLETS, sizeof(*results));
	int64_t *sums = calloc(run->dpus, sizeof(*sums)), *longs = calloc(n, sizeof(*longs));
	int ret = results && sums && longs ? TOOL_OK : tool_error("no memory");

	for (uint32_t dpu = 0; dpu < run->dpus && !ret; dpu++) {
		fill_longs(longs, n, dpu * n);
		for (uint64_t i = 0; i < n; i++)
			sums[dpu] += longs[i];
		ret = truth_put(run, dpu, 0, longs, 8 * n);
	}
	ret = ret || give_words(run, 4, words) || truth_launch(run) ||
	      pe_rig_read(&run->rig, "DPU_RESULTS", results, PE_TASKLETS * sizeof(*results));
	for (uint32_t dpu = 0; dpu < run->dpus && !ret; dpu++)
		run->wrong += results[(size_t)dpu * PE_TASKLETS].count != sums[dpu];
	free(results);
	free(sums);
	free(longs);
	return ret;
}

const struct truth_program truth_prim_red = { "RED", longs_mram, red_run };

/* GEMV: rows of 64 elements below 50 by a vector */

#define COLUMNS 64

static uint64_t gemv_mram(const struct truth_run *run)
{
	/* it reads blocks of 1 KiB, beyond the last row and the vector */
	return 4 * (part(run) * COLUMNS + COLUMNS + part(run)) + 2048;
}

static int gemv_check(struct truth_run *run, uint32_t dpu, const uint32_t *matrix,
		      const uint32_t *vector)
{
	uint64_t rows = part(run);
	uint32_t *result = calloc(rows, sizeof(*result));
	int ret = result ? TOOL_OK : tool_error("no memory");

	if (!ret)
		ret = truth_get(run, dpu, 4 * COLUMNS * (rows + 1), result, 4 * rows);
	for (uint64_t r = 0; r < rows && !ret; r++) {
		uint32_t sum = 0;

		for (uint32_t i = 0; i < COLUMNS; i++)
			sum += matrix[r * COLUMNS + i] * vector[i];
		run->wrong += result[r] != sum;
	}
	free(result);
	return ret;
}

static int gemv_run(struct truth_run *run)
{
	uint64_t rows = part(run), count = rows * COLUMNS;
	const uint32_t words[] = { COLUMNS, COLUMNS, (uint32_t)rows, (uint32_t)rows };
	uint32_t *matrix = calloc(count, sizeof(*matrix)), vector[COLUMNS];
	int ret = matrix ? TOOL_OK : tool_error("no memory");

	fill_words(vector, COLUMNS, run->size * COLUMNS, 50);
	for (uint32_t dpu = 0; dpu < run->dpus && !ret; dpu++) {
		fill_words(matrix, count, dpu * count, 50);
		ret = truth_put(run, dpu, 0, matrix, 4 * count) ||
		      truth_put(run, dpu, 4 * count, vector, sizeof(vector));
	}
	ret = ret || give_words(run, 4, words) || truth_launch(run);
	for (uint32_t dpu = 0; dpu < run->dpus && !ret; dpu++) {
		fill_words(matrix, count, dpu * count, 50);
		ret = gemv_check(run, dpu, matrix, vector);
	}
	free(matrix);
	return ret;
}

const struct truth_program truth_prim_gemv = { "GEMV", gemv_mram, gemv_run };

/*
 * SCAN-SSA: each DPU scans its elements, then adds the sum of those before it; the
 * host carries the sums, which the last tasklet has.
 */

struct scan_args {
	uint32_t bytes, kernel;
	int64_t before;
};

static int scan_launch(struct truth_run *run, uint32_t kernel, struct scan_args *args)
{
	for (uint32_t dpu = 0; dpu < run->dpus; dpu++) {
		args[dpu].bytes = (uint32_t)(8 * part(run));
		args[dpu].kernel = kernel;
	}
	return truth_give(run, args, sizeof(*args)) || truth_launch(run);
}

static int scan_carry(struct truth_run *run, struct scan_args *args)
{
	int64_t *sums = calloc((size_t)run->dpus * PE_TASKLETS, sizeof(*sums)), sum = 0;
	int ret = sums ? pe_rig_read(&run->rig, "DPU_RESULTS", sums,
				     PE_TASKLETS * sizeof(*sums)) :
			 tool_error("no memory");

	for (uint32_t dpu = 0; dpu < run->dpus && !ret; dpu++) {
		args[dpu].before = sum;
		sum += sums[(size_t)dpu * PE_TASKLETS + PE_TASKLETS - 1];
	}
	free(sums);
	return ret;
}

static int scan_check(struct truth_run *run, int64_t *longs)
{
	uint64_t n = part(run);
	int64_t sum = 0;

	for (uint32_t dpu = 0; dpu < run->dpus; dpu++) {
		if (truth_get(run, dpu, 8 * n, longs, 8 * n))
			return TOOL_FAILED;
		for (uint64_t i = 0; i < n; i++) {
			sum += (int64_t)(truth_chance(dpu * n + i) & 0x7fffffff);
			run->wrong += longs[i] != sum;
		}
	}
	return TOOL_OK;
}

static int scan_run(struct truth_run *run)
{
	uint64_t n = part(run);
	struct scan_args *args = calloc(run->dpus, sizeof(*args));
	int64_t *longs = calloc(n, sizeof(*longs));
	int ret = args && longs ? TOOL_OK : tool_error("no memory");

	for (uint32_t dpu = 0; dpu < run->dpus && !ret; dpu++) {
		fill_longs(longs, n, dpu * n);
		ret = truth_put(run, dpu, 0, longs, 8 * n);
	}
	ret = ret || scan_launch(run, 0, args) || scan_carry(run, args) ||
	      scan_launch(run, 1, args) || scan_check(run, longs);
	free(args);
	free(longs);
	return ret;
}

const struct truth_program truth_prim_scan = { "SCAN-SSA", longs_mram, scan_run };
