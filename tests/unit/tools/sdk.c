// SPDX-License-Identifier: MIT
/*
 * The opponent `sdk` of applications against the library: the same bytes in every PE's
 * MRAM and in host buffers, for random shapes, axes, sizes, types and operations, in
 * place and with buffers of any alignment; and what it refuses.
 */
#include <math.h>

#include "tests/unit/unit.h"

#include "tools/apps/common/parallel.h"
#include "tools/apps/common/sdk/sdk.h"
#include "tools/apps/common/sdk/sdk_fold.h"

#define CASES	1000
/* of a PE's vector: two lie in MRAM beside each other */
#define LARGEST	4096
/* of MRAM, with what is before, between and behind them */
#define MRAM	(2 * LARGEST + 512)

struct sample {
	struct sdk_call call;
	unsigned int ndims;
	uint32_t dims[3], groups, members, pes;
	char axes[4];
	bool float_type;
};

static void draw_shape(struct sample *s, struct rng *rng)
{
	s->ndims = 1 + (unsigned int)rng_below(rng, 3);
	do {
		s->pes = 1;
		for (unsigned int i = 0; i < s->ndims; i++) {
			s->dims[i] = i + 1 < s->ndims ? 1u << rng_below(rng, 5) :
						       1 + (uint32_t)rng_below(rng, 64);
			s->pes *= s->dims[i];
		}
	} while (s->pes > 128 || s->pes % 8);
	s->groups = s->members = 1;
	for (unsigned int i = 0; i < s->ndims; i++) {
		s->axes[i] = rng_below(rng, 2) ? '1' : '0';
		*(s->axes[i] == '1' ? &s->members : &s->groups) *= s->dims[i];
	}
	s->axes[s->ndims] = '\0';
}

static void draw_op(struct sample *s, struct rng *rng)
{
	do {
		s->call.type = (enum pidcomm_type)rng_below(rng, PIDCOMM_F64 + 1);
		s->call.op = (pidcomm_op)(uintptr_t)(1 + rng_below(rng, 10));
	} while (!sdk_fold(s->call.type, s->call.op));
	s->float_type = s->call.type >= PIDCOMM_F16;
}

static void draw_sample(struct sample *s, struct rng *rng)
{
	bool chunks, may_be_in_place;
	uint64_t unit;

	memset(s, 0, sizeof(*s));
	draw_shape(s, rng);
	s->call.collective = (enum sdk_collective)rng_below(rng, SDK_BROADCAST + 1);
	s->call.axes = s->axes;
	draw_op(s, rng);
	chunks = s->call.collective == SDK_ALLTOALL ||
		 s->call.collective == SDK_REDUCE_SCATTER ||
		 s->call.collective == SDK_ALLGATHER;
	may_be_in_place = s->call.collective <= SDK_ALLGATHER;
	unit = 8 * (chunks ? s->members : 1);
	s->call.bytes = unit * rng_below(rng, LARGEST / unit + 1);
	s->call.src = 8 * rng_below(rng, 8);
	s->call.dst = may_be_in_place && rng_below(rng, 2) ? s->call.src :
		      LARGEST + 64 + 8 * rng_below(rng, 8);
}

/* what a sample begins with: random bits, numbers where a NaN's payload would show */
static void draw_bytes(const struct sample *s, struct rng *rng, uint8_t *bytes,
		       size_t count)
{
	for (size_t i = 0; i + 8 <= count; i += 8) {
		uint64_t bits = rng_next(rng);
		float f[2] = { (float)(int32_t)bits / 65536,
			       (float)(int32_t)(bits >> 32) / 65536 };
		double d = (double)(int64_t)bits / 0x1p40;

		if (s->float_type)
			memcpy(&bits, s->call.type == PIDCOMM_F32 ? (void *)f :
								   (void *)&d, 8);
		memcpy(bytes + i, &bits, 8);
	}
}

/* One of the two: a system, and the host's buffers of all groups. */
struct side {
	struct pimdimm *sys;
	struct pidcomm *cube;
	uint8_t *host, *mram;
	void *bufs[128];
};

static uint64_t host_bytes(const struct sample *s)
{
	return s->call.bytes * s->pes + s->pes + 8;
}

static void open_side(struct side *side, const struct sample *s,
		      const uint8_t *mram, const uint8_t *host)
{
	void *pieces[128];
	uint64_t each = s->call.bytes * s->members + 1;

	assert_ok(pidcomm_create(side->sys, s->ndims, s->dims, &side->cube));
	side->mram = malloc((size_t)MRAM * s->pes);
	side->host = malloc(host_bytes(s));
	assert_non_null(side->mram);
	assert_non_null(side->host);
	memcpy(side->host, host, host_bytes(s));
	for (uint32_t pe = 0; pe < s->pes; pe++)
		pieces[pe] = (uint8_t *)mram + (size_t)MRAM * pe;
	assert_ok(pimdimm_push(side->sys, 0, s->pes, 0, (const void **)pieces, MRAM));
	for (uint32_t g = 0; g < s->groups; g++)
		side->bufs[g] = side->host + g * each;
}

static void read_side(struct side *side, const struct sample *s)
{
	void *pieces[128];

	for (uint32_t pe = 0; pe < s->pes; pe++)
		pieces[pe] = side->mram + (size_t)MRAM * pe;
	assert_ok(pimdimm_pull(side->sys, 0, s->pes, 0, pieces, MRAM));
}

static void close_side(struct side *side)
{
	pidcomm_destroy(side->cube);
	free(side->mram);
	free(side->host);
}

static int run_library(const struct sdk_call *c, struct side *side)
{
	const void *const *from = (const void *const *)side->bufs;

	switch (c->collective) {
	case SDK_ALLTOALL:
		return pidcomm_alltoall(side->cube, c->axes, c->bytes, c->src, c->dst);
	case SDK_REDUCE_SCATTER:
		return pidcomm_reduce_scatter(side->cube, c->axes, c->bytes, c->src,
					      c->dst, c->type, c->op);
	case SDK_ALLREDUCE:
		return pidcomm_allreduce(side->cube, c->axes, c->bytes, c->src, c->dst,
					 c->type, c->op);
	case SDK_ALLGATHER:
		return pidcomm_allgather(side->cube, c->axes, c->bytes, c->src, c->dst);
	case SDK_SCATTER:
		return pidcomm_scatter(side->cube, c->axes, c->bytes, from, c->dst);
	case SDK_GATHER:
		return pidcomm_gather(side->cube, c->axes, c->bytes, c->src, side->bufs);
	case SDK_REDUCE:
		return pidcomm_reduce(side->cube, c->axes, c->bytes, c->src, side->bufs,
				      c->type, c->op);
	default:
		return pidcomm_broadcast(side->cube, c->axes, c->bytes, from, c->dst);
	}
}

static void run_opponent(const struct sample *s, struct side *side)
{
	struct sdk sdk = {
		.sys = side->sys, .cube = side->cube, .nr_pes = s->pes,
		.threads = 3, .parallel = app_parallel,
	};
	struct sdk_call call = s->call;

	if (call.collective == SDK_GATHER || call.collective == SDK_REDUCE)
		call.to = side->bufs;
	else
		call.from = (const void *const *)side->bufs;
	assert_ok(sdk_prepare(&sdk, &call));
	assert_ok(sdk_run(&sdk, &call));
	assert_true(!call.bytes || sdk.mram_bytes >= s->pes * call.bytes / s->members);
	sdk_free(&sdk);
}

static void compare(const struct sample *s, const struct side *one,
		    const struct side *other, unsigned int number)
{
	if (!memcmp(one->mram, other->mram, (size_t)MRAM * s->pes) &&
	    !memcmp(one->host, other->host, host_bytes(s)))
		return;
	fail_msg("sample %u: %s of %llu bytes, %u groups of %u, axes %s, type %d, operation %d",
		 number, sdk_name(s->call.collective),
		 (unsigned long long)s->call.bytes, s->groups, s->members, s->axes,
		 (int)s->call.type, (int)(uintptr_t)s->call.op);
}

static void check_sample(struct pimdimm *const systems[2], const struct sample *s,
			 struct rng *rng, unsigned int number)
{
	struct side library = { .sys = systems[0] }, opponent = { .sys = systems[1] };
	uint8_t *mram = malloc((size_t)MRAM * s->pes);
	uint8_t *host = calloc(1, host_bytes(s));

	assert_non_null(mram);
	assert_non_null(host);
	draw_bytes(s, rng, mram, (size_t)MRAM * s->pes);
	draw_bytes(s, rng, host, host_bytes(s));
	open_side(&library, s, mram, host);
	open_side(&opponent, s, mram, host);
	assert_ok(run_library(&s->call, &library));
	run_opponent(s, &opponent);
	read_side(&library, s);
	read_side(&opponent, s);
	compare(s, &library, &opponent, number);
	close_side(&library);
	close_side(&opponent);
	free(mram);
	free(host);
}

static void test_random(void **state)
{
	struct pimdimm *const systems[] = {
		unit_open("mem:ranks=2,mram=64K"), unit_open("mem:ranks=2,mram=64K"),
	};
	struct rng rng = { 16 };

	(void)state;
	for (unsigned int i = 0; i < CASES; i++) {
		struct sample s;

		draw_sample(&s, &rng);
		check_sample(systems, &s, &rng, i);
	}
	pimdimm_close(systems[0]);
	pimdimm_close(systems[1]);
}

static void test_refusals(void **state)
{
	struct pimdimm *sys = unit_open("mem:ranks=1,mram=64K");
	struct sdk sdk = { .sys = sys, .nr_pes = 64, .threads = 1,
			   .parallel = app_parallel };
	struct sdk_call call = { SDK_ALLTOALL, "1", 512, .dst = 1024 };

	(void)state;
	assert_ok(pidcomm_create(sys, 1, (const uint32_t[]){ 64 }, &sdk.cube));
	assert_ok(sdk_prepare(&sdk, &call));
	call.bytes = 520;
	assert_int_equal(sdk_prepare(&sdk, &call), -EINVAL);
	assert_non_null(strstr(sdk.reason, "multiple of 8 for each member"));
	call = (struct sdk_call){ SDK_ALLREDUCE, "1", 512, .type = PIDCOMM_F16,
				  .op = PIDCOMM_SUM };
	assert_int_equal(sdk_prepare(&sdk, &call), -EOPNOTSUPP);
	assert_non_null(strstr(sdk.reason, "does not serve"));
	call.type = PIDCOMM_F32;
	call.op = PIDCOMM_BOR;
	assert_int_equal(sdk_prepare(&sdk, &call), -EOPNOTSUPP);
	/* what is the library's to refuse has its sentence */
	call.op = PIDCOMM_SUM;
	call.axes = "11";
	assert_refused(sdk_prepare(&sdk, &call), EINVAL, "axes");
	assert_null(sdk.reason);
	call.axes = "1";
	call.src = 65536;
	assert_ok(sdk_prepare(&sdk, &call));
	assert_int_not_equal(sdk_run(&sdk, &call), 0);
	sdk_free(&sdk);
	pidcomm_destroy(sdk.cube);
	pimdimm_close(sys);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_random),
	cmocka_unit_test(test_refusals),
};

UNIT_MAIN(tests)
