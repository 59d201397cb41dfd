// SPDX-License-Identifier: MIT
/* Sends and receives segments between machines, and what has broken there. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "collectives/across/network.h"
#include "collectives/hosts/waiting.h"

/* requests are asked after so often before the host looks at anything else */
#define ASKS		200
/* others are looked after so often */
#define LOOK_NS		(PD_NS_PER_S / 50)
/* a host to which nothing has come for so long rests between questions: for a thousandth of that
 * time, or for the most here */
#define REST_AFTER_NS	(PD_NS_PER_S / 10)
#define REST_MOST_US	500
/* what is told of a break leaves at once, or not in a call that must not wait */
#define TELL_ASKS	1000

static struct pc_net_break *break_slot(struct pc_world *w)
{
	return &w->memory->breaks_in;
}

static bool code_is_known(int err)
{
	return err == ECONNRESET || err == ETIMEDOUT || err == ECANCELED || err == EPROTO ||
	       err == EIO;
}

/* Whether there may be more to hear after it. */
static bool take_break(struct pc_world *w, const struct pc_net_break *heard)
{
	const uint32_t host = heard->host;
	char words[2 * PC_HOSTS_WORDS];

	if (heard->world != w->number)
		return true;
	if (heard->code == EBUSY && host < w->all->hosts && w->of[host] != w->me) {
		atomic_store(&w->left[host], heard->calls + 1);
		return true;
	}
	pc_hosts_words(words, heard->words, sizeof(words));
	if (code_is_known(heard->code))
		pc_hosts_break_page(w->machine, heard->code, words);
	else
		pc_hosts_break_page(w->machine, EIO,
				    "what a host on another machine tells the others makes no sense");
	return false;
}

static void hear_breaks(struct pc_world *w)
{
	while (w->break_in) {
		int ret = w->t.test(w->t.ctx, w->break_in);

		if (!ret)
			return;
		w->break_in = NULL;
		if (ret > 0 && take_break(w, break_slot(w)))
			pc_net_await_breaks(w);
	}
}

/* While another thread does so, this one need not. */
void pc_net_hear_breaks(struct pc_world *w)
{
	if (atomic_exchange(&w->hearing, true))
		return;
	hear_breaks(w);
	atomic_store(&w->hearing, false);
}

void pc_net_await_breaks(struct pc_world *w)
{
	if (pc_world_irecv(w, break_slot(w), sizeof(*break_slot(w)), PIMDIMM_ANY_HOST,
			   PC_NET_BREAKS, &w->break_in))
		w->break_in = NULL;
}

static void tell_host(struct pc_world *w, uint32_t host)
{
	const struct pc_net_break *say = &w->memory->breaks_out;

	if (pc_world_isend(w, say, sizeof(*say), host, PC_NET_BREAKS, &w->breaks_out[host]))
		w->breaks_out[host] = NULL;
}

/* What is told leaves, unless that takes long. */
static void push_told(struct pc_world *w)
{
	bool under_way = true;

	for (unsigned int asked = 0; under_way && asked < TELL_ASKS; asked++) {
		under_way = false;
		for (uint32_t i = 0; i < w->all->hosts; i++) {
			if (w->breaks_out[i] && w->t.test(w->t.ctx, w->breaks_out[i]))
				w->breaks_out[i] = NULL;
			under_way |= w->breaks_out[i] != NULL;
		}
	}
}

void pc_net_tell_break(struct pc_world *w)
{
	struct pc_net_break *say = &w->memory->breaks_out;
	char words[2 * PC_HOSTS_WORDS];
	int code = pc_hosts_broken_yet(w->machine, words);

	if (!code || atomic_exchange(&w->told, true))
		return;
	memcpy(say->words, words, sizeof(words));
	say->world = w->number;
	say->code = code;
	say->host = w->all->host;
	for (uint32_t i = 0; i < w->all->hosts; i++) {
		if (w->of[i] != w->me)
			tell_host(w, i);
	}
	push_told(w);
}

/* A machine's first host waits for the other machines, in the name of all its hosts. */
void pc_net_tell_left(struct pc_world *w)
{
	struct pc_net_break *say = &w->memory->breaks_out;

	pc_net_tell_break(w);
	if (w->t.together || atomic_exchange(&w->told, true))
		return;
	*say = (struct pc_net_break){ .world = w->number, .calls = w->all->number, .code = EBUSY,
				      .host = w->all->host };
	/* who has left hears nothing, and MPI dislikes what nobody receives */
	pc_net_hear_breaks(w);
	for (uint32_t m = 0; m < w->machines; m++) {
		if (m != w->me && !atomic_load(&w->left[w->first[m]]))
			tell_host(w, w->first[m]);
	}
	push_told(w);
}

int pc_net_gone(const struct pc_world *w)
{
	const struct pimdimm_hosts *h = w->all;
	uint64_t first = h->number + 1;
	uint32_t host = h->hosts;

	for (uint32_t i = 0; i < h->hosts; i++) {
		uint64_t left = atomic_load(&w->left[i]);

		if (left && left < first) {
			first = left;
			host = i;
		}
	}
	if (host == h->hosts)
		return 0;
	return pd_error(EBUSY, "%s: host %u (pid %d) on machine %u has left",
			pc_hosts_kind_name(h->kind), host, (int)h->pids[host], w->of[host]);
}

int pc_net_unreachable(struct pc_world *w, uint32_t host)
{
	const struct pimdimm_hosts *h = w->all;
	char name[PC_HOSTS_WORDS];

	pc_world_name(h, host, name, sizeof(name));
	return pc_hosts_break(w->machine, ECONNRESET,
			      "%s, call %llu: another host cannot be reached any more: %s",
			      pc_hosts_kind_name(h->kind), (unsigned long long)h->number, name);
}

static int net_too_late(struct pc_world *w, uint32_t host)
{
	const struct pimdimm_hosts *h = w->all;
	char name[PC_HOSTS_WORDS];

	pc_world_name(h, host, name, sizeof(name));
	return pc_hosts_break(w->machine, ETIMEDOUT,
			      "host %u waited %u ms in %s, call %llu, for another that did not come: %s",
			      h->host, h->timeout_ms, pc_hosts_kind_name(h->kind),
			      (unsigned long long)h->number, name);
}

/* Between two questions: 0 to go on, or what broke. */
static int net_look(struct pc_world *w, uint32_t host)
{
	uint64_t deadline = w->machine->deadline;
	int ret = pc_hosts_trouble(w->machine, PC_HOSTS_MOST);

	if (!ret && w->arriving)
		ret = pc_net_gone(w);
	if (ret)
		return ret;
	if (deadline != UINT64_MAX &&
	    pd_now_ns() >= deadline + w->grace_ms * (PD_NS_PER_S / 1000))
		return net_too_late(w, host);
	return 0;
}

/* how long somebody has waited, and since when for what comes next */
struct net_patience {
	unsigned int asked;
	uint64_t look, moved;
	struct pc_hosts_waiting waiting;
};

static struct net_patience net_patience(uint64_t now)
{
	return (struct net_patience){ .look = now + LOOK_NS, .moved = now, .waiting.begun = now };
}

/* MPI libraries get on only while they are asked; but a host that waits for long leaves its
 * processor to others in between. */
static void net_rest(const struct pc_world *w, const struct net_patience *p)
{
	const uint64_t waited = pd_now_ns() - p->moved, us = waited / 1000 / 1000;

	if (waited >= REST_AFTER_NS)
		usleep((useconds_t)(us < REST_MOST_US ? us : REST_MOST_US));
	else if (!w->machine->spins || w->all->hosts > w->machine->hosts)
		sched_yield();
}

/* One turn of a wait. */
static int net_turn(struct pc_world *w, uint32_t host, struct net_patience *p)
{
	if (++p->asked < ASKS)
		return 0;
	p->asked = 0;
	p->waiting.slept = true;
	net_rest(w, p);
	if (pd_now_ns() < p->look)
		return 0;
	p->look = pd_now_ns() + LOOK_NS;
	pc_hosts_tell_long(w->all, host, &p->waiting);
	return net_look(w, host);
}

static int net_ask(struct pc_world *w, void **request, uint32_t host, struct net_patience *p)
{
	int ret = w->t.test(w->t.ctx, *request);
	uint64_t look = p->look;

	if (ret)
		*request = NULL;
	if (ret < 0)
		return pc_net_unreachable(w, host);
	ret = *request ? net_turn(w, host, p) : 0;
	if (p->look != look)
		pc_hosts_waits_long(w->all, host, &p->waiting);
	return ret;
}

/* What a host says as it arrives and leaves is part of that. */
struct pc_net_turn pc_net_begin(struct pc_world *w)
{
	const uint32_t before = pc_hosts_does(w->all);

	if (!w->arriving)
		pc_hosts_doing(w->all, PC_HOSTS_NETWORK);
	return (struct pc_net_turn){ .begun = pd_now_ns(), .before = (enum pc_hosts_phase)before };
}

void pc_net_end(struct pc_world *w, const struct pc_net_turn *turn)
{
	if (w->arriving)
		return;
	w->all->stats.ns_network += pd_now_ns() - turn->begun;
	pc_hosts_doing(w->all, turn->before);
}

int pc_net_wait(struct pc_world *w, void **request, uint32_t host)
{
	const struct pc_net_turn turn = pc_net_begin(w);
	struct net_patience patience = net_patience(turn.begun);
	int ret = 0;

	while (*request && !ret)
		ret = net_ask(w, request, host, &patience);
	pc_hosts_waited(w->all, host, &patience.waiting);
	pc_net_end(w, &turn);
	return ret;
}

void pc_net_cut(struct pc_world *w, uint32_t segment)
{
	w->segment = segment;
	w->depth = PC_NET_ROOM / segment < PC_NET_MOST ? PC_NET_ROOM / segment : PC_NET_MOST;
}

static unsigned int slot_of(const struct pc_world *w, uint64_t segment)
{
	return (unsigned int)(segment % w->depth);
}

static uint8_t *slot_at(struct pc_world *w, uint32_t channel, unsigned int slot)
{
	return w->memory->rooms[channel] + (size_t)slot * w->segment;
}

/* Ends what has ended of a channel, in order. */
static int channel_ask(struct pc_world *w, struct pc_channel *c, uint32_t host)
{
	while (c->ended < c->begun) {
		void **request = &c->requests[slot_of(w, c->ended)];
		int ret = *request ? w->t.test(w->t.ctx, *request) : 1;

		if (!ret)
			return 0;
		*request = NULL;
		if (ret < 0)
			return pc_net_unreachable(w, host);
		c->ended++;
	}
	return 0;
}

uint8_t *pc_net_room(struct pc_world *w, uint32_t channel, uint32_t to)
{
	struct pc_channel *c = &w->channels[channel];

	if (c->begun - c->ended == w->depth) {
		if (pc_net_wait(w, &c->requests[slot_of(w, c->ended)], to))
			return NULL;
		c->ended++;
	}
	return slot_at(w, channel, slot_of(w, c->begun));
}

int pc_net_send(struct pc_world *w, uint32_t channel, uint32_t to, uint32_t bytes)
{
	struct pc_channel *c = &w->channels[channel];
	unsigned int slot = slot_of(w, c->begun);

	if (pc_world_isend(w, slot_at(w, channel, slot), bytes, to, channel / 2,
		       &c->requests[slot]))
		return pc_net_unreachable(w, to);
	c->begun++;
	w->all->stats.sent_bytes += bytes;
	w->all->stats.messages++;
	return 0;
}

int pc_net_expect(struct pc_world *w, uint32_t channel, uint32_t from, uint32_t bytes)
{
	struct pc_channel *c = &w->channels[channel];
	unsigned int slot = slot_of(w, c->begun);

	if (pc_world_irecv(w, slot_at(w, channel, slot), bytes, from, channel / 2,
		       &c->requests[slot]))
		return pc_net_unreachable(w, from);
	c->bytes[slot] = bytes;
	c->begun++;
	return 0;
}

const uint8_t *pc_net_take(struct pc_world *w, uint32_t channel, uint32_t from)
{
	struct pc_channel *c = &w->channels[channel];
	unsigned int slot = slot_of(w, c->ended);

	if (pc_net_wait(w, &c->requests[slot], from))
		return NULL;
	c->ended++;
	return slot_at(w, channel, slot);
}

uint32_t pc_net_expected(const struct pc_world *w, uint32_t channel)
{
	return (uint32_t)(w->channels[channel].begun - w->channels[channel].ended);
}

int pc_net_flush(struct pc_world *w, uint32_t channel, uint32_t to)
{
	struct pc_channel *c = &w->channels[channel];

	for (; c->ended < c->begun; c->ended++) {
		int ret = pc_net_wait(w, &c->requests[slot_of(w, c->ended)], to);

		if (ret)
			return ret;
	}
	return 0;
}

static uint32_t piece(uint64_t left, uint32_t segment)
{
	return left < segment ? (uint32_t)left : segment;
}

static int exchange_expect(struct pc_net_exchange *x)
{
	while (x->expected < x->way.in && pc_net_expected(x->w, 1) < x->w->depth - 1) {
		uint32_t n = piece(x->way.in - x->expected, x->segment);
		int ret = pc_net_expect(x->w, 1, x->way.from, n);

		if (ret)
			return ret;
		x->expected += n;
	}
	return 0;
}

/* One segment, where there is room for it: 1; 0: there is none. */
static int exchange_send(struct pc_net_exchange *x)
{
	struct pc_channel *c = &x->w->channels[0];
	uint32_t n = piece(x->way.out - x->sent, x->segment);
	int ret = channel_ask(x->w, c, x->way.to);

	if (ret || !n || c->begun - c->ended == x->w->depth ||
	    (x->way.relay && x->taken < x->sent + n) ||
	    (x->way.may_give && !x->way.may_give(x->way.ctx, x->sent, n)))
		return ret;
	x->way.give(x->way.ctx, slot_at(x->w, 0, slot_of(x->w, c->begun)), x->sent, n);
	x->sent += n;
	ret = pc_net_send(x->w, 0, x->way.to, n);
	return ret ? ret : 1;
}

static int exchange_take(struct pc_net_exchange *x)
{
	struct pc_channel *c = &x->w->channels[1];
	unsigned int slot = slot_of(x->w, c->ended);
	int ret;

	if (x->taken == x->expected ||
	    (x->way.may_take && !x->way.may_take(x->way.ctx, x->taken, c->bytes[slot])))
		return 0;
	ret = x->w->t.test(x->w->t.ctx, c->requests[slot]);
	if (!ret)
		return 0;
	c->requests[slot] = NULL;
	if (ret < 0)
		return pc_net_unreachable(x->w, x->way.from);
	c->ended++;
	x->way.take(x->way.ctx, slot_at(x->w, 1, slot), x->taken, c->bytes[slot]);
	x->taken += c->bytes[slot];
	ret = exchange_expect(x);
	return ret ? ret : 1;
}

int pc_net_exchange_begin(struct pc_net_exchange *x, struct pc_world *w,
			  const struct pc_net_way *way)
{
	pc_net_cut(w, PC_NET_EXCHANGE);
	*x = (struct pc_net_exchange){ .w = w, .way = *way,
				       .segment = PC_NET_EXCHANGE / way->unit * way->unit };
	return exchange_expect(x);
}

int pc_net_exchange_go_on(struct pc_net_exchange *x)
{
	const struct pc_channel *out = &x->w->channels[0];
	int sent, took;

	do {
		if (x->taken == x->way.in && x->sent == x->way.out && out->ended == out->begun)
			return 1;
		sent = exchange_send(x);
		took = sent < 0 ? 0 : exchange_take(x);
	} while (sent > 0 || took > 0);
	return sent < 0 ? sent : took;
}

int pc_net_exchange_end(struct pc_net_exchange *x)
{
	const struct pd_span span = pd_timeline_begin("exchange");
	const struct pc_net_turn turn = pc_net_begin(x->w);
	struct net_patience patience = net_patience(turn.begun);
	int ret = 0, done = 0;

	while (!ret && !done) {
		const uint64_t before = x->taken + x->sent;

		done = pc_net_exchange_go_on(x);
		if (x->taken + x->sent != before)
			patience.moved = pd_now_ns();
		if (done < 0)
			ret = done;
		else if (!done)
			ret = net_turn(x->w, x->taken < x->way.in ? x->way.from : x->way.to,
				       &patience);
	}
	pd_timeline_end(&span,
			"\"to\":%u,\"out_bytes\":%llu,\"from\":%u,\"in_bytes\":%llu,\"ret\":%d",
			x->way.to, (unsigned long long)x->way.out, x->way.from,
			(unsigned long long)x->way.in, ret);
	pc_net_end(x->w, &turn);
	return ret;
}
