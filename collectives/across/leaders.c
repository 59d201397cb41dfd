// SPDX-License-Identifier: MIT
/*
 * Leaders (Chen et al., "Design and Implementation of Kernel-based MPI Reduction Operations
 * for Intel GPUs"): a machine's hosts fold among themselves, one or all of them exchange
 * what came out with their like on the other machines, and the machine shares it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/base/util.h"
#include "collectives/across/rails.h"
#include "collectives/hosts/agree.h"

static bool on_rail(const struct pc_rails *r)
{
	return r->w->local[r->w->all->host] < r->rails;
}

/* Whether what the machine's hosts have lies in a row of what all have. */
static bool in_row(const struct pc_world *w)
{
	const uint32_t locals = w->locals[w->me];

	return pc_world_host(w, w->me, locals - 1) == w->first[w->me] + locals - 1;
}

/* What this host exchanges or gathers, where no buffer of the caller's can be it. */
static uint64_t own_bytes(const struct pc_rails *r)
{
	const struct pc_world *w = r->w;
	const uint32_t local = w->local[w->all->host];

	switch (r->call->kind) {
	case PC_HOSTS_BROADCAST:
		return 0;
	case PC_HOSTS_ALLGATHER:
		return in_row(w) ? 0 : w->locals[w->me] * r->call->bytes;
	default:
		return on_rail(r) ? r->cuts[local + 1] - r->cuts[local] : 0;
	}
}

static int rails_reserve(const struct pc_rails *r)
{
	const uint64_t bytes = own_bytes(r);
	struct pc_world *w = r->w;
	/* what a call that broke off has under way may still come into that memory */
	int ret = pc_hosts_repeat(w->machine);

	if (ret || w->vector_bytes >= bytes)
		return ret;
	free(w->vector);
	w->vector = aligned_alloc(64, pd_round_up(bytes, 64));
	w->vector_bytes = w->vector ? bytes : 0;
	if (w->vector)
		return 0;
	return pd_error(ENOMEM, "no memory for %llu bytes of %s", (unsigned long long)bytes,
			pc_hosts_kind_name(r->call->kind));
}

static void machine_has_folded(void *ctx, uint64_t begin, uint64_t end)
{
	struct pc_rails *r = ctx;

	pc_rails_folded(r, r->base + begin, r->base + end);
}

/*
 * The machine's own fold of each rail's part, at the host that is on it, which sends what of it
 * is folded while later bytes are still being folded.
 */
static void fold_on_machine(struct pc_rails *r)
{
	struct pc_buffers_call *c = r->call;
	struct pimdimm_hosts *m = r->w->machine;
	const uint32_t local = r->w->local[r->w->all->host];
	uint64_t counts[PC_HOSTS_MOST] = { 0 };
	int ret;

	for (uint32_t x = 0; x < r->rails; x++)
		counts[x] = (r->cuts[x + 1] - r->cuts[x]) / c->element;
	r->base = on_rail(r) ? r->cuts[local] : 0;
	r->vector = r->w->vector;
	r->whole = false;
	r->folds_from = UINT64_MAX;
	m->folds_first = pc_rails_first(r);
	m->folded = on_rail(r) ? machine_has_folded : NULL;
	m->folded_ctx = r;
	ret = pimdimm_hosts_reduce_scatter(m, c->src, r->vector, counts, c->type, c->op);
	m->folded = NULL;
	m->folds_first = 0;
	r->whole = true;
	if (!c->err)
		c->err = ret;
	pc_world_add_stats(r->w);
}

/* Every rail's pieces of the machines in question, to the hosts that receive them. */
static void share_on_machine(struct pc_rails *r)
{
	const bool gathers = r->call->kind == PC_HOSTS_ALLGATHER;
	const bool scatters = r->call->kind == PC_HOSTS_REDUCE_SCATTER;
	uint64_t begin = pd_now_ns();
	struct pc_piece piece;
	struct pc_spread s;

	pc_spread_begin(&s, r);
	for (uint32_t x = 0; x < r->rails; x++) {
		for (uint32_t m = 0; m < r->w->machines; m++) {
			/* the machine's own is there, or the only one that it gets */
			if ((gathers && m == r->w->me) || (scatters && m != r->w->me))
				continue;
			pc_rails_piece(r, x, m, &piece);
			pc_spread_piece(&s, r, x, &piece);
		}
	}
	pc_spread_end(&s, r);
	r->call->h->stats.ns_spread += pd_now_ns() - begin;
}

static void rails_reduce(struct pc_rails *r)
{
	struct pc_buffers_call *c = r->call;
	const uint32_t home = r->w->of[c->root];

	fold_on_machine(r);
	if (on_rail(r)) {
		pc_rails_fold(r);
		if (c->kind == PC_HOSTS_ALLREDUCE)
			pc_rails_gather(r);
		else if (c->kind == PC_HOSTS_REDUCE)
			pc_rails_gather_at(r, home);
	}
	if (!c->err && (c->kind != PC_HOSTS_REDUCE || r->w->me == home))
		share_on_machine(r);
}

/* The caller's buffers are where all of it goes. */
static void rails_broadcast(struct pc_rails *r)
{
	struct pc_buffers_call *c = r->call;
	struct pimdimm_hosts *m = r->w->machine;
	const uint32_t home = r->w->of[c->root];

	r->vector = c->dst;
	if (r->w->me == home) {
		c->err = pimdimm_hosts_broadcast(m, c->dst, c->bytes, r->w->local[c->root]);
		pc_world_add_stats(r->w);
	}
	if (on_rail(r))
		pc_rails_broadcast(r, home);
	if (!c->err && r->w->me != home)
		share_on_machine(r);
}

/* What the machine's hosts have, in their places. */
static void gather_on_machine(struct pc_rails *r)
{
	struct pc_buffers_call *c = r->call;
	const struct pc_world *w = r->w;
	const bool there = in_row(w);
	uint8_t *to = there ? c->dst + w->first[w->me] * c->bytes : w->vector;

	c->err = pimdimm_hosts_allgather(w->machine, c->src, to, c->bytes);
	pc_world_add_stats(r->w);
	for (uint32_t h = 0; !there && !c->err && h < c->h->hosts; h++) {
		if (w->of[h] == w->me && c->dst + h * c->bytes != c->src)
			memcpy(c->dst + h * c->bytes, to + w->local[h] * c->bytes, c->bytes);
	}
}

static void rails_allgather(struct pc_rails *r)
{
	struct pc_buffers_call *c = r->call;

	gather_on_machine(r);
	r->vector = c->dst;
	c->out_begin = 0;
	c->out_end = c->bytes * c->h->hosts;
	if (on_rail(r) && !c->err)
		pc_rails_gather(r);
	if (!c->err)
		share_on_machine(r);
}

/* One rail, or as many as the machine with the fewest hosts has hosts. */
static void rails_lay(struct pc_rails *r, struct pc_buffers_call *call, bool all)
{
	const uint64_t elements = call->bytes / call->element;

	*r = (struct pc_rails){ .call = call, .w = pc_world_of(call->h), .rails = 1,
				.whole = true };
	if (all) {
		r->rails = r->w->locals[0];
		for (uint32_t m = 1; m < r->w->machines; m++) {
			if (r->w->locals[m] < r->rails)
				r->rails = r->w->locals[m];
		}
	}
	for (uint32_t x = 0; x < r->rails; x++)
		r->cuts[x + 1] = r->cuts[x] + (elements / r->rails + (x < elements % r->rails)) *
					      call->element;
}

static void rails_run(struct pc_buffers_call *call, bool all)
{
	struct pc_rails r;

	rails_lay(&r, call, all);
	if (call->kind == PC_HOSTS_BROADCAST)
		rails_broadcast(&r);
	else if (call->kind == PC_HOSTS_ALLGATHER)
		rails_allgather(&r);
	else
		rails_reduce(&r);
}

static int leader_reserve(struct pc_buffers_call *call)
{
	struct pc_rails r;

	rails_lay(&r, call, false);
	return rails_reserve(&r);
}

static int leaders_reserve(struct pc_buffers_call *call)
{
	struct pc_rails r;

	rails_lay(&r, call, true);
	return rails_reserve(&r);
}

static void leader_run(struct pc_buffers_call *call)
{
	rails_run(call, false);
}

static void leaders_run(struct pc_buffers_call *call)
{
	rails_run(call, true);
}

#define ALL_KINDS (1 << PC_HOSTS_ALLREDUCE | 1 << PC_HOSTS_REDUCE_SCATTER | 1 << PC_HOSTS_REDUCE | \
		   1 << PC_HOSTS_BROADCAST | 1 << PC_HOSTS_ALLGATHER)

const struct pc_buffers_algorithm pc_buffers_leader = {
	.name = "leader",
	.desc = "between machines: one host of each exchanges all",
	.kinds = ALL_KINDS,
	.needs = PC_NEEDS_MACHINES | PC_AUTO_IF_EXACT,
	.reserve = leader_reserve,
	.run = leader_run,
};

const struct pc_buffers_algorithm pc_buffers_leaders = {
	.name = "leaders",
	.desc = "between machines: each host exchanges its part",
	.kinds = ALL_KINDS,
	.needs = PC_NEEDS_MACHINES | PC_AUTO_IF_EXACT,
	.reserve = leaders_reserve,
	.run = leaders_run,
};
