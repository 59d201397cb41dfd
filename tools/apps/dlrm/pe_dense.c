// SPDX-License-Identifier: MIT
/*
 * The linear layers of a PE's samples: bottom layers from the dense numbers, the dot
 * products of all pairs among their output and the tables' vectors, top layers. A block
 * of samples goes through all of it in WRAM, from one pool to the other and back; each
 * row of weights that comes from MRAM serves the whole block.
 */
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <stdint.h>

#include "tools/apps/dlrm/args.h"

#define PIECE_WORDS 128	/* of weights or vectors, of a tasklet */

BARRIER_INIT(together, NR_TASKLETS)

__host struct dlrm_dense_args args;

static __dma_aligned uint32_t pools[2][DLRM_POOL_BYTES / 4];
static __dma_aligned uint32_t pieces[NR_TASKLETS][PIECE_WORDS];

static __mram_ptr void *at(uint32_t offset)
{
	return (__mram_ptr void *)(uintptr_t)offset;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* bytes of so many words, as DMA moves them */
static uint32_t whole_words(uint32_t words)
{
	return (words * 4 + 7) & ~7u;
}

/* samples that are in WRAM, and the pool that has their activations */
struct block {
	uint32_t first, samples;
	uint32_t pool;
	uint32_t width;		/* words of a sample there */
};

/* Dense numbers of the block, without the word that fills them up. */
static void load_dense(const struct block *block)
{
	uint32_t *piece = pieces[me()], *to;

	for (uint32_t i = me(); i < block->samples; i += NR_TASKLETS) {
		mram_read(at(args.dense +
			     (block->first + i) * (DLRM_DENSE + 1) * 4),
			  piece, (DLRM_DENSE + 1) * 4);
		to = pools[block->pool] + i * DLRM_DENSE;
		for (uint32_t k = 0; k < DLRM_DENSE; k++)
			to[k] = piece[k];
	}
}

/* Where a group of samples' vectors of the tables are: behind the activations. */
static uint32_t *vectors_of(const struct block *block, uint32_t sample)
{
	return pools[block->pool] + block->samples * block->width +
	       sample * args.tables * args.dim;
}

/* A piece of what a part has of a sample, word `word` of it on, to the vectors. */
static void place_piece(uint32_t *vectors, uint32_t part, uint32_t word,
			uint32_t count)
{
	uint32_t column = part % args.x * args.width, slot = word / args.width;
	const uint8_t *table = args.table_of + part / args.x * args.slots;
	const uint32_t *piece = pieces[me()];

	for (uint32_t done = 0; done < count; slot++) {
		uint32_t *to;

		/* the word that makes their number even */
		if (slot == args.slots)
			return;
		to = vectors + table[slot] * args.dim + column;
		for (uint32_t k = 0; k < args.width; k++, done++)
			if (table[slot] < DLRM_MAX_TABLES)
				to[k] = piece[done];
	}
}

/* Brings the tables' vectors of samples from the parts that have their columns. */
static void load_vectors(const struct block *block, uint32_t first, uint32_t samples)
{
	for (uint32_t i = me(); i < samples * args.parts; i += NR_TASKLETS) {
		uint32_t sample = i / args.parts, part = i % args.parts;
		uint32_t from = args.vectors + args.words * 4 *
				(part * args.samples + block->first + first +
				 sample);

		for (uint32_t word = 0; word < args.words; word += PIECE_WORDS) {
			uint32_t n = least(PIECE_WORDS, args.words - word);

			mram_read(at(from + word * 4), pieces[me()], n * 4);
			place_piece(vectors_of(block, sample), part, word, n);
		}
	}
}

#define DLRM_ELEMENT	float
#define DLRM_NEGATIVE(x) ((x) < 0)
#define DLRM_NAME(name)	name##_f32
#include "tools/apps/dlrm/pe_dense_tmpl.h"

#define DLRM_ELEMENT	uint32_t
#define DLRM_NEGATIVE(x) ((int32_t)(x) < 0)
#define DLRM_NAME(name)	name##_i32
#include "tools/apps/dlrm/pe_dense_tmpl.h"

int main(void)
{
	struct block block = { 0 };

	for (; block.first < args.samples; block.first += args.block) {
		block.samples = least(args.block, args.samples - block.first);
		block.width = DLRM_DENSE;
		barrier_wait(&together);
		load_dense(&block);
		barrier_wait(&together);
		if (args.type == DLRM_F32)
			all_layers_f32(&block);
		else
			all_layers_i32(&block);
	}
	return 0;
}
