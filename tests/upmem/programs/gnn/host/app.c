// SPDX-License-Identifier: MIT
/*
 * Three layers on a square of DPUs in two ways, each compared with the same here. DPU
 * (x,y) has tiles of strip y by strip x and of strip x by strip y; layers go along x and
 * along y in turn.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pidcomm.h>

#include "common.h"

#define LAYERS 3
#define STRIP (ROWS * MAX_COLUMNS)

static struct dpu_set_t set;
static hypercube_manager *manager;
static uint32_t side, columns, axis_len[3];

static int32_t *adjacency;		/* ROWS * side squared, few of them not zero */
static T *features, *weights[LAYERS], *expected;

static uint32_t draw(void)
{
	static uint64_t state = 42;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

static void make_input(void)
{
	uint32_t n = ROWS * side;

	adjacency = calloc((size_t)n * n, sizeof(*adjacency));
	features = calloc((size_t)n * columns, sizeof(T));
	for (uint32_t i = 0; i < 4 * n; i++)
		adjacency[(size_t)(draw() % n) * n + draw() % n] = (int32_t)(draw() % 2 + 1);
	for (uint32_t i = 0; i < n * columns; i++)
		features[i] = (T)(draw() % 3) - 1;
	for (uint32_t l = 0; l < LAYERS; l++) {
		weights[l] = calloc((size_t)columns * columns, sizeof(T));
		for (uint32_t i = 0; i < columns * columns; i++)
			weights[l][i] = (T)(draw() % 5) - 2;
	}
}

static T *layer_here(const T *x, const T *w)
{
	uint32_t n = ROWS * side;
	T *y = calloc((size_t)n * columns, sizeof(T)), *sum = calloc(columns, sizeof(T));

	for (uint32_t v = 0; v < n; v++) {
		memset(sum, 0, columns * sizeof(T));
		for (uint32_t u = 0; u < n; u++)
			for (uint32_t j = 0; adjacency[(size_t)v * n + u] && j < columns; j++)
				sum[j] = (T)((uint32_t)sum[j] + (uint32_t)adjacency[(size_t)v * n + u] * (uint32_t)x[u * columns + j]);
		for (uint32_t i = 0; i < columns; i++)
			for (uint32_t j = 0; j < columns; j++)
				y[v * columns + j] = (T)((uint32_t)y[v * columns + j] + (uint32_t)sum[i] * (uint32_t)w[i * columns + j]);
	}
	free(sum);
	return y;
}

/* Each DPU's piece of a buffer; `x`, `y`: the number of its piece is a coordinate. */
enum which { OWN, BY_X, BY_Y };

static void move(dpu_xfer_t xfer, const char *symbol, uint32_t at, void *data, uint32_t bytes, enum which which)
{
	struct dpu_set_t dpu;
	uint32_t i, nr_dpus = side * side;

	DPU_FOREACH_ENTANGLED_GROUP(set, dpu, i, nr_dpus) {
		uint32_t piece = which == OWN ? i : which == BY_X ? i % side : i / side;

		DPU_ASSERT(dpu_prepare_xfer(dpu, (char *)data + (size_t)piece * bytes));
	}
	DPU_ASSERT(dpu_push_xfer(set, xfer, symbol, at, bytes, DPU_XFER_DEFAULT));
}

static void run(const char *binary, void *args, uint32_t bytes)
{
	DPU_ASSERT(dpu_load(set, binary, NULL));
	DPU_ASSERT(dpu_broadcast_to(set, "DPU_INPUT_ARGUMENTS", 0, args, bytes, DPU_XFER_DEFAULT));
	DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
}

static void fill_tile(struct tile *tile, uint32_t rows, uint32_t cols)
{
	uint32_t n = ROWS * side, count = 0;

	for (uint32_t r = 0; r < ROWS; r++) {
		tile->starts[r] = count;
		for (uint32_t c = 0; c < ROWS; c++) {
			int32_t value = adjacency[(size_t)(rows * ROWS + r) * n + cols * ROWS + c];

			if (!value)
				continue;
			if (count == MAX_ENTRIES) {
				printf("a tile of more than %d entries\n", MAX_ENTRIES);
				exit(1);
			}
			tile->entries[count++] = (struct entry){ c, value };
		}
	}
	tile->starts[ROWS] = tile->starts[ROWS + 1] = count;
}

static void send_input(void)
{
	struct tile *tiles = calloc(side * side, sizeof(*tiles));

	DPU_ASSERT(dpu_load(set, "bin/spmm", NULL));
	for (uint32_t across = 0; across < 2; across++) {
		for (uint32_t i = 0; i < side * side; i++)
			fill_tile(&tiles[i], across ? i % side : i / side, across ? i / side : i % side);
		move(DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, TILES + across * sizeof(*tiles), tiles, sizeof(*tiles), OWN);
	}
	move(DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, FEATURES, features, ROWS * columns * sizeof(T), BY_X);
	free(tiles);
}

/* rows of the weights that belong to each member of a row of DPUs, or columns */
static void send_weights(uint32_t layer, bool by_columns)
{
	T *parts = calloc((size_t)columns * columns, sizeof(T)), *to = parts;

	for (uint32_t m = 0; m < side && by_columns; m++)
		for (uint32_t i = 0; i < columns; i++, to += SHARE)
			memcpy(to, weights[layer] + i * columns + m * SHARE, SHARE * sizeof(T));
	if (!by_columns)
		memcpy(parts, weights[layer], (size_t)columns * columns * sizeof(T));
	move(DPU_XFER_TO_DPU, DPU_MRAM_HEAP_POINTER_NAME, WEIGHTS, parts, SHARE * columns * sizeof(T), layer % 2 ? BY_Y : BY_X);
	free(parts);
}

static void sum_up(uint32_t layer)
{
	struct spmm_args args = { TILES + layer % 2 * sizeof(struct tile), columns, FEATURES, SUMS };

	run("bin/spmm", &args, sizeof(args));
}

static void layer_rsar(uint32_t layer, char *comm)
{
	uint32_t bytes = ROWS * columns * sizeof(T);
	struct relocate_args move_args = { columns, SUMS, MOVED, 0 };
	struct gemm_args args = { SHARE, columns, PART, SUMS };

	sum_up(layer);
	run("bin/relocate", &move_args, sizeof(move_args));
	pidcomm_reduce_scatter(manager, comm, bytes, MOVED, PART, BUFFER, sizeof(T));
	send_weights(layer, false);
	run("bin/gemm", &args, sizeof(args));
	pidcomm_all_reduce(manager, comm, bytes, SUMS, FEATURES, BUFFER, sizeof(T), 0);
}

static void layer_arag(uint32_t layer, char *comm)
{
	uint32_t bytes = ROWS * columns * sizeof(T);
	struct relocate_args move_args = { columns, MOVED, FEATURES, 1 };
	struct gemm_args args = { columns, SHARE, MOVED, PART };

	sum_up(layer);
	pidcomm_all_reduce(manager, comm, bytes, SUMS, MOVED, BUFFER, sizeof(T), 0);
	send_weights(layer, true);
	run("bin/gemm", &args, sizeof(args));
	pidcomm_allgather(manager, comm, bytes, PART, MOVED, BUFFER);
	run("bin/relocate", &move_args, sizeof(move_args));
}

/* Of a row or column of DPUs each has the strip. */
static uint32_t compare(const char *name)
{
	uint32_t strip = ROWS * columns, wrong = 0;
	T *all = calloc((size_t)side * side * strip, sizeof(T));

	move(DPU_XFER_FROM_DPU, DPU_MRAM_HEAP_POINTER_NAME, FEATURES, all, strip * sizeof(T), OWN);
	for (uint32_t i = 0; i < side * side; i++) {
		uint32_t at = LAYERS % 2 ? i / side : i % side;

		wrong += memcmp(all + (size_t)i * strip, expected + (size_t)at * strip, strip * sizeof(T)) != 0;
	}
	printf("%s: %u of %u DPUs are wrong\n", name, wrong, side * side);
	free(all);
	return wrong;
}

static uint32_t try(const char *name, void (*layer)(uint32_t layer, char *comm))
{
	char comm[2][4] = { "100", "010" };

	send_input();
	for (uint32_t l = 0; l < LAYERS; l++)
		layer(l, comm[l % 2]);
	return compare(name);
}

int main(void)
{
	uint32_t wrong;
	T *next;

	for (side = 1; side * side < NR_DPUS;)
		side *= 2;
	columns = SHARE * side;
	DPU_ASSERT(dpu_alloc_comm(side * side, NULL, &set, 1));
	axis_len[0] = axis_len[1] = side;
	axis_len[2] = 1;
	manager = init_hypercube_manager(set, 3, axis_len);
	make_input();
	expected = layer_here(features, weights[0]);
	for (uint32_t l = 1; l < LAYERS; l++) {
		next = layer_here(expected, weights[l]);
		free(expected);
		expected = next;
	}
	wrong = try("ReduceScatter and AllReduce", layer_rsar);
	wrong += try("AllReduce and AllGather", layer_arag);
	free(manager);
	DPU_ASSERT(dpu_free(set));
	return wrong != 0;
}
