// SPDX-License-Identifier: MIT
/* Rings of the machines' hosts with one local number, and what their machine gets of it. */
#include <string.h>

#include "collectives/across/network.h"
#include "collectives/across/rails.h"
#include "collectives/hosts/agree.h"

static uint64_t even_cut(uint64_t bytes, unsigned int element, uint32_t parts, uint32_t x)
{
	uint64_t n = bytes / element;

	return (n / parts * x + (x < n % parts ? x : n % parts)) * element;
}

/* As much of [begin, end) as there is. */
static void piece_add(struct pc_piece *p, uint64_t begin, uint64_t end)
{
	if (begin >= end)
		return;
	p->range[p->ranges++] = (struct pc_range){ begin, end };
	p->bytes += end - begin;
}

/* The machine's hosts' parts of a vector, as far as [begin, end) has them. */
static void piece_of_hosts(const struct pc_rails *r, uint32_t machine, uint64_t begin,
			   uint64_t end, struct pc_piece *p)
{
	const struct pc_buffers_call *c = r->call;

	for (uint32_t h = 0; h < c->h->hosts; h++) {
		uint64_t from = c->begins[h] > begin ? c->begins[h] : begin;
		uint64_t to = c->begins[h + 1] < end ? c->begins[h + 1] : end;

		if (r->w->of[h] == machine)
			piece_add(p, from, to);
	}
}

/* A rail's share of what a machine's hosts gather, each so many bytes. */
static void piece_of_gathered(const struct pc_rails *r, uint32_t rail, uint32_t machine,
			      struct pc_piece *p)
{
	const uint64_t bytes = r->call->bytes, all = bytes * r->w->locals[machine];
	uint64_t begin = even_cut(all, 1, r->rails, rail);
	uint64_t end = even_cut(all, 1, r->rails, rail + 1);

	for (uint32_t h = 0; h < r->call->h->hosts; h++) {
		uint64_t at = r->w->local[h] * bytes;
		uint64_t from = at > begin ? at : begin;
		uint64_t to = at + bytes < end ? at + bytes : end;

		if (r->w->of[h] == machine)
			piece_add(p, h * bytes + from - at, h * bytes + to - at);
	}
}

void pc_rails_piece(const struct pc_rails *r, uint32_t rail, uint32_t machine,
		    struct pc_piece *p)
{
	const struct pc_buffers_call *c = r->call;
	uint64_t begin = r->cuts[rail], bytes = r->cuts[rail + 1] - begin;

	p->bytes = 0;
	p->ranges = 0;
	if (c->kind == PC_HOSTS_ALLGATHER)
		piece_of_gathered(r, rail, machine, p);
	else if (c->kind == PC_HOSTS_REDUCE_SCATTER)
		piece_of_hosts(r, machine, begin, begin + bytes, p);
	else
		piece_add(p, begin + even_cut(bytes, c->element, r->w->machines, machine),
			  begin + even_cut(bytes, c->element, r->w->machines, machine + 1));
}

/* Do something with `bytes` bytes of a piece from `at` on, range by range. */
static void piece_walk(struct pc_rail_way *way, const struct pc_piece *p, uint64_t at,
		       uint32_t bytes, uint8_t *segment,
		       void (*fn)(struct pc_rails *r, uint8_t *vector, uint8_t *segment, uint64_t n))
{
	for (uint32_t i = 0; bytes && i < p->ranges; i++) {
		uint64_t length = p->range[i].end - p->range[i].begin, n;

		if (at >= length) {
			at -= length;
			continue;
		}
		n = length - at < bytes ? length - at : bytes;
		fn(way->r, way->r->vector + (p->range[i].begin + at - way->r->base), segment, n);
		segment += n;
		bytes -= (uint32_t)n;
		at = 0;
	}
}

static void count_copy(struct pc_rails *r, uint64_t bytes)
{
	r->call->h->stats.loaded += bytes;
	r->call->h->stats.stored += bytes;
}

static void rail_give(struct pc_rails *r, uint8_t *vector, uint8_t *segment, uint64_t n)
{
	memcpy(segment, vector, n);
	count_copy(r, n);
	r->call->h->stats.copied_in += n;
}

static void rail_keep(struct pc_rails *r, uint8_t *vector, uint8_t *segment, uint64_t n)
{
	memcpy(vector, segment, n);
	count_copy(r, n);
	r->call->h->stats.copied_out += n;
}

static void rail_add(struct pc_rails *r, uint8_t *vector, uint8_t *segment, uint64_t n)
{
	const struct pc_fold *fold = &r->call->fold;
	_Alignas(64) uint8_t acc[PC_FOLD_ACC_BYTES];

	for (uint64_t at = 0; at < n; at += PC_FOLD_BYTES) {
		uint64_t bytes = n - at < PC_FOLD_BYTES ? n - at : PC_FOLD_BYTES;

		pc_fold_first(fold, acc, vector + at, bytes);
		pc_fold_next(fold, acc, segment + at, bytes);
		pc_fold_last(fold, vector + at, acc, bytes);
	}
	r->call->h->stats.loaded += 2 * n;
	r->call->h->stats.stored += n;
}

static void way_give(void *ctx, uint8_t *segment, uint64_t at, uint32_t bytes)
{
	struct pc_rail_way *way = ctx;

	piece_walk(way, &way->out, at, bytes, segment, rail_give);
}

static void way_keep(void *ctx, const uint8_t *segment, uint64_t at, uint32_t bytes)
{
	struct pc_rail_way *way = ctx;

	piece_walk(way, &way->in, at, bytes, (uint8_t *)(uintptr_t)segment, rail_keep);
}

static void way_add(void *ctx, const uint8_t *segment, uint64_t at, uint32_t bytes)
{
	struct pc_rail_way *way = ctx;

	piece_walk(way, &way->in, at, bytes, (uint8_t *)(uintptr_t)segment, rail_add);
}

static bool range_is_folded(const struct pc_rails *r, uint64_t begin, uint64_t end)
{
	if (r->whole || begin >= end)
		return true;
	if (begin >= r->folds_from)
		return end <= r->folded_up;
	return end <= r->folded_low;
}

/* Whether the machine has folded all of so many bytes of a piece. */
static bool piece_is_folded(const struct pc_rails *r, const struct pc_piece *p, uint64_t at,
			    uint32_t bytes)
{
	for (uint32_t i = 0; bytes && i < p->ranges; i++) {
		uint64_t begin = p->range[i].begin + at, end = p->range[i].end;

		if (begin >= end) {
			at = begin - end;
			continue;
		}
		end = end - begin < bytes ? end : begin + bytes;
		if (!range_is_folded(r, begin, end))
			return false;
		bytes -= (uint32_t)(end - begin);
		at = 0;
	}
	return true;
}

static bool way_may_give(void *ctx, uint64_t at, uint32_t bytes)
{
	const struct pc_rail_way *way = ctx;

	return piece_is_folded(way->r, &way->out, at, bytes);
}

static bool way_may_take(void *ctx, uint64_t at, uint32_t bytes)
{
	const struct pc_rail_way *way = ctx;

	return piece_is_folded(way->r, &way->in, at, bytes);
}

/* The host of this one's rail on another machine. */
static uint32_t rail_host(const struct pc_rails *r, uint32_t machine)
{
	return pc_world_host(r->w, machine % r->w->machines, r->w->local[r->w->all->host]);
}

static void rail_begin(struct pc_rails *r, struct pc_rail_way *way, uint32_t to, uint32_t from,
		       bool add, bool relay)
{
	const struct pc_net_way net = {
		.to = rail_host(r, to),
		.from = rail_host(r, from),
		.out = way->out.bytes,
		.in = way->in.bytes,
		.give = way_give,
		.take = add ? way_add : way_keep,
		.may_give = way_may_give,
		.may_take = way_may_take,
		.ctx = way,
		.unit = r->call->element,
		.relay = relay,
	};

	if (!r->call->err)
		r->call->err = pc_net_exchange_begin(&way->x, r->w, &net);
}

static void rail_exchange(struct pc_rails *r, struct pc_rail_way *way, uint32_t to, uint32_t from,
			  bool add, bool relay)
{
	rail_begin(r, way, to, from, add, relay);
	if (!r->call->err)
		r->call->err = pc_net_exchange_end(&way->x);
}

/* Begin a step of a ring: pieces of two machines, by how far they are behind this one. */
static void rail_step_begin(struct pc_rails *r, uint32_t sent, uint32_t got, bool add)
{
	const uint32_t n = r->w->machines, me = r->w->me;
	const uint32_t rail = r->w->local[r->w->all->host];

	r->way.r = r;
	pc_rails_piece(r, rail, (me + 2 * n - sent) % n, &r->way.out);
	pc_rails_piece(r, rail, (me + 2 * n - got) % n, &r->way.in);
	rail_begin(r, &r->way, me + 1, me + n - 1, add, false);
}

static void fold_step_begin(struct pc_rails *r)
{
	if (!r->in_step)
		rail_step_begin(r, r->step + 1, r->step + 2, true);
	r->in_step = true;
}

static void fold_step_over(struct pc_rails *r)
{
	r->in_step = false;
	r->step++;
}

uint64_t pc_rails_first(const struct pc_rails *r)
{
	const uint32_t n = r->w->machines;
	uint64_t first = UINT64_MAX;
	struct pc_piece p;

	for (uint32_t x = 0; x < r->rails; x++) {
		pc_rails_piece(r, x, (r->w->me + n - 1) % n, &p);
		if (p.ranges && p.range[0].begin - r->cuts[x] < first)
			first = p.range[0].begin - r->cuts[x];
	}
	return first == UINT64_MAX ? 0 : first;
}

void pc_rails_folded(struct pc_rails *r, uint64_t begin, uint64_t end)
{
	if (r->folds_from == UINT64_MAX)
		r->folds_from = begin;
	if (begin >= r->folds_from)
		r->folded_up = end;
	else
		r->folded_low = end;
	while (!r->call->err && r->step + 1 < r->w->machines) {
		int ret;

		fold_step_begin(r);
		ret = r->call->err ? 0 : pc_net_exchange_go_on(&r->way.x);
		if (ret < 0)
			r->call->err = ret;
		if (ret <= 0)
			return;
		fold_step_over(r);
	}
}

void pc_rails_fold(struct pc_rails *r)
{
	while (!r->call->err && r->step + 1 < r->w->machines) {
		fold_step_begin(r);
		if (!r->call->err)
			r->call->err = pc_net_exchange_end(&r->way.x);
		fold_step_over(r);
	}
}

void pc_rails_gather(struct pc_rails *r)
{
	for (uint32_t t = 0; !r->call->err && t + 1 < r->w->machines; t++) {
		rail_step_begin(r, t, t + 1, false);
		if (!r->call->err)
			r->call->err = pc_net_exchange_end(&r->way.x);
	}
}

void pc_rails_gather_at(struct pc_rails *r, uint32_t machine)
{
	const uint32_t rail = r->w->local[r->w->all->host], me = r->w->me;
	struct pc_rail_way way = { .r = r };

	if (me != machine) {
		pc_rails_piece(r, rail, me, &way.out);
		rail_exchange(r, &way, machine, machine, false, false);
		return;
	}
	for (uint32_t m = 0; !r->call->err && m < r->w->machines; m++) {
		if (m == me)
			continue;
		pc_rails_piece(r, rail, m, &way.in);
		rail_exchange(r, &way, m, m, false, false);
	}
}

void pc_rails_broadcast(struct pc_rails *r, uint32_t machine)
{
	const uint32_t n = r->w->machines, rail = r->w->local[r->w->all->host];
	const uint32_t place = (r->w->me + n - machine) % n;
	struct pc_rail_way way = { .r = r };
	struct pc_piece all = { 0 };

	piece_add(&all, r->cuts[rail], r->cuts[rail + 1]);
	if (place)
		way.in = all;
	if (place < n - 1)
		way.out = all;
	rail_exchange(r, &way, r->w->me + 1, r->w->me + n - 1, false, place > 0);
}

void pc_spread_begin(struct pc_spread *s, struct pc_rails *r)
{
	const struct pc_hosts_said said = { .args = { .kind = PC_HOSTS_ACROSS } };

	s->call = *r->call;
	s->call.h = r->w->machine;
	s->call.wide = 1;
	/* all of it is copying results, waits between the machine's hosts too */
	s->call.one_pass = true;
	s->turn = 0;
	pc_hosts_doing(r->w->all, PC_HOSTS_SPREADING);
	if (!s->call.err)
		s->call.err = pc_hosts_arrive(r->w->machine, &said, 0, NULL, 0);
}

/* Two slots in turn: one is filled while the other is read. */
static void spread_segment(struct pc_spread *s, const struct pc_rails *r, uint32_t local,
			   uint64_t begin, uint64_t bytes)
{
	uint8_t *slot = s->call.h->scratch + (s->turn & 1) * PC_HOSTS_SLICE;
	const uint32_t turn = (uint32_t)s->turn++;

	if (s->call.h->host == local) {
		const uint8_t *own = r->vector + (begin - r->base);

		if (s->call.h->hosts > 1) {
			if (turn >= 2 && !pc_buffers_wait_all(&s->call, turn - 1))
				return;
			pc_buffers_copy(&s->call, slot, own, bytes, false);
			pc_buffers_post(&s->call, turn + 1);
		}
		pc_buffers_receive(&s->call, own, begin, bytes);
		return;
	}
	if (!pc_buffers_wait(&s->call, local, turn + 1))
		return;
	pc_buffers_receive(&s->call, slot, begin, bytes);
	pc_buffers_post(&s->call, turn + 1);
}

void pc_spread_piece(struct pc_spread *s, const struct pc_rails *r, uint32_t local,
		     const struct pc_piece *p)
{
	const uint64_t slice = PC_HOSTS_SLICE;

	for (uint32_t i = 0; i < p->ranges; i++) {
		uint64_t end = p->range[i].end;

		for (uint64_t at = p->range[i].begin; !s->call.err && at < end; at += slice)
			spread_segment(s, r, local, at, end - at < slice ? end - at : slice);
	}
}

void pc_spread_end(struct pc_spread *s, struct pc_rails *r)
{
	pc_buffers_spread_over(&s->call);
	r->call->err = s->call.err;
	pc_world_add_stats(r->w);
	pc_hosts_over(r->w->machine, 0);
}
