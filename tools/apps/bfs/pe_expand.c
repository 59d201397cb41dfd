// SPDX-License-Identifier: MIT
/*
 * A level of breadth-first search on a PE. Every PE has the whole bitmaps of what is
 * visited, of the frontier and of what is found next, a slice of the edges, whoever
 * they leave from, and the levels of a range of the vertices. A launch
 *
 *  - takes what all PEs found, `next`, for the frontier, marks it as visited, gives its
 *    level to those of its range, and clears `next`; then
 *  - follows the edges of its slice that leave from the frontier, and marks in `next`
 *    where they lead to that is not visited.
 *
 * AllReduce(BOR) joins `next` and the status word behind it.
 */
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <stdbool.h>
#include <stdint.h>
#include <vmutex.h>

#include "tools/apps/bfs/args.h"

/* words of a bitmap that a tasklet has in WRAM at a time */
#define BLOCK_WORDS 64
/* sources and targets, the same */
#define BLOCK_SOURCES 32
#define BLOCK_TARGETS 128
/* locks of words of `next` */
#define NR_LOCKS 256

#define MIN(a, b) ((a) < (b) ? (a) : (b))

__host struct bfs_args args;
/* anything marked by this launch; every tasklet writes the same */
static volatile uint32_t found;

/* Each tasklet has its own of these: what of MRAM is in WRAM. */
static __dma_aligned uint64_t word_blocks[BFS_TASKLETS][BLOCK_WORDS];
static __dma_aligned uint64_t more_words[BFS_TASKLETS][BLOCK_WORDS];
static __dma_aligned uint32_t target_blocks[BFS_TASKLETS][BLOCK_TARGETS];
static __dma_aligned struct bfs_source source_blocks[BFS_TASKLETS][BLOCK_SOURCES + 1];

VMUTEX_INIT(word_locks, NR_LOCKS, 8)
BARRIER_INIT(meeting, BFS_TASKLETS)

static __mram_ptr void *at(uint32_t offset)
{
	return (__mram_ptr void *)(uintptr_t)offset;
}

/* Gives a word of the range its vertices' levels; as the search begins, all of them. */
static void set_levels(uint32_t word, uint64_t bits)
{
	__dma_aligned uint32_t pair[2];
	uint32_t first = args.levels +
			 (word - args.first_word) * BFS_WORD_VERTICES * 4;

	for (uint32_t i = 0; i < BFS_WORD_VERTICES; i += 2) {
		uint32_t two = (uint32_t)(bits >> i) & 3;

		if (!two && args.level)
			continue;
		if (two != 3 && args.level)
			mram_read(at(first + i * 4), pair, 8);
		else
			pair[0] = pair[1] = BFS_UNREACHED;
		if (two & 1)
			pair[0] = args.level;
		if (two & 2)
			pair[1] = args.level;
		mram_write(pair, at(first + i * 4), 8);
	}
}

/* What was found is the frontier and visited, and nothing is found yet. */
static void advance_block(uint32_t word, uint32_t words)
{
	uint64_t *next = word_blocks[me()], *visited = more_words[me()];

	mram_read(at(args.next + word * 8), next, words * 8);
	if (args.level)
		mram_read(at(args.visited + word * 8), visited, words * 8);
	for (uint32_t i = 0; i < words; i++) {
		visited[i] = args.level ? visited[i] | next[i] : next[i];
		if (word + i >= args.first_word && word + i < args.end_word &&
		    (next[i] || !args.level))
			set_levels(word + i, next[i]);
	}
	mram_write(next, at(args.frontier + word * 8), words * 8);
	mram_write(visited, at(args.visited + word * 8), words * 8);
	for (uint32_t i = 0; i < words; i++)
		next[i] = 0;
	mram_write(next, at(args.next + word * 8), words * 8);
}

static void advance(void)
{
	for (uint32_t word = me() * BLOCK_WORDS; word < args.nr_words;
	     word += BFS_TASKLETS * BLOCK_WORDS)
		advance_block(word, MIN(BLOCK_WORDS, args.nr_words - word));
}

/* A part of an array in MRAM that a tasklet has in WRAM. */
struct window {
	uint32_t first, end;
};

/* The frontier's word of a vertex: sources ascend, so that words do. */
static bool in_frontier(uint32_t vertex, struct window *window)
{
	uint64_t *words = word_blocks[me()];
	uint32_t word = vertex / BFS_WORD_VERTICES;

	if (word < window->first || word >= window->end) {
		window->first = word;
		window->end = MIN(word + BLOCK_WORDS, args.nr_words);
		mram_read(at(args.frontier + word * 8), words,
			  (window->end - word) * 8);
	}
	return words[word - window->first] >> vertex % BFS_WORD_VERTICES & 1;
}

static void mark(uint32_t vertex)
{
	__dma_aligned uint64_t word;
	uint32_t number = vertex / BFS_WORD_VERTICES;
	uint64_t bit = UINT64_C(1) << vertex % BFS_WORD_VERTICES;

	mram_read(at(args.visited + number * 8), &word, 8);
	if (word & bit)
		return;
	/* most of what is found was found before */
	mram_read(at(args.next + number * 8), &word, 8);
	if (word & bit)
		return;
	vmutex_lock(&word_locks, number % NR_LOCKS);
	mram_read(at(args.next + number * 8), &word, 8);
	word |= bit;
	mram_write(&word, at(args.next + number * 8), 8);
	vmutex_unlock(&word_locks, number % NR_LOCKS);
	found = 1;
}

static void follow(uint32_t first, uint32_t end)
{
	uint32_t *targets = target_blocks[me()];

	/* a transfer begins at an even one */
	for (uint32_t block = first & ~1u; block < end; block += BLOCK_TARGETS) {
		uint32_t words = (MIN(BLOCK_TARGETS, end - block) + 1) / 2;

		mram_read(at(args.targets + block * 4), targets, words * 8);
		for (uint32_t i = block < first; i < BLOCK_TARGETS &&
						 block + i < end; i++)
			mark(targets[i]);
	}
}

/* The last source whose edges begin at or before this one. */
static uint32_t source_of(uint32_t edge)
{
	__dma_aligned struct bfs_source source;
	uint32_t low = 0, high = args.nr_sources;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		mram_read(at(args.sources + middle * 8), &source, 8);
		if (source.first <= edge)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Edges are dealt out to tasklets evenly, as to PEs: a source may be several's. */
static void expand(uint32_t first, uint32_t end)
{
	struct bfs_source *sources = source_blocks[me()];
	struct window window = { 0, 0 };
	uint32_t block;

	if (first == end)
		return;
	block = source_of(first);
	while (first < end) {
		uint32_t n = MIN(BLOCK_SOURCES, args.nr_sources - block);

		/* with the one behind them, where the last one's edges end */
		mram_read(at(args.sources + block * 8), sources, (n + 1) * 8);
		for (uint32_t i = 0; i < n && first < end; i++) {
			uint32_t last = MIN(sources[i + 1].first, end);

			if (in_frontier(sources[i].vertex, &window))
				follow(first, last);
			first = last;
		}
		block += n;
	}
}

int main(void)
{
	__dma_aligned uint64_t status;
	uint32_t part = (args.nr_edges + BFS_TASKLETS - 1) / BFS_TASKLETS;

	if (me() == 0)
		found = 0;
	advance();
	barrier_wait(&meeting);
	expand(MIN(part * me(), args.nr_edges),
	       MIN(part * (me() + 1), args.nr_edges));
	barrier_wait(&meeting);
	if (me() == 0) {
		status = found;
		mram_write(&status, at(args.status), 8);
	}
	return 0;
}
