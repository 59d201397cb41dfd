// SPDX-License-Identifier: MIT
/* A system under test, and one random case on it. */
#include <errno.h>
#include <inttypes.h>

#include "tests/conformance/counters.h"
#include "tests/conformance/hostbufs.h"
#include "tests/conformance/model.h"
#include "tests/conformance/order.h"
#include "tests/conformance/rig.h"
#include "tests/conformance/support.h"
#include "tests/conformance/userop.h"

/* MRAM up to here is compared whole after each call. */
#define SMALL_SYSTEM	(16u << 20)
#define CHECK_ALL_EVERY	64

int rig_open(struct rig *rig, const char *uri, uint64_t seed, struct crew *crew)
{
	struct rng rng = rng_of(seed, UINT64_MAX);
	uint64_t total;
	int err;

	*rig = (struct rig){ .uri = uri, .seed = seed, .crew = crew };
	err = pimdimm_open(uri, &rig->sys);
	if (err)
		return err;
	err = crew ? shadow_open_part(&rig->shadow, rig->sys, crew->first_rank[crew->host],
				      crew->first_rank[crew->count]) :
		     shadow_open(&rig->shadow, rig->sys);
	if (err)
		return err;

	total = rig->shadow.nr_pes * rig->shadow.mram_size;
	rig->budget = total / 2;
	rig->margin = rig->shadow.mram_size;
	if (total > SMALL_SYSTEM) {
		rig->budget = SMALL_SYSTEM;
		rig->margin = 4096;
	} else {
		rng_fill(&rng, rig->shadow.mram, total);
		shadow_publish(&rig->shadow, rig->shadow.nr_pes, 0,
			       rig->shadow.mram_size);
	}
	return 0;
}

void rig_close(struct rig *rig)
{
	if (rig->shadow.mram)
		shadow_close(&rig->shadow);
	pimdimm_close(rig->sys);
}

bool rig_check_all(struct rig *rig)
{
	return shadow_compare(&rig->shadow, 0, rig->shadow.mram_size, NULL) &&
	       shadow_gaps_zero(&rig->shadow);
}

/* Fills a range of the hypercube's PEs with elements. */
static void fill(struct rig *rig, struct rng *rng, const struct shape *shape,
		 const struct call *call, uint64_t off, uint64_t bytes)
{
	for (uint32_t pe = 0; pe < shape->pes; pe++)
		data_fill(rng, call->data, call->type,
			  shadow_at(&rig->shadow, pe, off), bytes);
	shadow_publish(&rig->shadow, shape->pes, off, off + bytes);
}

static uint64_t low_of(const struct call *c, uint64_t margin)
{
	uint64_t low = c->src < c->dst ? c->src : c->dst;

	return low > margin ? low - margin : 0;
}

/* Compares all that the call could reasonably have hit, now and then all. */
static bool check_mram(struct rig *rig, const struct shape *shape,
		       const struct call *c, uint32_t members)
{
	uint64_t end = c->src + call_reads(c, members);
	uint64_t written = c->dst + call_writes(c, members);
	struct tolerance tolerance = {
		.set = collectives[c->collective].reduces,
		.type = c->type, .pes = shape->pes,
		.low = c->dst, .high = written,
	};

	end = (end > written ? end : written) + rig->margin;
	if (end > rig->shadow.mram_size)
		end = rig->shadow.mram_size;
	if (!shadow_compare(&rig->shadow, low_of(c, rig->margin), end,
			    &tolerance))
		return false;
	return ++rig->calls % CHECK_ALL_EVERY || rig_check_all(rig);
}

/* Whether a call was refused as it had to be, by name, and changed nothing. */
static bool check_refused(struct rig *rig, struct pidcomm *hc,
			  const struct shape *shape, const struct call *call,
			  const struct grouping *g, struct hostbufs *h)
{
	struct pidcomm_stats before, after;
	bool mode_kept;
	int err;

	pidcomm_stats(hc, &before);
	err = call_run(hc, call, h->got, &mode_kept);
	pidcomm_stats(hc, &after);
	if (err != -EOPNOTSUPP || !strstr(pimdimm_errmsg(), call->algorithm)) {
		printf("# returned %d, expected a refusal: %s\n", err,
		       pimdimm_errmsg());
		return false;
	}
	if (!mode_kept || memcmp(&before, &after, sizeof(after))) {
		printf("# the mode or the counters have changed\n");
		return false;
	}
	return check_mram(rig, shape, call, g->members) &&
	       hostbufs_compare(h, call);
}

/* With the buffers that this host has. */
static int make_call(struct rig *rig, struct pidcomm *hc, const struct call *call,
		     const struct grouping *g, struct hostbufs *h, bool *mode_kept)
{
	void **bufs;
	int err;

	if (!rig->crew)
		return call_run(hc, call, h->got, mode_kept);
	bufs = need(calloc(h->nr, sizeof(*bufs)));
	crew_own_bufs(rig->crew, g, h, bufs);
	err = call_run(hc, call, bufs, mode_kept);
	free(bufs);
	return err;
}

static void run_model(struct rig *rig, const struct shape *shape, const struct call *call,
		      const struct grouping *g, struct hostbufs *h)
{
	uint8_t *before;

	if (!rig->crew) {
		model_run(&rig->shadow, shape, call, h->want);
		return;
	}
	before = need(malloc(h->arena_bytes));
	memcpy(before, h->expected, h->arena_bytes);
	model_run(&rig->shadow, shape, call, h->want);
	crew_keep_others(rig->crew, g, h, before);
	free(before);
}

static bool check_counters(struct rig *rig, const struct pidcomm *hc, const struct shape *shape,
			   const struct call *call, const struct grouping *g)
{
	struct pidcomm_stats stats;
	const struct collective_traits *traits = &collectives[call->collective];
	int err;

	/* what is staged on the way comes on top */
	if (rig->crew && (rig->crew->apart || rig->crew->machines) &&
	    (traits->host_in || traits->host_out))
		return true;
	err = rig->crew ? crew_stats(rig->crew, hc, &stats) : pidcomm_stats(hc, &stats);

	if (err)
		printf("# pidcomm_stats failed: %s\n", pimdimm_errmsg());
	return !err && counters_right(&stats, shape, call, g);
}

static bool check_call(struct rig *rig, struct pidcomm *hc,
		       const struct shape *shape, const struct call *call,
		       const struct grouping *g, struct hostbufs *h)
{
	bool mode_kept, ok;
	int err;

	if (order_refuses(call))
		return check_refused(rig, hc, shape, call, g, h);
	err = make_call(rig, hc, call, g, h, &mode_kept);
	if (err) {
		printf("# returned %d: %s\n", err, pimdimm_errmsg());
		return false;
	}
	if (!mode_kept) {
		printf("# the caller's floating-point mode was changed\n");
		return false;
	}
	if (userops_violations()) {
		printf("# a user-defined operation was called wrongly\n");
		return false;
	}
	run_model(rig, shape, call, g, h);
	ok = check_mram(rig, shape, call, g->members) && hostbufs_compare(h, call);
	/* all hosts add up their counters, whatever one of them has found */
	return check_counters(rig, hc, shape, call, g) && ok;
}

static bool run_call(struct rig *rig, struct rng *rng, struct pidcomm *hc,
		     const struct shape *shape, const struct call *call)
{
	struct grouping g;
	struct hostbufs h;
	bool ok;

	grouping_make(shape, call->axes, &g);
	hostbufs_make(&h, rng, call, rig->crew ? rig->crew->hosts : NULL, g.groups, g.members);
	fill(rig, rng, shape, call, call->dst, call_writes(call, g.members));
	fill(rig, rng, shape, call, call->src, call_reads(call, g.members));
	ok = check_call(rig, hc, shape, call, &g, &h);
	hostbufs_free(&h);
	grouping_free(&g);
	return ok;
}

static void print_failure(const struct rig *rig, uint64_t index,
			  const struct shape *shape, const struct call *call,
			  unsigned nr)
{
	printf("# failed: --uri %s --seed %" PRIu64 " --case %" PRIu64
	       "%s%s --collective %s --algorithm %s # host %u, call %u: ", rig->uri,
	       rig->seed, index, rig->tile_ends ? " --tile-ends" : "",
	       rig->parts ? " --parts" : "",
	       collectives[call->collective].name, call->algorithm,
	       rig->crew ? rig->crew->host : 0, nr);
	call_print(stdout, shape, call);
	printf("\n");
}

/* groups from one on, round the end; or all of them in any order */
static void place_random(struct rng *rng, uint32_t nr, bool range, uint32_t place[])
{
	uint32_t first = (uint32_t)(rng_next(rng) % nr);

	for (uint32_t i = 0; i < nr; i++)
		place[i] = (first + i) % nr;
	for (uint32_t i = nr - 1; i && !range; i--) {
		uint32_t j = (uint32_t)(rng_next(rng) % (i + 1)), was = place[i];

		place[i] = place[j];
		place[j] = was;
	}
}

/*
 * A hypercube on a part of the system: a range, a list of any order, or a list of
 * ranks as they are, where pairs of groups share lines. The other groups are guards.
 */
static int create_part(struct rig *rig, struct rng *rng, const struct shape *shape,
		       struct pidcomm **hc)
{
	uint32_t all = rig->shadow.nr_egs, nr = shape->pes / 8;
	uint32_t *place = need(calloc(all, sizeof(*place)));
	uint32_t *ranks = need(calloc(all / 8, sizeof(*ranks)));
	bool range = rng_chance(rng, 33), wraps;
	int err;

	place_random(rng, all, range, place);
	if (!range && rng_chance(rng, 50)) {
		place_random(rng, all / 8, false, ranks);
		for (uint32_t i = 0; i < all; i++)
			place[i] = 8 * ranks[i / 8] + i % 8;
	}
	shadow_place(&rig->shadow, place);
	wraps = place[0] + nr > all;
	err = range && !wraps ?
		pidcomm_create_on(rig->sys, NULL, place[0], nr, shape->ndims,
				  shape->dims, hc) :
		pidcomm_create_on(rig->sys, place, 0, nr, shape->ndims,
				  shape->dims, hc);
	free(ranks);
	free(place);
	return err;
}

static int create(struct rig *rig, struct rng *rng, const struct shape *shape,
		  struct pidcomm **hc)
{
	if (rig->parts)
		return create_part(rig, rng, shape, hc);
	if (!rig->crew)
		return pidcomm_create(rig->sys, shape->ndims, shape->dims, hc);
	return pidcomm_create_hosts(rig->crew->hosts, rig->sys, shape->ndims, shape->dims, hc);
}

/* Each call's own root: a host, or each group's home. */
static bool choose_root(struct rig *rig, struct rng *rng, struct pidcomm *hc)
{
	struct crew *crew = rig->crew;

	if (!crew)
		return true;
	crew->root = rng_chance(rng, 60) ? PIDCOMM_HOME : (uint32_t)rng_below(rng, crew->count);
	return !pidcomm_set_root(hc, crew->root);
}

bool rig_case(struct rig *rig, uint64_t index, enum collective collective,
	      const char *algorithm)
{
	struct rng rng = rng_of(rig->seed, index);
	/* large calls cost most of the time: some do */
	const struct limits limits = {
		.mram_size = rig->shadow.mram_size,
		.budget = rig->budget / (rng_chance(&rng, 10) ? 1 : 16),
		.tile_ends = rig->tile_ends,
	};
	struct call call = { .collective = collective, .algorithm = algorithm };
	unsigned calls = rng_chance(&rng, 20) ? 3 : 1;
	struct pidcomm *hc = NULL;
	struct shape shape;
	bool ok;

	shape_random(&rng, rig->shadow.nr_pes, &shape);
	ok = !create(rig, &rng, &shape, &hc) &&
	     !pidcomm_set_algorithm(hc, collectives[collective].name, algorithm);
	if (!ok)
		printf("# create or set_algorithm: %s\n", pimdimm_errmsg());
	for (unsigned i = 0; ok && i < calls; i++) {
		call_random(&rng, &shape, &limits, &call);
		ok = choose_root(rig, &rng, hc) && run_call(rig, &rng, hc, &shape, &call);
		if (!ok)
			print_failure(rig, index, &shape, &call, i);
		ok = !rig->crew || crew_all(rig->crew, ok) ? ok : false;
	}
	pidcomm_destroy(hc);
	return ok;
}
