// SPDX-License-Identifier: MIT
/*
 * The engine of messages by itself: random programs over random schedules, every match
 * checked against two plain lists a node; hops, lengths of searches and failures counted.
 */
#include "collectives/messages/engine/match.h"
#include "collectives/messages/engine/probe.h"
#include "tests/unit/collectives/message_world.h"

#define PROGRAMS	2000
#define OPS		120
#define MAX_BYTES	200u
#define GUARD		16

/* a send or a receive of the test, and what the model expects of it */
struct op {
	struct me_request *request;	/* NULL: a call that waits was over at once */
	struct me_blocking blocking;	/* of such a call */
	bool waits, woken;
	struct me_key key;
	uint32_t node;
	uint64_t bytes;		/* of the message; room of the receive */
	uint64_t signature;
	bool fault, receive, cancelled;
	struct op *match;	/* the model's: of a receive, its message */
	bool arrived, gone;	/* of a message; of either: no longer in its list */
	uint8_t data[MAX_BYTES + GUARD];
};

struct model {
	struct mw_world w;
	struct op ops[NODES * OPS];
	unsigned int nr;
	/* what waits at a node, in order of coming: messages, receives */
	struct op *unexpected[NODES][NODES * OPS], *posted[NODES][NODES * OPS];
	unsigned int nr_unexpected[NODES], nr_posted[NODES];
	struct op *sent[NODES][NODES * OPS];	/* by node and serial */
	unsigned int nr_sent[NODES];
	bool wild;
};

static struct model model;

static bool naive_match(const struct me_key *want, const struct me_key *has)
{
	return want->context == has->context &&
	       (want->source == ME_ANY || want->source == has->source) &&
	       (want->tag == ME_ANY || want->tag == has->tag);
}

static struct op *naive_message(struct model *m, uint32_t node, const struct me_key *want,
				bool take)
{
	for (unsigned int i = 0; i < m->nr_unexpected[node]; i++) {
		struct op *op = m->unexpected[node][i];

		if (op->gone || !naive_match(want, &op->key))
			continue;
		op->gone = take;
		return op;
	}
	return NULL;
}

static void naive_post(struct model *m, struct op *receive)
{
	receive->match = naive_message(m, receive->node, &receive->key, true);
	if (receive->match)
		receive->gone = true;
	else
		m->posted[receive->node][m->nr_posted[receive->node]++] = receive;
}

static void naive_arrive(struct model *m, uint32_t node, struct op *message)
{
	message->arrived = true;
	for (unsigned int i = 0; i < m->nr_posted[node]; i++) {
		struct op *op = m->posted[node][i];

		if (op->gone || !naive_match(&op->key, &message->key))
			continue;
		op->match = message;
		op->gone = message->gone = true;
		return;
	}
	m->unexpected[node][m->nr_unexpected[node]++] = message;
}

static struct me_buffer buffer_of(struct op *op, uint64_t signature)
{
	op->signature = signature;
	return (struct me_buffer){
		.bytes = op->bytes,
		.signature = signature,
		.words = { (uintptr_t)op->data, op->fault ? MW_FAULT : 0 },
	};
}

/* elements of two kinds; those of a message by its tag, so that some receives are wrong */
static uint64_t signature_of(int32_t tag)
{
	return tag == ME_ANY ? MW_ANY_TYPE : 1 + (uint64_t)(tag == 3);
}

static struct op *new_op(struct model *m, uint32_t node, bool receive)
{
	struct op *op = &m->ops[m->nr++];

	op->node = node;
	op->receive = receive;
	op->key.context = (uint32_t)rng_below(&m->w.rng, 2);
	op->bytes = rng_below(&m->w.rng, MAX_BYTES + 1);
	memset(op->data, 0xee, sizeof(op->data));
	return op;
}

/* some calls wait for their requests, if these are not over at once */
static struct me_blocking *blocking_of(struct model *m, struct op *op)
{
	op->blocking = (struct me_blocking){ .waiter = &op->woken };
	return rng_chance(&m->w.rng, 25) ? &op->blocking : NULL;
}

static void check_blocking(struct op *op, const struct me_blocking *blocking)
{
	if (!blocking) {
		assert_non_null(op->request);
		return;
	}
	op->waits = !blocking->done;
	assert_int_equal(op->waits, op->request && op->request->state != ME_DONE);
	/* one that has failed at once is there to be asked */
	assert_int_equal(!op->request, blocking->done && !blocking->status.error);
	assert_false(op->woken);
}

/* NULL: it was over at once, or since then, and is nobody's any more */
static struct me_request *request_of(const struct op *op)
{
	return op->blocking.ended ? NULL : op->request;
}

static bool is_done(const struct op *op)
{
	return !request_of(op) || op->request->state == ME_DONE;
}

static const struct me_status *status_of(const struct op *op)
{
	return request_of(op) ? &op->request->status : &op->blocking.status;
}

static void do_send(struct model *m, uint32_t node, uint32_t to)
{
	struct op *op = new_op(m, node, false);
	struct me_blocking *blocking = blocking_of(m, op);
	unsigned int travels = m->w.travels;
	struct me_send send;

	if (!m->wild)
		op->bytes /= 2;
	op->key.source = (int32_t)node;
	op->key.tag = (int32_t)rng_below(&m->w.rng, 4);
	op->fault = rng_chance(&m->w.rng, 5);
	for (uint64_t i = 0; i < op->bytes; i++)
		op->data[i] = (uint8_t)(m->nr * 7 + i);
	send = (struct me_send){ buffer_of(op, signature_of(op->key.tag)), to,
				 op->key.context, op->key.tag,
				 rng_chance(&m->w.rng, 25), m->nr_sent[node], !op->fault,
				 m->w.nodes[node].eager_bytes, NULL, blocking };
	assert_int_equal(me_isend(&m->w.nodes[node], &send, &op->request), 0);
	check_blocking(op, blocking);
	m->sent[node][m->nr_sent[node]++] = op;
	if (travels == m->w.travels) {
		naive_arrive(m, to, op);
		assert_true(op->bytes < send.eager_bytes || op->gone);
	}
}

static void do_receive(struct model *m, uint32_t node, uint32_t from)
{
	struct op *op = new_op(m, node, true);
	struct me_blocking *blocking = blocking_of(m, op);
	struct me_receive receive;

	if (!m->wild)
		op->bytes = MAX_BYTES / 2;
	op->key.source = m->wild && rng_chance(&m->w.rng, 30) ? ME_ANY : (int32_t)from;
	op->key.tag = m->wild && rng_chance(&m->w.rng, 30) ? ME_ANY :
		      (int32_t)rng_below(&m->w.rng, 4);
	/* sometimes of the other kind than the messages with its tag */
	receive = (struct me_receive){
		buffer_of(op, rng_chance(&m->w.rng, 5) ? 9 : signature_of(op->key.tag)),
		op->key, rng_chance(&m->w.rng, 50), NULL, blocking };
	assert_int_equal(me_irecv(&m->w.nodes[node], &receive, &op->request), 0);
	check_blocking(op, blocking);
	naive_post(m, op);
}

static void do_probe(struct model *m, uint32_t node)
{
	struct me_key key = { (uint32_t)rng_below(&m->w.rng, 2),
			      rng_chance(&m->w.rng, 40) ? ME_ANY :
			      (int32_t)rng_below(&m->w.rng, NODES),
			      rng_chance(&m->w.rng, 40) ? ME_ANY :
			      (int32_t)rng_below(&m->w.rng, 4) };
	bool take = rng_chance(&m->w.rng, 50);
	struct me_parcel *message;
	struct me_status status;
	struct op *expected = naive_message(m, node, &key, take);
	bool found = me_iprobe(&m->w.nodes[node], &key, &status, take ? &message : NULL, NULL);

	assert_int_equal(found, expected != NULL);
	if (!found)
		return;
	assert_int_equal(status.source, expected->key.source);
	assert_int_equal(status.tag, expected->key.tag);
	assert_int_equal(status.bytes, expected->bytes);
	if (take) {
		struct op *op = new_op(m, node, true);
		struct me_receive receive = { buffer_of(op, MW_ANY_TYPE), key, true, NULL, NULL };

		op->match = expected;
		assert_int_equal(me_imrecv(&m->w.nodes[node], &receive, message,
					   &op->request), 0);
	}
}

static void do_cancel(struct model *m, uint32_t node)
{
	struct op *op = &m->ops[rng_below(&m->w.rng, m->nr)];
	bool cancelled;

	if (op->node != node || !op->receive || op->cancelled || !request_of(op))
		return;
	cancelled = me_cancel(&m->w.nodes[node], op->request);
	assert_int_equal(cancelled, !op->match);
	op->cancelled = cancelled;
	op->gone = op->gone || cancelled;
}

/* hands over the first parcel of one node to another */
static void arrive(struct model *m, uint32_t from, uint32_t to)
{
	struct mw_parcel *p = mw_pop(&m->w, from, to);
	struct me_node *node = &m->w.nodes[to];

	if (p->parcel.frame.kind == ME_ENVELOPE)
		naive_arrive(m, to, m->sent[from][p->parcel.frame.serial]);
	me_lock(node);
	assert_int_equal(me_arrive(node, &p->parcel), 0);
	me_unlock(node);
}

static void put_one(struct mw_world *w, unsigned int i)
{
	struct me_request *send = w->later[i].send;
	struct me_node *node = &w->nodes[w->later[i].node];

	w->later[i] = w->later[--w->nr_later];
	mw_move(send, send->parcel);
	me_lock(node);
	me_put_done(node, send, 0);
	me_unlock(node);
}

/* whatever is under way takes a step; false: nothing is */
static bool step(struct model *m)
{
	unsigned int first = (unsigned int)rng_below(&m->w.rng, NODES * NODES);

	if (m->w.nr_later && rng_chance(&m->w.rng, 30)) {
		put_one(&m->w, (unsigned int)rng_below(&m->w.rng, m->w.nr_later));
		return true;
	}
	for (unsigned int i = 0; i < NODES * NODES; i++) {
		unsigned int pair = (first + i) % (NODES * NODES);

		if (m->w.first[pair / NODES][pair % NODES]) {
			arrive(m, pair / NODES, pair % NODES);
			return true;
		}
	}
	if (!m->w.nr_later)
		return false;
	put_one(&m->w, 0);
	return true;
}

static int expected_error(const struct op *receive, const struct op *message)
{
	/* an eager message says at once that there is no data, others when it is wanted */
	if (message->fault && status_of(message)->error == -EIO)
		return -EIO;
	if (message->bytes > receive->bytes)
		return -EMSGSIZE;
	if (message->bytes && receive->signature != MW_ANY_TYPE &&
	    receive->signature != signature_of(message->key.tag))
		return -EPROTO;
	return 0;
}

static void check_receive(const struct op *op)
{
	const struct me_status *status = status_of(op);
	const struct op *message = op->match;
	uint64_t written = 0;

	if (!message) {
		assert_int_equal(is_done(op), op->cancelled);
		assert_int_equal(status->cancelled, op->cancelled);
		return;
	}
	assert_true(is_done(op));
	assert_true(is_done(message));
	assert_int_equal(status->source, message->key.source);
	assert_int_equal(status->tag, message->key.tag);
	assert_int_equal(status->bytes, message->bytes);
	assert_int_equal(status->error, expected_error(op, message));
	if (!status->error) {
		assert_memory_equal(op->data, message->data, message->bytes);
		written = message->bytes;
	}
	for (uint64_t i = written; i < sizeof(op->data); i++)
		assert_int_equal(op->data[i], 0xee);
}

static void check_all(struct model *m)
{
	uint64_t left[NODES] = { 0 };

	for (unsigned int i = 0; i < m->nr; i++) {
		const struct op *op = &m->ops[i];

		if (op->receive)
			check_receive(op);
		/* whoever waits is told, once it has come to that */
		assert_int_equal(op->woken, op->waits && is_done(op));
		/* and has no request any more, unless there is a failure to ask for */
		assert_int_equal(op->blocking.ended, op->woken && !status_of(op)->error);
	}
	for (uint32_t node = 0; node < NODES; node++) {
		struct me_link *l = m->w.nodes[node].unexpected.all.first;

		for (; l; l = l->next) {
			struct me_frame *frame = &((struct me_parcel *)l)->frame;

			left[node] += frame->flags & ME_EAGER ? frame->bytes : 0;
		}
		/* what nobody has received is all that is left in a pool */
		assert_int_equal(m->w.pool[node], left[node]);
	}
}

static void run_program(struct model *m, uint64_t program)
{
	uint64_t eager = (uint64_t[]){ 0, 40, 1000 }[rng_below(&m->w.rng, 3)];
	/* with fewer nodes, and more of one kind, queues grow beyond ME_QUEUE_PLAIN */
	uint32_t nodes = program % 3 ? NODES : 2;
	unsigned int ops = program % 3 ? OPS : 4 * OPS, sends = program % 4 ? 35 : 50;

	for (uint32_t i = 0; i < NODES; i++) {
		m->w.nodes[i].eager_bytes = eager;
		m->w.nodes[i].poll = program % 2;
	}
	for (unsigned int i = 0; i < ops; i++) {
		uint32_t node = (uint32_t)rng_below(&m->w.rng, nodes);
		uint32_t other = (uint32_t)rng_below(&m->w.rng, nodes);
		unsigned int what = (unsigned int)rng_below(&m->w.rng, 100);

		if (what < sends)
			do_send(m, node, other);
		else if (what < 70)
			do_receive(m, node, other);
		else if (what < 80)
			do_probe(m, node);
		else if (what < 85)
			do_cancel(m, node);
		for (uint64_t n = rng_below(&m->w.rng, 4); n--;)
			step(m);
	}
	while (step(m))
		;
}

static void random_programs(void **state)
{
	static const uint64_t rooms[] = { 0, 300, 1 << 20 };

	(void)state;
	for (uint64_t program = 0; program < PROGRAMS; program++) {
		memset(&model, 0, sizeof(model));
		mw_open(&model.w, program, 0, rooms[program % ARRAY_SIZE(rooms)]);
		model.w.put = 3;
		model.w.enter = program % 5 * 25;
		model.wild = true;
		run_program(&model, program);
		check_all(&model);
		mw_close(&model.w);
	}
}

/* what each node does is a matter of `program`, what happens when of `seed` */
static uint64_t run_tame(uint64_t program, uint64_t seed, uint64_t eager, uint64_t room)
{
	unsigned int done[NODES] = { 0 }, left = NODES * OPS / 4;
	struct model *m = &model;
	struct rng order = rng_of(seed, 1), rngs[NODES];
	uint64_t matches = 0;

	memset(m, 0, sizeof(*m));
	mw_open(&m->w, seed, eager, room);
	m->w.put = 3;
	m->w.enter = seed % 3 * 50;
	for (uint32_t i = 0; i < NODES; i++)
		rngs[i] = rng_of(program, i);
	while (left) {
		uint32_t node = (uint32_t)rng_below(&order, NODES), other;
		struct rng kept = m->w.rng;

		if (done[node] == OPS / 4)
			continue;
		m->w.rng = rngs[node];
		other = (uint32_t)rng_below(&m->w.rng, NODES);
		if (rng_chance(&m->w.rng, 50))
			do_send(m, node, other);
		else
			do_receive(m, node, other);
		rngs[node] = m->w.rng;
		m->w.rng = kept;
		done[node]++;
		left--;
		for (uint64_t n = rng_below(&order, 4); n--;)
			step(m);
	}
	while (step(m))
		;
	check_all(m);
	for (uint32_t i = 0; i < NODES; i++)
		matches += m->w.nodes[i].counts.matches;
	mw_close(&m->w);
	return matches;
}

static void same_matches_without_wildcards(void **state)
{
	(void)state;
	for (uint64_t program = 0; program < 20; program++) {
		uint64_t first = run_tame(program, 0, 1000, 1 << 20);

		assert_int_not_equal(first, 0);
		assert_int_not_equal(first, run_tame(program + 1, 0, 1000, 1 << 20));
		for (uint64_t seed = 1; seed < 10; seed++)
			assert_int_equal(run_tame(program, seed, 50 * (seed % 3),
						  200 * (seed % 2)), first);
	}
}

struct hops_case {
	uint64_t eager, room;
	bool sync, short_of;
	uint64_t hops;
};

/*
 * One message of 100 bytes from node 0 to node 1, whose receive comes first or last; `enters`: the
 * sender finds nobody there.
 */
static uint64_t hops_of(const struct hops_case *c, bool first, bool enters)
{
	const bool eager = c->eager > 100 && c->room >= 100;
	struct model *m = &model;
	struct op *ops[2];
	uint64_t hops;

	memset(m, 0, sizeof(*m));
	mw_open(&m->w, 1, c->eager, c->room);
	m->w.enter = enters ? 100 : 0;
	ops[0] = new_op(m, 0, false);
	ops[1] = new_op(m, 1, true);
	ops[0]->bytes = 100;
	ops[1]->bytes = c->short_of ? 99 : 100;
	for (int i = 0; i < 2; i++) {
		struct me_send send = { buffer_of(ops[0], 0), 1, 0, 5, c->sync, 0, true, c->eager,
					NULL, NULL };
		struct me_receive receive = { buffer_of(ops[1], 0), { 0, 0, 5 }, true, NULL, NULL };

		if (first == i)
			assert_int_equal(me_isend(&m->w.nodes[0], &send, &ops[0]->request), 0);
		else
			assert_int_equal(me_irecv(&m->w.nodes[1], &receive,
						  &ops[1]->request), 0);
		m->sent[0][0] = ops[0];
		/*
		 * Only a rendezvous, and a synchronous send, waits for its receive, and then for
		 * a parcel that comes back, if there is one.
		 */
		assert_true(!ops[0]->request || (ops[0]->request->state == ME_DONE) ==
			    ((eager && !c->sync) ||
			     (enters && i && (first || (!eager && !c->short_of)))));
		while (step(m))
			;
	}
	for (int i = 0; i < 2; i++)
		assert_int_equal(ops[i]->request->state, ME_DONE);
	assert_int_equal(ops[1]->request->status.error, c->short_of ? -EMSGSIZE : 0);
	assert_int_equal(ops[0]->request->status.error, 0);
	assert_int_equal(m->w.done, 2);
	hops = mw_hops(&m->w);
	mw_close(&m->w);
	return hops;
}

static void hops_are_exact(void **state)
{
	static const struct hops_case cases[] = {
		{ 101, 100, false, false, 1 }, { 101, 100, true, false, 2 },
		{ 100, 100, false, false, 3 }, { 100, 100, true, false, 3 },
		{ 101, 99, false, false, 3 }, { 101, 100, false, true, 1 },
		{ 100, 100, false, true, 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (int how = 0; how < 4; how++) {
			uint64_t hops = cases[i].hops;

			/* who brings it to a receive that is there needs no room in the pool */
			if (how == 3 && cases[i].room < 100)
				hops = 1;
			assert_int_equal(hops_of(&cases[i], how % 2, how / 2), hops);
		}
	}
}

/* a loiterer that looks for itself does so whenever somebody comes to its node */
static void loiterers_look(void **state)
{
	struct model *m = &model;
	struct op *ops[2];
	struct me_send send;
	struct me_receive receive;

	(void)state;
	memset(m, 0, sizeof(*m));
	mw_open(&m->w, 1, 10, 1000);
	m->w.nodes[1].poll = true;
	ops[0] = new_op(m, 0, false);
	ops[1] = new_op(m, 1, true);
	ops[0]->bytes = ops[1]->bytes = 20;
	send = (struct me_send){ buffer_of(ops[0], 0), 1, 0, 5, false, 0, true, 10, NULL, NULL };
	receive = (struct me_receive){ buffer_of(ops[1], 0), { 0, 0, 6 }, true, NULL, NULL };
	m->sent[0][0] = ops[0];
	for (int i = 0; i < 3; i++) {
		assert_int_equal(me_isend(&m->w.nodes[0], &send, &ops[0]->request), 0);
		while (step(m))
			;
	}
	/* the second message gives the first a look, the third one both */
	assert_int_equal(m->w.nodes[1].counts.looks, 3);
	assert_int_equal(me_irecv(&m->w.nodes[1], &receive, &ops[1]->request), 0);
	assert_int_equal(m->w.nodes[1].counts.looks, 3);
	receive.key.tag = 5;
	assert_int_equal(me_irecv(&m->w.nodes[1], &receive, &ops[1]->request), 0);
	assert_int_equal(m->w.nodes[1].counts.looks, 6);
	assert_int_equal(ops[1]->request->state, ME_CLAIMED);
	assert_false(me_cancel(&m->w.nodes[1], ops[1]->request));
	while (step(m))
		;
	assert_int_equal(ops[1]->request->state, ME_DONE);
	assert_int_equal(m->w.nodes[1].counts.loitered, 1);
	mw_close(&m->w);
}

static void post(struct me_node *node, struct op *op, int32_t source, int32_t tag)
{
	struct me_receive receive = { buffer_of(op, 0), { 0, source, tag }, true, NULL, NULL };

	assert_int_equal(me_irecv(node, &receive, &op->request), 0);
}

static void send_now(struct model *m, uint32_t from, uint32_t to, int32_t tag)
{
	struct me_send send = { buffer_of(&m->ops[0], 0), to, 0, tag, false, 0,
				true, m->w.nodes[from].eager_bytes, NULL, NULL };
	struct me_request *request;

	assert_int_equal(me_isend(&m->w.nodes[from], &send, &request), 0);
	me_forget(&m->w.nodes[from], 1, &request);
	m->sent[from][0] = &m->ops[0];
	while (step(m))
		;
}

/* behind many others a match is found by looking at a few; the earlier one is taken */
static void long_queues(void **state)
{
	struct model *m = &model;
	struct me_node *node;
	struct op *exact, *wild;
	uint64_t before;

	(void)state;
	memset(m, 0, sizeof(*m));
	mw_open(&m->w, 1, 1000, 1 << 20);
	node = &m->w.nodes[1];
	m->ops[0].bytes = 8;
	for (int i = 0; i < 5000; i++)
		post(node, &m->ops[1], 0, 100 + i);
	for (int i = 0; i < 4; i++) {
		exact = &m->ops[2 + i % 2];
		wild = &m->ops[3 - i % 2];
		exact->bytes = wild->bytes = 8;
		/* each pair in both orders, and the wildcard in each place */
		post(node, &m->ops[2], i < 2 ? 0 : ME_ANY, i < 2 ? 7 : ME_ANY);
		post(node, &m->ops[3], i < 2 ? ME_ANY : 0, 7);
		before = node->posted.inspected;
		send_now(m, 0, 1, 7);
		assert_int_equal(node->posted.inspected - before, 7);
		assert_int_equal(m->ops[2].request->state, ME_DONE);
		assert_int_equal(m->ops[3].request->state, ME_ACTIVE);
		send_now(m, 0, 1, 7);
		assert_int_equal(m->ops[3].request->state, ME_DONE);
	}
	for (int i = 0; i < 100; i++)
		send_now(m, 0, 2, i % 50);
	before = m->w.nodes[2].unexpected.inspected;
	post(&m->w.nodes[2], &m->ops[2], 0, 49);
	assert_int_equal(m->w.nodes[2].unexpected.inspected - before, 2);
	mw_close(&m->w);
}

static void probers_are_woken(void **state)
{
	struct model *m = &model;
	bool woken[2] = { false, false };
	struct me_prober probers[2] = { { .waiter = &woken[0] }, { .waiter = &woken[1] } };
	const struct me_key keys[2] = { { 0, 0, ME_ANY }, { 0, ME_ANY, 8 } };
	struct me_status status;

	(void)state;
	memset(m, 0, sizeof(*m));
	mw_open(&m->w, 1, 1000, 1 << 20);
	for (int i = 0; i < 2; i++)
		assert_false(me_iprobe(&m->w.nodes[1], &keys[i], &status, NULL, &probers[i]));
	send_now(m, 0, 1, 7);
	assert_true(woken[0]);
	assert_false(woken[1]);
	for (int i = 0; i < 2; i++)
		me_probe_end(&m->w.nodes[1], &probers[i]);
	send_now(m, 0, 1, 8);
	assert_false(woken[1]);
	mw_close(&m->w);
}

/* whichever allocation fails, the call that needs it is refused and nothing is left */
static void failed_allocations(void **state)
{
	struct model *m = &model;

	(void)state;
	for (long fail = 0; fail < 32; fail++) {
		struct me_blocking sent = { 0 }, received = { 0 };
		const bool waits = fail & 8, enters = fail & 16;
		struct me_send send;
		struct me_request *request;
		int failed = 0;

		memset(m, 0, sizeof(*m));
		mw_open(&m->w, 1, 1000, 1 << 20);
		m->ops[0].bytes = 16;
		send = (struct me_send){ buffer_of(&m->ops[0], 0), 1, 0, 1, false, 0, true, 1000,
					 NULL, waits ? &sent : NULL };
		m->w.fail_in = fail % 8;
		m->w.enter = enters ? 100 : 0;
		for (int i = 0; i < 40; i++) {
			struct me_receive receive = { send.buffer, { 0, 0, 2 }, true, NULL,
						      waits ? &received : NULL };

			failed += me_irecv(&m->w.nodes[1], &receive, &request) == -ENOMEM;
			if (me_isend(&m->w.nodes[0], &send, &request) == -ENOMEM)
				failed++;
			else
				m->sent[0][0] = &m->ops[0];
		}
		/*
		 * Eager parcels that fail go without their data instead; who has no memory for a
		 * request, or at the destination, tries to send one from home.
		 */
		assert_in_range(failed + (int)m->w.nodes[0].counts.no_room, waits && !enters, 1);
		assert_true(sent.unused == waits && !received.done);
		while (step(m))
			;
		mw_close(&m->w);
	}
}

/* frames that no node has made are refused, or do nothing that cannot be borne */
static void forged_frames(void **state)
{
	struct mw_world *w = &model.w;
	uint64_t forged = 0;

	(void)state;
	memset(&model, 0, sizeof(model));
	mw_open(w, 7, 100, 1000);
	model.ops[0].bytes = 8;
	for (int i = 0; i < 20; i++)
		post(&w->nodes[1], &model.ops[0], 2, i);
	for (int i = 0; i < 20000; i++) {
		struct me_parcel *p = mw_parcel(&w->nodes[1], 0);

		rng_fill(&w->rng, &p->frame, sizeof(p->frame));
		p->frame.kind %= 5;
		/* an envelope that is well made is a message, whoever sent it */
		if (p->frame.kind == ME_ENVELOPE)
			p->frame.from |= 1u << 31;
		p->frame.send %= 64;
		p->frame.receive %= 64;
		me_lock(&w->nodes[1]);
		assert_int_equal(me_arrive(&w->nodes[1], p), -EBADMSG);
		me_unlock(&w->nodes[1]);
		mw_drop(&w->nodes[1], p);
		forged++;
	}
	assert_int_equal(w->nodes[1].counts.forged, forged);
	mw_close(w);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(random_programs),
	cmocka_unit_test(same_matches_without_wildcards),
	cmocka_unit_test(hops_are_exact),
	cmocka_unit_test(loiterers_look),
	cmocka_unit_test(long_queues),
	cmocka_unit_test(probers_are_woken),
	cmocka_unit_test(failed_allocations),
	cmocka_unit_test(forged_frames),
};

UNIT_MAIN(tests)
