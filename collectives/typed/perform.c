// SPDX-License-Identifier: MIT
/* A typed call is run, measured and traced, as calls of the other collectives
 * are. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collectives/typed/typed.h"
#include "runtime/base/clock.h"
#include "runtime/machine/trials.h"
#include "runtime/ranks/inject.h"
#include "runtime/ranks/owner.h"
#include "runtime/watch/report.h"
#include "runtime/watch/timeline.h"

static const char algorithm[] = "direct";

static bool has_counts(const struct pc_typed *t)
{
	return t->id == PC_ALLTOALLV || t->id == PC_ALLGATHERV;
}

static void move_bytes(struct pc_typed *t)
{
	if (has_counts(t))
		pc_counts_run(t);
	else if (t->id == PC_HALO)
		pc_halo_run(t);
	else
		pc_exchange_run(t);
}

/* Injected faults befall the bytes read. */
static int run_touching(struct pc_typed *t)
{
	struct pimdimm *sys = t->hc->sys;
	const struct pd_touch touch = pc_typed_touch(t, t->ranges.read,
						     t->ranges.read_bytes);
	/* what is written is claimed, where MRAM is kept in a file */
	const struct pd_room room = { .first_pe = t->hc->first_pe,
				      .nr_pes = t->hc->range_pes,
				      .bufs = t->hc->members,
				      .off = t->ranges.written,
				      .bytes = t->ranges.written_bytes,
				      .to_mram = true };
	struct pimdimm_fate *fates;
	int ret = pd_room_claim(sys, &room);

	if (!ret)
		ret = pd_touch_begin(sys, &touch, &fates);

	if (ret)
		return ret;
	move_bytes(t);
	return pd_touch_end(sys, &touch, fates);
}

static uint64_t blocks_of(uint64_t bytes)
{
	return (bytes + PIMDIMM_BLOCK_BYTES - 1) / PIMDIMM_BLOCK_BYTES;
}

static struct pidcomm_stats stats_of(const struct pc_tally *tally, uint64_t ns)
{
	return (struct pidcomm_stats){
		.mram_blocks_read = blocks_of(tally->read),
		.mram_blocks_written = blocks_of(tally->written),
		.domain_transfers = blocks_of(tally->transposed),
		.host_bytes_read = tally->host_read,
		.host_bytes_written = tally->host_written,
		.ns = ns,
	};
}

static void trace_call(const struct pc_typed *t, uint64_t ns)
{
	fprintf(stderr,
		"pidcomm: %s axes=%s bytes=%" PRIu64
		" type=- op=- algorithm=%s (auto: first that serves) stores=%s "
		"isa=%s ns=%" PRIu64 "\n",
		pc_typed_name(t->id), t->axes, t->bytes, algorithm,
		t->stores == PD_STORES_AROUND ? "non-temporal" : "temporal",
		pd_isa_name(t->hc->sys->isa), ns);
}

static void end_span(const struct pd_span *span, const struct pc_typed *t,
		     int ret)
{
	pd_timeline_end(
		span,
		"\"axes\":\"%s\",\"groups\":%u,\"members\":%u,\"total_bytes\":%" PRIu64
		",\"algorithm\":\"%s\",\"ret\":%d",
		t->axes, t->shape.groups, t->shape.members, t->bytes, algorithm,
		ret);
}

static void report_call(const struct pc_typed *t,
			const struct pidcomm_stats *stats)
{
	uint64_t bytes = PIMDIMM_BLOCK_BYTES *
			 (stats->mram_blocks_read + stats->mram_blocks_written);
	struct pd_report_call told = {
      .row =
          {
              .kind = PIMDIMM_REPORT_COLLECTIVE,
              .calls = 1,
              .mram_bytes = bytes,
              .host_bytes = stats->host_bytes_read + stats->host_bytes_written,
              .bus_bytes = bytes,
              .host_ns = stats->ns,
              .bus_ns = pd_bus_collective_ns(bytes),
          },
  };
	struct pimdimm_report_row *row = &told.row;

	pd_report_text(row->name, sizeof(row->name), pc_typed_name(t->id));
	pd_report_text(row->axes, sizeof(row->axes), t->axes);
	pd_report_text(row->algorithm, sizeof(row->algorithm), algorithm);
	pd_report_add(&told);
}

static int run_call(struct pc_typed *t)
{
	struct pimdimm *sys = t->hc->sys;
	int ret = 0;

	if (has_counts(t))
		ret = pc_counts_read(t);
	if (ret || !t->bytes)
		return ret;
	if (has_counts(t))
		ret = pc_counts_room(t);
	if (ret)
		return ret;
	t->stores = pd_stores_for(sys, sys->nt, 2 * t->bytes);
	return run_touching(t);
}

int pc_typed_run(struct pc_typed *t, struct pidcomm_stats *stats)
{
	uint64_t start = pd_now_ns();
	int ret = pd_check_host(t->hc->sys);
	struct pd_span span;

	if (ret)
		return ret;
	span = pd_timeline_begin(pc_typed_name(t->id));
	memset(&t->tally, 0, sizeof(t->tally));
	ret = run_call(t);
	end_span(&span, t, ret);
	if (ret)
		return ret;
	*stats = stats_of(&t->tally, pd_now_ns() - start);
	t->hc->tried = false;
	memset(t->hc->phase_ns, 0, sizeof(t->hc->phase_ns));
	t->hc->pe_modelled_ns = 0;
	if (pd_report_on())
		report_call(t, stats);
	if (t->hc->sys->trace)
		trace_call(t, stats->ns);
	return 0;
}
