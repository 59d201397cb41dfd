// SPDX-License-Identifier: MIT
/*
 * Looks samples' rows up in the PE's part of the embedding tables: of each table that
 * it has some columns of some rows. What a sample asks of other rows stays 0, for the
 * reduction that follows. Tasklets take the chunks of indices, one of each PE, in turns.
 */
#include <defs.h>
#include <mram.h>
#include <stdint.h>

#include "tools/apps/dlrm/args.h"

#define INDEX_WORDS	128
#define OUTPUT_WORDS	256

__host struct dlrm_lookup_args args;

/* Indices come and sums go as streams, through buffers of each tasklet. */
struct stream {
	uint32_t mram;		/* where the buffer's words belong */
	uint32_t left;		/* words from there to the end of the stream */
	uint32_t at;		/* in the buffer */
	uint32_t *words;
};

static __dma_aligned uint32_t index_words[NR_TASKLETS][INDEX_WORDS];
static __dma_aligned uint32_t output_words[NR_TASKLETS][OUTPUT_WORDS];
static __dma_aligned uint32_t row_words[NR_TASKLETS][DLRM_MAX_DIM + 2];

static __mram_ptr void *at(uint32_t offset)
{
	return (__mram_ptr void *)(uintptr_t)offset;
}

/* bytes of so many words, as DMA moves them */
static uint32_t whole_words(uint32_t words)
{
	return (words * 4 + 7) & ~7u;
}

static uint32_t next_index(struct stream *indices)
{
	if (indices->at == INDEX_WORDS) {
		uint32_t n = indices->left < INDEX_WORDS ? indices->left :
							   INDEX_WORDS;

		mram_read(at(indices->mram), indices->words, whole_words(n));
		indices->mram += INDEX_WORDS * 4;
		indices->left -= n;
		indices->at = 0;
	}
	return indices->words[indices->at++];
}

static void flush(struct stream *sums)
{
	if (sums->at)
		mram_write(sums->words, at(sums->mram), whole_words(sums->at));
	sums->mram += sums->at * 4;
	sums->at = 0;
}

/* Room for `count` words, which divide those of the buffer, set to 0. */
static uint32_t *next_sums(struct stream *sums, uint32_t count)
{
	uint32_t *words;

	if (sums->at == OUTPUT_WORDS)
		flush(sums);
	words = sums->words + sums->at;
	for (uint32_t i = 0; i < count; i++)
		words[i] = 0;
	sums->at += count;
	return words;
}

static void add_floats(uint32_t *sums, const uint32_t *row)
{
	float *to = (float *)sums;
	const float *from = (const float *)row;

	for (uint32_t i = 0; i < args.width; i++)
		to[i] += from[i];
}

static void add_integers(uint32_t *sums, const uint32_t *row)
{
	for (uint32_t i = 0; i < args.width; i++)
		sums[i] += row[i];
}

/* Adds this PE's columns of a row, if it has the row. */
static void add_row(uint32_t *sums, uint32_t table, uint32_t index)
{
	uint32_t mask = (1u << args.row_shift) - 1, from, *row = row_words[me()];
	uint32_t width = args.width;

	if (index == DLRM_NO_ROW || (index & mask) != args.row_rank)
		return;
	from = args.table[table] + (index >> args.row_shift) * width * 4;
	/* a row of one word may be the second half of what DMA moves */
	mram_read(at(from & ~7u), row, whole_words(width));
	if (from & 4)
		row++;
	if (args.type == DLRM_F32)
		add_floats(sums, row);
	else
		add_integers(sums, row);
}

static void look_up_sample(struct stream *indices, struct stream *sums)
{
	for (uint32_t slot = 0; slot < args.slots; slot++) {
		uint32_t *vector = next_sums(sums, args.width);

		for (uint32_t i = 0; i < args.pooling; i++) {
			uint32_t index = next_index(indices);

			if (slot < args.tables)
				add_row(vector, slot, index);
		}
	}
	if (args.slots * args.width < args.words)
		next_sums(sums, 1);
}

int main(void)
{
	uint32_t chunk_words = args.samples * args.slots * args.pooling;

	for (uint32_t source = me(); source < args.sources;
	     source += NR_TASKLETS) {
		struct stream indices = {
			.mram = args.indices + source * args.chunk_bytes,
			.left = chunk_words,
			.at = INDEX_WORDS,
			.words = index_words[me()],
		};
		struct stream sums = {
			.mram = args.partial +
				source * args.samples * args.words * 4,
			.words = output_words[me()],
		};

		for (uint32_t i = 0; i < args.samples; i++)
			look_up_sample(&indices, &sums);
		flush(&sums);
	}
	return 0;
}
