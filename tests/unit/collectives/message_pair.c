// SPDX-License-Identifier: MIT
/*
 * Messages between two processes: random traffic against a naive model over designs, pools
 * and memories, and each promise of pimmsg_join().
 */
#include <sched.h>

#include <pimdimm/types.h>

#include "collectives/messages/pair/pair.h"
#include "tests/unit/pair.h"

static struct pimmsg_stats stats_of(struct pimmsg_end *end)
{
	struct pimmsg_stats stats;

	pair_ok(pimmsg_stats(end, &stats));
	return stats;
}

/* what both know of a random message: the receiver's model of it */
struct traffic {
	uint64_t seed;
	uint32_t messages;
	uint64_t longest;
	const char *eager, *pool, *design;
};

static const char *const designs[] = { "auto", "shm", "naive", "pipeline", "exchange", "memo" };

#define TAGS	4

struct item {
	int tag;
	uint32_t shape;		/* of the sender's buffer; the receiver has another */
	uint64_t elements;	/* of 4 bytes */
	bool synchronous;
};

static struct item item_of(const struct traffic *t, int from, uint32_t i)
{
	struct rng rng = rng_of(t->seed * 2 + (uint64_t)from, i);
	uint64_t bits = rng_below(&rng, 64 - (uint64_t)__builtin_clzll(t->longest / 4)) + 1;

	return (struct item){
		.tag = (int)rng_below(&rng, TAGS),
		.shape = (uint32_t)rng_next(&rng),
		.elements = rng_below(&rng, UINT64_C(1) << bits),
		.synchronous = rng_chance(&rng, 20),
	};
}

static uint32_t item_word(const struct traffic *t, int from, uint32_t i, uint64_t k)
{
	return (uint32_t)((t->seed + (uint64_t)from * 77 + i * 0x9e3779b9u + k) * 2654435761u);
}

/* a buffer of so many elements: in one piece, a vector, or blocks here and there */
struct shaped {
	struct pimtype *type;
	struct pimmsg_buf buf;
	uint32_t *at;		/* of the buffer */
	uint64_t elements, words;
	bool mapped;		/* by the other process, too */
};

static uint64_t shaped_word(uint32_t shape, uint64_t k)
{
	switch (shape % 3) {
	case 0:
		return k;
	case 1:
		return k / 5 * (5 + shape % 11) + k % 5;
	default:
		return k / 3 * 7 + k / 3 % 2 * 3 + k % 3;
	}
}

static struct pimtype *shaped_type(uint32_t shape, uint64_t elements)
{
	const struct pimtype *word = pimtype_basic(PIMTYPE_I32);
	uint64_t block = shape % 3 == 1 ? 5 : 3, whole = elements / block;
	struct pimtype *type, *parts[2];
	uint64_t *lengths;
	int64_t *places;

	if (shape % 3 == 0) {
		pair_ok(pimtype_contiguous(elements, word, &type));
		return type;
	}
	if (shape % 3 == 1) {
		pair_ok(pimtype_vector(whole, 5, 5 + shape % 11, word, &parts[0]));
		pair_ok(pimtype_contiguous(elements % 5, word, &parts[1]));
		pair_ok(pimtype_struct(2, (const uint64_t[]){ 1, 1 },
				       (const int64_t[]){ 0, (int64_t)(whole * 4 * (5 + shape % 11)) },
				       (const struct pimtype *const *)parts, &type));
		pimtype_free(parts[0]);
		pimtype_free(parts[1]);
		return type;
	}
	lengths = malloc((whole + 1) * sizeof(*lengths));
	places = malloc((whole + 1) * sizeof(*places));
	for (uint64_t i = 0; i <= whole; i++) {
		lengths[i] = i < whole ? 3 : elements % 3;
		places[i] = (int64_t)(i * 7 + i % 2 * 3);
	}
	pair_ok(pimtype_indexed(whole + 1, lengths, places, word, &type));
	free(lengths);
	free(places);
	return type;
}

static void shaped_make(struct shaped *s, struct pimmsg_end *end, uint32_t shape,
			uint64_t elements)
{
	s->elements = elements;
	s->words = elements ? shaped_word(shape, elements - 1) + 1 : 1;
	s->mapped = shape / 3 % 2;
	if (s->mapped)
		pair_ok(pimmsg_alloc(end, s->words * 4, (void **)&s->at));
	else
		s->at = malloc(s->words * 4);
	memset(s->at, 0xa5, s->words * 4);
	s->type = shaped_type(shape, elements);
	s->buf = (struct pimmsg_buf){ .ptr = s->at, .part = { 0, 1, s->type } };
}

static void shaped_free(struct shaped *s, struct pimmsg_end *end)
{
	if (s->mapped)
		pair_ok(pimmsg_free(end, s->at));
	else
		free(s->at);
	pimtype_free(s->type);
}

/* of some, once a request has begun with it, which keeps it */
static void shaped_drop_type(struct shaped *s, uint32_t shape)
{
	if (shape / 6 % 2)
		return;
	pimtype_free(s->type);
	s->type = NULL;
}

struct sent {
	struct shaped data;
	struct pimmsg_request *request;
};

static void traffic_send(const struct traffic *t, struct pimmsg_end *end, uint32_t i,
			 struct sent *sent)
{
	struct item item = item_of(t, pair_rank, i);

	shaped_make(&sent->data, end, item.shape, item.elements);
	for (uint64_t k = 0; k < item.elements; k++)
		sent->data.at[shaped_word(item.shape, k)] = item_word(t, pair_rank, i, k);
	pair_ok((item.synchronous ? pimmsg_issend : pimmsg_isend)(end, &sent->data.buf,
								   1 - pair_rank, item.tag,
								   &sent->request));
	shaped_drop_type(&sent->data, item.shape);
}

/* the model: of a tag, the other's messages come in their order */
static uint32_t traffic_next(const struct traffic *t, int tag, uint32_t after)
{
	while (after < t->messages && item_of(t, 1 - pair_rank, after).tag != tag)
		after++;
	return after;
}

struct received {
	uint32_t i, shape;
	struct item item;
	struct shaped data;
	struct pimmsg_request *request;
};

static void traffic_check(const struct traffic *t, const struct received *r,
			  const struct pimmsg_status *status)
{
	uint64_t k = 0, bytes = r->item.elements * 4;

	pair_expect(status->source == 1 - pair_rank && status->tag == r->item.tag);
	pair_expect(status->bytes == bytes);
	for (uint64_t w = 0; w < r->data.words; w++) {
		bool of_it = k < r->item.elements && shaped_word(r->shape, k) == w;

		pair_expect(r->data.at[w] ==
			    (of_it ? item_word(t, 1 - pair_rank, r->i, k) : 0xa5a5a5a5u));
		k += of_it;
	}
}

/* room for the message may be larger than that */
static void traffic_post(struct pimmsg_end *end, struct rng *rng, struct received *r)
{
	uint64_t more = rng_chance(rng, 30) ? rng_below(rng, 20) : 0;

	r->shape = (uint32_t)rng_next(rng);
	shaped_make(&r->data, end, r->shape, r->item.elements + more);
}

static void traffic_receive(const struct traffic *t, struct pimmsg_end *end, struct rng *rng,
			    uint32_t next[TAGS], bool may_wait, struct received *r)
{
	struct pimmsg_message *message;
	struct pimmsg_status status;
	int tag = (int)rng_below(rng, TAGS), found = 0;

	while (next[tag] == t->messages)
		tag = (tag + 1) % TAGS;
	r->i = next[tag];
	r->item = item_of(t, 1 - pair_rank, r->i);
	next[tag] = traffic_next(t, tag, r->i + 1);
	traffic_post(end, rng, r);
	switch (may_wait ? rng_below(rng, 4) : 3) {
	case 0:
		pair_ok(pimmsg_mprobe(end, 1 - pair_rank, tag, &message, &status));
		pair_expect(status.bytes == r->item.elements * 4);
		pair_ok(pimmsg_imrecv(end, &r->data.buf, &message, &r->request));
		break;
	case 1:
		while (!found)
			pair_ok(pimmsg_iprobe(end, PIMMSG_ANY_SOURCE, tag, &found, &status));
		pair_expect(status.bytes == r->item.elements * 4 && status.tag == tag);
		/* fall through */
	default:
		pair_ok(pimmsg_irecv(end, &r->data.buf,
				     rng_chance(rng, 50) ? PIMMSG_ANY_SOURCE : 1 - pair_rank,
				     tag, &r->request));
	}
	shaped_drop_type(&r->data, r->shape);
}

static void traffic_end(const struct traffic *t, struct pimmsg_end *end, struct received *r)
{
	struct pimmsg_status status;
	int done = 0;

	if (r->i % 2) {
		pair_ok(pimmsg_wait(end, &r->request, &status));
	} else {
		while (!done)
			pair_ok(pimmsg_test(end, &r->request, &done, &status));
	}
	traffic_check(t, r, &status);
	shaped_free(&r->data, end);
}

static void traffic_run(const struct traffic *t, struct pimmsg_end *end)
{
	struct sent *sent = calloc(t->messages, sizeof(*sent));
	struct received *received = calloc(t->messages, sizeof(*received));
	struct rng rng = rng_of(t->seed + 99, (uint64_t)pair_rank);
	uint32_t next[TAGS], sends = 0, receives = 0, ended = 0;

	for (int tag = 0; tag < TAGS; tag++)
		next[tag] = traffic_next(t, tag, 0);
	while (sends < t->messages || ended < t->messages) {
		/* nobody waits who has not sent all: the other one may want the rest */
		bool all = sends == t->messages;

		if (!all && rng_chance(&rng, 60))
			traffic_send(t, end, sends, &sent[sends]), sends++;
		else if (receives < t->messages && rng_chance(&rng, 60))
			traffic_receive(t, end, &rng, next, all, &received[receives++]);
		else if (ended < receives && all)
			traffic_end(t, end, &received[ended++]);
	}
	for (uint32_t i = 0; i < t->messages; i++) {
		pair_ok(pimmsg_wait(end, &sent[i].request, NULL));
		shaped_free(&sent[i].data, end);
	}
	free(sent);
	free(received);
}

static void traffic_process(int socket, const void *arg)
{
	const struct traffic *t = arg;
	unsigned int fds = count_of("/proc/self/fd");
	struct pimmsg_end *end;

	setenv("PIMDIMM_EAGER", t->eager, 1);
	setenv("PIMDIMM_POOL", t->pool, 1);
	setenv("PIMDIMM_ZEROCOPY", t->design, 1);
	end = pair_join(socket, NULL);
	traffic_run(t, end);
	if (!strcmp(t->eager, "0"))
		pair_expect(!stats_of(end).mapped_bytes == !strcmp(t->design, "shm"));
	pair_ok(pimmsg_barrier(end));
	pimmsg_close(end);
	pair_expect(count_of("/proc/self/fd") == fds - 1 && !shared_maps());
}

static void traffic(void **state)
{
	static const char *const eagers[] = { "0", "64", "64K" }, *const pools[] = { "0", "4K", "16M" };
	uint64_t seed = 0;

	(void)state;
	for (unsigned int i = 0; i < 3 * ARRAY_SIZE(designs); i++) {
		struct traffic t = { .seed = ++seed, .messages = 150, .longest = 1 << 18,
				     .eager = eagers[i % 3], .pool = pools[(i + i / 3) % 3],
				     .design = designs[i / 3] };

		pair_run(seed % 2 ? SOCK_STREAM : SOCK_SEQPACKET, traffic_process,
			 traffic_process, &t);
	}
}

/* one sends all before the other one receives any */
static void flood_process(int socket, const void *arg)
{
	enum { MANY = 400, BYTES = 3000 };
	static uint8_t data[MANY][BYTES];
	struct pimmsg_request *requests[MANY];
	struct pimmsg_end *end = pair_join(socket, NULL);
	struct pimmsg_buf buf;

	(void)arg;
	for (int i = 0; i < MANY; i++) {
		buf = memory(data[i], BYTES);
		memset(data[i], pair_rank ? 0 : i % 251, BYTES);
		if (pair_rank)
			break;
		pair_ok(pimmsg_isend(end, &buf, 1, i, &requests[i]));
	}
	if (!pair_rank) {
		pair_ok(pimmsg_waitall(end, MANY, requests, NULL));
		pair_ok(pimmsg_barrier(end));
		pair_expect(stats_of(end).eager + stats_of(end).rendezvous >= MANY);
	}
	for (int i = MANY; pair_rank && i--;) {
		buf = memory(data[i], BYTES);
		pair_ok(pimmsg_recv(end, &buf, 0, i, NULL));
		pair_expect(data[i][0] == i % 251 && data[i][BYTES - 1] == i % 251);
	}
	if (pair_rank)
		pair_ok(pimmsg_barrier(end));
	pimmsg_close(end);
}

static void flood(void **state)
{
	(void)state;
	pair_run(SOCK_STREAM, flood_process, flood_process, NULL);
}

/* PIMDIMM_EAGER, and from how many bytes on a send of private and of mapped memory waits */
struct switched {
	const char *eager;
	uint64_t from[2];
};

static void switch_process(int socket, const void *arg)
{
	const struct switched *s = arg;
	struct pimmsg_end *end = pair_join(socket, NULL);
	uint8_t *private = calloc(1, 65536), *mapped;

	pair_ok(pimmsg_alloc(end, 65536, (void **)&mapped));
	for (unsigned int i = 0; i < 4; i++) {
		const bool shared = i % 2;
		const uint64_t bytes = s->from[shared] - (i < 2);
		struct pimmsg_buf buf = memory(shared ? mapped : private, bytes);
		struct pimmsg_stats before = stats_of(end), after;

		pair_ok(pair_rank ? pimmsg_recv(end, &buf, 0, 0, NULL) :
				    pimmsg_send(end, &buf, 1, 0));
		after = stats_of(end);
		pair_expect(after.eager - before.eager == (!pair_rank && i < 2));
		pair_expect(after.rendezvous - before.rendezvous == (!pair_rank && i >= 2));
	}
	pair_ok(pimmsg_barrier(end));
	pimmsg_close(end);
	free(private);
}

static void eager_switch(void **state)
{
	static const struct switched switches[] = {
		{ NULL, { 65536, 8192 } },
		{ "", { 65536, 8192 } },
		{ "64K", { 65536, 65536 } },
		{ "1K", { 1024, 1024 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(switches); i++) {
		if (switches[i].eager)
			setenv("PIMDIMM_EAGER", switches[i].eager, 1);
		pair_run(SOCK_STREAM, switch_process, switch_process, &switches[i]);
		unsetenv("PIMDIMM_EAGER");
	}
}

/* the n-th CPU of those that this process may run on; none: it may use no more of them */
static bool cpu_at(int n, cpu_set_t *one)
{
	cpu_set_t all;

	pair_expect(!sched_getaffinity(0, sizeof(all), &all));
	CPU_ZERO(one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &all) && n-- == 0)
			CPU_SET(cpu, one);
	}
	return CPU_COUNT(one);
}

/* a bit of `arg`: that rank is bound, rank 1 to the next CPU if the next bit says so */
static void bound_process(int socket, const void *arg)
{
	const unsigned int how = *(const unsigned int *)arg;
	const bool apart = how & 4;
	cpu_set_t own, second;
	bool several = cpu_at(1, &second);
	struct pimmsg_end *end;

	pair_expect(cpu_at(pair_rank && apart && several, &own));
	if (how >> pair_rank & 1)
		pair_expect(!sched_setaffinity(0, sizeof(own), &own));
	end = pair_join(socket, NULL);
	/* where both may run on the same one alone, whoever looks keeps the other from running */
	pair_expect(((struct pair *)end->world)->spins == (several && how != 3));
	pair_ok(pimmsg_barrier(end));
	pimmsg_close(end);
}

static void bound(void **state)
{
	(void)state;
	for (unsigned int how = 0; how < 8; how++)
		pair_run(SOCK_STREAM, bound_process, bound_process, &how);
}

static void failures_process(int socket, const void *arg)
{
	struct pimmsg_end *end = pair_join(socket, NULL), *group = NULL;
	int other = 1 - pair_rank;
	uint8_t *data = calloc(1, 200000), guard[16] = { 0 };
	struct pimmsg_buf large = memory(data, 200000), small = memory(guard, 8), floats = small;
	struct pimmsg_status status;
	struct pimmsg_request *request;

	(void)arg;
	pair_expect(pimmsg_rank(end) == pair_rank && pimmsg_size(end) == 2);
	pair_refused(pimmsg_send(end, &small, 2, 0), EINVAL, "to=2, expected a rank, 0 to 1");
	pair_refused(pimmsg_send(end, &small, PIMMSG_HOST, 0), EINVAL, "to=-2");
	pair_refused(pimmsg_send(end, &small, other, -1), EINVAL, "tag=-1");
	pair_refused(pimmsg_send(end, &(struct pimmsg_buf){ .part = { 0, 8, byte() } }, other, 0),
		     EINVAL, "was given no system");
	memset(guard, 7, sizeof(guard));
	for (int i = 0; i < 2; i++) {
		/* too long, eager and not; of other elements */
		large.part.count = i ? 200000 : 100;
		pair_ok(pimmsg_isend(end, &large, other, 1, &request));
		pair_refused(pimmsg_recv(end, &small, other, 1, &status), EMSGSIZE,
			     "expected at most the buffer's 8");
		pair_expect(status.bytes == large.part.count && guard[8] == 7);
		pair_ok(pimmsg_wait(end, &request, NULL));
		floats.part = (struct pimtype_part){ 0, 2, pimtype_basic(PIMTYPE_F32) };
		pair_ok(pimmsg_isend(end, &small, other, 2, &request));
		pair_refused(pimmsg_recv(end, &floats, other, 2, NULL), EPROTO, "of F32");
		pair_ok(pimmsg_wait(end, &request, NULL));
	}
	/* given up, and to oneself */
	pair_ok(pimmsg_irecv(end, &small, other, 9, &request));
	pair_ok(pimmsg_cancel(end, request));
	pair_ok(pimmsg_wait(end, &request, &status));
	pair_expect(status.cancelled == 1);
	pair_ok(pimmsg_isend(end, &large, pair_rank, 3, &request));
	pair_ok(pimmsg_recv(end, &large, PIMMSG_ANY_SOURCE, PIMMSG_ANY_TAG, &status));
	pair_expect(status.source == pair_rank && status.tag == 3);
	pair_ok(pimmsg_wait(end, &request, NULL));
	/* a group in the other order, and one of it */
	for (int i = 0; i < 2; i++) {
		struct pimmsg_end *next;

		pair_ok(pimmsg_split(group ? group : end, 0, group ? 0 : -pair_rank, &next));
		pair_expect(pimmsg_rank(next) == other);
		group = next;
		pair_ok(pimmsg_sendrecv(group, &small, pair_rank, 4, &small, pair_rank, 4, &status));
		pair_expect(status.source == pair_rank);
	}
	pair_ok(pimmsg_barrier(group));
	pimmsg_close(group);
	pimmsg_close(end);
	free(data);
}

static void failures(void **state)
{
	(void)state;
	pair_run(SOCK_SEQPACKET, failures_process, failures_process, NULL);
}

static void killed_map(struct pimmsg_end *end, struct pimmsg_buf *out, struct pimmsg_buf *in)
{
	pair_ok(pimmsg_alloc(end, out->part.count, &out->ptr));
	pair_ok(pimmsg_alloc(end, in->part.count, &in->ptr));
}

/* rank 1 is killed while rank 0 has everything under way */
static void killed_survivor(int socket, const void *arg)
{
	struct pimmsg_end *end;
	static uint8_t data[2][300000];
	struct pimmsg_buf out = memory(data[0], sizeof(data[0])), in = memory(data[1], sizeof(data[1]));
	int ret = pimmsg_join(socket, 0, NULL, &end);

	close(socket);
	/* on a busy machine it may die before it has joined */
	if (ret == -EPIPE)
		return;
	pair_ok(ret);
	if (*(const bool *)arg)
		killed_map(end, &out, &in);
	while (!ret)
		ret = pimmsg_sendrecv(end, &out, 1, 0, &in, 1, 0, NULL);
	pair_refused(ret, EPIPE, "");
	pair_refused(pimmsg_recv(end, &in, PIMMSG_ANY_SOURCE, 5, NULL), EPIPE, "");
	pair_refused(pimmsg_send(end, &out, 1, 0), EPIPE, "has gone");
	pair_refused(pimmsg_probe(end, 1, 8, NULL), EPIPE, "has gone");
	pimmsg_close(end);
	pair_expect(!shared_maps());
}

static void killed_victim(int socket, const void *arg)
{
	struct pimmsg_end *end = pair_join(socket, NULL);
	static uint8_t data[2][300000];
	struct pimmsg_buf out = memory(data[0], sizeof(data[0])), in = memory(data[1], sizeof(data[1]));

	if (*(const bool *)arg)
		killed_map(end, &out, &in);
	for (;;)
		pair_ok(pimmsg_sendrecv(end, &out, 0, 0, &in, 0, 0, NULL));
}

static void killed(void **state)
{
	struct rng rng = rng_of(7, 7);

	(void)state;
	for (int i = 0; i < 12; i++) {
		const bool mapped = i % 2;
		pid_t pids[2];

		pair_start(SOCK_STREAM, killed_survivor, killed_victim, &mapped, pids);
		usleep((useconds_t)(20000 + rng_below(&rng, 40000)));
		kill(pids[1], SIGKILL);
		pair_status(pids[1]);
		assert_int_equal(pair_status(pids[0]), 0);
	}
}

/* what was sent and is done arrives, whatever its sender does then */
static void gone_process(int socket, const void *arg)
{
	struct pimmsg_end *end = pair_join(socket, NULL);
	int number = arg ? 0 : 17;
	struct pimmsg_buf buf = memory(&number, sizeof(number));

	if (!pair_rank) {
		pair_ok(pimmsg_send(end, &buf, 1, 1));
	} else {
		usleep(50000);
		number = 0;
		pair_ok(pimmsg_recv(end, &buf, 0, 1, NULL));
		pair_expect(number == 17);
		pair_refused(pimmsg_recv(end, &buf, 0, 1, NULL), EPIPE, "has gone");
	}
	pimmsg_close(end);
}

static void gone(void **state)
{
	(void)state;
	pair_run(SOCK_STREAM, gone_process, gone_process, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(traffic),
		cmocka_unit_test(flood),
		cmocka_unit_test(eager_switch),
		cmocka_unit_test(bound),
		cmocka_unit_test(failures),
		cmocka_unit_test(killed),
		cmocka_unit_test(gone),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
