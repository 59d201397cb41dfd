// SPDX-License-Identifier: MIT
/*
 * A process of two that lies to the other one, which lives, says so and gives all back: random
 * heads, layouts and counters that might nearly be true, and one lie at a time.
 */
#include <sched.h>

#include "collectives/messages/pair/pair.h"
#include "tests/unit/pair.h"

static struct pimmsg_end *join_as(int socket, uint64_t design)
{
	setenv("PIMDIMM_ZEROCOPY", pd_zerocopy_name(design % (PD_ZEROCOPY_MEMO + 1)), 1);
	return pair_join(socket, NULL);
}

/* a process that is lied to: whatever comes of its calls, it lives and gives all back */
static void lied_to(int socket, const void *arg)
{
	struct pimmsg_end *end = join_as(socket, *(const uint64_t *)arg);
	uint8_t *data[2];
	struct pimmsg_request *requests[3];
	int ret = 0;

	pair_ok(pimmsg_alloc(end, 100000, (void **)&data[0]));
	pair_ok(pimmsg_alloc(end, 100000, (void **)&data[1]));
	for (int i = 0; i < 100000 && ret != -EPIPE && ret != -EBADMSG; i++) {
		struct pimmsg_buf out = memory(data[0], i % 2 ? 100 : 100000);
		struct pimmsg_buf in = memory(data[1], 100000);

		memset(requests, 0, sizeof(requests));
		pimmsg_irecv(end, &in, 1, PIMMSG_ANY_TAG, &requests[0]);
		pimmsg_isend(end, &out, 1, i % 8, &requests[1]);
		ret = pimmsg_issend(end, &out, 1, i % 8, &requests[2]);
		if (!ret)
			ret = pimmsg_waitany(end, 3, requests, &(uint32_t){ 0 }, NULL);
		for (int k = 0; k < 3; k++) {
			int done = pimmsg_wait(end, &requests[k], NULL);

			ret = ret ? ret : done;
		}
	}
	pair_expect(ret == -EPIPE || ret == -EBADMSG);
	pair_refused(pimmsg_send(end, &(struct pimmsg_buf){ .ptr = data[0] }, 1, 0), -ret, "");
	pimmsg_close(end);
	pair_expect(!shared_maps());
}

/* a head that might nearly be one */
static struct pair_head lie_of(struct rng *rng)
{
	uint64_t bytes = rng_chance(rng, 50) ? 0 : rng_below(rng, 300);
	struct pair_head head = {
		.kind = (uint16_t)(1 + rng_below(rng, PAIR_KINDS)),
		.way = (uint16_t)(rng_below(rng, 20) / 10),
		.bytes = (uint32_t)bytes,
		.slot = (uint32_t)rng_below(rng, rng_chance(rng, 90) ? 3 : 100000),
		.at = rng_chance(rng, 60) ? 0 : rng_next(rng),
		.frame = {
			.kind = (uint8_t)rng_below(rng, 5),
			.flags = (uint8_t)rng_below(rng, rng_chance(rng, 90) ? 3 : 256),
			.status = rng_chance(rng, 90) ? 0 : (int32_t)rng_next(rng),
			.from = (uint32_t)rng_below(rng, 3),
			.home = (uint32_t)rng_next(rng),
			.tag = (int32_t)rng_below(rng, 10),
			.bytes = rng_chance(rng, 70) ? bytes : rng_next(rng),
			.send = rng_below(rng, 6),
			.receive = rng_below(rng, 6),
			.serial = 1 + rng_below(rng, 3),
		},
		.more = rng_chance(rng, 70) ? (bytes + 7) / 8 * 8 : rng_next(rng),
	};
	struct pair_place place = {
		.where = (uint32_t)rng_below(rng, rng_chance(rng, 95) ? PAIR_WHERES : 9),
		.flags = (uint32_t)rng_below(rng, 4),
		.segment = 1 + rng_below(rng, 3),
		.at = rng_chance(rng, 80) ? rng_below(rng, 2000) : rng_next(rng),
		.layout = rng_chance(rng, 30) ? PAIR_LISTED : rng_below(rng, 4),
	};

	memcpy(head.frame.there, &place, sizeof(place));
	head.length = (uint32_t)((sizeof(head) + bytes + 63) / 64 * 64);
	if (rng_chance(rng, 2))
		head.length = (uint32_t)rng_next(rng);
	if (rng_chance(rng, 50))
		head.frame.context = 0;
	return head;
}

/* words of a layout that might nearly be one */
static void lie_words(struct rng *rng, uint8_t *at)
{
	for (int i = 0; i < 30; i++) {
		int64_t word = rng_chance(rng, 90) ? (int64_t)rng_below(rng, 9) :
						     (int64_t)rng_next(rng);

		memcpy(at + 8 * i, &word, sizeof(word));
	}
}

static void liar(int socket, const void *arg)
{
	struct rng rng = rng_of(*(const uint64_t *)arg, 3);
	struct pimmsg_end *end = join_as(socket, *(const uint64_t *)arg);
	struct pair *p = (struct pair *)end->world;
	uint64_t written = 0;
	void *shared;

	pair_ok(pimmsg_alloc(end, 200000, &shared));
	for (int i = 0; i < 200; i++) {
		struct pair_head head = lie_of(&rng);

		head.here = rng_chance(&rng, 98) ? p->key + written : rng_next(&rng);
		if (written % PAIR_RING + 4096 > PAIR_RING)
			break;
		memcpy(p->mine->ring + written % PAIR_RING, &head, sizeof(head));
		if (head.kind == PAIR_LAYOUT || head.kind == PAIR_RUNS)
			lie_words(&rng, p->mine->ring + written % PAIR_RING + sizeof(head));
		for (unsigned int slot = 0; slot < 3 && rng_chance(&rng, 20); slot++)
			atomic_store(&p->mine->slots[slot].next, rng_next(&rng));
		for (unsigned int slot = 0; slot < 3 && rng_chance(&rng, 20); slot++)
			atomic_store(&p->theirs->slots[slot].done, rng_below(&rng, 20));
		written += (sizeof(head) + head.bytes + 63) / 64 * 64;
		if (rng_chance(&rng, 1))
			written = rng_next(&rng);
		atomic_store(&p->mine->written, written);
		if (rng_chance(&rng, 80))
			atomic_store(&p->mine->taken, atomic_load(&p->theirs->written));
		else if (rng_chance(&rng, 2))
			atomic_store(&p->mine->taken, rng_next(&rng));
		if (rng_chance(&rng, 2))
			atomic_store(&p->mine->returned, rng_next(&rng));
		if (rng_chance(&rng, 30))
			sched_yield();
	}
	_exit(0);
}

static void lies(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++)
		pair_run(SOCK_STREAM, lied_to, liar, &seed);
}

/* each of these alone ends the pair */
static const struct pair_head one_lie[] = {
	{ .kind = PAIR_PARCEL, .frame = { .kind = ME_ENVELOPE, .flags = ME_EAGER, .bytes = 90000 } },
	{ .kind = PAIR_PARCEL, .frame = { .kind = ME_ENVELOPE, .bytes = 9, .status = 5 } },
	{ .kind = PAIR_PARCEL, .frame = { .kind = ME_CLAIM } },
	{ .kind = PAIR_PARCEL, .frame = { .kind = ME_MATCHED, .send = 1 } },
	{ .kind = PAIR_PARCEL, .frame = { .kind = ME_DATA } },
	{ .kind = PAIR_PARCEL, .frame = { .kind = 77 } },
	{ .kind = PAIR_DATA, .bytes = 8 },
	{ .kind = PAIR_LAYOUT, .bytes = 8, .more = 7 },
	{ .kind = PAIR_LAYOUT, .bytes = 8, .more = UINT64_C(1) << 40 },
	{ .kind = PAIR_LAYOUT, .bytes = 8, .at = 8, .more = 16 },
	{ .kind = PAIR_LAYOUT, .bytes = 16, .more = 16 },
	{ .kind = PAIR_RUNS, .bytes = 16 },
	{ .kind = PAIR_RUNS, .bytes = 16, .slot = PAIR_SLOTS },
	{ .kind = PAIR_ASK, .at = 1, .frame = { .send = 5 } },
	{ .kind = PAIR_ASK, .way = 1, .at = 1 },
	{ .kind = PAIR_ASK, .slot = PAIR_SLOTS, .at = 1 },
	{ .kind = PAIR_DATA, .slot = PAIR_SLOTS, .bytes = 8 },
	{ .kind = 99 },
};

static void tells_one(int socket, const void *arg)
{
	struct pair *p = (struct pair *)pair_join(socket, NULL)->world;
	struct pair_head head = one_lie[*(const unsigned int *)arg];

	pair_expect(pm_pair_reserve(p, head.bytes));
	memset(p->reserved, 0xff, head.bytes);
	pm_pair_commit(p, &head);
	pm_pair_ring_bell(p);
	while (!pm_pair_sleep(p->pidfd, -1, 100))
		;
}

static void hears_one(int socket, const void *arg)
{
	struct pimmsg_end *end = pair_join(socket, NULL);
	static uint8_t data[100000];
	struct pimmsg_buf in = memory(data, sizeof(data));

	(void)arg;
	pair_refused(pimmsg_recv(end, &in, 1, PIMMSG_ANY_TAG, NULL), EBADMSG, "makes no sense");
	pimmsg_close(end);
}

/* what is counted, and is not there; in the second case a head of another place is */
static void counts_one(int socket, const void *arg)
{
	struct pair *p = (struct pair *)pair_join(socket, NULL)->world;
	struct pair_head head = { .here = p->key + 64, .length = sizeof(head), .kind = PAIR_PAD };

	if (*(const unsigned int *)arg)
		memcpy(p->mine->ring, &head, sizeof(head));
	atomic_store(&p->mine->written, 192);
	while (!pm_pair_sleep(p->pidfd, -1, 100))
		;
}

static void one_lie_each(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(one_lie); i++)
		pair_run(SOCK_STREAM, hears_one, tells_one, &i);
	for (unsigned int i = 0; i < 2; i++)
		pair_run(SOCK_STREAM, hears_one, counts_one, &i);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(lies),
	cmocka_unit_test(one_lie_each),
};

UNIT_MAIN(tests)
