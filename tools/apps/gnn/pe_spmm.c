// SPDX-License-Identifier: MIT
/*
 * Sums, for each row of a tile, the features of its entries' columns, or the other way
 * round. A tasklet takes a few rows at a time, adds them up in WRAM and writes them,
 * chunk by chunk, where ReduceScatter wants them: each row is written once, and by one
 * tasklet, so that none waits for another.
 */
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <stdint.h>
#include <string.h>

#include "tools/apps/gnn/args.h"

#define ENTRIES 128	/* of 2 bytes, that a tasklet reads at once */
#define TABLE 8		/* numbers of the table, the same */
/* no number of an entry, of the table, of a row: far from all of them */
#define NONE 0x80000000

__host struct gnn_spmm_args args;

/* WRAM holds elements of any type */
typedef uint16_t __attribute__((may_alias)) pe_u16;
typedef uint32_t __attribute__((may_alias)) pe_u32;
typedef uint64_t __attribute__((may_alias)) pe_u64;
typedef float __attribute__((may_alias)) pe_f32;

BARRIER_INIT(in_rows, NR_TASKLETS);

/* a tasklet's part of WRAM */
struct scratch {
	uint64_t sums[GNN_SUMS_BYTES / 8];
	uint64_t row[GNN_SEGMENT_BYTES / 8];
	uint16_t entries[ENTRIES];
	uint32_t table[TABLE];
	uint32_t first_entry, first_number;	/* of what is in the two above */
	uint32_t source;			/* whose features are in `row` */
};

static __dma_aligned struct scratch scratches[NR_TASKLETS];

/* A tasklet's task: rows of the result, and the bytes of each. */
struct part {
	uint32_t block;		/* of rows of the result */
	uint32_t low;		/* the first row, in the block */
	uint32_t first, count;	/* the rows, in the strip */
	uint32_t at, bytes;	/* the segment of these rows */
};

static __mram_ptr void *mram(uint32_t at)
{
	return (__mram_ptr void *)(uintptr_t)at;
}

/* Elements of 1, 2, 4 bytes within a word: carries do not cross `top`, their top bits. */
static uint32_t add_packed(uint32_t a, uint32_t b, uint32_t top)
{
	return ((a & ~top) + (b & ~top)) ^ ((a ^ b) & top);
}

/* Those whose top bit is set become zero; `bits` are an element's. */
static uint32_t relu_packed(uint32_t a, uint32_t top, uint32_t bits)
{
	uint32_t negative = a & top;

	return a & ~(negative | (negative - (negative >> (bits - 1))));
}

static void add_packed_row(pe_u32 *sum, const pe_u32 *x, uint32_t words,
			   uint32_t top)
{
	for (uint32_t i = 0; i < words; i++)
		sum[i] = add_packed(sum[i], x[i], top);
}

static void add_words(pe_u32 *sum, const pe_u32 *x, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++)
		sum[i] += x[i];
}

static void add_floats(pe_f32 *sum, const pe_f32 *x, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++)
		sum[i] += x[i];
}

/* Features are made positive where they lie in WRAM, as they arrive. */
static void relu_packed_row(pe_u32 *x, uint32_t words, uint32_t top, uint32_t bits)
{
	for (uint32_t i = 0; i < words; i++)
		x[i] = relu_packed(x[i], top, bits);
}

/* Floats, too, are below zero where the top bit is set; -0 becomes 0. */
static void relu_words(pe_u32 *x, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++) {
		if (x[i] >> 31)
			x[i] = 0;
	}
}

static void relu_row(void *x, uint32_t bytes)
{
	if (args.type == GNN_I8)
		relu_packed_row(x, bytes / 4, 0x80808080, 8);
	else if (args.type == GNN_I16)
		relu_packed_row(x, bytes / 4, 0x80008000, 16);
	else
		relu_words(x, bytes / 4);
}

static void add_row(void *sum, const void *x, uint32_t bytes)
{
	switch (args.type) {
	case GNN_I8:
		add_packed_row(sum, x, bytes / 4, 0x80808080);
		break;
	case GNN_I16:
		add_packed_row(sum, x, bytes / 4, 0x80008000);
		break;
	case GNN_I32:
		add_words(sum, x, bytes / 4);
		break;
	default:
		add_floats(sum, x, bytes / 4);
	}
}

static uint32_t table_at(struct scratch *s, uint32_t number)
{
	if (number - s->first_number >= TABLE) {
		s->first_number = number & ~1u;
		mram_read(mram(args.table + s->first_number * 4), s->table,
			  sizeof(s->table));
	}
	return s->table[number - s->first_number];
}

static uint32_t entry_at(struct scratch *s, uint32_t entry)
{
	if (entry - s->first_entry >= ENTRIES) {
		s->first_entry = entry & ~3u;
		mram_read(mram(args.entries + s->first_entry * 2), s->entries,
			  sizeof(s->entries));
	}
	return s->entries[entry - s->first_entry];
}

static void read_features(struct scratch *s, const struct part *part,
			  uint32_t source)
{
	if (s->source == source)
		return;
	s->source = source;
	mram_read(mram(args.features + source * args.row_bytes + part->at), s->row,
		  part->bytes);
	if (args.relu)
		relu_row(s->row, part->bytes);
}

/* A block's entries; its other side begins with this row of the features. */
static void add_block(struct scratch *s, const struct part *part, uint32_t begin,
		      uint32_t end, uint32_t features)
{
	uint32_t to = args.transposed ? 8 : 0, from = 8 - to;

	for (uint32_t i = begin; i < end; i++) {
		uint32_t entry = entry_at(s, i);
		uint32_t row = (entry >> to & 0xff) - part->low;

		if (row >= part->count)
			continue;
		read_features(s, part, features + (entry >> from & 0xff));
		add_row((uint8_t *)s->sums + row * part->bytes, s->row, part->bytes);
	}
}

static void add_up(struct scratch *s, const struct part *part)
{
	uint32_t step = args.transposed ? args.blocks : 1;
	uint32_t number = args.transposed ? part->block : part->block * args.blocks;

	memset(s->sums, 0, part->count * part->bytes);
	s->source = NONE;
	for (uint32_t i = 0; i < args.blocks; i++, number += step) {
		uint32_t begin = table_at(s, number);

		add_block(s, part, begin, table_at(s, number + 1),
			  i << args.block_bits);
	}
}

/* `bytes` of each of `count` rows, from one distance to another */
static void copy_pieces(uint8_t *to, uint32_t to_step, const uint8_t *from,
			uint32_t from_step, uint32_t bytes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++, to += to_step, from += from_step) {
		if (bytes == 1) {
			*to = *from;
		} else if (bytes == 2) {
			*(pe_u16 *)to = *(const pe_u16 *)from;
		} else if (bytes == 4) {
			*(pe_u32 *)to = *(const pe_u32 *)from;
		} else {
			for (uint32_t j = 0; j < bytes / 8; j++)
				((pe_u64 *)to)[j] = ((const pe_u64 *)from)[j];
		}
	}
}

/*
 * A segment that holds several chunks, between WRAM, row by row, and MRAM at `base`,
 * chunk by chunk. The pieces of as many rows as fit pass through s->row.
 */
static void pass_chunks(struct scratch *s, const struct part *part, uint32_t base,
			uint32_t chunk, int reading)
{
	uint32_t fit = GNN_SEGMENT_BYTES / chunk & ~(GNN_ROW_UNIT - 1u);
	uint8_t *sums = (uint8_t *)s->sums, *row = (uint8_t *)s->row;

	if (!fit)
		fit = GNN_SEGMENT_BYTES / chunk;
	for (uint32_t at = 0; at < part->bytes; at += chunk) {
		uint32_t column = (part->at + at) * args.rows;

		for (uint32_t i = 0; i < part->count; i += fit) {
			uint32_t n = part->count - i < fit ? part->count - i : fit;
			uint8_t *wram = sums + i * part->bytes + at;
			uint32_t to = base + column + (part->first + i) * chunk;

			if (reading) {
				mram_read(mram(to), row, n * chunk);
				copy_pieces(wram, part->bytes, row, chunk, chunk, n);
			} else {
				copy_pieces(row, chunk, wram, part->bytes, chunk, n);
				mram_write(row, mram(to), n * chunk);
			}
		}
	}
}

/* A segment of one chunk or of a part of it. */
static void pass_rows(struct scratch *s, const struct part *part, uint32_t base,
		      uint32_t chunk, int reading)
{
	uint32_t in_chunk = part->at % chunk;
	uint32_t mram_at = base + (part->at - in_chunk) * args.rows +
			   part->first * chunk + in_chunk;
	uint32_t rows = chunk == part->bytes ? part->count : 1;
	uint8_t *sums = (uint8_t *)s->sums;

	for (uint32_t i = 0; i < part->count; i += rows) {
		uint32_t bytes = rows * part->bytes;

		if (reading)
			mram_read(mram(mram_at + i * chunk), sums + i * part->bytes,
				  bytes);
		else
			mram_write(sums + i * part->bytes, mram(mram_at + i * chunk),
				   bytes);
	}
}

static void pass(struct scratch *s, const struct part *part, uint32_t base,
		 uint32_t chunk, int reading)
{
	if (chunk < part->bytes)
		pass_chunks(s, part, base, chunk, reading);
	else
		pass_rows(s, part, base, chunk, reading);
}

static void sum_part(struct scratch *s, const struct part *part)
{
	add_up(s, part);
	pass(s, part, args.sums, args.chunk, 0);
}

/* What AllGather has left in chunks becomes rows. */
static void row_part(struct scratch *s, const struct part *part)
{
	pass(s, part, args.gathered, args.gathered_chunk, 1);
	pass(s, part, args.features, args.row_bytes, 0);
}

/* Parts are dealt out: rows were placed so that all parts have about as many entries. */
static void for_each_part(struct scratch *s,
			  void (*fn)(struct scratch *s, const struct part *part))
{
	uint32_t span = 1u << args.span_bits, mask = (1u << args.block_bits) - 1;

	for (uint32_t row = me() * span; row < args.rows;
	     row += NR_TASKLETS * span) {
		struct part part = {
			.block = row >> args.block_bits,
			.low = row & mask,
			.first = row,
			.count = args.rows - row < span ? args.rows - row : span,
		};

		for (; part.at < args.row_bytes; part.at += part.bytes) {
			uint32_t left = args.row_bytes - part.at;
			uint32_t in_cut = part.at % args.cut;

			part.bytes = left < args.segment ? left : args.segment;
			/* a chunk that is wider than segments ends with a short one */
			if (args.cut > args.segment &&
			    args.cut - in_cut < part.bytes)
				part.bytes = args.cut - in_cut;
			fn(s, &part);
		}
	}
}

int main(void)
{
	struct scratch *s = &scratches[me()];

	s->first_entry = NONE;
	s->first_number = NONE;
	if (args.gathered_chunk) {
		for_each_part(s, row_part);
		barrier_wait(&in_rows);
	}
	for_each_part(s, sum_part);
	return 0;
}
