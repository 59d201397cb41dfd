// SPDX-License-Identifier: MIT
/*
 * A round of connected components on a PE. Every PE holds the whole vector of labels
 * and a slice of the edges; labels form a forest in which a vertex points to a smaller
 * one of its component, a root to itself. In a round each PE
 *
 *  - shortens the paths from its slice of the vertices, and
 *  - hooks, for each edge of its slice, the larger of the two roots that its ends
 *    lead to under the smaller one,
 *
 * and AllReduce(MIN) joins the vectors. Labels only ever fall and never leave
 * their component, so MIN may take any PE's word over another's: what it drops
 * is found again, because edges stay. When a round changes nothing, every vertex
 * points to a root and both ends of every edge to the same one.
 */
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <stdint.h>

#include "tools/apps/cc/args.h"

/*
 * A walk to the root gives up after so many steps. Roots then come closer by the
 * paths' shortening, so that a round costs no more than edges times steps, also
 * where a long chain of hooks has formed.
 */
#define WALK_STEPS 16

/* What a tasklet looks at between two barriers: one DMA transfer of edges. */
#define BATCH 256

#define MIN(a, b) ((a) < (b) ? (a) : (b))

__host struct cc_args args;

/* What a tasklet writes has its number. */
static __dma_aligned uint64_t word[CC_TASKLETS];	/* of MRAM, passing through */
static uint32_t changed[CC_TASKLETS];
static uint32_t count[CC_TASKLETS];
/* labels that should fall: the vertex in the upper half */
static __dma_aligned uint64_t proposals[CC_TASKLETS][BATCH];

BARRIER_INIT(meeting, CC_TASKLETS)

static __mram_ptr void *label_at(uint32_t vertex)
{
	return (__mram_ptr void *)(uintptr_t)(args.labels + vertex / 2 * 8);
}

static uint32_t read_label(uint32_t vertex)
{
	mram_read(label_at(vertex), &word[me()], 8);
	return (uint32_t)(word[me()] >> vertex % 2 * 32);
}

static uint32_t walk(uint32_t vertex)
{
	for (unsigned int step = 0; step < WALK_STEPS; step++) {
		uint32_t up = read_label(vertex);

		if (up == vertex)
			break;
		vertex = up;
	}
	return vertex;
}

static void propose(uint32_t vertex, uint32_t label)
{
	proposals[me()][count[me()]++] = (uint64_t)vertex << 32 | label;
}

/* MRAM is written by words of two labels: a word has one tasklet to write it. */
static void accept(uint64_t proposal)
{
	uint32_t vertex = (uint32_t)(proposal >> 32), label = (uint32_t)proposal;
	unsigned int shift = vertex % 2 * 32;

	if (vertex / 2 % CC_TASKLETS != me() || read_label(vertex) <= label)
		return;
	word[me()] &= ~((uint64_t)UINT32_MAX << shift);
	word[me()] |= (uint64_t)label << shift;
	mram_write(&word[me()], label_at(vertex), 8);
	changed[me()] = 1;
}

/*
 * Labels are only read between one pair of barriers and only written between the
 * next, so that no tasklet meets a half-written label or loses one, and the result of
 * a round does not depend on the order in which tasklets run.
 */
static void settle(void)
{
	barrier_wait(&meeting);
	for (unsigned int i = 0; i < CC_TASKLETS; i++) {
		for (uint32_t j = 0; j < count[i]; j++)
			accept(proposals[i][j]);
	}
	barrier_wait(&meeting);
	count[me()] = 0;
}

struct range {
	uint32_t first, end;
};

/* the tasklet's part of first to end, and how long all parts are at most */
static struct range part_of(uint32_t first, uint32_t end, uint32_t *longest)
{
	uint32_t length = end - first;
	uint32_t part = length / CC_TASKLETS + (length % CC_TASKLETS != 0);

	*longest = part;
	return (struct range){ first + MIN(length, part * me()),
			       first + MIN(length, part * (me() + 1)) };
}

static void shorten_batch(uint32_t first, uint32_t end)
{
	for (uint32_t v = first; v < end; v++) {
		uint32_t up = read_label(v), root;

		if (up == v)
			continue;
		root = walk(up);
		if (root != up)
			propose(v, root);
	}
}

static void shorten_paths(void)
{
	uint32_t longest;
	struct range mine = part_of(args.first, args.end, &longest);

	for (uint32_t done = 0; done < longest; done += BATCH) {
		uint32_t first = MIN(mine.first + done, mine.end);

		shorten_batch(first, MIN(first + BATCH, mine.end));
		settle();
	}
}

/* The edges arrive where their proposals will stand: each makes at most one. */
static void hook_batch(uint32_t first, uint32_t end)
{
	uint64_t *edges = proposals[me()];
	uint32_t last = 0, last_root = 0;

	if (first == end)
		return;
	mram_read((__mram_ptr void *)(uintptr_t)(args.edges + first * 8), edges,
		  (end - first) * 8);
	for (uint32_t i = 0; i < end - first; i++) {
		uint32_t low = (uint32_t)(edges[i] >> 32);
		uint32_t root = walk((uint32_t)edges[i]);

		/* edges are sorted: those of one vertex follow each other */
		if (!i || low != last)
			last_root = walk(low);
		last = low;
		if (root > last_root)
			propose(root, last_root);
		else if (root < last_root)
			propose(last_root, root);
	}
}

static void hook_roots(void)
{
	uint32_t longest;
	struct range mine = part_of(0, args.nr_edges, &longest);

	for (uint32_t done = 0; done < longest; done += BATCH) {
		uint32_t first = MIN(mine.first + done, mine.end);

		hook_batch(first, MIN(first + BATCH, mine.end));
		settle();
	}
}

/* The status word is reduced with the labels: 0 when any PE changed any. */
static void tell_status(void)
{
	word[0] = UINT64_MAX;
	for (unsigned int i = 0; i < CC_TASKLETS; i++) {
		if (changed[i])
			word[0] = 0;
	}
	mram_write(&word[0], (__mram_ptr void *)(uintptr_t)args.status, 8);
}

int main(void)
{
	changed[me()] = 0;
	count[me()] = 0;
	barrier_wait(&meeting);
	shorten_paths();
	hook_roots();
	barrier_wait(&meeting);
	if (me() == 0)
		tell_status();
	return 0;
}
