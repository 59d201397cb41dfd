// SPDX-License-Identifier: MIT
/*
 * Reductions in the order of the hosts, whatever machines they are on: accumulators go from
 * host to host, within a machine through its shared memory, else as messages. Results go
 * from the last host's machine to the others, one after the other, while later segments are
 * still being folded.
 */
#include <string.h>

#include "runtime/base/util.h"
#include "collectives/across/network.h"
#include "collectives/across/rails.h"
#include "collectives/hosts/agree.h"

/* channels: what is folded goes out and comes in, then results */
enum { FOLD_OUT, FOLD_IN, RESULT_OUT, RESULT_IN };

/* results are so many segments behind the folds, at most */
#define CHAIN_LAG	8

struct chain {
	struct pc_buffers_call *call;	/* of all hosts */
	struct pc_buffers_call local;	/* the same, in this machine's steps */
	struct pc_world *w;
	uint32_t host, hosts, last, lag, places;
	uint64_t slice;
	uint32_t slices;
	uint32_t folds_expected, results_expected;	/* segments */
	uint32_t before, after;		/* machines in the order of results: hosts; or none */
};

/* Steps only grow: each turn folds a segment, and then receives the one `lag` before. */
static uint32_t step_folded(uint32_t k)
{
	return 2 * k + 1;
}

static uint32_t step_received(const struct chain *c, uint32_t k)
{
	return 2 * (k + c->lag) + 2;
}

static uint8_t *chain_place(const struct chain *c, uint32_t k)
{
	return c->w->machine->scratch + k % c->places * c->slice * c->call->wide;
}

static uint32_t chain_bytes(const struct chain *c, uint32_t k)
{
	uint64_t left = c->call->bytes - k * c->slice;

	return (uint32_t)(left < c->slice ? left : c->slice);
}

/* What a host receives of a segment: bytes, from *begin on. */
static uint32_t host_share(const struct chain *c, uint32_t host, uint32_t k, uint64_t *begin)
{
	const struct pc_buffers_call *call = c->call;
	uint64_t from = k * c->slice, to = from + chain_bytes(c, k);

	*begin = from;
	if (call->kind == PC_HOSTS_REDUCE)
		return host == call->root ? (uint32_t)(to - from) : 0;
	if (call->kind != PC_HOSTS_REDUCE_SCATTER)
		return (uint32_t)(to - from);
	if (call->begins[host] > from)
		*begin = from = call->begins[host];
	if (call->begins[host + 1] < to)
		to = call->begins[host + 1];
	return from < to ? (uint32_t)(to - from) : 0;
}

static bool is_elsewhere(const struct chain *c, uint32_t host)
{
	return c->w->of[host] != c->w->me;
}

static void fail(struct chain *c, int ret)
{
	if (ret && !c->local.err)
		c->local.err = ret;
}

static void send_bytes(struct chain *c, uint32_t channel, uint32_t to, const uint8_t *from,
		       uint32_t bytes)
{
	uint8_t *room = c->local.err ? NULL : pc_net_room(c->w, channel, to);
	struct pc_net_turn turn;

	if (!room) {
		fail(c, pc_hosts_repeat(c->w->machine));
		return;
	}
	memcpy(room, from, bytes);
	c->call->h->stats.loaded += bytes;
	c->call->h->stats.stored += bytes;
	c->call->h->stats.copied_in += bytes;
	turn = pc_net_begin(c->w);
	fail(c, pc_net_send(c->w, channel, to, bytes));
	pc_net_end(c->w, &turn);
}

static const uint8_t *take_bytes(struct chain *c, uint32_t channel, uint32_t from)
{
	const uint8_t *got = c->local.err ? NULL : pc_net_take(c->w, channel, from);

	if (!got)
		fail(c, pc_hosts_repeat(c->w->machine));
	return got;
}

static void keep_bytes(struct chain *c, uint32_t k, const uint8_t *got)
{
	uint32_t bytes = chain_bytes(c, k) * c->call->wide;

	memcpy(chain_place(c, k), got, bytes);
	c->call->h->stats.loaded += bytes;
	c->call->h->stats.stored += bytes;
	c->call->h->stats.copied_out += bytes;
}

static bool folds_come(const struct chain *c)
{
	return c->host && is_elsewhere(c, c->host - 1);
}

/* Whom this host gets results from, by messages; else none. */
static bool results_come(const struct chain *c)
{
	if (!is_elsewhere(c, c->last))
		return false;
	return c->call->kind != PC_HOSTS_ALLREDUCE || c->w->local[c->host] == 0;
}

static uint32_t results_from(const struct chain *c)
{
	return c->call->kind == PC_HOSTS_ALLREDUCE ? c->before : c->last;
}

/* Receives that are begun ahead of their turn. */
static void expect_ahead(struct chain *c)
{
	uint64_t begin;

	while (!c->local.err && folds_come(c) && c->folds_expected < c->slices &&
	       pc_net_expected(c->w, FOLD_IN) < c->w->depth - 1)
		fail(c, pc_net_expect(c->w, FOLD_IN, c->host - 1,
				      chain_bytes(c, c->folds_expected++) * c->call->wide));
	while (!c->local.err && results_come(c) && c->results_expected < c->slices &&
	       pc_net_expected(c->w, RESULT_IN) < c->w->depth - 1) {
		uint32_t bytes = host_share(c, c->host, c->results_expected++, &begin);

		if (bytes)
			fail(c, pc_net_expect(c->w, RESULT_IN, results_from(c),
					      bytes * c->call->wide));
	}
}

/* This host's turn with segment k. */
static void chain_fold(struct chain *c, uint32_t k)
{
	const uint8_t *own = c->call->src + k * c->slice;
	uint8_t *place = chain_place(c, k);
	uint32_t bytes = chain_bytes(c, k);
	const uint8_t *got;

	/* the machine's first host is the first of it to use the place again */
	if (!c->w->local[c->host] && k >= c->places &&
	    !pc_buffers_wait_all(&c->local, step_received(c, k - c->places)))
		return;
	if (!c->host) {
		pc_buffers_first(&c->local, place, own, bytes);
	} else if (folds_come(c)) {
		got = take_bytes(c, FOLD_IN, c->host - 1);
		if (!got)
			return;
		keep_bytes(c, k, got);
		pc_buffers_next(&c->local, place, own, bytes);
	} else {
		if (!pc_buffers_wait(&c->local, c->w->local[c->host - 1], step_folded(k)))
			return;
		pc_buffers_next(&c->local, place, own, bytes);
	}
	if (c->host < c->last && is_elsewhere(c, c->host + 1))
		send_bytes(c, FOLD_OUT, c->host + 1, place, bytes * c->call->wide);
	pc_buffers_post(&c->local, step_folded(k));
}

/* From the last host to those elsewhere, or the first of their machine. */
static void send_results(struct chain *c, uint32_t k)
{
	uint8_t *place = chain_place(c, k);

	if (c->call->kind == PC_HOSTS_ALLREDUCE) {
		if (c->after < c->hosts)
			send_bytes(c, RESULT_OUT, c->after, place,
				   chain_bytes(c, k) * c->call->wide);
		return;
	}
	for (uint32_t h = 0; h < c->hosts; h++) {
		uint64_t begin;
		uint32_t bytes = host_share(c, h, k, &begin);

		if (bytes && is_elsewhere(c, h))
			send_bytes(c, RESULT_OUT, h,
				   place + (begin - k * c->slice) * c->call->wide,
				   bytes * c->call->wide);
	}
}

/* This host's part of a result, which lies in the machine's memory. */
static void receive_from_place(struct chain *c, uint32_t k)
{
	pc_buffers_receive(&c->local, chain_place(c, k), k * c->slice, chain_bytes(c, k));
}

static void receive_on_last_machine(struct chain *c, uint32_t k)
{
	if (c->host == c->last)
		send_results(c, k);
	else if (!pc_buffers_wait(&c->local, c->w->local[c->last], step_folded(k)))
		return;
	receive_from_place(c, k);
}

static void receive_elsewhere(struct chain *c, uint32_t k)
{
	const uint8_t *got;
	uint64_t begin;
	uint32_t bytes = host_share(c, c->host, k, &begin);

	if (results_come(c)) {
		got = bytes ? take_bytes(c, RESULT_IN, results_from(c)) : NULL;
		if (!got)
			return;
		if (c->call->kind != PC_HOSTS_ALLREDUCE) {
			pc_buffers_receive(&c->local, got, begin, bytes);
			return;
		}
		keep_bytes(c, k, got);
		if (c->after < c->hosts)
			send_bytes(c, RESULT_OUT, c->after, got, bytes * c->call->wide);
		pc_buffers_post(&c->local, step_received(c, k));
	} else if (!pc_buffers_wait(&c->local, 0, step_received(c, k))) {
		return;
	}
	receive_from_place(c, k);
}

static void chain_receive(struct chain *c, uint32_t k)
{
	if (is_elsewhere(c, c->last))
		receive_elsewhere(c, k);
	else
		receive_on_last_machine(c, k);
	pc_buffers_post(&c->local, step_received(c, k));
}

/* Results go from the last host's machine to the others in their order. */
static void find_neighbours(struct chain *c)
{
	const struct pc_world *w = c->w;
	const uint32_t home = w->of[c->last];
	uint32_t before = c->last;

	c->before = c->after = c->hosts;
	if (w->me == home && c->host == c->last)
		c->after = w->first[home ? 0 : 1];
	for (uint32_t m = 0; m < w->machines; m++) {
		uint32_t next = m + 1 == home ? m + 2 : m + 1;

		if (m == home)
			continue;
		if (m == w->me && c->host == w->first[m]) {
			c->before = before;
			c->after = next < w->machines ? w->first[next] : c->hosts;
		}
		before = w->first[m];
	}
}

static void cut_slices(struct chain *c)
{
	const uint64_t most = PC_NET_LONGEST / c->call->wide;
	/* enough of them for all hosts to have one at a time */
	uint64_t slice = pd_round_up(c->call->bytes / (4 * (uint64_t)c->hosts) + 1, 64);

	slice = slice < 4096 ? 4096 : slice;
	c->slice = slice < most ? slice : most;
	c->slices = (uint32_t)((c->call->bytes + c->slice - 1) / c->slice);
	c->lag = c->hosts < CHAIN_LAG ? c->hosts : CHAIN_LAG;
	c->places = 2 * c->lag + 2;
}

static void chain_run(struct pc_buffers_call *call)
{
	const struct pc_hosts_said said = { .args = { .kind = PC_HOSTS_ACROSS } };
	struct pc_world *w = pc_world_of(call->h);
	struct chain c = { .call = call, .local = *call, .w = w, .host = call->h->host,
			   .hosts = call->h->hosts, .last = call->h->hosts - 1 };

	c.local.h = w->machine;
	cut_slices(&c);
	pc_net_cut(w, PC_NET_LONGEST);
	find_neighbours(&c);
	fail(&c, pc_hosts_arrive(w->machine, &said, 0, NULL, 0));
	for (uint32_t k = 0; !c.local.err && k < c.slices + c.lag; k++) {
		expect_ahead(&c);
		if (k < c.slices)
			chain_fold(&c, k);
		expect_ahead(&c);
		if (k >= c.lag)
			chain_receive(&c, k - c.lag);
	}
	for (uint32_t channel = FOLD_OUT; !c.local.err && channel <= RESULT_OUT; channel += 2)
		fail(&c, pc_net_flush(w, channel, c.last));
	pc_buffers_spread_over(&c.local);
	call->err = c.local.err;
	pc_world_add_stats(w);
	pc_hosts_over(w->machine, 0);
}

const struct pc_buffers_algorithm pc_buffers_chain = {
	.name = "chain",
	.desc = "between machines, in the order of the hosts: accumulators go from each to the next",
	.kinds = 1 << PC_HOSTS_ALLREDUCE | 1 << PC_HOSTS_REDUCE_SCATTER | 1 << PC_HOSTS_REDUCE,
	.needs = PC_NEEDS_MACHINES,
	.run = chain_run,
};
