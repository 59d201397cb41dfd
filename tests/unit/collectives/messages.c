// SPDX-License-Identifier: MIT
/*
 * Messages between resident kernels and with the host: random programs over seeds, threads,
 * pools and paths against a naive model, and each promise of <pimdimm/messages.h>.
 */
#include <pthread.h>
#include <stdatomic.h>

#include <pimdimm/messages.h>
#include <pimdimm/spmd.h>
#include <pimdimm/types.h>

#include "tests/unit/unit.h"

#define PES		16u

/* the first thing that went wrong in a kernel, which cannot fail the test itself */
static _Atomic int wrong;
static char wrong_text[400];

__attribute__((format(printf, 1, 2)))
static void say_wrong(const char *format, ...)
{
	va_list ap;

	if (atomic_fetch_add(&wrong, 1))
		return;
	va_start(ap, format);
	vsnprintf(wrong_text, sizeof(wrong_text), format, ap);
	va_end(ap);
}

#define EXPECT(cond)							\
	do {								\
		if (!(cond))						\
			say_wrong("line %d: %s: %s", __LINE__, #cond,	\
				  pimdimm_errmsg());			\
	} while (0)

#define EXPECT_REFUSED(call, err, word)					\
	do {								\
		int expect_ret = (call);				\
									\
		if (expect_ret != -(err) || !strstr(pimdimm_errmsg(), word)) \
			say_wrong("line %d: %s: %d: %s", __LINE__, #call, \
				  expect_ret, pimdimm_errmsg());	\
	} while (0)

static const struct pimtype *basic(enum pimtype_basic which)
{
	return pimtype_basic(which);
}

static struct pimmsg_buf memory(void *ptr, uint64_t bytes)
{
	return (struct pimmsg_buf){
		.ptr = ptr, .part = { 0, bytes, basic(PIMTYPE_BYTE) },
	};
}

static struct pimmsg_buf mram(uint32_t pe, int64_t at, uint64_t bytes)
{
	return (struct pimmsg_buf){
		.pe = pe, .part = { at, bytes, basic(PIMTYPE_BYTE) },
	};
}

struct rig {
	struct pimdimm *sys;
	struct pimmsg_end *host;
};

static void set_env(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static struct rig rig_open(const char *uri)
{
	struct rig rig;

	rig.sys = unit_open(uri);
	assert_ok(pimmsg_world(rig.sys, 0, PES, &rig.host));
	return rig;
}

static void rig_close(struct rig *rig)
{
	pimmsg_close(rig->host);
	pimdimm_close(rig->sys);
}

static int rig_try(struct rig *rig, uint32_t tasklets, uint64_t seed,
		   pimdimm_kernel kernel, void *arg)
{
	struct pimdimm_spmd how = {
		.size = sizeof(how), .nr_tasklets = tasklets,
		.stack_bytes = 256 << 10, .seed = seed,
	};

	wrong = 0;
	return pimdimm_spmd(rig->sys, 0, PES, kernel, arg, &how);
}

static void rig_run(struct rig *rig, uint32_t tasklets, uint64_t seed,
		    pimdimm_kernel kernel, void *arg)
{
	assert_ok(rig_try(rig, tasklets, seed, kernel, arg));
	if (wrong)
		fail_msg("%s", wrong_text);
}

#define URI	"mem:ranks=1,mram=1M"

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

/* ---- random programs without wildcards ---- */

#define MESSAGES	60
#define SLOT		(16 << 10)	/* of MRAM, for each end of each message */

struct planned {
	uint32_t from, to;
	int tag;
	uint32_t bytes;
	bool sync, from_mram, to_mram;
	uint64_t step_from, step_to;	/* the order in which each rank begins its own */
	struct planned *source;		/* of the receive: the naive model's message */
	uint8_t out[SLOT], in[SLOT + 8];
};

struct plan {
	struct planned messages[MESSAGES];
	struct pimtype *spread;		/* 3 bytes of 8 */
};

static struct plan plan;

static uint8_t plan_byte(const struct planned *m, uint64_t i)
{
	return (uint8_t)((uintptr_t)(m - plan.messages) * 37 + i * 11 + 1);
}

/* the k-th receive from a rank with a tag takes the k-th send to it with that tag */
static void plan_match(struct planned *receive)
{
	unsigned int before = 0;

	for (unsigned int i = 0; i < MESSAGES; i++) {
		struct planned *m = &plan.messages[i];

		before += m->from == receive->from && m->to == receive->to &&
			  m->tag == receive->tag && m->step_to < receive->step_to;
	}
	for (unsigned int i = 0; i < MESSAGES; i++) {
		struct planned *m = &plan.messages[i];
		unsigned int earlier = 0;

		if (m->from != receive->from || m->to != receive->to || m->tag != receive->tag)
			continue;
		for (unsigned int k = 0; k < MESSAGES; k++) {
			struct planned *o = &plan.messages[k];

			earlier += o->from == m->from && o->to == m->to &&
				   o->tag == m->tag && o->step_from < m->step_from;
		}
		if (earlier == before)
			receive->source = m;
	}
}

static void plan_make(uint64_t seed)
{
	struct rng rng = rng_of(seed, 3);

	for (unsigned int i = 0; i < MESSAGES; i++) {
		struct planned *m = &plan.messages[i];

		m->from = (uint32_t)rng_below(&rng, 4);
		m->to = (uint32_t)rng_below(&rng, 4);
		m->tag = (int)rng_below(&rng, 2);
		m->bytes = (uint32_t)rng_below(&rng, rng_chance(&rng, 50) ? 64 : SLOT / 3);
		m->sync = rng_chance(&rng, 20);
		m->from_mram = rng_chance(&rng, 50);
		m->to_mram = rng_chance(&rng, 50);
		m->step_from = rng_next(&rng);
		m->step_to = rng_next(&rng);
		for (uint64_t b = 0; b < SLOT; b++)
			m->out[b] = plan_byte(m, b);
		memset(m->in, 0xee, sizeof(m->in));
	}
	for (unsigned int i = 0; i < MESSAGES; i++)
		plan_match(&plan.messages[i]);
}

/* messages are dense, receives are spread; and in memory beside MRAM the other way round */
static struct pimmsg_buf plan_buf(struct planned *m, bool receive)
{
	uint64_t slot = (uint64_t)(m - plan.messages) * 2 + receive;
	bool in_mram = receive ? m->to_mram : m->from_mram;
	struct pimmsg_buf buf = { .pe = receive ? m->to : m->from };

	buf.part.type = in_mram == receive ? plan.spread : basic(PIMTYPE_U8);
	/* a receive has room for the longest message that its source could be */
	buf.part.count = receive ? SLOT / 8 : m->bytes / 3;
	if (buf.part.type != plan.spread)
		buf.part.count *= 3;
	if (in_mram)
		buf.part.offset = (int64_t)(slot * SLOT);
	else
		buf.ptr = receive ? m->in : m->out;
	return buf;
}

static bool plan_is_first(const struct planned *m, bool receive, uint32_t pe, uint64_t after,
			  uint64_t *best)
{
	uint64_t step = receive ? m->step_to : m->step_from;

	if ((receive ? m->to : m->from) != pe || step <= after || step >= *best)
		return false;
	*best = step;
	return true;
}

/* begins all that is this PE's, in the order of the plan, and waits for all */
static void plan_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_request *requests[2 * MESSAGES];
	struct pimmsg_end *me = pimmsg_self(pe);
	uint32_t id = pimdimm_pe_id(pe), nr = 0;
	uint64_t after = 0;

	(void)arg;
	for (;;) {
		struct planned *next = NULL;
		struct pimmsg_buf buf;
		uint64_t best = UINT64_MAX;
		bool receive = false;

		for (unsigned int i = 0; i < 2 * MESSAGES; i++) {
			struct planned *m = &plan.messages[i / 2];

			if (plan_is_first(m, i % 2, id, after, &best)) {
				next = m;
				receive = i % 2;
			}
		}
		if (!next)
			break;
		after = best;
		buf = plan_buf(next, receive);
		if (receive)
			EXPECT(!pimmsg_irecv(me, &buf, (int)next->from, next->tag,
					     &requests[nr++]));
		else if (next->sync)
			EXPECT(!pimmsg_issend(me, &buf, (int)next->to, next->tag,
					      &requests[nr++]));
		else
			EXPECT(!pimmsg_isend(me, &buf, (int)next->to, next->tag,
					     &requests[nr++]));
	}
	EXPECT(!pimmsg_waitall(me, nr, requests, NULL));
}

static void plan_write(struct rig *rig)
{
	for (unsigned int i = 0; i < MESSAGES; i++) {
		struct planned *m = &plan.messages[i];
		static uint8_t fill[SLOT];
		struct pimmsg_buf to = plan_buf(m, true), from = plan_buf(m, false);

		memset(fill, 0xee, sizeof(fill));
		if (m->to_mram)
			assert_ok(pimdimm_write(rig->sys, m->to, (uint64_t)to.part.offset,
						fill, SLOT));
		if (m->from_mram)
			assert_ok(pimdimm_write(rig->sys, m->from,
						(uint64_t)from.part.offset, m->out, SLOT));
	}
}

static void plan_check(struct rig *rig)
{
	for (unsigned int i = 0; i < MESSAGES; i++) {
		struct planned *m = &plan.messages[i], *s = m->source;
		struct pimmsg_buf to = plan_buf(m, true), from = plan_buf(s, false);
		static uint8_t got[SLOT], expected[SLOT];
		uint64_t bytes = s->bytes / 3 * 3;

		memset(expected, 0xee, sizeof(expected));
		for (uint64_t b = 0; b < bytes; b++) {
			uint64_t at = from.part.type == plan.spread ? b / 3 * 8 + b % 3 : b;

			expected[to.part.type == plan.spread ? b / 3 * 8 + b % 3 : b] =
				plan_byte(s, at);
		}
		memcpy(got, m->in, SLOT);
		if (m->to_mram)
			assert_ok(pimdimm_read(rig->sys, m->to, (uint64_t)to.part.offset,
					       got, SLOT));
		assert_memory_equal(got, expected, SLOT);
	}
}

static uint64_t plan_run(uint64_t program, uint64_t seed, const char *threads,
			 const char *eager, const char *pool, const char *loiter,
			 const char *uri)
{
	struct pimmsg_stats stats;
	struct rig rig;

	set_env("PIMDIMM_THREADS", threads);
	set_env("PIMDIMM_EAGER", eager);
	set_env("PIMDIMM_POOL", pool);
	set_env("PIMDIMM_LOITER", loiter);
	rig = rig_open(uri);
	plan_make(program);
	plan_write(&rig);
	rig_run(&rig, 1, seed, plan_kernel, NULL);
	plan_check(&rig);
	assert_ok(pimmsg_stats(rig.host, &stats));
	assert_int_equal(stats.posted + stats.unexpected + stats.loitered, MESSAGES);
	rig_close(&rig);
	return stats.matches;
}

static void random_programs(void **state)
{
	static const char *const threads[] = { "1", "2", "4" };
	static const char *const eagers[] = { NULL, "0", "100" };
	static const char *const uris[] = {
		"mem:ranks=1,mram=2M", "mem:ranks=1,mram=2M,layout=xeon_sp",
	};
	struct pimtype *three;

	(void)state;
	assert_ok(pimtype_contiguous(3, basic(PIMTYPE_U8), &three));
	assert_ok(pimtype_resized(three, 0, 8, &plan.spread));
	pimtype_free(three);
	for (uint64_t program = 0; program < 6; program++) {
		uint64_t first = plan_run(program, 0, "1", NULL, NULL, NULL, uris[0]);

		for (uint64_t i = 1; i < 9; i++)
			assert_int_equal(plan_run(program, i % 3 ? i : 0, threads[i % 3],
						  eagers[i / 3], i % 2 ? "0" : NULL,
						  i % 4 == 3 ? "poll" : NULL, uris[i % 2]),
					 first);
	}
	pimtype_free(plan.spread);
	set_env("PIMDIMM_THREADS", NULL);
	set_env("PIMDIMM_EAGER", NULL);
	set_env("PIMDIMM_POOL", NULL);
	set_env("PIMDIMM_LOITER", NULL);
}

/* ---- wildcards, and the same seed twice ---- */

static void anybody_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	int rank = pimmsg_rank(me);
	uint32_t value = (uint32_t)rank, seen[PES] = { 0 };
	struct pimmsg_buf buf = memory(&value, sizeof(value));
	struct pimmsg_status status;

	(void)arg;
	for (uint32_t i = 0; rank && i < 5; i++) {
		EXPECT(!pimmsg_send(me, &buf, 0, (int)i));
		pimdimm_yield(pe);
	}
	for (uint32_t i = 0; !rank && i < 5 * (PES - 1); i++) {
		EXPECT(!pimmsg_recv(me, &buf, PIMMSG_ANY_SOURCE, PIMMSG_ANY_TAG, &status));
		EXPECT(status.source == (int)value);
		/* those of one sender in their order */
		EXPECT(status.tag == (int)seen[value % PES]++);
		if (i % 3 == 0)
			pimdimm_yield(pe);
	}
}

static void wildcards(void **state)
{
	uint64_t first = 0;
	bool other = false;

	(void)state;
	for (uint64_t seed = 1; seed < 8; seed++) {
		uint64_t matches[2];

		for (int i = 0; i < 2; i++) {
			struct rig rig = rig_open(URI);
			struct pimmsg_stats stats;

			rig_run(&rig, 1, seed, anybody_kernel, NULL);
			assert_ok(pimmsg_stats(rig.host, &stats));
			matches[i] = stats.matches;
			rig_close(&rig);
		}
		assert_int_equal(matches[0], matches[1]);
		other |= seed > 1 && matches[0] != first;
		first = matches[0];
	}
	assert_true(other);
}

/* ---- the host ---- */

static void take_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	uint64_t *value = pimdimm_wram_alloc(pe, 8);
	struct pimmsg_buf buf = memory(value, 8);

	(void)arg;
	EXPECT(!pimmsg_recv(me, &buf, PIMMSG_HOST, 1, NULL));
	*value *= 2;
	EXPECT(!pimmsg_send(me, &buf, PIMMSG_HOST, 2));
}

static void send_on_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	int rank = pimmsg_rank(me);
	struct pimmsg_buf buf = mram((uint32_t)rank, 64, 5000);
	struct pimmsg_request *request;

	(void)arg;
	EXPECT(!pimmsg_isend(me, &buf, (rank + 1) % (int)PES, 9, &request));
}

static void take_on_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	int rank = pimmsg_rank(me);
	struct pimmsg_buf buf = mram((uint32_t)rank, 10000, 5000);

	(void)arg;
	EXPECT(!pimmsg_recv(me, &buf, (rank + (int)PES - 1) % (int)PES, 9, NULL));
}

/* what was sent lies there until the next run, and the one after that */
static void outlives_runs(void **state)
{
	static uint8_t data[5000], got[5000];
	uint64_t values[PES];
	struct rig rig = rig_open(URI);

	(void)state;
	for (uint64_t i = 0; i < PES; i++) {
		struct pimmsg_buf buf = memory(&values[i], 8);

		values[i] = 100 + i;
		assert_ok(pimmsg_send(rig.host, &buf, (int)i, 1));
		memset(data, (int)i, sizeof(data));
		assert_ok(pimdimm_write(rig.sys, (uint32_t)i, 64, data, sizeof(data)));
	}
	rig_run(&rig, 1, 0, take_kernel, NULL);
	for (uint64_t i = 0; i < PES; i++) {
		struct pimmsg_buf buf = memory(&values[i], 8);

		assert_ok(pimmsg_recv(rig.host, &buf, (int)i, 2, NULL));
		assert_int_equal(values[i], 2 * (100 + i));
	}
	for (int i = 0; i < 2; i++) {
		set_env("PIMDIMM_EAGER", i ? "0" : NULL);
		rig_close(&rig);
		rig = rig_open(URI);
		for (uint32_t pe = 0; pe < PES; pe++) {
			memset(data, (int)pe, sizeof(data));
			assert_ok(pimdimm_write(rig.sys, pe, 64, data, sizeof(data)));
		}
		rig_run(&rig, 1, 0, send_on_kernel, NULL);
		rig_run(&rig, 1, 0, take_on_kernel, NULL);
		for (uint32_t pe = 0; pe < PES; pe++) {
			memset(data, (int)((pe + PES - 1) % PES), sizeof(data));
			assert_ok(pimdimm_read(rig.sys, pe, 10000, got, sizeof(got)));
			assert_memory_equal(got, data, sizeof(data));
		}
	}
	set_env("PIMDIMM_EAGER", NULL);
	rig_close(&rig);
}

#define FED	200

static void *run_fed(void *arg)
{
	struct rig *rig = arg;
	struct pimdimm_spmd how = { .size = sizeof(how), .nr_tasklets = 1 };

	for (int i = 0; i < FED; i++) {
		int ret = pimdimm_spmd(rig->sys, 0, PES, take_kernel, NULL, &how);

		if (ret)
			return (void *)(intptr_t)ret;
	}
	return NULL;
}

/* PEs that wait for the host while it runs beside them are no deadlock */
static void host_feeds(void **state)
{
	struct rig rig = rig_open(URI);
	pthread_t thread;
	void *ret;

	(void)state;
	wrong = 0;
	assert_int_equal(pthread_create(&thread, NULL, run_fed, &rig), 0);
	for (uint64_t i = 0; i < FED * PES; i++) {
		uint64_t value = i, back = 0;
		struct pimmsg_buf buf = memory(&value, 8), to = memory(&back, 8);

		assert_ok(pimmsg_send(rig.host, &buf, (int)(i % PES), 1));
		assert_ok(pimmsg_recv(rig.host, &to, (int)(i % PES), 2, NULL));
		assert_int_equal(back, 2 * i);
	}
	pthread_join(thread, &ret);
	assert_null(ret);
	assert_int_equal(wrong, 0);
	rig_close(&rig);
}

/* a run that waits for the host while the host waits for it is one */
static void host_deadlock(void **state)
{
	struct rig rig = rig_open(URI);
	uint64_t value;
	struct pimmsg_buf buf = memory(&value, 8);
	struct pimmsg_request *request;
	pthread_t thread;
	void *ret;

	(void)state;
	assert_int_equal(rig_try(&rig, 1, 0, take_kernel, NULL), -EDEADLK);
	assert_non_null(strstr(pimdimm_errmsg(), "waits for a message of the host, tag 1"));
	assert_ok(pimmsg_irecv(rig.host, &buf, 0, 2, &request));
	assert_int_equal(pthread_create(&thread, NULL, run_fed, &rig), 0);
	assert_refused(pimmsg_wait(rig.host, &request, NULL), EDEADLK, "deadlock");
	pthread_join(thread, &ret);
	assert_int_equal((intptr_t)ret, -EDEADLK);
	assert_ok(pimmsg_cancel(rig.host, request));
	assert_ok(pimmsg_wait(rig.host, &request, NULL));
	rig_close(&rig);
}

static void circle_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	uint64_t value;
	struct pimmsg_buf buf = memory(&value, 8);

	(void)arg;
	if (pimmsg_rank(me) < 3)
		pimmsg_recv(me, &buf, (pimmsg_rank(me) + 1) % 3, 7, NULL);
}

static void unreceived_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	uint64_t value = 0;
	struct pimmsg_buf buf = memory(&value, 8);

	(void)arg;
	if (pimmsg_rank(me) == 4)
		pimmsg_ssend(me, &buf, 5, 1);
	if (pimmsg_rank(me) == 6)
		pimmsg_probe(me, PIMMSG_ANY_SOURCE, 8, NULL);
}

static void deadlocks(void **state)
{
	struct rig rig = rig_open(URI);

	(void)state;
	assert_int_equal(rig_try(&rig, 1, 0, circle_kernel, NULL), -EDEADLK);
	assert_non_null(strstr(pimdimm_errmsg(), "waits for a message of PE 1, tag 7"));
	assert_int_equal(rig_try(&rig, 1, 5, unreceived_kernel, NULL), -EDEADLK);
	assert_non_null(strstr(pimdimm_errmsg(), "waits for a receive of PE 5, tag 1"));
	/* the world is none the worse */
	rig_close(&rig);
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

/* ---- what does not fit ---- */

static void misfit_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	int rank = pimmsg_rank(me);
	float floats[4] = { 1, 2, 3, 4 };
	int32_t ints[5] = { -1, -1, -1, -1, -1 };
	struct pimmsg_buf out = { .ptr = floats, .part = { 0, 4, basic(PIMTYPE_F32) } };
	struct pimmsg_buf in = { .ptr = ints, .part = { 0, 4, basic(PIMTYPE_I32) } };
	struct pimmsg_status status;

	(void)arg;
	if (rank == 1) {
		for (int i = 0; i < 3; i++)
			EXPECT(!pimmsg_send(me, &out, 0, i));
		out.part.count = 2;
		EXPECT(!pimmsg_send(me, &out, 0, 3));
	}
	if (rank)
		return;
	EXPECT_REFUSED(pimmsg_recv(me, &in, 1, 0, &status), EPROTO,
		       "message of 4 of F32 from rank 1, tag 0, expected the buffer's 4 of I32");
	EXPECT(status.error == -EPROTO && status.bytes == 16);
	in.part = (struct pimtype_part){ 0, 3, basic(PIMTYPE_F32) };
	EXPECT_REFUSED(pimmsg_recv(me, &in, 1, 1, &status), EMSGSIZE,
		       "message of 16 bytes from rank 1, tag 1, expected at most the buffer's 12");
	EXPECT(status.bytes == 16);
	for (int i = 0; i < 5; i++)
		EXPECT(ints[i] == -1);
	in.part = (struct pimtype_part){ 0, 16, basic(PIMTYPE_PACKED) };
	EXPECT(!pimmsg_recv(me, &in, 1, 2, &status));
	EXPECT(!memcmp(ints, floats, 16) && ints[4] == -1);
	/* shorter is fine, if what there is agrees */
	in.part = (struct pimtype_part){ 0, 4, basic(PIMTYPE_F32) };
	EXPECT(!pimmsg_recv(me, &in, 1, 3, &status) && status.bytes == 8);
}

static void misfits(void **state)
{
	static const char *const eagers[] = { NULL, "0" };

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct rig rig;

		set_env("PIMDIMM_EAGER", eagers[i % 2]);
		rig = rig_open(URI);
		rig_run(&rig, 1, (uint64_t)i, misfit_kernel, NULL);
		rig_close(&rig);
	}
	set_env("PIMDIMM_EAGER", NULL);
}

static void refused_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	uint64_t value = 0;
	struct pimmsg_buf buf = memory(&value, 8), bad;
	struct pimmsg_request *request;
	struct pimtype *twice;
	uint8_t *wram = pimdimm_wram(pe);

	if (pimmsg_rank(me))
		return;
	EXPECT_REFUSED(pimmsg_send(NULL, &buf, 0, 0), EINVAL, "end is NULL");
	EXPECT_REFUSED(pimmsg_send(me, NULL, 0, 0), EINVAL, "buf is NULL");
	EXPECT_REFUSED(pimmsg_isend(me, &buf, 0, 0, NULL), EINVAL, "request is NULL");
	EXPECT_REFUSED(pimmsg_send(me, &buf, PES, 0), EINVAL, "to=16");
	EXPECT_REFUSED(pimmsg_send(me, &buf, -1, 0), EINVAL, "to=-1");
	EXPECT_REFUSED(pimmsg_recv(me, &buf, -4, 0, NULL), EINVAL, "from=-4");
	EXPECT_REFUSED(pimmsg_send(me, &buf, 0, -1), EINVAL, "tag=-1");
	EXPECT_REFUSED(pimmsg_recv(me, &buf, 0, -2, NULL), EINVAL, "tag=-2");
	bad = buf;
	bad.reserved = 1;
	EXPECT_REFUSED(pimmsg_send(me, &bad, 0, 0), EINVAL, "reserved=1");
	bad = buf;
	bad.part.type = NULL;
	EXPECT_REFUSED(pimmsg_send(me, &bad, 0, 0), EINVAL, "NULL");
	bad.part.type = arg;
	EXPECT_REFUSED(pimmsg_send(me, &bad, 0, 0), EINVAL, "freed");
	bad = mram(1, 0, 8);
	EXPECT_REFUSED(pimmsg_send(me, &bad, 0, 0), EINVAL, "expected the kernel's own, 0");
	bad = mram(0, (1 << 20) - 4, 8);
	EXPECT_REFUSED(pimmsg_send(me, &bad, 0, 0), EINVAL, "buf");
	bad = mram(0, -1, 8);
	EXPECT_REFUSED(pimmsg_send(me, &bad, 0, 0), EINVAL, "buf");
	bad = memory(wram + 65536 - 4, 8);
	EXPECT_REFUSED(pimmsg_recv(me, &bad, 0, 0, NULL), EINVAL, "WRAM");
	bad = buf;
	bad.part.count = UINT64_MAX;
	EXPECT_REFUSED(pimmsg_send(me, &bad, 0, 0), EINVAL, "buf");
	EXPECT(!pimtype_vector(2, 2, 1, basic(PIMTYPE_U8), &twice));
	bad = buf;
	bad.part = (struct pimtype_part){ 0, 1, twice };
	EXPECT_REFUSED(pimmsg_recv(me, &bad, 0, 0, NULL), EINVAL, "buf");
	pimtype_free(twice);
	EXPECT(!pimmsg_isend(me, &buf, 0, 0, &request));
	EXPECT_REFUSED(pimmsg_cancel(me, request), EINVAL, "a send");
	EXPECT(!pimmsg_wait(me, &request, NULL) && !request);
	EXPECT_REFUSED(pimmsg_cancel(me, NULL), EINVAL, "NULL");
	EXPECT(!pimmsg_recv(me, &buf, 0, 0, NULL));
}

static void launched_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	uint64_t value = 0;
	struct pimmsg_buf buf = memory(&value, 8);

	(void)arg;
	EXPECT_REFUSED(pimmsg_send(me, &buf, 0, 0), EOPNOTSUPP, "pimdimm_launch()");
}

static void outside_kernel(struct pimdimm_pe *pe, void *arg)
{
	(void)arg;
	EXPECT_REFUSED(pimmsg_rank(pimmsg_self(pe)), ENOTCONN, "pimmsg_world()");
}

static void refused(void **state)
{
	struct rig rig = rig_open(URI);
	struct pimdimm_spmd how = { .size = sizeof(how), .nr_tasklets = 1 };
	struct pimmsg_end *other;
	struct pimtype *freed;

	(void)state;
	assert_ok(pimtype_contiguous(2, basic(PIMTYPE_U8), &freed));
	pimtype_free(freed);
	rig_run(&rig, 1, 0, refused_kernel, freed);
	assert_refused(pimmsg_world(rig.sys, 0, 1, &other), EBUSY, "PEs 0 to 15");
	assert_refused(pimmsg_world(NULL, 0, 1, &other), EINVAL, "sys");
	assert_refused(pimmsg_world(rig.sys, 0, 0, &other), EINVAL, "nr_pes=0");
	assert_refused(pimmsg_world(rig.sys, 60, 5, &other), EINVAL, "first_pe=60");
	assert_refused(pimmsg_barrier(rig.host), EINVAL, "the host's");
	wrong = 0;
	assert_ok(pimdimm_launch(rig.sys, 0, 2, 1, launched_kernel, NULL));
	assert_int_equal(wrong, 0);
	assert_ok(pimdimm_spmd(rig.sys, PES, 2, outside_kernel, NULL, &how));
	if (wrong)
		fail_msg("%s", wrong_text);
	rig_close(&rig);
	set_env("PIMDIMM_EAGER", "1x");
	rig.sys = unit_open(URI);
	assert_refused(pimmsg_world(rig.sys, 0, 1, &other), EINVAL, "PIMDIMM_EAGER");
	set_env("PIMDIMM_EAGER", NULL);
	set_env("PIMDIMM_LOITER", "often");
	assert_refused(pimmsg_world(rig.sys, 0, 1, &other), EINVAL, "wake or poll");
	set_env("PIMDIMM_LOITER", NULL);
	pimdimm_close(rig.sys);
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

/* a transfer that fails ends the requests of both ends */
static void fault_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	int rank = pimmsg_rank(me);
	struct pimmsg_buf buf = mram((uint32_t)rank, 8, 3000);
	int *errors = arg;

	errors[rank] = 0;
	if (rank == 0)
		errors[rank] = pimmsg_send(me, &buf, 1, 0);
	if (rank == 1)
		errors[rank] = pimmsg_recv(me, &buf, 0, 0, NULL);
	if (errors[rank])
		EXPECT(strstr(pimdimm_errmsg(), "moving it failed"));
}

static void injected_faults(void **state)
{
	static const char *const eagers[] = { "0", "64K" };
	int errors[PES];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct rig rig;

		set_env("PIMDIMM_EAGER", eagers[i]);
		rig = rig_open(URI ",inject=fail_nth:1");
		rig_run(&rig, 1, 0, fault_kernel, errors);
		assert_int_equal(errors[0], -EIO);
		assert_int_equal(errors[1], -EIO);
		rig_close(&rig);
	}
	set_env("PIMDIMM_EAGER", NULL);
}

/* what a kernel leaves behind cannot hurt */
static void leave_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	int rank = pimmsg_rank(me);
	uint8_t gone[200];
	struct pimmsg_buf buf = memory(gone, sizeof(gone));
	struct pimmsg_request *request;

	(void)arg;
	EXPECT(!pimmsg_irecv(me, &buf, rank, 1, &request));
	EXPECT(!pimmsg_isend(me, &buf, rank, 2, &request));
}

static void left_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct pimmsg_end *me = pimmsg_self(pe);
	uint8_t got[200] = { 0 };
	struct pimmsg_buf buf = memory(got, sizeof(got));
	struct pimmsg_request *request;

	(void)arg;
	/* the receive of the run before would take it, if it were there */
	EXPECT(!pimmsg_isend(me, &buf, pimmsg_rank(me), 1, &request));
	EXPECT(!pimmsg_recv(me, &buf, pimmsg_rank(me), 1, NULL));
	EXPECT(!pimmsg_wait(me, &request, NULL));
	EXPECT_REFUSED(pimmsg_recv(me, &buf, pimmsg_rank(me), 2, NULL), ECANCELED,
		       "moving it failed");
}

static void left_behind(void **state)
{
	struct rig rig;

	(void)state;
	set_env("PIMDIMM_EAGER", "100");
	rig = rig_open(URI);
	rig_run(&rig, 1, 0, leave_kernel, NULL);
	set_env("PIMDIMM_EAGER", NULL);
	rig_run(&rig, 1, 0, left_kernel, NULL);
	rig_close(&rig);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(ring),
	cmocka_unit_test(random_programs),
	cmocka_unit_test(wildcards),
	cmocka_unit_test(barrier_without_eager),
	cmocka_unit_test(outlives_runs),
	cmocka_unit_test(host_feeds),
	cmocka_unit_test(host_deadlock),
	cmocka_unit_test(deadlocks),
	cmocka_unit_test(probes),
	cmocka_unit_test(misfits),
	cmocka_unit_test(refused),
	cmocka_unit_test(groups_of_ranks),
	cmocka_unit_test(collected),
	cmocka_unit_test(injected_faults),
	cmocka_unit_test(left_behind),
};

UNIT_MAIN(tests)
