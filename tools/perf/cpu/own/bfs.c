// SPDX-License-Identifier: MIT
/* The search: its two kinds of steps, and which of them a level takes. */
#include <stdlib.h>
#include <string.h>

#include "tools/perf/cpu/own/bfs.h"

/*
 * Beamer's alpha and beta, as his benchmark has them: bottom-up once the frontier's
 * edges exceed this part of those that are left, top-down again when it has become
 * smaller and has less than that part of the vertices.
 */
#define ALPHA 15
#define BETA 18
/* vertices of the queue, and words of bitmaps, that a thread takes at once */
#define PIECE_VERTICES 64
#define PIECE_WORDS 64
/* a thread gives what it found to the queue in portions of so many */
#define LOCAL 1024
/* a frontier with fewer edges is done before other threads would be awake */
#define ALONE 2048
#define WORD 64

struct own_bfs {
	const struct cpu_graph *graph;
	struct team *team;
	uint32_t *levels;
	uint32_t level;			/* of what is found in this step */
	uint64_t words;
	uint64_t *front, *found;	/* bitmaps */
	uint32_t *queue, *queued;	/* the frontier, and the next one */
	uint64_t count, next_count;
	uint64_t next_edges;		/* that leave from what this step found */
	uint64_t next;			/* piece to be taken */
};

struct finds {
	struct own_bfs *bfs;
	uint64_t edges;
	uint32_t count;
	uint32_t vertices[LOCAL];
};

static uint64_t own_bfs_degree(const struct own_bfs *bfs, uint64_t v)
{
	return bfs->graph->first[v + 1] - bfs->graph->first[v];
}

static void finds_give(struct finds *finds)
{
	struct own_bfs *bfs = finds->bfs;
	uint64_t at = __atomic_fetch_add(&bfs->next_count, finds->count,
					 __ATOMIC_RELAXED);

	memcpy(bfs->queued + at, finds->vertices, finds->count * sizeof(uint32_t));
	__atomic_fetch_add(&bfs->next_edges, finds->edges, __ATOMIC_RELAXED);
	finds->count = 0;
	finds->edges = 0;
}

/* The first thread that reaches a vertex has it. */
static void finds_visit(struct finds *finds, uint32_t v)
{
	uint32_t *level = &finds->bfs->levels[v], unreached = CPU_UNREACHED;

	if (__atomic_load_n(level, __ATOMIC_RELAXED) != CPU_UNREACHED ||
	    !__atomic_compare_exchange_n(level, &unreached, finds->bfs->level, false,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	finds->vertices[finds->count++] = v;
	finds->edges += own_bfs_degree(finds->bfs, v);
	if (finds->count == LOCAL)
		finds_give(finds);
}

static void own_bfs_down(unsigned int thread, void *arg)
{
	struct own_bfs *bfs = arg;
	const struct cpu_graph *graph = bfs->graph;
	struct finds finds;
	struct team_range range;

	(void)thread;
	finds.bfs = bfs;
	finds.count = 0;
	finds.edges = 0;
	while (team_take(&bfs->next, PIECE_VERTICES, bfs->count, &range)) {
		for (uint64_t i = range.first; i < range.end; i++) {
			uint64_t v = bfs->queue[i];

			for (uint64_t e = graph->first[v]; e < graph->first[v + 1]; e++)
				finds_visit(&finds, graph->targets[e]);
		}
	}
	finds_give(&finds);
}

static bool own_bfs_has_parent(const struct own_bfs *bfs, uint64_t v)
{
	const struct cpu_graph *graph = bfs->graph;

	for (uint64_t e = graph->in_first[v]; e < graph->in_first[v + 1]; e++) {
		uint32_t parent = graph->in_targets[e];

		if (bfs->front[parent / WORD] >> parent % WORD & 1)
			return true;
	}
	return false;
}

/* One word of the next frontier, which no other thread touches, nor its levels. */
static uint64_t own_bfs_up_word(struct own_bfs *bfs, uint64_t word, uint64_t *edges)
{
	uint64_t first = word * WORD, end = first + WORD, found = 0;

	if (end > bfs->graph->vertices)
		end = bfs->graph->vertices;
	for (uint64_t v = first; v < end; v++) {
		if (bfs->levels[v] != CPU_UNREACHED || !own_bfs_has_parent(bfs, v))
			continue;
		bfs->levels[v] = bfs->level;
		found |= UINT64_C(1) << (v - first);
		*edges += own_bfs_degree(bfs, v);
	}
	return found;
}

static void own_bfs_up(unsigned int thread, void *arg)
{
	struct own_bfs *bfs = arg;
	struct team_range range;
	uint64_t count = 0, edges = 0;

	(void)thread;
	while (team_take(&bfs->next, PIECE_WORDS, bfs->words, &range)) {
		for (uint64_t w = range.first; w < range.end; w++) {
			bfs->found[w] = own_bfs_up_word(bfs, w, &edges);
			count += (uint64_t)__builtin_popcountll(bfs->found[w]);
		}
	}
	__atomic_fetch_add(&bfs->next_count, count, __ATOMIC_RELAXED);
	__atomic_fetch_add(&bfs->next_edges, edges, __ATOMIC_RELAXED);
}

/* The queue into the bitmap, where threads may meet in a word. */
static void own_bfs_to_bits(unsigned int thread, void *arg)
{
	struct own_bfs *bfs = arg;
	struct team_range range;

	(void)thread;
	while (team_take(&bfs->next, LOCAL, bfs->count, &range)) {
		for (uint64_t i = range.first; i < range.end; i++) {
			uint32_t v = bfs->queue[i];

			__atomic_fetch_or(&bfs->front[v / WORD],
					  UINT64_C(1) << v % WORD, __ATOMIC_RELAXED);
		}
	}
}

static void own_bfs_to_queue(unsigned int thread, void *arg)
{
	struct own_bfs *bfs = arg;
	struct finds finds;
	struct team_range range;

	(void)thread;
	finds.bfs = bfs;
	finds.count = 0;
	finds.edges = 0;
	while (team_take(&bfs->next, PIECE_WORDS, bfs->words, &range)) {
		for (uint64_t w = range.first; w < range.end; w++) {
			uint64_t word = bfs->front[w];

			for (; word; word &= word - 1) {
				finds.vertices[finds.count++] = (uint32_t)(w * WORD) +
					(uint32_t)__builtin_ctzll(word);
				if (finds.count == LOCAL)
					finds_give(&finds);
			}
		}
	}
	finds_give(&finds);
}

/* A step by all threads, or by the caller alone. */
static void own_bfs_step(struct own_bfs *bfs, team_fn fn, bool alone)
{
	bfs->next = 0;
	bfs->next_count = 0;
	bfs->next_edges = 0;
	if (alone)
		fn(0, bfs);
	else
		team_run(bfs->team, fn, bfs);
}

static void own_bfs_swap(void *a, void *b)
{
	void *x, *y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	memcpy(a, &y, sizeof(y));
	memcpy(b, &x, sizeof(x));
}

/* Levels as long as bottom-up pays; returns the edges that leave from the last one. */
static uint64_t own_bfs_upwards(struct own_bfs *bfs, uint64_t *left)
{
	uint64_t before;

	memset(bfs->front, 0, bfs->words * sizeof(*bfs->front));
	own_bfs_step(bfs, own_bfs_to_bits, false);
	do {
		before = bfs->count;
		own_bfs_step(bfs, own_bfs_up, false);
		own_bfs_swap(&bfs->front, &bfs->found);
		bfs->count = bfs->next_count;
		*left -= bfs->next_edges;
		bfs->level++;
	} while (bfs->count && (bfs->count >= before ||
				bfs->count > bfs->graph->vertices / BETA));
	before = bfs->next_edges;
	own_bfs_step(bfs, own_bfs_to_queue, false);
	own_bfs_swap(&bfs->queue, &bfs->queued);
	return before;
}

void own_bfs_run(struct own_bfs *bfs, uint32_t *levels)
{
	uint32_t source = bfs->graph->source;
	uint64_t edges = own_bfs_degree(bfs, source), left = bfs->graph->edges - edges;

	bfs->levels = levels;
	memset(levels, 0xff, bfs->graph->vertices * sizeof(*levels));
	levels[source] = 0;
	bfs->queue[0] = source;
	bfs->count = 1;
	bfs->level = 1;
	while (bfs->count) {
		if (edges > ALONE && edges > left / ALPHA) {
			edges = own_bfs_upwards(bfs, &left);
			continue;
		}
		own_bfs_step(bfs, own_bfs_down, edges < ALONE);
		own_bfs_swap(&bfs->queue, &bfs->queued);
		bfs->count = bfs->next_count;
		edges = bfs->next_edges;
		left -= edges;
		bfs->level++;
	}
}

struct own_bfs *own_bfs_make(const struct cpu_graph *graph, struct team *team)
{
	struct own_bfs *bfs = calloc(1, sizeof(*bfs));
	uint64_t n = graph->vertices;

	if (!bfs)
		return NULL;
	bfs->graph = graph;
	bfs->team = team;
	bfs->words = (n + WORD - 1) / WORD;
	bfs->front = malloc(bfs->words * sizeof(*bfs->front));
	bfs->found = malloc(bfs->words * sizeof(*bfs->found));
	bfs->queue = malloc(n * sizeof(*bfs->queue));
	bfs->queued = malloc(n * sizeof(*bfs->queued));
	if (bfs->front && bfs->found && bfs->queue && bfs->queued)
		return bfs;
	own_bfs_free(bfs);
	return NULL;
}

void own_bfs_free(struct own_bfs *bfs)
{
	if (!bfs)
		return;
	free(bfs->front);
	free(bfs->found);
	free(bfs->queue);
	free(bfs->queued);
	free(bfs);
}
