// SPDX-License-Identifier: MIT
/*
 * y = x W, for the PE's part of the weights W. Blocks of W come into WRAM one after the
 * other; with each of them tasklets go through the rows of x, a group of rows at a time.
 */
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <stdint.h>

#include "tools/apps/gnn/args.h"

__host struct gnn_gemm_args args;

/* WRAM holds elements of any type */
typedef int8_t __attribute__((may_alias)) pe_i8;
typedef int16_t __attribute__((may_alias)) pe_i16;
typedef int32_t __attribute__((may_alias)) pe_i32;
typedef float __attribute__((may_alias)) pe_f32;

BARRIER_INIT(weights_free, NR_TASKLETS);
BARRIER_INIT(weights_there, NR_TASKLETS);

static __dma_aligned uint64_t weights[GNN_WEIGHTS_BYTES / 8];

/* a tasklet's part of WRAM */
struct scratch {
	uint64_t x[GNN_X_BYTES / 8];
	uint64_t y[GNN_Y_BYTES / 8];
};

static __dma_aligned struct scratch scratches[NR_TASKLETS];

/* A block of the weights. */
struct block {
	uint32_t inner, nr_inner;	/* its rows */
	uint32_t outer, nr_outer;	/* its columns */
	uint32_t at, bytes;		/* in MRAM */
};

static __mram_ptr void *mram(uint32_t at)
{
	return (__mram_ptr void *)(uintptr_t)at;
}

static uint32_t width(void)
{
	return args.type == GNN_I8 ? 1 : args.type == GNN_I16 ? 2 : 4;
}

/*
 * A row of x times a panel, to which y is added, of which `n` elements are wanted. Sums
 * of integers are taken modulo 2^32, which gives the same last bits.
 */
#define PANEL(name, type, product, sum, columns)				\
static void name(const type *x, const type *w, uint32_t inner, type *y,		\
		 uint32_t n, uint32_t relu)					\
{										\
	sum sums[columns];							\
										\
	_Pragma("clang loop unroll(full)")					\
	for (uint32_t j = 0; j < columns; j++)					\
		sums[j] = j < n ? (sum)y[j] : 0;				\
	for (uint32_t i = 0; i < inner; i++, w += columns) {			\
		type factor = x[i];						\
										\
		_Pragma("clang loop unroll(full)")				\
		for (uint32_t j = 0; j < columns; j++)				\
			sums[j] += (sum)((product)factor * (product)w[j]);	\
	}									\
	_Pragma("clang loop unroll(full)")					\
	for (uint32_t j = 0; j < columns; j++) {				\
		type value = (type)sums[j];					\
										\
		if (j < n)							\
			y[j] = relu && !(value > 0) ? 0 : value;		\
	}									\
}

PANEL(panel_i8, pe_i8, int32_t, uint32_t, 8)
PANEL(panel_i16, pe_i16, int32_t, uint32_t, 4)
PANEL(panel_i32, pe_i32, uint32_t, uint32_t, 2)
PANEL(panel_f32, pe_f32, float, float, 2)

static void panel(const void *x, const void *w, uint32_t inner, void *y, uint32_t n,
		  uint32_t relu)
{
	switch (args.type) {
	case GNN_I8:
		panel_i8(x, w, inner, y, n, relu);
		break;
	case GNN_I16:
		panel_i16(x, w, inner, y, n, relu);
		break;
	case GNN_I32:
		panel_i32(x, w, inner, y, n, relu);
		break;
	default:
		panel_f32(x, w, inner, y, n, relu);
	}
}

static void block_times_row(const struct block *block, const uint8_t *x, uint8_t *y)
{
	uint32_t w = width(), columns = 8 / w;
	uint32_t relu = args.relu && block->inner + block->nr_inner == args.nr_inner;
	const uint64_t *from = weights;

	for (uint32_t j = 0; j < block->nr_outer; j += columns) {
		uint32_t n = block->nr_outer - j;

		panel(x, from, block->nr_inner, y + j * w, n < columns ? n : columns,
		      relu);
		from += block->nr_inner;
	}
}

/*
 * `count` rows of a part of each row, between WRAM and MRAM. Whole rows are one transfer.
 */
struct rows {
	uint32_t base;		/* in MRAM */
	uint32_t row_bytes;
	uint32_t at, bytes;	/* the part */
	uint32_t first, count;
};

static void read_rows(const struct rows *rows, uint8_t *wram)
{
	uint32_t from = rows->base + rows->first * rows->row_bytes + rows->at;

	if (rows->bytes == rows->row_bytes) {
		mram_read(mram(from), wram, rows->count * rows->bytes);
		return;
	}
	for (uint32_t i = 0; i < rows->count; i++)
		mram_read(mram(from + i * rows->row_bytes), wram + i * rows->bytes,
			  rows->bytes);
}

static void write_rows(const struct rows *rows, const uint8_t *wram)
{
	uint32_t to = rows->base + rows->first * rows->row_bytes + rows->at;

	if (rows->bytes == rows->row_bytes) {
		mram_write(wram, mram(to), rows->count * rows->bytes);
		return;
	}
	for (uint32_t i = 0; i < rows->count; i++)
		mram_write(wram + i * rows->bytes, mram(to + i * rows->row_bytes),
			   rows->bytes);
}

static void block_times_group(const struct block *block, uint32_t first)
{
	struct scratch *s = &scratches[me()];
	uint8_t *x = (uint8_t *)s->x, *y = (uint8_t *)s->y;
	uint32_t left = args.rows - first, w = width();
	uint32_t count = left < args.group ? left : args.group;
	const struct rows xs = {
		args.x, args.nr_inner * w, block->inner * w, block->nr_inner * w,
		first, count,
	};
	const struct rows ys = {
		args.y, args.nr_outer * w, block->outer * w, block->nr_outer * w,
		first, count,
	};

	read_rows(&xs, x);
	if (block->inner)
		read_rows(&ys, y);
	else
		for (uint32_t i = 0; i < count * ys.bytes / 8; i++)
			s->y[i] = 0;
	for (uint32_t i = 0; i < count; i++)
		block_times_row(block, x + i * xs.bytes, y + i * ys.bytes);
	write_rows(&ys, y);
}

/* All tasklets bring the block into WRAM, each every so many transfers. */
static void read_weights(const struct block *block)
{
	const uint32_t most = 1024;

	for (uint32_t at = me() * most; at < block->bytes; at += NR_TASKLETS * most) {
		uint32_t left = block->bytes - at;

		mram_read(mram(block->at + at), (uint8_t *)weights + at,
			  left < most ? left : most);
	}
}

/* Every tasklet goes through the blocks in the same order; false: there are no more. */
static int next_block(struct block *block)
{
	uint32_t columns = 8 / width();

	block->at += block->bytes;
	block->inner += block->nr_inner;
	if (block->inner >= args.nr_inner) {
		block->inner = 0;
		block->outer += block->nr_outer;
	}
	if (block->outer >= args.nr_outer)
		return 0;
	block->nr_inner = args.nr_inner - block->inner;
	if (block->nr_inner > args.inner)
		block->nr_inner = args.inner;
	block->nr_outer = args.nr_outer - block->outer;
	if (block->nr_outer > args.outer)
		block->nr_outer = args.outer;
	block->bytes = (block->nr_outer + columns - 1) / columns * block->nr_inner * 8;
	return 1;
}

int main(void)
{
	struct block block = { .at = args.weights, .inner = args.nr_inner };

	/* as if the block before the first one had been the last of its columns */
	while (next_block(&block)) {
		barrier_wait(&weights_free);
		read_weights(&block);
		barrier_wait(&weights_there);
		for (uint32_t row = me() * args.group; row < args.rows;
		     row += NR_TASKLETS * args.group)
			block_times_group(&block, row);
	}
	return 0;
}
