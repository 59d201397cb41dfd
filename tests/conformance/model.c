// SPDX-License-Identifier: MIT
/* The eight collectives as their definitions say. */
#include <string.h>

#include "tests/conformance/model.h"
#include "tests/conformance/numeric.h"
#include "tests/conformance/order.h"
#include "tests/conformance/support.h"
#include "tests/conformance/userop.h"

/* One group at work: what its members held before, and where they stand. */
struct group {
	struct shadow *s;
	const struct call *call;
	uint32_t n, lanes;
	const uint32_t *pe;		/* of each rank */
	const uint8_t **before;		/* each rank's source range */
	uint8_t *buf;
};

static uint8_t *result(const struct group *g, uint32_t rank)
{
	return shadow_at(g->s, g->pe[rank], g->call->dst);
}

/* The reduction of @bytes at @at of every member's source range. */
static void reduce_at(const struct group *g, uint64_t at, uint64_t bytes,
		      void *out)
{
	const uint8_t **in = need(calloc(g->n, sizeof(*in)));

	for (uint32_t r = 0; r < g->n; r++)
		in[r] = g->before[r] + at;
	userop_fold(g->call->type, g->call->op, in, g->n, bytes, out);
	free(in);
}

static void alltoall(const struct group *g)
{
	uint64_t chunk = g->call->bytes / g->n;

	for (uint32_t r = 0; r < g->n; r++)
		for (uint32_t c = 0; c < g->n; c++)
			memcpy(result(g, c) + r * chunk,
			       g->before[r] + c * chunk, chunk);
}

static void reduce_scatter(const struct group *g)
{
	uint64_t chunk = g->call->bytes / g->n;

	for (uint32_t r = 0; r < g->n; r++)
		reduce_at(g, r * chunk, chunk, result(g, r));
}

static void allreduce(const struct group *g)
{
	uint8_t *out = need(malloc(g->call->bytes + 1));

	if (g->n > 1 && order_matters(g->call))
		order_reduce(g->call, g->before, g->n, g->lanes, out);
	else
		reduce_at(g, 0, g->call->bytes, out);
	for (uint32_t r = 0; r < g->n; r++)
		memcpy(result(g, r), out, g->call->bytes);
	free(out);
}

static void allgather(const struct group *g)
{
	uint64_t chunk = g->call->bytes / g->n;

	for (uint32_t r = 0; r < g->n; r++)
		for (uint32_t c = 0; c < g->n; c++)
			memcpy(result(g, r) + c * chunk, g->before[c], chunk);
}

static void scatter(const struct group *g)
{
	uint64_t bytes = g->call->bytes;

	for (uint32_t r = 0; r < g->n; r++)
		memcpy(result(g, r), g->buf + r * bytes, bytes);
}

static void gather(const struct group *g)
{
	uint64_t bytes = g->call->bytes;

	for (uint32_t r = 0; r < g->n; r++)
		memcpy(g->buf + r * bytes, g->before[r], bytes);
}

static void reduce(const struct group *g)
{
	uint8_t *out = need(malloc(g->call->bytes + 1));

	/* the buffer may be misaligned, which user operations are not used to */
	reduce_at(g, 0, g->call->bytes, out);
	memcpy(g->buf, out, g->call->bytes);
	free(out);
}

static void broadcast(const struct group *g)
{
	for (uint32_t r = 0; r < g->n; r++)
		memcpy(result(g, r), g->buf, g->call->bytes);
}

static void (*const models[NR_COLLECTIVES])(const struct group *) = {
	[ALLTOALL] = alltoall, [REDUCE_SCATTER] = reduce_scatter,
	[ALLREDUCE] = allreduce, [ALLGATHER] = allgather,
	[SCATTER] = scatter, [GATHER] = gather,
	[REDUCE] = reduce, [BROADCAST] = broadcast,
};

static void run_group(struct shadow *s, const struct call *call,
		      const struct grouping *all, uint32_t index, uint8_t *buf)
{
	uint64_t bytes = call_reads(call, all->members);
	struct group g = {
		.s = s, .call = call, .n = all->members,
		.lanes = grouping_lanes(all),
		.pe = all->pe + index * all->members, .buf = buf,
	};
	uint8_t *copies = need(malloc(g.n * bytes + 1));

	g.before = need(calloc(g.n, sizeof(*g.before)));
	for (uint32_t r = 0; r < g.n; r++) {
		memcpy(copies + r * bytes, shadow_at(s, g.pe[r], call->src),
		       bytes);
		g.before[r] = copies + r * bytes;
	}
	models[call->collective](&g);
	free(g.before);
	free(copies);
}

void model_run(struct shadow *s, const struct shape *shape,
	       const struct call *call, uint8_t *const bufs[])
{
	struct grouping g;
	uint64_t writes;

	grouping_make(shape, call->axes, &g);
	for (uint32_t i = 0; i < g.groups; i++)
		run_group(s, call, &g, i, bufs[i]);
	writes = call_writes(call, g.members);
	shadow_refresh(s, shape->pes, call->dst, call->dst + writes);
	grouping_free(&g);
}
