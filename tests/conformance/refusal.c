// SPDX-License-Identifier: MIT
/* Calls with one wrong argument: refused by name, and nothing has changed. */
#include <errno.h>
#include <inttypes.h>

#include "tests/conformance/hostbufs.h"
#include "tests/conformance/numeric.h"
#include "tests/conformance/rig.h"
#include "tests/conformance/support.h"
#include "tests/conformance/userop.h"

/* A call about to be spoilt. */
struct attempt {
	struct rig *rig;
	struct rng *rng;
	struct pidcomm *hc;
	const struct collective_traits *traits;
	char axes_text[PIDCOMM_MAX_DIMS + 2];
	const char *axes;
	struct call call;
	uint32_t groups, members;
	void **bufs;
	bool no_bufs;
};

static bool two_ranges(const struct attempt *a)
{
	return a->traits->in_place;
}

/* Each of these makes one argument wrong; false where that is not possible. */

static bool axes_short(struct attempt *a)
{
	a->axes_text[strlen(a->axes_text) - 1] = '\0';
	return true;
}

static bool axes_long(struct attempt *a)
{
	strcat(a->axes_text, "0");
	return true;
}

static bool axes_character(struct attempt *a)
{
	static const char wrong[] = { '2', ' ', 'x', '/', -1, '\n', 1 };
	size_t at = rng_below(a->rng, strlen(a->axes_text));

	a->axes_text[at] = wrong[rng_below(a->rng, sizeof(wrong))];
	return true;
}

static bool axes_null(struct attempt *a)
{
	a->axes = NULL;
	return true;
}

static bool bytes_misaligned(struct attempt *a)
{
	a->call.bytes += 1 + rng_below(a->rng, 7);
	return true;
}

static bool bytes_no_chunks(struct attempt *a)
{
	a->call.bytes += 8;
	return a->traits->chunked && a->members > 1;
}

static bool bytes_huge(struct attempt *a)
{
	uint64_t unit = 8 * a->members;

	if (rng_chance(a->rng, 50))
		a->call.bytes = UINT64_MAX / unit * unit;
	else
		a->call.bytes = (a->rig->shadow.mram_size * a->members / unit +
				 1) * unit;
	return true;
}

static bool src_misaligned(struct attempt *a)
{
	a->call.src += 1 + rng_below(a->rng, 7);
	return !a->traits->host_in;
}

static bool dst_misaligned(struct attempt *a)
{
	a->call.dst += 1 + rng_below(a->rng, 7);
	return !a->traits->host_out;
}

/* An offset whose range goes past MRAM, or wraps around. */
static uint64_t beyond(struct attempt *a, uint64_t bytes)
{
	uint64_t mram = a->rig->shadow.mram_size;

	switch (rng_below(a->rng, 3)) {
	case 0:
		return mram - bytes + 8;
	case 1:
		return mram + 8 * rng_below(a->rng, 100);
	default:
		return UINT64_MAX - 7 - 8 * rng_below(a->rng, 2);
	}
}

static bool src_beyond(struct attempt *a)
{
	a->call.src = beyond(a, call_reads(&a->call, a->members));
	return !a->traits->host_in;
}

static bool dst_beyond(struct attempt *a)
{
	a->call.dst = beyond(a, call_writes(&a->call, a->members));
	return !a->traits->host_out;
}

static bool overlapping(struct attempt *a)
{
	uint64_t reads = call_reads(&a->call, a->members);
	uint64_t writes = call_writes(&a->call, a->members);
	uint64_t mram = a->rig->shadow.mram_size;

	if (!two_ranges(a) || reads + writes > mram)
		return false;
	if (reads > 8 && rng_chance(a->rng, 50)) {
		a->call.src = 0;
		a->call.dst = 8 * (1 + rng_below(a->rng, reads / 8 - 1));
		return true;
	}
	a->call.dst = 0;
	if (writes > 8)
		a->call.src = 8 * (1 + rng_below(a->rng, writes / 8 - 1));
	return writes > 8;
}

static bool takes_bufs(const struct attempt *a)
{
	return a->traits->host_in || a->traits->host_out;
}

static bool bufs_null(struct attempt *a)
{
	a->no_bufs = takes_bufs(a);
	return takes_bufs(a);
}

static bool bufs_entry_null(struct attempt *a)
{
	if (takes_bufs(a))
		a->bufs[rng_below(a->rng, a->groups)] = NULL;
	return takes_bufs(a);
}

static bool type_unknown(struct attempt *a)
{
	static const int wrong[] = { 12, 13, 255, -1, 1 << 30 };

	a->call.type = (enum pidcomm_type)wrong[rng_below(a->rng, 5)];
	return a->traits->reduces;
}

static bool op_unknown(struct attempt *a)
{
	static const uintptr_t wrong[] = { 0, 11, 12, 4096, UINTPTR_MAX };

	a->call.op = (pidcomm_op)wrong[rng_below(a->rng, 5)];
	return a->traits->reduces;
}

static bool op_bitwise(struct attempt *a)
{
	static const pidcomm_op wrong[] = {
		PIDCOMM_BAND, PIDCOMM_BOR, PIDCOMM_BXOR,
	};

	a->call.op = wrong[rng_below(a->rng, 3)];
	a->call.type = (enum pidcomm_type)(PIDCOMM_F16 +
					   rng_below(a->rng, 4));
	return a->traits->reduces;
}

static bool hc_null(struct attempt *a)
{
	a->hc = NULL;
	return true;
}

static const struct spoiler {
	bool (*spoil)(struct attempt *a);
	const char *words[3];		/* one of which the message holds */
} spoilers[] = {
	{ axes_short, { "axes" } },
	{ axes_long, { "axes" } },
	{ axes_character, { "axes" } },
	{ axes_null, { "axes" } },
	{ bytes_misaligned, { "bytes" } },
	{ bytes_no_chunks, { "bytes" } },
	{ bytes_huge, { "bytes", "src", "dst" } },
	{ src_misaligned, { "src" } },
	{ dst_misaligned, { "dst" } },
	{ src_beyond, { "src" } },
	{ dst_beyond, { "dst" } },
	{ overlapping, { "src", "dst" } },
	{ bufs_null, { "bufs" } },
	{ bufs_entry_null, { "bufs" } },
	{ type_unknown, { "type" } },
	{ op_unknown, { "op" } },
	{ op_bitwise, { "op" } },
	{ hc_null, { "hc", "hypercube" } },
};

#define NR_SPOILERS	(sizeof(spoilers) / sizeof(spoilers[0]))

static bool message_names(const struct spoiler *spoiler)
{
	for (int i = 0; i < 3 && spoiler->words[i]; i++)
		if (strstr(pimdimm_errmsg(), spoiler->words[i]))
			return true;
	printf("# the message does not name %s: %s\n", spoiler->words[0],
	       pimdimm_errmsg());
	return false;
}

static bool unchanged(struct attempt *a, struct hostbufs *h,
		      const struct call *valid,
		      const struct pidcomm_stats *before)
{
	struct pidcomm_stats after;

	pidcomm_stats(a->hc, &after);
	if (a->hc && memcmp(before, &after, sizeof(after))) {
		printf("# the counters have changed\n");
		return false;
	}
	return hostbufs_compare(h, valid) &&
	       shadow_compare(&a->rig->shadow, 0, a->rig->shadow.mram_size, NULL);
}

static void print_failure(const struct attempt *a, uint64_t index, int spoiler,
			  int err)
{
	printf("# failed: --uri %s --seed %" PRIu64 " --case %" PRIu64
	       " --collective refusal # %s, wrong argument %d (%s), axes \"%s\" "
	       "of %u members, bytes %" PRIu64 " src %" PRIu64 " dst %" PRIu64
	       " type %d op %p: returned %d\n", a->rig->uri, a->rig->seed,
	       index, a->traits->name, spoiler, spoilers[spoiler].words[0],
	       a->axes ? a->axes : "NULL", a->members, a->call.bytes,
	       a->call.src, a->call.dst, (int)a->call.type,
	       (void *)a->call.op, err);
}

/* A valid call of some bytes, to be spoilt. */
static void small_call(struct attempt *a, const struct shape *shape)
{
	const struct limits limits = {
		.mram_size = a->rig->shadow.mram_size, .budget = 1 << 16,
	};

	do
		call_random(a->rng, shape, &limits, &a->call);
	while (!a->call.bytes);
	a->call.misalign = 0;
	a->call.mode = 0;
	strcpy(a->axes_text, a->call.axes);
	a->axes = a->axes_text;
}

static bool attempt_run(struct attempt *a, uint64_t index)
{
	struct pidcomm_stats before;
	struct call valid = a->call;
	struct hostbufs h;
	int which, err;
	bool ok;

	hostbufs_make(&h, a->rng, &valid, NULL, a->groups, a->members);
	a->bufs = need(calloc(a->groups, sizeof(*a->bufs)));
	memcpy(a->bufs, h.got, a->groups * sizeof(*a->bufs));
	pidcomm_stats(a->hc, &before);
	do {
		a->call = valid;
		strcpy(a->axes_text, valid.axes);
		which = (int)rng_below(a->rng, NR_SPOILERS);
	} while (!spoilers[which].spoil(a));

	err = call_start(a->hc, a->axes, &a->call, a->no_bufs ? NULL : a->bufs);
	ok = err == -EINVAL && message_names(&spoilers[which]);
	ok = ok && unchanged(a, &h, &valid, &before);
	if (!ok)
		print_failure(a, index, which, err);
	free(a->bufs);
	hostbufs_free(&h);
	return ok;
}

bool rig_refusal(struct rig *rig, uint64_t index)
{
	struct rng rng = rng_of(rig->seed, ~index);
	struct attempt a = { .rig = rig, .rng = &rng };
	struct pidcomm *hc = NULL;
	struct shape shape;
	struct grouping g;
	bool ok;

	shape_random(&rng, rig->shadow.nr_pes, &shape);
	if (pidcomm_create(rig->sys, shape.ndims, shape.dims, &hc)) {
		printf("# create: %s\n", pimdimm_errmsg());
		return false;
	}
	a.hc = hc;
	a.call.collective = (enum collective)rng_below(&rng, NR_COLLECTIVES);
	a.call.algorithm = "auto";
	a.traits = &collectives[a.call.collective];
	small_call(&a, &shape);
	grouping_make(&shape, a.call.axes, &g);
	a.groups = g.groups;
	a.members = g.members;
	grouping_free(&g);
	ok = attempt_run(&a, index);
	pidcomm_destroy(hc);
	return ok;
}
