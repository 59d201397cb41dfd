// SPDX-License-Identifier: MIT
/*
 * The tree of RG: of three hosts each one folds what the other two have, level by level, up to
 * the root; hosts that have folded nothing copy in. Results go out from the root's place.
 */
#include "collectives/hosts/buffers.h"

/* hosts that a host folds the vectors of, at a level */
#define RG_CHILDREN	2
#define RG_SLICE	(UINT64_C(128) << 10)

struct rg {
	struct pc_buffers_call *call;
	uint32_t p, r;		/* the root is host 0 of these numbers */
	uint32_t root;
	uint64_t slice;
};

static uint32_t rg_host(const struct rg *g, uint32_t r)
{
	return (r + g->root) % g->p;
}

/* Two take turns. */
static uint8_t *rg_place(const struct rg *g, uint32_t r, uint32_t round)
{
	return g->call->h->scratch + (2 * (uint64_t)r + (round & 1)) * g->slice;
}

/* Whose child host r is, and at which level; it leads at those below. */
static uint32_t rg_parent(const struct rg *g, uint32_t *span)
{
	for (*span = 1; *span < g->p; *span *= RG_CHILDREN + 1) {
		uint32_t up = *span * (RG_CHILDREN + 1);

		if (g->r % up)
			return g->r - g->r % up;
	}
	return 0;
}

/*
 * What this host has at the end of its levels below `span`, at its place, or of a reduce at the
 * root where it belongs. raw: nobody's vectors but its own.
 */
static bool rg_fold(const struct rg *g, uint32_t round, uint32_t span, uint64_t begin, uint64_t n)
{
	struct pc_buffers_call *call = g->call;
	const bool ends = !g->r && call->kind == PC_HOSTS_REDUCE;
	uint8_t *place = rg_place(g, g->r, round);
	bool raw = true;

	for (uint32_t below = 1; below < span; below *= RG_CHILDREN + 1) {
		for (uint32_t i = 1; i <= RG_CHILDREN; i++) {
			const uint32_t child = g->r + i * below;
			const bool last = below * (RG_CHILDREN + 1) >= span &&
					  (i == RG_CHILDREN || child + below >= g->p);
			uint8_t *to = ends && last ? call->dst + begin : place;

			if (child >= g->p)
				break;
			if (!pc_buffers_wait(call, rg_host(g, child), 2 * round + 1))
				return false;
			if (raw || to != place)
				pc_buffers_into(call, to, rg_place(g, child, round),
						raw ? call->src + begin : place, n);
			else
				pc_buffers_merge(call, place, rg_place(g, child, round), n);
			raw = false;
		}
	}
	if (raw)
		pc_buffers_first(call, place, call->src + begin, n);
	return true;
}

/* Steps: this host's place is full; it has its results, and does not read the root's again. */
static bool rg_round(const struct rg *g, uint32_t round)
{
	struct pc_buffers_call *call = g->call;
	uint64_t begin = round * g->slice, n = call->bytes - begin;
	uint32_t span, parent = rg_parent(g, &span);

	n = n < g->slice ? n : g->slice;
	/* what was at the place two rounds ago has been read */
	if (round >= 2 && g->r && !pc_buffers_wait(call, rg_host(g, parent), 2 * round - 3))
		return false;
	if (round >= 2 && !g->r && !pc_buffers_wait_all(call, 2 * round - 2))
		return false;
	if (!rg_fold(g, round, span, begin, n))
		return false;
	pc_buffers_post(call, 2 * round + 1);
	if (call->kind == PC_HOSTS_ALLREDUCE) {
		if (!pc_buffers_wait(call, g->root, 2 * round + 1))
			return false;
		pc_buffers_copy(call, call->dst + begin, rg_place(g, 0, round), n, true);
	}
	pc_buffers_post(call, 2 * round + 2);
	return true;
}

static void rg_run(struct pc_buffers_call *call)
{
	struct rg g = { .call = call, .p = call->h->hosts,
			.root = call->kind == PC_HOSTS_REDUCE ? call->root : 0 };
	uint32_t rounds;

	g.r = (call->h->host + g.p - g.root) % g.p;
	g.slice = call->bytes < RG_SLICE ? (call->bytes + 63) / 64 * 64 : RG_SLICE;
	rounds = (uint32_t)((call->bytes + g.slice - 1) / g.slice);
	for (uint32_t round = 0; round < rounds; round++) {
		if (!rg_round(&g, round))
			return;
	}
}

const struct pc_buffers_algorithm pc_buffers_rg = {
	.name = "rg",
	.desc = "a tree, in which a host folds what two others have, to compare with",
	.kinds = 1 << PC_HOSTS_ALLREDUCE | 1 << PC_HOSTS_REDUCE,
	.needs = PC_NEEDS_EXACT,
	.run = rg_run,
};
