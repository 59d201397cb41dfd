// SPDX-License-Identifier: MIT
/*
 * Messages between resident kernels, each promise of <pimdimm/messages.h> by itself: rings,
 * probes, groups, barriers, copies that are collected.
 */
#include "tests/unit/collectives/message_rig.h"

/* each adds its number to what its neighbour sends, and sends it on */
static void ring_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	int rank = pimmsg_rank(me), size = pimmsg_size(me);
	uint64_t *sum = pimdimm_wram_alloc(pe, sizeof(*sum));
	struct pimmsg_buf buf = memory(sum, sizeof(*sum));
	struct pimmsg_status status;

	*sum = 0;
	if (rank) {
		EXPECT(!pimmsg_recv(me, &buf, rank - 1, 3, &status));
		EXPECT(status.source == rank - 1 && status.tag == 3 && status.bytes == 8);
	}
	*sum += (uint64_t)rank;
	EXPECT(!pimmsg_send(me, &buf, (rank + 1) % size, 3));
	if (!rank) {
		EXPECT(!pimmsg_recv(me, &buf, size - 1, 3, NULL));
		*(uint64_t *)arg = *sum;
	}
}

static void ring(void **state)
{
	static const char *const threads[] = { "1", "2", "4" };

	(void)state;
	for (unsigned int i = 0; i < 6; i++) {
		struct pimmsg_stats stats;
		uint64_t sum = 0;
		struct rig rig;

		set_env("PIMDIMM_THREADS", threads[i % 3]);
		rig = rig_open(URI);
		rig_run(&rig, 1, i / 3 * 77, ring_kernel, &sum);
		assert_int_equal(sum, PES * (PES - 1) / 2);
		assert_ok(pimmsg_stats(rig.host, &stats));
		assert_int_equal(stats.hops, PES);
		assert_int_equal(stats.eager, PES);
		assert_int_equal(stats.posted + stats.unexpected, PES);
		rig_close(&rig);
	}
	set_env("PIMDIMM_THREADS", NULL);
}

/* ---- asked for again and again, by pairs of ranks ---- */

#define POLLS		1000u
#define POLLED_WORDS	100u

static void poll_send(struct pimmsg_end *me, int other, uint32_t i)
{
	uint64_t words[POLLED_WORDS];
	struct pimmsg_buf buf = memory(words, i % 3 ? sizeof(words) : 8);

	for (uint32_t k = 0; k < POLLED_WORDS; k++)
		words[k] = i * 1000 + k;
	EXPECT(!pimmsg_send(me, &buf, other, 1));
}

static void poll_receive(struct pimmsg_end *me, int other, uint32_t i)
{
	uint64_t words[POLLED_WORDS] = { 0 };
	struct pimmsg_buf buf = memory(words, sizeof(words));
	struct pimmsg_request *request;
	int done = 0;

	EXPECT(!pimmsg_irecv(me, &buf, other, 1, &request));
	while (!done)
		EXPECT(!pimmsg_test(me, &request, &done, NULL));
	for (uint32_t k = 0; k < POLLED_WORDS; k++)
		EXPECT(words[k] == (k && !(i % 3) ? 0 : i * 1000 + k));
}

/* to and fro, or, if `arg` says so, all of them one way */
static void poll_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	int rank = pimmsg_rank(me), other = rank ^ 1;
	const bool *one_way = arg;

	for (uint32_t i = 0; i < POLLS; i++) {
		if ((rank + (*one_way ? 0 : i)) % 2)
			poll_receive(me, other, i);
		else
			poll_send(me, other, i);
	}
}

/*
 * To and fro no more than one message is under way to a rank, for which its pool has room: what
 * it takes there is given back each time. One way the parcels go back to those who send.
 */
static void polled(void **state)
{
	static const char *const threads[] = { "1", "2", "4" };

	(void)state;
	for (unsigned int i = 0; i < 6; i++) {
		bool one_way = i / 3;
		struct pimmsg_stats stats;
		struct rig rig;

		set_env("PIMDIMM_THREADS", threads[i % 3]);
		set_env("PIMDIMM_POOL", "800");
		rig = rig_open(URI);
		rig_run(&rig, 1, 0, poll_kernel, &one_way);
		assert_ok(pimmsg_stats(rig.host, &stats));
		assert_int_equal(stats.eager + stats.rendezvous, PES / 2 * POLLS);
		assert_int_equal(stats.no_room, stats.rendezvous);
		if (!one_way)
			assert_int_equal(stats.rendezvous, 0);
		rig_close(&rig);
	}
	set_env("PIMDIMM_POOL", NULL);
	set_env("PIMDIMM_THREADS", NULL);
}

/* ---- probes, cancelling ---- */

static void probe_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	int rank = pimmsg_rank(me), found;
	uint32_t values[3] = { 5, 6, 7 }, got[3] = { 0 };
	struct pimmsg_buf out = memory(values, sizeof(values)), in = memory(got, sizeof(got));
	struct pimmsg_message *message;
	struct pimmsg_request *requests[2], *one;
	struct pimmsg_status status;
	uint32_t index;

	(void)arg;
	if (rank == 1) {
		EXPECT(!pimmsg_isend(me, &out, 0, 10, &one));
		EXPECT(!pimmsg_issend(me, &out, 0, 11, &requests[0]));
		EXPECT(!pimmsg_ssend(me, &out, 0, 12));
		EXPECT(!pimmsg_wait(me, &one, NULL));
		EXPECT(!pimmsg_wait(me, &requests[0], NULL));
	}
	if (rank)
		return;
	EXPECT(!pimmsg_probe(me, 1, 11, &status));
	EXPECT(status.bytes == 12 && status.source == 1 && status.tag == 11);
	do {
		EXPECT(!pimmsg_iprobe(me, PIMMSG_ANY_SOURCE, 10, &found, &status));
	} while (!found);
	EXPECT(!pimmsg_mprobe(me, PIMMSG_ANY_SOURCE, PIMMSG_ANY_TAG, &message, &status));
	EXPECT(status.tag == 10);
	/* nobody else receives what was taken */
	EXPECT(!pimmsg_iprobe(me, 1, 10, &found, NULL) && !found);
	EXPECT(!pimmsg_irecv(me, &in, 1, 99, &requests[0]));
	EXPECT(!pimmsg_cancel(me, requests[0]));
	EXPECT(!pimmsg_wait(me, &requests[0], &status) && status.cancelled);
	EXPECT(!pimmsg_imrecv(me, &in, &message, &one) && !message);
	EXPECT(!pimmsg_wait(me, &one, &status) && status.tag == 10 && got[2] == 7);
	EXPECT(!pimmsg_irecv(me, &in, 1, 11, &requests[0]));
	EXPECT(!pimmsg_irecv(me, &in, 1, 12, &requests[1]));
	EXPECT(!pimmsg_waitany(me, 2, requests, &index, &status) && index == 0);
	do {
		EXPECT(!pimmsg_testany(me, 2, requests, &index, &status));
	} while (index == 2);
	EXPECT(index == 1 && status.tag == 12);
	EXPECT(!pimmsg_waitany(me, 2, requests, &index, &status) && index == 2);
	EXPECT(!pimmsg_recv(me, &in, PIMMSG_NONE, 3, &status));
	EXPECT(status.source == PIMMSG_NONE && status.tag == PIMMSG_ANY_TAG && !status.bytes);
	EXPECT(!pimmsg_send(me, &in, PIMMSG_NONE, 3));
}

static void probes(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 5; seed++) {
		struct rig rig;

		set_env("PIMDIMM_EAGER", seed % 2 ? "0" : NULL);
		rig = rig_open(URI);
		rig_run(&rig, 1, seed, probe_kernel, NULL);
		rig_close(&rig);
	}
	set_env("PIMDIMM_EAGER", NULL);
}

/* ---- groups of ranks, barriers ---- */

static _Atomic uint32_t came;

static void groups_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe), *group, *none;
	int rank = pimmsg_rank(me), value = rank, got = -1, n;
	struct pimmsg_buf out = memory(&value, sizeof(value)), in = memory(&got, sizeof(got));

	(void)arg;
	for (uint32_t round = 1; round < 4; round++) {
		atomic_fetch_add(&came, 1);
		EXPECT(!pimmsg_barrier(me));
		EXPECT(atomic_load(&came) >= PES * round);
		EXPECT(!pimmsg_barrier(me));
	}
	/* by remainder, the highest rank first */
	EXPECT(!pimmsg_split(me, rank % 3, -rank, &group));
	EXPECT(!pimmsg_split(me, rank ? PIMMSG_UNDEFINED : 1, 0, &none));
	EXPECT(rank ? !none : pimmsg_size(none) == 1);
	n = pimmsg_size(group);
	EXPECT(n == (rank % 3 ? 5 : 6));
	EXPECT(pimmsg_rank(group) == n - 1 - rank / 3);
	/* one that was sent in the world is none of the group's */
	EXPECT(!pimmsg_send(me, &out, (rank + 1) % (int)PES, 0));
	EXPECT(!pimmsg_sendrecv(group, &out, (pimmsg_rank(group) + 1) % n, 0, &in,
				PIMMSG_ANY_SOURCE, 0, NULL));
	EXPECT(got == (rank + 3 < (int)PES ? rank + 3 : rank % 3));
	EXPECT_REFUSED(pimmsg_send(group, &out, PIMMSG_HOST, 0), EINVAL, "to=-2");
	EXPECT(!pimmsg_recv(me, &in, PIMMSG_ANY_SOURCE, 0, NULL));
	EXPECT(got == (rank + (int)PES - 1) % (int)PES);
	EXPECT(!pimmsg_barrier(group));
	pimmsg_close(group);
}

static void groups_of_ranks(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 4; seed++) {
		struct rig rig = rig_open(URI);

		came = 0;
		rig_run(&rig, 1, seed, groups_kernel, NULL);
		rig_close(&rig);
	}
}

static void barrier_kernel(struct pimdimm_pe *pe, void *arg)
{
	(void)arg;
	EXPECT(!pimmsg_barrier(pimmsg_self(pe)));
}

/* a barrier's messages need no room anywhere, as no message does */
static void barrier_without_eager(void **state)
{
	struct rig rig;

	(void)state;
	set_env("PIMDIMM_EAGER", "0");
	rig = rig_open(URI);
	rig_run(&rig, 1, 0, barrier_kernel, NULL);
	rig_close(&rig);
	set_env("PIMDIMM_EAGER", NULL);
}

/* ---- copies between MRAMs ---- */

static void shift_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	int rank = pimmsg_rank(me), n = (int)PES;
	struct pimmsg_buf out = mram((uint32_t)rank, 8, 3000);
	struct pimmsg_buf in = mram((uint32_t)rank, 4096, 3000);
	int *errors = arg;

	errors[rank] = pimmsg_sendrecv(me, &out, (rank + 8) % n, 0, &in, (rank + n - 8) % n, 0,
				       NULL);
}

static void collected(void **state)
{
	static uint8_t data[3000], got[3000];
	int errors[PES];

	(void)state;
	set_env("PIMDIMM_EAGER", "100");
	for (uint64_t seed = 0; seed < 3; seed++) {
		struct rig rig = rig_open(seed == 2 ? URI ",strict=1" : URI);
		struct pimmsg_stats stats;

		for (uint32_t pe = 0; pe < PES; pe++) {
			memset(data, (int)pe, sizeof(data));
			assert_ok(pimdimm_write(rig.sys, pe, 8, data, sizeof(data)));
		}
		rig_run(&rig, 1, seed, shift_kernel, errors);
		for (uint32_t pe = 0; pe < PES; pe++) {
			assert_int_equal(errors[pe], 0);
			memset(data, (int)((pe + 8) % PES), sizeof(data));
			assert_ok(pimdimm_read(rig.sys, pe, 4096, got, sizeof(got)));
			assert_memory_equal(got, data, sizeof(data));
		}
		assert_ok(pimmsg_stats(rig.host, &stats));
		assert_int_equal(stats.collected, PES);
		assert_int_equal(stats.hops, 3 * PES);
		/* whoever runs alone collects all before anything is copied */
		if (seed)
			assert_int_equal(stats.batches, 1);
		rig_close(&rig);
	}
	set_env("PIMDIMM_EAGER", NULL);
}

/* where all ranks are of one process memory for messages is memory as any */
static void allocated(void **state)
{
	struct rig rig = rig_open(URI);
	uint8_t *ptr, *left;

	(void)state;
	assert_ok(pimmsg_alloc(rig.host, 5000, (void **)&ptr));
	assert_ok(pimmsg_alloc(rig.host, 1, (void **)&left));
	assert_int_equal(ptr[0] + ptr[4999] + left[0], 0);
	memset(ptr, 7, 5000);
	assert_ok(pimmsg_free(rig.host, ptr));
	assert_refused(pimmsg_free(rig.host, ptr), EINVAL, "no memory of pimmsg_alloc()");
	assert_refused(pimmsg_alloc(rig.host, 0, (void **)&ptr), EINVAL, "bytes=0");
	rig_close(&rig);
}

/* ---- whoever is asked for any of many ---- */

#define MANY		32u
#define MANY_BYTES	4096u
/* far more than it takes, so that a message which never comes fails the test */
#define PATIENCE	(1u << 24)

static void any_send(struct pimmsg_end *me, int other, uint8_t *data)
{
	struct pimmsg_request *requests[MANY];
	uint32_t left = MANY;

	for (uint32_t i = 0; i < MANY; i++) {
		struct pimmsg_buf buf = memory(data + i * MANY_BYTES, MANY_BYTES);

		EXPECT(!pimmsg_isend(me, &buf, other, (int)i, &requests[i]));
	}
	for (uint32_t asked = 0; left && asked < PATIENCE; asked++) {
		uint32_t index = MANY;

		EXPECT(!pimmsg_testany(me, MANY, requests, &index, NULL));
		left -= index < MANY;
	}
	EXPECT(!left);
}

static void any_receive(struct pimdimm_pe *pe, struct pimmsg_end *me, int other, uint8_t *data,
			uint32_t round)
{
	for (uint32_t i = 0; i < MANY; i++) {
		struct pimmsg_buf buf = memory(data + i * MANY_BYTES, MANY_BYTES);

		for (uint32_t n = (round + i) * 2654435761u >> 30; n; n--)
			pimdimm_yield(pe);
		EXPECT(!pimmsg_recv(me, &buf, other, (int)i, NULL));
	}
}

static void any_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	int rank = pimmsg_rank(me), other = rank ^ 1;
	uint8_t *data = calloc(MANY, MANY_BYTES);

	(void)arg;
	for (uint32_t round = 0; round < 100 && data && !wrong; round++) {
		if (rank % 2)
			any_receive(pe, me, other, data, round);
		else
			any_send(me, other, data);
	}
	EXPECT(data);
	free(data);
}

/* A send that is done while its sender asks for any of its own wakes the right one. */
static void any(void **state)
{
	struct rig rig;

	(void)state;
	set_env("PIMDIMM_EAGER", "0");
	set_env("PIMDIMM_THREADS", "2");
	for (unsigned int i = 0; i < 3; i++) {
		rig = rig_open(URI);
		rig_run(&rig, 1, 0, any_kernel, NULL);
		rig_close(&rig);
	}
	set_env("PIMDIMM_THREADS", NULL);
	set_env("PIMDIMM_EAGER", NULL);
}

/* ---- a tasklet that goes to another PE, and sends there as the rank that it was ---- */

#define FROM_AWAY	20000u

static void away_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	uint32_t tasklet = pimdimm_tasklet_id(pe);
	int rank = pimmsg_rank(me);
	uint64_t word = 0;
	struct pimmsg_buf buf = memory(&word, sizeof(word));

	(void)arg;
	if (rank > 2 || (rank && tasklet))
		return;
	if (!rank && tasklet)
		EXPECT(!pimdimm_migrate(pe, PES - 1));
	for (uint32_t i = 0; i < FROM_AWAY; i++) {
		word = i;
		if (rank) {
			EXPECT(!pimmsg_recv(me, &buf, 0, 1, NULL));
			EXPECT(word == i);
		} else {
			EXPECT(!pimmsg_send(me, &buf, 1 + (int)tasklet, 1));
		}
	}
}

static void sent_from_away(void **state)
{
	struct pimmsg_stats stats;
	struct rig rig;

	(void)state;
	set_env("PIMDIMM_THREADS", "2");
	rig = rig_open(URI);
	rig_run(&rig, 2, 0, away_kernel, NULL);
	assert_ok(pimmsg_stats(rig.host, &stats));
	assert_int_equal(stats.sends, 2 * FROM_AWAY);
	assert_int_equal(stats.eager + stats.rendezvous, 2 * FROM_AWAY);
	rig_close(&rig);
	set_env("PIMDIMM_THREADS", NULL);
}

/* ---- types that are freed before their messages have arrived ---- */

#define HELD_WORDS	96u

/* every second word, in memory or in MRAM */
static struct pimmsg_buf every_second(struct pimdimm_pe *pe, uint64_t *words, bool mram)
{
	struct pimmsg_buf buf = { .ptr = mram ? NULL : words, .pe = pimdimm_pe_id(pe) };
	struct pimtype *type;

	EXPECT(!pimtype_vector(HELD_WORDS, 1, 2, basic(PIMTYPE_U64), &type));
	buf.part = (struct pimtype_part){ 0, 1, type };
	return buf;
}

static void held_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	int rank = pimmsg_rank(me);
	uint64_t words[2 * HELD_WORDS] = { 0 };
	bool mram = *(const bool *)arg;
	struct pimmsg_request *request;
	struct pimmsg_buf buf;

	if (rank > 1)
		return;
	for (uint32_t i = 0; rank && i < 2 * HELD_WORDS; i++)
		words[i] = i + 1;
	if (mram)
		EXPECT(!pimdimm_mram_write(pe, 0, words, sizeof(words)));
	buf = every_second(pe, words, mram);
	if (rank)
		EXPECT(!pimmsg_isend(me, &buf, 0, 1, &request));
	else
		EXPECT(!pimmsg_irecv(me, &buf, 1, 1, &request));
	pimtype_free((struct pimtype *)(uintptr_t)buf.part.type);
	EXPECT(!pimmsg_wait(me, &request, NULL));
	if (mram)
		EXPECT(!pimdimm_mram_read(pe, 0, words, sizeof(words)));
	for (uint32_t i = 0; !rank && i < 2 * HELD_WORDS; i++)
		EXPECT(words[i] == (i % 2 ? 0 : i + 1));
}

/* those that began with a type keep it, as MPI's do: in parcels and without */
static void freed_types(void **state)
{
	static const char *const eager[] = { NULL, "0" };

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		bool mram = i / 2;
		struct pimmsg_stats stats;
		struct rig rig;

		set_env("PIMDIMM_EAGER", eager[i % 2]);
		rig = rig_open(URI);
		rig_run(&rig, 1, 0, held_kernel, &mram);
		assert_ok(pimmsg_stats(rig.host, &stats));
		assert_int_equal(stats.eager, 1 - i % 2);
		assert_int_equal(stats.rendezvous, i % 2);
		rig_close(&rig);
	}
	set_env("PIMDIMM_EAGER", NULL);
}

/* ---- a pool that many fill at once ---- */

#define CROWD		3
/* the thread sanitizer needs no luck to see a race */
#ifdef __SANITIZE_THREAD__
#define CROWDED		1000u
#else
#define CROWDED		20000u
#endif
#define POOL_BYTES	256u
#define ITEM		100u

static void crowd_receive(struct pimmsg_end *me, uint32_t nr)
{
	uint8_t data[ITEM];
	struct pimmsg_buf buf = memory(data, sizeof(data));

	for (uint32_t i = 0; i < nr; i++)
		EXPECT(!pimmsg_recv(me, &buf, PIMMSG_ANY_SOURCE, 1, NULL));
}

/* and in the end more than there is room for, before anything is received */
static void crowd_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	struct pimmsg_request *requests[8];
	struct pimmsg_stats *stats = arg;
	uint8_t data[ITEM] = { 0 };
	struct pimmsg_buf buf = memory(data, sizeof(data));
	int rank = pimmsg_rank(me);

	if (!rank)
		crowd_receive(me, CROWD * CROWDED);
	for (uint32_t i = 0; i < CROWDED && rank && rank <= CROWD; i++)
		EXPECT(!pimmsg_send(me, &buf, 0, 1));
	EXPECT(!pimmsg_barrier(me));
	if (rank == 1) {
		EXPECT(!pimmsg_stats(me, &stats[0]));
		for (int i = 0; i < 8; i++)
			EXPECT(!pimmsg_isend(me, &buf, 0, 1, &requests[i]));
		EXPECT(!pimmsg_stats(me, &stats[1]));
		EXPECT(!pimmsg_send(me, &buf, 0, 2));
		EXPECT(!pimmsg_waitall(me, 8, requests, NULL));
	} else if (!rank) {
		EXPECT(!pimmsg_recv(me, &buf, 1, 2, NULL));
		crowd_receive(me, 8);
	}
}

static void pool_of_many(void **state)
{
	struct pimmsg_stats stats[2];
	struct rig rig;

	(void)state;
	set_env("PIMDIMM_POOL", "256");
	set_env("PIMDIMM_THREADS", "4");
	for (unsigned int i = 0; i < 20; i++) {
		rig = rig_open(URI);
		rig_run(&rig, 1, 0, crowd_kernel, stats);
		/* all but those that the pool has room for */
		assert_int_equal(stats[1].no_room - stats[0].no_room, 8 - POOL_BYTES / ITEM);
		rig_close(&rig);
	}
	set_env("PIMDIMM_THREADS", NULL);
	set_env("PIMDIMM_POOL", NULL);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(allocated),
	cmocka_unit_test(ring),
	cmocka_unit_test(polled),
	cmocka_unit_test(barrier_without_eager),
	cmocka_unit_test(probes),
	cmocka_unit_test(groups_of_ranks),
	cmocka_unit_test(collected),
	cmocka_unit_test(any),
	cmocka_unit_test(sent_from_away),
	cmocka_unit_test(freed_types),
	cmocka_unit_test(pool_of_many),
};

UNIT_MAIN(tests)
