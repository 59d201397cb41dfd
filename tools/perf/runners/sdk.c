// SPDX-License-Identifier: MIT
/*
 * The opponent `sdk`: the collectives as a program on UPMEM's SDK does them. It
 * has a buffer for each PE, pulls all into them (dpu_push_xfer() from MRAM),
 * rearranges or reduces in plain loops, and pushes; its staging memory is kept
 * from call to call. Transfers use all threads, as the SDK's do, the program's
 * own loops one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/perf/fold.h"
#include "tools/perf/runners/sdk.h"

struct sdk {
	struct perf_setup *s;
	uint8_t *pulled, *made;	/* a vector each PE */
	void **bufs;		/* by PE */
};

static uint8_t *pulled(const struct sdk *k, uint32_t group, uint32_t rank)
{
	const struct perf_setup *s = k->s;

	return k->pulled + s->pe_at[group * s->members + rank] * s->c->bytes;
}

static int sdk_pull(struct sdk *k, uint64_t bytes)
{
	struct perf_setup *s = k->s;

	for (uint32_t pe = 0; pe < s->rig->nr_pes; pe++)
		k->bufs[pe] = k->pulled + pe * s->c->bytes;
	return pimdimm_pull(s->rig->sys, 0, s->rig->nr_pes, s->src, k->bufs,
			    bytes);
}

static int sdk_push(struct sdk *k, uint64_t bytes)
{
	struct perf_setup *s = k->s;

	return pimdimm_push(s->rig->sys, 0, s->rig->nr_pes, s->dst,
			    (const void *const *)k->bufs, bytes);
}

static int sdk_alltoall(struct sdk *k)
{
	struct perf_setup *s = k->s;
	uint64_t chunk = s->chunk;
	int ret = sdk_pull(k, s->c->bytes);

	for (uint32_t pe = 0; pe < s->rig->nr_pes; pe++) {
		uint32_t group = s->place[pe] / s->members;
		uint32_t rank = s->place[pe] % s->members;
		uint8_t *out = k->made + pe * s->c->bytes;

		for (uint32_t c = 0; c < s->members; c++)
			memcpy(out + c * chunk,
			       pulled(k, group, c) + rank * chunk, chunk);
		k->bufs[pe] = out;
	}
	return ret ? ret : sdk_push(k, s->c->bytes);
}

/* a group's reduction: into `result`, through `acc` */
static void reduce_group(struct sdk *k, uint32_t group, void *acc, void *result)
{
	const struct perf_case *c = k->s->c;

	perf_fold_first(c->type, acc, pulled(k, group, 0), c->bytes);
	for (uint32_t rank = 1; rank < k->s->members; rank++)
		perf_fold_next(c->type, c->op, acc, pulled(k, group, rank),
			       c->bytes);
	perf_fold_last(c->type, result, acc, c->bytes);
}

/* each group's reduction lies in `made`; a PE gets `share` of it a rank */
static int reduce_and_push(struct sdk *k, uint64_t share, uint64_t bytes)
{
	struct perf_setup *s = k->s;
	int ret = sdk_pull(k, s->c->bytes);

	for (uint32_t group = 0; group < s->groups; group++) {
		uint8_t *result = k->made + 2 * group * s->c->bytes;

		reduce_group(k, group, result, result);
		for (uint32_t rank = 0; rank < s->members; rank++)
			k->bufs[s->pe_at[group * s->members + rank]] =
				result + rank * share;
	}
	return ret ? ret : sdk_push(k, bytes);
}

static int sdk_allgather(struct sdk *k)
{
	struct perf_setup *s = k->s;
	int ret = sdk_pull(k, s->chunk);

	for (uint32_t group = 0; group < s->groups; group++) {
		uint8_t *result = k->made + group * s->c->bytes;

		for (uint32_t rank = 0; rank < s->members; rank++)
			memcpy(result + rank * s->chunk, pulled(k, group, rank),
			       s->chunk);
	}
	for (uint32_t pe = 0; pe < s->rig->nr_pes; pe++)
		k->bufs[pe] = k->made + s->place[pe] / s->members * s->c->bytes;
	return ret ? ret : sdk_push(k, s->c->bytes);
}

/* the SDK transfers from and to the caller's buffers themselves */
static void name_buffers(struct sdk *k, uint64_t share)
{
	struct perf_setup *s = k->s;

	for (uint32_t pe = 0; pe < s->rig->nr_pes; pe++)
		k->bufs[pe] = (uint8_t *)s->bufs[s->place[pe] / s->members] +
			      s->place[pe] % s->members * share;
}

static int sdk_reduce(struct sdk *k)
{
	struct perf_setup *s = k->s;
	int ret = sdk_pull(k, s->c->bytes);

	for (uint32_t group = 0; group < s->groups && !ret; group++)
		reduce_group(k, group, k->made, s->bufs[group]);
	return ret;
}

static int sdk_case(struct sdk *k)
{
	struct perf_setup *s = k->s;
	uint64_t bytes = s->c->bytes;

	switch (s->c->id) {
	case PC_ALLTOALL:
		return sdk_alltoall(k);
	case PC_REDUCE_SCATTER:
		return reduce_and_push(k, s->chunk, s->chunk);
	case PC_ALLREDUCE:
		return reduce_and_push(k, 0, bytes);
	case PC_ALLGATHER:
		return sdk_allgather(k);
	case PC_SCATTER:
		name_buffers(k, bytes);
		return sdk_push(k, bytes);
	case PC_GATHER:
		name_buffers(k, bytes);
		return pimdimm_pull(s->rig->sys, 0, s->rig->nr_pes, s->src,
				    k->bufs, bytes);
	case PC_REDUCE:
		return sdk_reduce(k);
	case PC_BROADCAST:
		name_buffers(k, 0);
		return sdk_push(k, bytes);
	default:
		return pd_error(EOPNOTSUPP, "algorithm=sdk does not serve %s",
				pc_collective_name(s->c->id));
	}
}

static int run_sdk(struct perf_setup *s, const char *name)
{
	uint64_t vectors = s->rig->nr_pes * s->c->bytes;
	uint64_t table = s->rig->nr_pes * sizeof(void *);
	struct sdk k = { .s = s };

	(void)name;
	/* groups of one member need twice a vector for what is made */
	if (pc_is_rooted(s->c->id) && !pc_traits[s->c->id].reduces)
		vectors = 0;
	if (perf_stage(s->rig, table + (s->members > 1 ? 2 : 3) * vectors))
		return -ENOMEM;
	k.bufs = (void **)s->rig->stage;
	k.pulled = s->rig->stage + table;
	k.made = k.pulled + vectors;
	return sdk_case(&k);
}

const struct perf_method perf_sdk = { .run = run_sdk };
