// SPDX-License-Identifier: MIT
/*
 * Several hosts that share no memory, each on its own MRAM. Of a reduction every host folds its
 * own members in registers, going on with what the host before it has sent, so that the result
 * is the left fold in rank order; what is moved goes from who has it to who gets it. Items go
 * in batches, each of them a message to another host at most: later batches are folded and
 * sent while results of earlier ones come in. Items are folded and made where the message lies
 * that they leave in, and stored from where it has come.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/error.h"
#include "runtime/machine/workers.h"
#include "collectives/algorithms/mailed.h"
#include "collectives/algorithms/mailed_items.h"

/* of all items of a batch together, as far as one host has to do with them */
#define BATCH_BYTES	(512u << 10)
#define BATCH_LEAST	(16u << 10)
/*
 * What comes of batches is so many behind what is sent: a link that carries them has enough to
 * do while a host folds, or waits for a processor.
 */
#define LAG	(PC_MAIL_SLOTS - 2)
/* what a worker takes at a time */
#define GRAIN_BYTES	(32u << 10)

/* an item of a batch that this host has to do with */
struct leg {
	struct pc_item link;
	bool folds, makes, takes;
	uint32_t fold_from, fold_to, from;
	enum pc_mail_way way, to_way;
	uint64_t acc, bytes;
	uint8_t *folded, *fold_out;	/* where it is folded, and leaves for the next host */
	uint8_t *place;			/* the result */
	uint32_t target, targets;
};

struct target {
	uint32_t host;
	uint8_t *at;
};

/* bytes of messages with each host, and where they lie */
struct messages {
	uint64_t bytes[PC_ROUTES_HOSTS];
	uint8_t *at[PC_ROUTES_HOSTS];
};

struct batch {
	struct leg *legs;
	struct target *targets;
	uint32_t nr_legs, nr_targets;
	struct messages in[PC_MAIL_WAYS], out[PC_MAIL_WAYS];
	uint64_t own;			/* bytes of what is in no message */
	bool hands_on;
};

struct pc_mailed {
	struct pc_call *call;
	struct pc_mailed_items items;
	struct pc_routes routes;
	struct pc_mail *mail;
	uint64_t batch_items, batches;
	uint32_t slots;
	struct batch *batch;
	struct pc_route route;
	/* the run of workers that is on */
	const struct batch *on;
	int ret;
};

/* Whether what is folded lies in no message: no other host folds it. */
static bool folds_alone(const struct leg *leg)
{
	return leg->folds && leg->fold_from == PC_NOBODY && leg->fold_to == PC_NOBODY;
}

static bool is_made_alone(const struct leg *leg)
{
	return leg->makes && !leg->folds && !leg->targets;
}

static void count_leg(struct batch *b, const struct leg *leg)
{
	if (leg->fold_from != PC_NOBODY)
		b->in[PC_MAIL_FOLD].bytes[leg->fold_from] += leg->acc;
	if (leg->fold_to != PC_NOBODY)
		b->out[PC_MAIL_FOLD].bytes[leg->fold_to] += leg->acc;
	if (leg->from != PC_NOBODY)
		b->in[leg->way].bytes[leg->from] += leg->bytes;
	for (uint32_t i = 0; i < leg->targets; i++)
		b->out[leg->to_way].bytes[b->targets[leg->target + i].host] += leg->bytes;
	b->own += folds_alone(leg) ? leg->acc : is_made_alone(leg) ? leg->bytes : 0;
	b->hands_on |= leg->targets && !leg->makes;
}

static void add_leg(struct pc_mailed *m, struct batch *b, const struct pc_item *link)
{
	const struct pc_route *r = &m->route;
	struct leg *leg = &b->legs[b->nr_legs];

	*leg = (struct leg){
		.link = *link,
		.folds = r->folds,
		.makes = r->makes,
		.takes = r->takes,
		.fold_from = r->fold_from,
		.fold_to = r->fold_to,
		.from = r->from,
		.way = r->way,
		.to_way = r->to_way,
		.acc = m->items.fold ? pc_mailed_acc_bytes(&m->items, link->n) : 0,
		.bytes = pc_mailed_bytes(&m->items, link->n),
		.target = b->nr_targets,
		.targets = r->hosts,
	};
	for (uint32_t i = 0; i < r->hosts; i++)
		b->targets[b->nr_targets++].host = r->to[i];
	b->nr_legs++;
	count_leg(b, leg);
}

/* What this host has to do with a batch. */
static void find_legs(struct pc_mailed *m, struct batch *b, uint64_t number)
{
	uint64_t item = number * m->batch_items, end = item + m->batch_items;
	struct pc_errand errand;
	struct pc_item link;

	if (end > m->items.count)
		end = m->items.count;
	memset(b->in, 0, sizeof(b->in));
	memset(b->out, 0, sizeof(b->out));
	b->nr_legs = b->nr_targets = 0;
	b->own = 0;
	b->hands_on = false;
	for (; item < end; item++) {
		if (pc_mailed_item(&m->items, item, &link, &errand) &&
		    pc_routes_find(&m->routes, &errand, &m->route))
			add_leg(m, b, &link);
	}
}

static uint64_t batch_bytes(const struct batch *b)
{
	uint64_t bytes = b->own;

	for (int way = 0; way < PC_MAIL_WAYS; way++) {
		for (uint32_t i = 0; i < PC_ROUTES_HOSTS; i++)
			bytes += b->in[way].bytes[i] + b->out[way].bytes[i];
	}
	return bytes;
}

static uint8_t *lay_out(struct messages *of, uint8_t *at)
{
	for (uint32_t i = 0; i < PC_ROUTES_HOSTS; i++) {
		of->at[i] = at;
		at += of->bytes[i];
	}
	return at;
}

static uint8_t *next_place(uint8_t **at, uint64_t bytes)
{
	uint8_t *place = *at;

	*at += bytes;
	return place;
}

/* Where a leg's messages lie, each behind that of the leg before. */
static void place_leg(struct batch *b, struct leg *leg, struct messages in[],
		      struct messages out[], uint8_t **own)
{
	struct target *targets = &b->targets[leg->target];

	if (leg->fold_to != PC_NOBODY)
		leg->folded = leg->fold_out = next_place(&out[PC_MAIL_FOLD].at[leg->fold_to],
							 leg->acc);
	if (leg->fold_from != PC_NOBODY)
		leg->folded = next_place(&in[PC_MAIL_FOLD].at[leg->fold_from], leg->acc);
	if (folds_alone(leg))
		leg->folded = next_place(own, leg->acc);
	for (uint32_t i = 0; i < leg->targets; i++)
		targets[i].at = next_place(&out[leg->to_way].at[targets[i].host], leg->bytes);
	if (leg->from != PC_NOBODY)
		leg->place = next_place(&in[leg->way].at[leg->from], leg->bytes);
	else if (is_made_alone(leg))
		leg->place = next_place(own, leg->bytes);
	else if (leg->makes)
		leg->place = leg->folds ? leg->folded : targets->at;
}

static void place_legs(struct batch *b, uint8_t *at)
{
	struct messages in[PC_MAIL_WAYS], out[PC_MAIL_WAYS];

	for (int way = 0; way < PC_MAIL_WAYS; way++) {
		at = lay_out(&b->in[way], at);
		at = lay_out(&b->out[way], at);
	}
	memcpy(in, b->in, sizeof(in));
	memcpy(out, b->out, sizeof(out));
	for (uint32_t i = 0; i < b->nr_legs; i++)
		place_leg(b, &b->legs[i], in, out, &at);
}

static void fail(struct pc_mailed *m, int ret)
{
	if (ret && !m->ret)
		m->ret = ret;
}

static struct batch *batch_of(const struct pc_mailed *m, uint64_t number)
{
	return &m->batch[number % m->slots];
}

/* Find out what is to be done, and begin to receive what will come. */
static void batch_plan(struct pc_mailed *m, uint64_t number)
{
	const unsigned int slot = (unsigned int)(number % m->slots);
	struct batch *b = batch_of(m, number);
	uint8_t *at;
	int ret;

	find_legs(m, b, number);
	ret = m->mail->room(m->mail, slot, batch_bytes(b), &at);
	if (ret) {
		fail(m, ret);
		return;
	}
	place_legs(b, at);
	for (int way = 0; way < PC_MAIL_WAYS; way++) {
		for (uint32_t i = 0; !m->ret && i < m->call->req->crew->hosts; i++) {
			if (b->in[way].bytes[i])
				fail(m, m->mail->expect(m->mail, slot, way, i, b->in[way].at[i],
							b->in[way].bytes[i]));
		}
	}
}

static void batch_send(struct pc_mailed *m, uint64_t number, enum pc_mail_way way)
{
	const unsigned int slot = (unsigned int)(number % m->slots);
	const struct messages *out = &batch_of(m, number)->out[way];

	for (uint32_t i = 0; !m->ret && i < m->call->req->crew->hosts; i++) {
		if (out->bytes[i])
			fail(m, m->mail->send(m->mail, slot, way, i, out->at[i], out->bytes[i]));
	}
}

static void batch_arrived(struct pc_mailed *m, uint64_t number, enum pc_mail_way way)
{
	if (!m->ret)
		fail(m, m->mail->arrived(m->mail, (unsigned int)(number % m->slots), way));
}

static void copy_to_targets(const struct batch *b, const struct leg *leg)
{
	for (uint32_t i = 0; i < leg->targets; i++) {
		uint8_t *at = b->targets[leg->target + i].at;

		if (at != leg->place)
			memcpy(at, leg->place, leg->bytes);
	}
}

static void leg_do(struct pc_call *call, const struct leg *leg, pc_item_fn fn, uint8_t *place,
		   uint64_t bytes)
{
	struct pc_item link = leg->link;

	link.place = place;
	if (!call->work.idle)
		fn(call, &link);
	else if (bytes)
		memset(place, 0, bytes);
}

static void make_legs(void *ctx, uint64_t first, uint64_t count)
{
	const struct pc_mailed *m = ctx;
	struct pc_call call = pc_call_copy(m->call);

	for (uint64_t i = first; i < first + count; i++) {
		const struct leg *leg = &m->on->legs[i];

		if (leg->folds) {
			leg_do(&call, leg, m->items.fold, leg->folded, leg->acc);
			if (leg->fold_out && leg->fold_out != leg->folded)
				memcpy(leg->fold_out, leg->folded, leg->acc);
		} else if (leg->makes) {
			leg_do(&call, leg, m->items.make, leg->place, leg->bytes);
		}
		if (leg->makes)
			copy_to_targets(m->on, leg);
	}
	pc_call_add(m->call, &call);
}

static void hand_on_legs(void *ctx, uint64_t first, uint64_t count)
{
	const struct pc_mailed *m = ctx;

	for (uint64_t i = first; i < first + count; i++) {
		if (!m->on->legs[i].makes)
			copy_to_targets(m->on, &m->on->legs[i]);
	}
}

static void take_legs(void *ctx, uint64_t first, uint64_t count)
{
	const struct pc_mailed *m = ctx;
	struct pc_call call = pc_call_copy(m->call);

	for (uint64_t i = first; i < first + count; i++) {
		if (m->on->legs[i].takes)
			leg_do(&call, &m->on->legs[i], m->items.take, m->on->legs[i].place, 0);
	}
	pc_call_add(m->call, &call);
}

static void batch_work(struct pc_mailed *m, uint64_t number, pd_work_fn fn, enum pc_phase phase)
{
	const uint64_t start = pc_phase_begin(m->call, phase);
	struct batch *b = batch_of(m, number);
	uint64_t grain = GRAIN_BYTES / pc_mailed_bytes(&m->items, m->items.tile_words);

	m->on = b;
	if (!m->ret && b->nr_legs)
		pd_workers_run(m->call->req->sys->workers, b->nr_legs, grain ? grain : 1, fn, m);
	pc_phase_end(m->call->phase_ns, phase, start);
}

/* This host's part of a batch, which others wait for. */
static void batch_make(struct pc_mailed *m, uint64_t number)
{
	const bool of_buffers = pc_reads_host(m->call->req->id);

	batch_arrived(m, number, PC_MAIL_FOLD);
	batch_work(m, number, make_legs, of_buffers ? PC_PHASE_HOST : PC_PHASE_PULL);
	batch_send(m, number, PC_MAIL_FOLD);
	batch_send(m, number, PC_MAIL_FIRST);
}

/* What comes out of it. */
static void batch_take(struct pc_mailed *m, uint64_t number)
{
	const bool to_buffers = pc_writes_host(m->call->req->id);

	batch_arrived(m, number, PC_MAIL_FIRST);
	batch_arrived(m, number, PC_MAIL_ONWARD);
	if (batch_of(m, number)->hands_on) {
		batch_work(m, number, hand_on_legs, PC_PHASE_HOST);
		batch_send(m, number, PC_MAIL_ONWARD);
	}
	batch_work(m, number, take_legs, to_buffers ? PC_PHASE_HOST : PC_PHASE_PUSH);
}

/* Batches small enough for all hosts to have one at a time, and even: see mailed_items.c. */
static void cut_batches(struct pc_mailed *m, uint64_t words, uint32_t hosts)
{
	const uint64_t bytes = pc_mailed_bytes(&m->items, words);
	const uint64_t least = BATCH_LEAST / bytes, most = BATCH_BYTES / bytes;
	uint64_t items;

	items = m->items.count / (4 * LAG);
	items = items < least ? least : items > most ? most : items;
	if (m->call->req->id == PC_ALLTOALL)
		items *= hosts;
	if (items > m->items.count || m->items.pulls)
		items = m->items.count;
	m->batch_items = (items + 2) / 2 * 2;
	m->batches = (m->items.count + m->batch_items - 1) / m->batch_items;
	m->slots = m->batches < PC_MAIL_SLOTS ? (uint32_t)m->batches : PC_MAIL_SLOTS;
}

static bool make_batches(struct pc_mailed *m, uint32_t targets)
{
	bool made = true;

	m->batch = calloc(m->slots, sizeof(*m->batch));
	for (uint32_t i = 0; m->batch && i < m->slots; i++) {
		struct batch *b = &m->batch[i];

		b->legs = calloc(m->batch_items, sizeof(*b->legs));
		b->targets = calloc(m->batch_items * targets, sizeof(*b->targets));
		made = made && b->legs && b->targets;
	}
	return m->batch && made;
}

/* Whom a host hands an item to, at most. */
static uint32_t most_targets(const struct pc_request *req)
{
	const bool to_all = req->id == PC_ALLREDUCE || req->id == PC_ALLGATHER ||
			    req->id == PC_BROADCAST;

	return to_all && req->crew->hosts > 1 ? req->crew->hosts - 1 : 1;
}

/*
 * Bytes of a batch at most: what is folded comes and leaves, what is made comes or is made, and
 * leaves for each target. A call that is one batch is looked at.
 */
static uint64_t most_bytes(struct pc_mailed *m, uint64_t words, uint32_t targets)
{
	const uint64_t acc = m->items.fold ? pc_mailed_acc_bytes(&m->items, words) : 0;

	if (m->batches > 1)
		return m->batch_items *
		       (2 * acc + (1 + targets) * pc_mailed_bytes(&m->items, words));
	find_legs(m, m->batch, 0);
	return batch_bytes(m->batch);
}

static void begin(struct pc_mailed *m, struct pc_call *call, bool conventional)
{
	m->call = call;
	m->mail = call->req->crew->mail;
	m->ret = 0;
	pc_mailed_items(&m->items, call, conventional);
	pc_routes_begin(&m->routes, call);
}

static int no_memory(const struct pc_request *req, uint64_t bytes)
{
	return pd_error(ENOMEM, "no memory for %llu bytes that %s takes for its messages",
			(unsigned long long)bytes, pc_collective_name(req->id));
}

static int reserve(struct pc_mailed *m)
{
	const struct pc_request *req = m->call->req;
	const uint64_t words = m->items.tile_words < req->words ? m->items.tile_words : req->words;
	const uint32_t targets = most_targets(req);
	uint64_t bytes;
	int ret;

	cut_batches(m, words, req->crew->hosts);
	if (!make_batches(m, targets))
		return no_memory(req, m->slots * m->batch_items *
				 (sizeof(struct leg) + targets * sizeof(struct target)));
	bytes = most_bytes(m, words, targets);
	ret = m->mail->reserve(m->mail, m->slots, bytes);
	return ret == -ENOMEM ? no_memory(req, m->slots * bytes) : ret;
}

int pc_mailed_reserve(struct pc_request *req, bool conventional)
{
	struct pc_call call = { .req = req };

	req->mailed = calloc(1, sizeof(*req->mailed));
	if (!req->mailed)
		return no_memory(req, sizeof(*req->mailed));
	begin(req->mailed, &call, conventional);
	return reserve(req->mailed);
}

void pc_mailed_release(struct pc_mailed *m)
{
	for (uint32_t i = 0; m && m->batch && i < m->slots; i++) {
		free(m->batch[i].legs);
		free(m->batch[i].targets);
	}
	if (m)
		free(m->batch);
	free(m);
}

int pc_mailed_run(struct pc_call *call)
{
	struct pc_mailed *m = call->req->mailed;

	begin(m, call, m->items.pulls);
	batch_plan(m, 0);
	for (uint64_t k = 0; !m->ret && k < m->batches + LAG; k++) {
		if (k + 1 < m->batches)
			batch_plan(m, k + 1);
		if (k < m->batches)
			batch_make(m, k);
		if (k >= LAG)
			batch_take(m, k - LAG);
	}
	if (!m->ret)
		fail(m, m->mail->flush(m->mail));
	call->req->crew->err = m->ret;
	return m->ret;
}
