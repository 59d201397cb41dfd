// SPDX-License-Identifier: MIT
/* The reference of bfs: a direction-optimising search by threads. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/bfs/search.h"
#include "tools/apps/common/parallel.h"

/*
 * Bottom-up pays once the frontier has more than this part of the edges that are left,
 * top-down again once it has fewer than that part of the vertices: as GAP chooses.
 */
#define BOTTOM_UP_PART 15
#define TOP_DOWN_PART 18
/* vertices that a thread collects before it gives them to the queue */
#define LOCAL 512

struct search {
	const struct csr *out, *in;
	uint32_t *levels;
	uint32_t level;		/* of the frontier */
	uint32_t *queue, *next;	/* the frontier's vertices, and the next one's */
	uint64_t count, next_count;
	uint64_t next_edges;	/* that leave from the next frontier */
};

struct local {
	struct search *s;
	uint64_t edges;
	uint32_t count;
	uint32_t vertices[LOCAL];
};

static void local_flush(struct local *local)
{
	struct search *s = local->s;
	uint64_t at = __atomic_fetch_add(&s->next_count, local->count,
					 __ATOMIC_RELAXED);

	memcpy(s->next + at, local->vertices,
	       local->count * sizeof(*local->vertices));
	__atomic_fetch_add(&s->next_edges, local->edges, __ATOMIC_RELAXED);
	local->count = 0;
	local->edges = 0;
}

static void local_add(struct local *local, uint32_t vertex)
{
	local->vertices[local->count++] = vertex;
	local->edges += csr_degree(local->s->out, vertex);
	if (local->count == LOCAL)
		local_flush(local);
}

/* The first to reach a vertex has it. */
static void visit(struct local *local, uint32_t vertex)
{
	uint32_t *level = &local->s->levels[vertex], unreached = SEARCH_UNREACHED;

	if (__atomic_load_n(level, __ATOMIC_RELAXED) == SEARCH_UNREACHED &&
	    __atomic_compare_exchange_n(level, &unreached, local->s->level + 1,
					false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		local_add(local, vertex);
}

static void top_down(unsigned int part, unsigned int parts, void *arg)
{
	struct search *s = arg;
	struct local local = { .s = s };
	uint64_t end = app_part_first(s->count, part + 1, parts);

	for (uint64_t i = app_part_first(s->count, part, parts); i < end; i++) {
		uint32_t v = s->queue[i];

		for (uint64_t e = s->out->first[v]; e < s->out->first[v + UINT64_C(1)]; e++)
			visit(&local, s->out->targets[e]);
	}
	local_flush(&local);
}

static bool has_parent(const struct search *s, uint32_t v)
{
	for (uint64_t e = s->in->first[v]; e < s->in->first[v + UINT64_C(1)]; e++) {
		if (__atomic_load_n(&s->levels[s->in->targets[e]],
				    __ATOMIC_RELAXED) == s->level)
			return true;
	}
	return false;
}

static void bottom_up(unsigned int part, unsigned int parts, void *arg)
{
	struct search *s = arg;
	struct local local = { .s = s };
	uint64_t n = s->out->nr_vertices, end = app_part_first(n, part + 1, parts);

	for (uint64_t v = app_part_first(n, part, parts); v < end; v++) {
		if (s->levels[v] != SEARCH_UNREACHED ||
		    !has_parent(s, (uint32_t)v))
			continue;
		__atomic_store_n(&s->levels[v], s->level + 1, __ATOMIC_RELAXED);
		local_add(&local, (uint32_t)v);
	}
	local_flush(&local);
}

static void search_all(struct search *s, unsigned int threads)
{
	uint64_t left = s->out->nr_edges, edges = s->next_edges;
	bool up = false;

	while (s->count) {
		uint32_t *queue = s->queue;

		left -= edges;
		up = up ? s->count > s->out->nr_vertices / TOP_DOWN_PART :
			  edges > left / BOTTOM_UP_PART;
		s->next_count = 0;
		s->next_edges = 0;
		app_parallel(threads, up ? bottom_up : top_down, s);
		s->queue = s->next;
		s->next = queue;
		s->count = s->next_count;
		edges = s->next_edges;
		s->level++;
	}
}

int search_levels(const struct csr *out, const struct csr *in, uint32_t source,
		  unsigned int threads, uint32_t *levels)
{
	struct search s = { .out = out, .in = in, .levels = levels, .count = 1 };
	uint64_t n = out->nr_vertices;
	int ret = -ENOMEM;

	s.queue = malloc(n * sizeof(*s.queue));
	s.next = malloc(n * sizeof(*s.next));
	if (s.queue && s.next) {
		ret = 0;
		memset(levels, 0xff, n * sizeof(*levels));
		levels[source] = 0;
		s.queue[0] = source;
		s.next_edges = csr_degree(out, source);
		search_all(&s, threads);
	}
	free(s.queue);
	free(s.next);
	return ret;
}
