// SPDX-License-Identifier: MIT
/* alltoallv and allgatherv: who sends how much, and where it lies on its way.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/typed/typed.h"
#include "collectives/types/apart.h"
#include "runtime/base/error.h"
#include "runtime/ranks/inject.h"
#include "runtime/ranks/transfer.h"

#define ALIGNED 64u /* where what a PE receives is staged */

static uint32_t nr_pes(const struct pc_typed *t)
{
	return t->hc->cube.nr_pes;
}

static int too_many(const struct pc_typed *t, const char *does, uint32_t node)
{
	return pd_error(
		EINVAL,
		"counts: what PE %u %s has 2^64 elements or more, expected "
		"it to fit into MRAM",
		pc_typed_pe(t, node), does);
}

static int add_sent(struct pc_typed *t, uint32_t pe)
{
	struct pc_counts *c = &t->counts;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < c->each; i++) {
		if (__builtin_add_overflow(
			    sum, c->counts[(uint64_t)pe * c->each + i], &sum))
			return too_many(t, "sends", pe);
	}
	c->sent[pe] = sum;
	return 0;
}

/* the count of what a member sends to the one of this rank */
static uint64_t *count_of(const struct pc_counts *c, uint64_t counts[],
			  uint32_t from_pe, uint32_t rank)
{
	return &counts[(uint64_t)from_pe * c->each + (c->each > 1 ? rank : 0)];
}

static int add_received(const struct pc_typed *t, uint32_t group, uint32_t rank)
{
	const struct pc_counts *c = &t->counts;
	uint32_t pe = pc_pe(&t->shape, group, rank);
	uint64_t sum = 0;

	for (uint32_t s = 0; s < t->shape.members; s++) {
		uint32_t from = pc_pe(&t->shape, group, s);

		if (__builtin_add_overflow(
			    sum, *count_of(c, c->counts, from, rank), &sum))
			return too_many(t, "receives", pe);
	}
	c->received[pe] = sum;
	return 0;
}

static int add_up(struct pc_typed *t)
{
	int ret = 0;

	for (uint32_t pe = 0; pe < nr_pes(t) && !ret; pe++)
		ret = add_sent(t, pe);
	for (uint32_t g = 0; g < t->shape.groups && !ret; g++) {
		for (uint32_t r = 0; r < t->shape.members && !ret; r++)
			ret = add_received(t, g, r);
	}
	return ret;
}

/* the most of any PE, as a part that must fit into MRAM */
static int check_most(struct pc_typed *t, const uint64_t elements[],
		      uint64_t offset, const char *does, struct pt_whole *whole)
{
	struct pimtype_part part = { .offset = (int64_t)offset,
				     .type = t->counts.type };
	char name[48];
	uint32_t most = 0;
	int ret;

	for (uint32_t pe = 1; pe < nr_pes(t); pe++) {
		if (elements[pe] > elements[most])
			most = pe;
	}
	part.count = elements[most];
	snprintf(name, sizeof(name), "what PE %u %s", pc_typed_pe(t, most), does);
	ret = pt_whole_of(whole, &part, name);
	if (!ret)
		ret = pt_check_mram(t->hc->sys, whole, name);
	return ret;
}

static bool ranges_meet(const struct pt_whole *a, int64_t lo, int64_t hi)
{
	return a->size && a->lo < hi && lo < a->hi;
}

static int check_ranges(const struct pc_typed *t)
{
	const struct pc_counts *c = &t->counts;
	int64_t counts_at = (int64_t)c->counts_at;

	if (c->from.size && ranges_meet(&c->to, c->from.lo, c->from.hi))
		return pd_error(
			EINVAL,
			"src=%" PRIu64 " and dst=%" PRIu64
			" overlap, expected what is sent, up to byte %lld, apart "
			"from what is received, up to %lld",
			c->src, c->dst, (long long)c->from.hi,
			(long long)c->to.hi);
	if (c->in_mram &&
	    ranges_meet(&c->to, counts_at, counts_at + 8 * (int64_t)c->each))
		return pd_error(EINVAL,
				"dst=%" PRIu64
				" overlaps the counts at counts_at=%" PRIu64,
				c->dst, c->counts_at);
	return pt_check_apart(&c->to, "what is received");
}

static void take_ranges(struct pc_typed *t)
{
	const struct pc_counts *c = &t->counts;

	t->ranges = (struct pc_ranges){ 0 };
	if (!c->to.size)
		return;
	t->ranges = (struct pc_ranges){
		.read = (uint64_t)c->from.lo,
		.read_bytes = (uint64_t)(c->from.hi - c->from.lo),
		.written = (uint64_t)c->to.lo,
		.written_bytes = (uint64_t)(c->to.hi - c->to.lo),
	};
}

/* what a PE receives, piece behind piece; those of a group share it if all get
 * the same */
static void lay_group(struct pc_typed *t, uint32_t group)
{
	struct pc_counts *c = &t->counts;
	uint64_t size = pt_size(c->type);

	for (uint32_t r = 0; r < t->shape.members; r++) {
		uint32_t pe = pc_pe(&t->shape, group, r);
		uint64_t at;

		if (r && c->each == 1) {
			c->staged[pe] = c->staged[pc_pe(&t->shape, group, 0)];
			continue;
		}
		at = c->bytes = (c->bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
		c->staged[pe] = at;
		for (uint32_t s = 0; s < t->shape.members; s++) {
			uint32_t from = pc_pe(&t->shape, group, s);

			*count_of(c, c->at, from, r) = at;
			at += size * *count_of(c, c->counts, from, r);
		}
		c->bytes = at;
	}
}

static int lay(struct pc_typed *t)
{
	struct pc_counts *c = &t->counts;
	int ret = add_up(t);

	if (!ret)
		ret = check_most(t, c->received, c->dst, "receives", &c->to);
	if (!ret)
		ret = check_most(t, c->sent, c->src, "sends", &c->from);
	if (!ret)
		ret = check_ranges(t);
	if (ret)
		return ret;
	take_ranges(t);
	t->bytes = c->bytes = 0;
	if (!c->to.size)
		return 0;
	for (uint32_t g = 0; g < t->shape.groups; g++)
		lay_group(t, g);
	for (uint32_t pe = 0; pe < nr_pes(t); pe++)
		t->bytes += c->received[pe] * pt_size(c->type);
	return 0;
}

static bool take_room(struct pc_typed *t)
{
	struct pc_counts *c = &t->counts;
	size_t pes = nr_pes(t);

	/* members are no more than PEs, of which there are fewer than 2^20 */
	c->counts = calloc(pes * c->each, sizeof(*c->counts));
	c->at = calloc(pes * c->each, sizeof(*c->at));
	c->sent = calloc(pes, sizeof(*c->sent));
	c->received = calloc(pes, sizeof(*c->received));
	c->staged = calloc(pes, sizeof(*c->staged));
	return c->counts && c->at && c->sent && c->received && c->staged;
}

static int check_offsets(const struct pc_typed *t)
{
	const struct pimdimm_geometry *g = &t->hc->sys->geometry;
	const struct pc_counts *c = &t->counts;
	int ret = pd_check_range(g, "src", c->src, 0);

	if (!ret)
		ret = pd_check_range(g, "dst", c->dst, 0);
	if (ret || !c->in_mram)
		return ret;
	if (c->counts_at % PIMDIMM_WORD_BYTES)
		return pd_error(EINVAL,
				"counts_at=%" PRIu64
				", expected a multiple of 8",
				c->counts_at);
	return pd_check_range(g, "counts_at", c->counts_at,
			      PIMDIMM_WORD_BYTES * (uint64_t)c->each);
}

int pc_counts_prepare(struct pc_typed *t, const struct pc_typed_args *args)
{
	struct pc_counts *c = &t->counts;
	uint64_t mram = t->hc->sys->geometry.mram_size;
	int ret = pt_check_type("type", args->type);

	/* one of its own, which the caller's pimtype_free() does not end */
	if (!ret)
		ret = pimtype_dup(args->type, &c->type);
	if (ret)
		return ret;
	c->in_mram = !args->counts;
	c->counts_at = args->counts_at;
	c->src = args->src;
	c->dst = args->dst;
	c->each = t->id == PC_ALLTOALLV ? t->shape.members : 1;
	ret = check_offsets(t);
	if (ret)
		return ret;
	if (!take_room(t))
		return pd_error(ENOMEM, "no memory for the counts of %s",
				pc_typed_name(t->id));
	/* nobody knows yet what counts in MRAM will be */
	t->ranges =
		(struct pc_ranges){ .read_bytes = mram, .written_bytes = mram };
	if (c->in_mram)
		return 0;
	memcpy(c->counts, args->counts,
	       (size_t)nr_pes(t) * c->each * sizeof(*c->counts));
	return lay(t);
}

void pc_counts_free(struct pc_typed *t)
{
	struct pc_counts *c = &t->counts;

	pimtype_free(c->type);
	free(c->counts);
	free(c->at);
	free(c->sent);
	free(c->received);
	free(c->staged);
}

static void read_counts(struct pc_typed *t)
{
	const struct pc_counts *c = &t->counts;

	for (uint32_t eg = 0; eg < nr_pes(t) / PIMDIMM_CHIPS; eg++) {
		void *to[PIMDIMM_CHIPS];

		for (uint32_t i = 0; i < PIMDIMM_CHIPS; i++)
			to[i] = &c->counts[(uint64_t)(PIMDIMM_CHIPS * eg + i) *
					   c->each];
		pd_eg_get(t->hc->sys, pc_typed_eg(t, eg), c->counts_at / PIMDIMM_WORD_BYTES,
			  c->each, to, PD_STORES_PLAIN);
	}
	pc_tally_add(&t->tally.read, 8 * (uint64_t)nr_pes(t) * c->each);
	pc_tally_add(&t->tally.transposed, 8 * (uint64_t)nr_pes(t) * c->each);
	pc_tally_add(&t->tally.host_written, 8 * (uint64_t)nr_pes(t) * c->each);
}

int pc_counts_read(struct pc_typed *t)
{
	const struct pd_touch touch = pc_typed_touch(t, t->counts.counts_at,
						     8 * (uint64_t)t->counts.each);
	struct pimdimm_fate *fates;
	int ret;

	if (!t->counts.in_mram)
		return 0;
	ret = pd_touch_begin(t->hc->sys, &touch, &fates);
	if (ret)
		return ret;
	read_counts(t);
	ret = pd_touch_end(t->hc->sys, &touch, fates);
	return ret ? ret : lay(t);
}

int pc_counts_room(struct pc_typed *t)
{
	struct pidcomm *hc = t->hc;
	uint64_t bytes = (t->counts.bytes + 4095) & ~UINT64_C(4095);

	if (bytes <= hc->staging_bytes)
		return 0;
	free(hc->staging);
	hc->staging_bytes = 0;
	hc->staging = aligned_alloc(4096, bytes);
	if (!hc->staging)
		return pd_error(ENOMEM,
				"%s: no memory for %" PRIu64
				" bytes of staging",
				pc_typed_name(t->id), bytes);
	hc->staging_bytes = bytes;
	return 0;
}
