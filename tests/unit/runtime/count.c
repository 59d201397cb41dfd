// SPDX-License-Identifier: MIT
/*
 * The tier `count` counts what is touched, and a call that touches anything else
 * than its counters say fails.
 */
#include "collectives/algorithms/table.h"
#include "collectives/call/args.h"
#include "collectives/call/call.h"
#include "collectives/api/run.h"
#include "collectives/parts/staging.h"
#include "runtime/watch/count.h"

#include "tests/unit/unit.h"

#define BYTES	512
#define MEMBERS	8
#define GROUPS	8

struct rig {
	struct pimdimm *sys;
	struct pidcomm *hc;
	uint8_t *bufs[GROUPS];
};

static struct rig rig_make(const char *isa, const char *uri)
{
	static const uint32_t dims[] = { MEMBERS, GROUPS };
	struct rig rig;

	if (isa)
		setenv("PIMDIMM_ISA", isa, 1);
	rig.sys = unit_open(uri);
	unsetenv("PIMDIMM_ISA");
	assert_ok(pidcomm_create(rig.sys, 2, dims, &rig.hc));
	for (unsigned i = 0; i < GROUPS; i++)
		rig.bufs[i] = need(calloc(MEMBERS, BYTES));
	return rig;
}

static void rig_end(struct rig *rig)
{
	for (unsigned i = 0; i < GROUPS; i++)
		free(rig->bufs[i]);
	pidcomm_destroy(rig->hc);
	pimdimm_close(rig->sys);
}

/* Something that the call does besides, and says nothing of. */
static void (*besides)(struct pc_call *call);

static void besides_work(void *ctx, uint64_t first, uint64_t count)
{
	for (uint64_t i = first; i < first + count; i++)
		if (i == 7)
			besides(ctx);
}

static int gather_and(struct pc_call *call)
{
	int ret = pc_gather_direct.run(call);

	besides(call);
	return ret;
}

/* ... on whichever thread comes to it */
static int gather_and_work(struct pc_call *call)
{
	int ret = pc_gather_direct.run(call);

	pd_workers_run(call->req->sys->workers, 16, 1, besides_work, call);
	return ret;
}

static int gather_with(struct rig *rig, int (*run)(struct pc_call *),
		       void (*also)(struct pc_call *))
{
	const struct pc_algorithm algorithm = { .name = "test", .run = run };
	struct pc_args args = pc_args_rooted(PC_GATHER, "10", BYTES, 0,
					     rig->bufs);
	const struct pc_shape *shape;
	struct pidcomm_stats stats;

	besides = also;
	assert_ok(pc_args_check(rig->hc, &args, &shape));
	return pc_run(rig->hc, &args, shape, &algorithm, &stats);
}

static void nothing(struct pc_call *call)
{
	(void)call;
}

static void read_block(struct pc_call *call)
{
	uint8_t tile[64];

	call->req->moves->load(tile, pd_block(call->req->sys, 3, 5), 0, 1);
}

static void write_block(struct pc_call *call)
{
	uint8_t tile[64] = { 0 };

	call->req->moves->store(pd_block(call->req->sys, 3, 5), 0, tile, 1,
				false, PD_STORES_PLAIN);
}

/* non-temporal or not, transposed or not */
static void stream_block(struct pc_call *call)
{
	uint8_t tile[64] = { 0 };

	call->req->moves->store(pd_block(call->req->sys, 3, 5), 0, tile, 1,
				true, PD_STORES_AROUND);
}

static void transpose_block(struct pc_call *call)
{
	uint8_t tile[64] = { 0 };

	call->req->sys->blocks->transpose(tile, tile, 1);
}

static void read_host(struct pc_call *call)
{
	uint8_t tile[64];

	call->req->moves->load(tile, call->req->bufs[2] + 3, 0, 1);
}

static void write_host(struct pc_call *call)
{
	uint8_t tile[64] = { 0 };

	call->req->moves->store(call->req->bufs[2] + 3, 0, tile, 1, false,
				PD_STORES_PLAIN);
}

static void copy_host(struct pc_call *call)
{
	pd_copy(call->req->bufs[2] + 64, call->req->bufs[2], 1);
}

/* host memory that nobody has heard of */
static void read_heap(struct pc_call *call)
{
	uint8_t *staging = need(calloc(1, 64)), tile[64];

	call->req->moves->load(tile, staging, 0, 1);
	free(staging);
}

static void claim_block(struct pc_call *call)
{
	pc_count(&call->counts.blocks_read, 1);
}

static void touch_tiles(struct pc_call *call)
{
	uint8_t tile[128] = { 0 };

	call->req->moves->load(tile, tile + 64, 64, 1);
	pd_copy(tile, tile + 64, 8);
}

static void test_notices(void **state)
{
	static const struct {
		void (*also)(struct pc_call *);
		const char *counter;
	} cases[] = {
		{ read_block, "mram_blocks_read is 512, but PIMDIMM_ISA=count counted 513" },
		{ claim_block, "mram_blocks_read is 513, but PIMDIMM_ISA=count counted 512" },
		{ write_block, "mram_blocks_written is 0," },
		{ stream_block, "mram_blocks_written is 0," },
		{ transpose_block, "domain_transfers is 512, but PIMDIMM_ISA=count counted 513" },
		{ read_host, "host_bytes_read is 0, but PIMDIMM_ISA=count counted 64" },
		{ write_host, "host_bytes_written is 32768, but PIMDIMM_ISA=count counted 32832" },
		{ copy_host, "host_bytes_read is 0, but PIMDIMM_ISA=count counted 1" },
		{ read_heap, "host_bytes_read is 0, but PIMDIMM_ISA=count counted 64" },
	};

	(void)state;
	for (size_t u = 0; u < ARRAY_SIZE(unit_uris); u++) {
		struct rig rig = rig_make("count", unit_uris[u]);

		assert_ok(gather_with(&rig, gather_and, nothing));
		assert_ok(gather_with(&rig, gather_and, touch_tiles));
		assert_ok(gather_with(&rig, gather_and_work, touch_tiles));
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			assert_refused(gather_with(&rig, gather_and,
						   cases[i].also),
				       EIO, cases[i].counter);
			assert_refused(gather_with(&rig, gather_and_work,
						   cases[i].also),
				       EIO, cases[i].counter);
		}
		rig_end(&rig);
	}
}

/* the other tiers have nothing to compare with */
static void test_others(void **state)
{
	struct rig rig = rig_make("portable", unit_uris[0]);

	(void)state;
	assert_ok(gather_with(&rig, gather_and, read_block));
	assert_false(pd_counts_now());
	rig_end(&rig);
}

static void test_chosen(void **state)
{
	enum pd_isa isa;

	(void)state;
	unsetenv("PIMDIMM_ISA");
	assert_ok(pd_isa_choose(&isa));
	assert_int_not_equal(isa, PD_ISA_COUNT);
	setenv("PIMDIMM_ISA", "count", 1);
	assert_ok(pd_isa_choose(&isa));
	unsetenv("PIMDIMM_ISA");
	assert_int_equal(isa, PD_ISA_COUNT);
}

/* Parts of blocks, and what lies across their borders. */
static void test_parts(void **state)
{
	struct pimdimm *sys = unit_open(unit_uris[0]);
	const struct pd_blocks *k = pd_isa_blocks(PD_ISA_COUNT);
	uint8_t *mram = pimdimm_mram(sys, 1, NULL), *host = need(calloc(8, 64));
	struct pd_counter counter;
	struct pd_counting before;
	struct pd_counts c;

	(void)state;
	pd_counter_init(&counter, sys->windows, sys->nr_ranks);
	before = pd_counting_enter(&counter, __builtin_frame_address(0));
	k->lane_get(host, mram, 64, 3, 5);	/* 5 blocks to 40 bytes */
	k->lane_put(mram, 64, 3, host, 6);	/* 48 bytes to 6 blocks */
	pd_copy(mram + 8, mram + 60, 8);	/* 2 blocks to 1 */
	pd_copy(mram + 1, mram + 64, 0);
	k->transpose(host, host + 1, 2);
	pd_touch_read(host, 3);
	pd_counting_leave(before);
	c = pd_counter_counts(&counter);
	assert_int_equal(c.blocks_read, 5 + 2);
	assert_int_equal(c.blocks_written, 6 + 1);
	assert_int_equal(c.transfers, 2);
	assert_int_equal(c.host_read, 48 + 128 + 3);
	assert_int_equal(c.host_written, 40 + 128);
	free(host);
	pimdimm_close(sys);
}

/* the whole lines of a buffer */
static uint64_t lines(const void *buf, uint64_t bytes)
{
	uint64_t head = -(uintptr_t)buf % 64;

	return bytes < head ? 0 : (bytes - head) / 64;
}

static uint64_t pulled_around(struct rig *rig, enum pd_nt nt, void *bufs[])
{
	struct pd_counter counter;
	struct pd_counting before;
	uint64_t bytes = 0;

	rig->sys->nt = nt;
	pd_counter_init(&counter, rig->sys->windows, rig->sys->nr_ranks);
	before = pd_counting_enter(&counter, __builtin_frame_address(0));
	assert_ok(pimdimm_pull(rig->sys, 0, 8, 0, bufs, BYTES));
	pd_counting_leave(before);
	for (unsigned i = 0; i < 8; i++)
		bytes += bufs[i] ? BYTES : 0;
	assert_int_equal(counter.host_written, bytes);
	return counter.around;
}

/* Every whole line of a host buffer goes around the caches, or none does. */
static void test_pull_around(void **state)
{
	struct rig rig = rig_make("count", unit_uris[0]);
	uint8_t *arena = need(aligned_alloc(64, 8 * (BYTES + 64)));
	void *bufs[8];

	(void)state;
	for (unsigned at = 0; at < 64; at += 4) {
		for (unsigned apart = 0; apart < 64; apart += 12) {
			uint64_t whole = 0;

			for (unsigned i = 0; i < 8; i++) {
				bufs[i] = arena + i * (BYTES + 64) +
					  (at + apart * i) % 64;
				whole += lines(bufs[i], BYTES);
			}
			assert_int_equal(pulled_around(&rig, PD_NT_ALWAYS,
						       bufs), whole);
			assert_int_equal(pulled_around(&rig, PD_NT_NEVER,
						       bufs), 0);
		}
	}
	free(arena);
	rig_end(&rig);
}

/* ... of those that some PEs of a group have. */
static void test_pull_some_around(void **state)
{
	struct rig rig = rig_make("count", unit_uris[0]);
	uint8_t *arena = need(aligned_alloc(64, 8 * (BYTES + 64)));

	(void)state;
	for (unsigned mask = 0; mask < 256; mask++) {
		uint64_t whole = 0;
		void *bufs[8];

		for (unsigned i = 0; i < 8; i++) {
			bufs[i] = NULL;
			if (!(mask & 1u << i))
				continue;
			bufs[i] = arena + i * (BYTES + 64) +
				  (mask % 3 ? mask * i % 64 : 0);
			whole += lines(bufs[i], BYTES);
		}
		assert_int_equal(pulled_around(&rig, PD_NT_ALWAYS, bufs), whole);
		assert_int_equal(pulled_around(&rig, PD_NT_NEVER, bufs), 0);
	}
	free(arena);
	rig_end(&rig);
}

static uint64_t call_around;

/* Counts for itself, and says that nothing was touched. */
static int count_around(struct pc_call *call, int (*run)(struct pc_call *))
{
	struct pd_counter counter;
	struct pd_counting before;
	int ret;

	pd_counter_init(&counter, call->req->sys->windows,
			call->req->sys->nr_ranks);
	before = pd_counting_enter(&counter, __builtin_frame_address(0));
	ret = run(call);
	pd_counting_leave(before);
	call_around = counter.around;
	call->counts = (struct pc_counts){0};
	return ret;
}

static int gather_around(struct pc_call *call)
{
	return count_around(call, pc_gather_direct.run);
}

static int reduce_around(struct pc_call *call)
{
	return count_around(call, pc_reduce_direct.run);
}

/* Whole lines are those of each of the pieces that a buffer has. */
static void check_around(struct rig *rig, struct pc_args *args,
			 int (*run)(struct pc_call *), unsigned int pieces)
{
	const struct pc_algorithm algorithm = { .name = "test", .run = run };
	const struct pc_shape *shape;
	struct pidcomm_stats stats;
	uint64_t whole = 0;

	for (unsigned i = 0; i < GROUPS; i++)
		for (unsigned j = 0; j < pieces; j++)
			whole += lines(rig->bufs[i] + j * BYTES, BYTES);
	for (enum pd_nt nt = PD_NT_ALWAYS; nt <= PD_NT_NEVER; nt++) {
		rig->sys->nt = nt;
		assert_ok(pc_args_check(rig->hc, args, &shape));
		assert_ok(pc_run(rig->hc, args, shape, &algorithm, &stats));
		assert_int_equal(call_around, nt == PD_NT_ALWAYS ? whole : 0);
	}
}

static void test_calls_around(void **state)
{
	struct rig rig = rig_make("count", unit_uris[0]);
	struct pc_args args = pc_args_rooted(PC_GATHER, "10", BYTES, 0,
					     rig.bufs);

	(void)state;
	check_around(&rig, &args, gather_around, MEMBERS);
	for (unsigned i = 0; i < 2; i++) {
		args = pc_args_rooted(PC_REDUCE, i ? "01" : "10", BYTES, 0,
				      rig.bufs);
		args.type = PIDCOMM_I32;
		args.op = PIDCOMM_SUM;
		check_around(&rig, &args, reduce_around, 1);
	}
	rig_end(&rig);
}

/* A lane or a tail more or less: loops tell of each word that they touch. */
static void test_tails(void **state)
{
	struct rig rig = rig_make("count", unit_uris[1]);

	(void)state;
	for (uint64_t bytes = 8; bytes <= BYTES; bytes += 8) {
		void *const *bufs = (void *const *)rig.bufs;

		assert_ok(pidcomm_gather(rig.hc, "10", bytes, 40, bufs));
		assert_ok(pidcomm_reduce(rig.hc, "01", bytes, 8, bufs,
					 PIDCOMM_F16, PIDCOMM_SUM));
		assert_ok(pidcomm_allreduce(rig.hc, "11", bytes, 8, 8,
					    PIDCOMM_I8, PIDCOMM_MIN));
		assert_ok(pidcomm_broadcast(rig.hc, "10", bytes,
					    (const void *const *)bufs, 16));
	}
	rig_end(&rig);
}

struct busy {
	struct rig own, other;
	unsigned failures;
};

/* An operation may use the library; that is no part of the call. */
static void busy_op(void *inout, const void *in, size_t count,
		    enum pidcomm_type type, void *ctx)
{
	struct busy *busy = ctx;
	const uint64_t *b = in;
	uint64_t *a = inout, word;

	(void)type;
	busy->failures += !!pimdimm_read(busy->own.sys, 1, 4096, &word, 8);
	busy->failures += !!pidcomm_allgather(busy->other.hc, "01", 64, 0,
					      4096);
	for (size_t i = 0; i < count; i++)
		a[i] += b[i];
}

static void test_user(void **state)
{
	static const char *const algorithms[] = { "direct", "conventional" };
	struct busy busy = { 0 };
	uint64_t one = 1, sum;
	pidcomm_op op;

	(void)state;
	/* the other hypercube is for one thread at a time */
	setenv("PIMDIMM_THREADS", "1", 1);
	busy.own = rig_make("count", unit_uris[0]);
	busy.other = rig_make("count", unit_uris[0]);
	unsetenv("PIMDIMM_THREADS");
	assert_ok(pidcomm_op_create(busy_op, &busy, &op));
	for (uint32_t pe = 0; pe < MEMBERS; pe++)
		assert_ok(pimdimm_write(busy.own.sys, pe, 0, &one, 8));
	for (size_t i = 0; i < ARRAY_SIZE(algorithms); i++) {
		assert_ok(pidcomm_set_algorithm(busy.own.hc, "reduce",
						algorithms[i]));
		assert_ok(pidcomm_reduce(busy.own.hc, "10", 8, 0,
					 (void *const *)busy.own.bufs,
					 PIDCOMM_U64, op));
		memcpy(&sum, busy.own.bufs[0], 8);
		assert_int_equal(sum, MEMBERS);
	}
	assert_int_equal(busy.failures, 0);
	pidcomm_op_free(op);
	rig_end(&busy.other);
	rig_end(&busy.own);
}

/* Calls at once, some of whose work is done by each other's threads. */
static void test_calls_at_once(void **state)
{
	static const uint32_t dims[] = { 4, 16 };
	struct rig rig = rig_make("count", unit_uris[0]);
	struct pidcomm_request *request;
	struct pidcomm *hc;

	(void)state;
	assert_ok(pidcomm_create(rig.sys, 2, dims, &hc));
	assert_ok(pidcomm_set_algorithm(hc, "alltoall", "conventional"));
	for (unsigned i = 0; i < 40; i++) {
		struct pidcomm_stats stats;

		assert_ok(pidcomm_iallreduce(rig.hc, "11", 8192, 0, 8192,
					     PIDCOMM_I32, PIDCOMM_SUM,
					     &request));
		assert_ok(pidcomm_alltoall(hc, "10", 8192, 16384, 24576));
		assert_ok(pidcomm_stats(hc, &stats));
		assert_int_equal(stats.host_bytes_read, 2 * 64 * 8192);
		assert_ok(pidcomm_wait(&request));
		assert_ok(pidcomm_stats(rig.hc, &stats));
		assert_int_equal(stats.mram_blocks_read, 8 * 1024);
		assert_int_equal(stats.host_bytes_read, 0);
	}
	assert_false(pd_counts_now());
	pidcomm_destroy(hc);
	rig_end(&rig);
}

/* Memory that is a host buffer and MRAM at once is refused, not miscounted. */
static void test_buffers_in_mram(void **state)
{
	struct rig rig = rig_make("count", unit_uris[0]);
	uint8_t *mram = pimdimm_mram(rig.sys, 1, NULL);
	void *bufs[GROUPS];

	(void)state;
	memcpy(bufs, rig.bufs, sizeof(bufs));
	bufs[3] = mram + 4096;
	assert_refused(pidcomm_gather(rig.hc, "10", BYTES, 0, bufs), EOPNOTSUPP,
		       "bufs[3]");
	rig_end(&rig);
	rig = rig_make(NULL, unit_uris[0]);
	bufs[3] = (uint8_t *)pimdimm_mram(rig.sys, 1, NULL) + 4096;
	for (unsigned i = 0; i < GROUPS; i++)
		bufs[i] = i == 3 ? bufs[i] : rig.bufs[i];
	assert_ok(pidcomm_gather(rig.hc, "10", BYTES, 0, bufs));
	rig_end(&rig);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_notices),
	cmocka_unit_test(test_others),
	cmocka_unit_test(test_chosen),
	cmocka_unit_test(test_parts),
	cmocka_unit_test(test_pull_around),
	cmocka_unit_test(test_pull_some_around),
	cmocka_unit_test(test_calls_around),
	cmocka_unit_test(test_tails),
	cmocka_unit_test(test_user),
	cmocka_unit_test(test_calls_at_once),
	cmocka_unit_test(test_buffers_in_mram),
};

UNIT_MAIN(tests)
