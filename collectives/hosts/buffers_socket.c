// SPDX-License-Identifier: MIT
/*
 * Movement-avoiding reductions that are aware of sockets (YHCCL, section III): the hosts of
 * each socket fold among themselves, then each host adds up the sockets' results of its part.
 */
#include "collectives/hosts/buffers.h"

struct socket_ma {
	struct pc_buffers_call *call;
	uint64_t slice;		/* of a part */
	uint32_t p, r, m, q;	/* m sockets of q hosts */
	uint32_t local, first;	/* this host in its socket, whose first host is that */
};

static uint64_t socket_part(const struct socket_ma *s, uint32_t round, uint32_t x, uint64_t *begin)
{
	uint64_t end = s->call->begins[x + 1];

	*begin = s->call->begins[x] + round * s->slice;
	if (*begin >= end)
		return 0;
	return end - *begin < s->slice ? end - *begin : s->slice;
}

/* A socket's result of part x; two sets take turns. */
static uint8_t *socket_slice(const struct socket_ma *s, uint32_t round, uint32_t socket, uint32_t x)
{
	uint64_t number = ((uint64_t)(round & 1) * s->m + socket) * s->p + x;

	return s->call->h->scratch + number * s->slice * s->call->wide;
}

/* Step j among the hosts of a socket, of m parts, to which this one adds its own. */
static void socket_step(const struct socket_ma *s, uint32_t round, uint32_t j)
{
	uint32_t y = (j + s->local + 1) % s->q;

	for (uint32_t x = y * s->m; x < (y + 1) * s->m; x++) {
		uint8_t *shared = socket_slice(s, round, s->first / s->q, x);
		uint64_t begin, bytes = socket_part(s, round, x, &begin);

		if (!bytes)
			continue;
		if (!j)
			pc_buffers_first(s->call, shared, s->call->src + begin, bytes);
		else
			pc_buffers_next(s->call, shared, s->call->src + begin, bytes);
	}
}

/* The sockets' results of this host's part, into that of socket 0 or where it belongs. */
static void socket_combine(const struct socket_ma *s, uint32_t round)
{
	struct pc_buffers_call *call = s->call;
	uint8_t *to = socket_slice(s, round, 0, s->r);
	uint64_t begin, bytes = socket_part(s, round, s->r, &begin);

	if (!bytes)
		return;
	for (uint32_t i = 1; i < s->m; i++) {
		uint8_t *from = socket_slice(s, round, i, s->r);

		if (i == s->m - 1 && call->kind == PC_HOSTS_REDUCE_SCATTER)
			pc_buffers_into(call, call->dst + (begin - call->out_begin), to, from,
					bytes);
		else
			pc_buffers_merge(call, to, from, bytes);
	}
}

static void socket_receive(const struct socket_ma *s, uint32_t round)
{
	for (uint32_t x = 0; x < s->p; x++) {
		uint64_t begin, bytes = socket_part(s, round, x, &begin);

		pc_buffers_receive(s->call, socket_slice(s, round, 0, x), begin, bytes);
	}
}

static bool socket_round(const struct socket_ma *s, uint32_t round)
{
	const uint32_t steps = round * (s->q + 1);
	struct pc_buffers_call *call = s->call;

	for (uint32_t j = 0; j < s->q; j++) {
		if (j && !pc_buffers_wait(call, s->first + (s->local + 1) % s->q, steps + j))
			return false;
		socket_step(s, round, j);
		pc_buffers_post(call, steps + j + 1);
	}
	if (!pc_buffers_wait_all(call, steps + s->q))
		return false;
	socket_combine(s, round);
	pc_buffers_post(call, steps + s->q + 1);
	if (call->kind == PC_HOSTS_REDUCE_SCATTER || call->out_begin == call->out_end)
		return true;
	if (!pc_buffers_wait_all(call, steps + s->q + 1))
		return false;
	socket_receive(s, round);
	return true;
}

static void socket_run(struct pc_buffers_call *call)
{
	struct socket_ma s = { .call = call, .p = call->h->hosts, .r = call->h->host,
			       .m = call->h->sockets };
	uint64_t most = 0;

	/* one socket, or hosts that cannot be dealt out evenly */
	if (s.m < 2 || s.p % s.m) {
		pc_buffers_ma.run(call);
		return;
	}
	s.q = s.p / s.m;
	s.local = s.r % s.q;
	s.first = s.r - s.local;
	s.slice = pc_buffers_slice(call, PC_HOSTS_SLICE / s.m / 64 * 64);
	for (uint32_t x = 0; x < s.p; x++) {
		uint64_t bytes = call->begins[x + 1] - call->begins[x];

		most = bytes > most ? bytes : most;
	}
	for (uint32_t round = 0; round * s.slice < most; round++) {
		if (!socket_round(&s, round))
			return;
	}
}

const struct pc_buffers_algorithm pc_buffers_ma_socket = {
	.name = "ma+socket",
	.desc = "movement-avoiding among the hosts of a socket, then each part over the sockets",
	.kinds = 1 << PC_HOSTS_ALLREDUCE | 1 << PC_HOSTS_REDUCE_SCATTER | 1 << PC_HOSTS_REDUCE,
	.needs = PC_NEEDS_EXACT,
	.run = socket_run,
};
