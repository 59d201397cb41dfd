// SPDX-License-Identifier: MIT
/* Hosts of those of PrIM's programs that are no streams: HST-L, BS, TRNS. */
#include <stdlib.h>
#include <string.h>

#include "tools/perf/suites/pe/truth_prim.h"
#include "tools/tool.h"

static uint64_t others_part(const struct truth_run *run)
{
	return run->size / run->dpus;
}

/* HST-L: 256 bins of elements of 12 bits, one histogram for all tasklets */

#define BINS 256
#define DEPTH 12

static uint64_t hst_mram(const struct truth_run *run)
{
	return 4 * (others_part(run) + BINS);
}

struct hst_args {
	uint32_t bytes, transferred, bins, kernel;
};

static uint32_t pixel(uint64_t at)
{
	return (uint32_t)truth_chance(at) % (1u << DEPTH);
}

static int hst_put(struct truth_run *run, uint32_t *pixels)
{
	uint64_t n = others_part(run);
	int ret = TOOL_OK;

	for (uint32_t dpu = 0; dpu < run->dpus && !ret; dpu++) {
		for (uint64_t i = 0; i < n; i++)
			pixels[i] = pixel(dpu * n + i);
		ret = truth_put(run, dpu, 0, pixels, 4 * n);
	}
	return ret;
}

static int hst_check(struct truth_run *run)
{
	uint64_t n = others_part(run);

	for (uint32_t dpu = 0; dpu < run->dpus; dpu++) {
		uint32_t bins[BINS] = { 0 }, found[BINS];

		for (uint64_t i = 0; i < n; i++)
			bins[pixel(dpu * n + i) * BINS >> DEPTH]++;
		if (truth_get(run, dpu, 4 * n, found, sizeof(found)))
			return TOOL_FAILED;
		for (uint32_t i = 0; i < BINS; i++)
			run->wrong += bins[i] != found[i];
	}
	return TOOL_OK;
}

static int hst_run(struct truth_run *run)
{
	uint64_t n = others_part(run);
	struct hst_args *args = calloc(run->dpus, sizeof(*args));
	uint32_t *pixels = calloc(n, sizeof(*pixels));
	int ret = args && pixels ? TOOL_OK : tool_error("no memory");

	for (uint32_t dpu = 0; dpu < run->dpus && !ret; dpu++)
		args[dpu] = (struct hst_args){ (uint32_t)(4 * n), (uint32_t)(4 * n), BINS, 0 };
	ret = ret || hst_put(run, pixels) || truth_give(run, args, sizeof(*args)) ||
	      truth_launch(run) || hst_check(run);
	free(args);
	free(pixels);
	return ret;
}

const struct truth_program truth_prim_hst = { "HST-L", hst_mram, hst_run };

/* BS: the numbers from 1 on, the same for all DPUs, and queries from 0 on */

struct bs_args {
	uint64_t elements, queries;
	uint32_t kernel, reserved;
};

static uint64_t bs_queries(const struct truth_run *run)
{
	uint64_t least = (uint64_t)run->dpus * PE_TASKLETS;

	return (run->size / 8 + least - 1) / least * least / run->dpus;
}

static uint64_t bs_mram(const struct truth_run *run)
{
	return 8 * (run->size + bs_queries(run));
}

static int bs_put(struct truth_run *run, int64_t *numbers)
{
	uint64_t queries = bs_queries(run);
	int ret = TOOL_OK;

	for (uint32_t dpu = 0; dpu < run->dpus && !ret; dpu++) {
		for (uint64_t i = 0; i < run->size; i++)
			numbers[i] = (int64_t)i + 1;
		for (uint64_t i = 0; i < queries; i++)
			numbers[run->size + i] = (int64_t)(dpu * queries + i);
		ret = truth_put(run, dpu, 0, numbers, 8 * (run->size + queries));
	}
	return ret;
}

/*
 * Each tasklet tells where it has found the last of its queries, n standing at n - 1. Of
 * those at the edge of a block some tell another place, so that, as PrIM's host does, the
 * furthest of all places is what is looked at.
 */
static int bs_check(struct truth_run *run)
{
	int64_t last = (int64_t)(bs_queries(run) * run->dpus) - 2, furthest = -1;
	int64_t *found = calloc((size_t)run->dpus * PE_TASKLETS, sizeof(*found));
	int ret = found ? pe_rig_read(&run->rig, "DPU_RESULTS", found,
				      PE_TASKLETS * sizeof(*found)) :
			  tool_error("no memory");

	for (uint64_t t = 0; t < (uint64_t)run->dpus * PE_TASKLETS && !ret; t++)
		furthest = found[t] > furthest ? found[t] : furthest;
	run->wrong += furthest != last;
	free(found);
	return ret;
}

static int bs_run(struct truth_run *run)
{
	struct bs_args *args = calloc(run->dpus, sizeof(*args));
	int64_t *numbers = calloc(run->size + bs_queries(run), sizeof(*numbers));
	int ret = args && numbers ? TOOL_OK : tool_error("no memory");

	for (uint32_t dpu = 0; dpu < run->dpus && !ret; dpu++)
		args[dpu] = (struct bs_args){ run->size, bs_queries(run), 0, 0 };
	ret = ret || bs_put(run, numbers) || truth_give(run, args, sizeof(*args)) ||
	      truth_launch(run) || bs_check(run);
	free(args);
	free(numbers);
	return ret;
}

const struct truth_program truth_prim_bs = { "BS", bs_mram, bs_run };

/*
 * TRNS: 64 parts of a matrix, as many at a time as there are DPUs; the first launch
 * turns tiles, the second moves their rows. Programs are loaded anew for each time.
 */

#define PARTS 64
#define TILE_M 4
#define TILE_N 8

struct trns_args {
	uint32_t m, n, tiles, kernel;
};

static uint64_t trns_words(const struct truth_run *run)
{
	return run->size * TILE_M * TILE_N;
}

static uint64_t trns_mram(const struct truth_run *run)
{
	return 8 * trns_words(run) + run->size * TILE_N;
}

static int trns_launch(struct truth_run *run, uint32_t kernel)
{
	struct trns_args *args = calloc(run->dpus, sizeof(*args));
	int ret = args ? TOOL_OK : tool_error("no memory");

	for (uint32_t dpu = 0; dpu < run->dpus && !ret; dpu++)
		args[dpu] = (struct trns_args){ TILE_M, TILE_N, (uint32_t)run->size, kernel };
	ret = ret || truth_give(run, args, sizeof(*args)) || truth_launch(run);
	free(args);
	return ret;
}

/* what stands in row r and column c of a part goes to row c */
static int trns_check(struct truth_run *run, uint64_t first, int64_t *words)
{
	uint64_t rows = run->size * TILE_M, count = trns_words(run);

	for (uint32_t dpu = 0; dpu < run->dpus; dpu++) {
		uint64_t base = (first + dpu) * count;

		if (truth_get(run, dpu, 0, words, 8 * count))
			return TOOL_FAILED;
		for (uint64_t i = 0; i < count; i++)
			run->wrong += words[i % TILE_N * rows + i / TILE_N] !=
				      (int64_t)truth_chance(base + i);
	}
	return TOOL_OK;
}

static int trns_once(struct truth_run *run, uint64_t first, int64_t *words)
{
	uint64_t count = trns_words(run), flags = run->size * TILE_N / 8;
	int ret = pimdimm_load(run->rig.sys, run->rig.pes, run->dpus, run->rig.program) ?
			  tool_error("%s", pimdimm_errmsg()) : TOOL_OK;

	for (uint32_t dpu = 0; dpu < run->dpus && !ret; dpu++) {
		for (uint64_t i = 0; i < count; i++)
			words[i] = (int64_t)truth_chance((first + dpu) * count + i);
		memset(words + count, 0, 8 * flags);
		ret = truth_put(run, dpu, 0, words, 8 * (count + flags));
	}
	return ret || trns_launch(run, 0) || trns_launch(run, 1) ||
	       trns_check(run, first, words);
}

static int trns_run(struct truth_run *run)
{
	int64_t *words = calloc(trns_words(run) + run->size * TILE_N / 8, sizeof(*words));
	int ret = words ? TOOL_OK : tool_error("no memory");

	for (uint64_t first = 0; first < PARTS && !ret; first += run->dpus)
		ret = trns_once(run, first, words);
	free(words);
	return ret;
}

const struct truth_program truth_prim_trns = { "TRNS", trns_mram, trns_run };
