// SPDX-License-Identifier: MIT
/* A checked call is prepared, run by its algorithm, measured and traced. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collectives/algorithms/mailed.h"
#include "collectives/algorithms/table.h"
#include "collectives/api/hosts_calls.h"
#include "collectives/call/call.h"
#include "collectives/call/counted.h"
#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/ranks/inject.h"
#include "runtime/ranks/owner.h"
#include "collectives/api/run.h"
#include "runtime/base/threads.h"
#include "runtime/watch/report.h"
#include "runtime/watch/timeline.h"
#include "runtime/machine/trials.h"

/* bytes of the smallest second caches that are common */
#define SMALL_BYTES	(256 << 10)

static bool is_in_place(const struct pc_args *a)
{
	return pc_allows_in_place(a->id) && a->src == a->dst;
}

/* bytes that the call reads and writes, all PEs and host buffers together */
static uint64_t work_set(const struct pc_args *a, const struct pc_shape *s)
{
	const struct pc_traits *traits = &pc_traits[a->id];
	uint64_t from = pc_amount_bytes(traits->src, a->bytes, s->members);
	uint64_t to = pc_amount_bytes(traits->dst, a->bytes, s->members);
	uint64_t host = pc_amount_bytes(traits->host, a->bytes, s->members);
	bool once = is_in_place(a) && from == to;

	return s->groups * (s->members * (once ? from : from + to) + host);
}

/*
 * What tells the speeds of calls of one algorithm apart: where their bytes lie,
 * and what works on them.
 */
static struct pd_kind kind_of_call(const struct pc_call *call,
				   const struct pc_args *a,
				   const struct pc_algorithm *algorithm,
				   uint64_t bytes)
{
	const struct pc_shape *s = call->req->shape;
	const struct pimdimm *sys = call->req->sys;
	uint64_t traits = s->egs;

	traits = traits << 16 | pd_workers_threads(sys->workers);
	traits = traits << 8 | sys->isa;
	traits = traits << 8 | sys->geometry.layout;
	traits = traits << 4 | s->lanes.bits;
	traits = traits << 1 | is_in_place(a);
	traits = traits << 1 | (a->bufs && (uintptr_t)*call->req->bufs % 8);
	traits = traits << 1 | !!call->req->fold.reduce;
	return (struct pd_kind){ algorithm, traits, bytes,
				 .fits = bytes <= sys->cache_bytes };
}

/* Only what `auto` runs tries: the others, which it is compared with, keep to the
 * rule that is known from elsewhere. */
static void choose_stores(struct pc_call *call, const struct pc_args *a,
			  const struct pc_algorithm *algorithm, uint64_t bytes,
			  struct pd_trial *trial)
{
	struct pimdimm *sys = call->req->sys;
	struct pd_kind kind;

	call->work.stores = pd_stores_for(sys, sys->nt, bytes);
	if (sys->nt != PD_NT_AUTO || bytes < PD_TRIALS_LEAST ||
	    algorithm != pc_algorithm_auto(call->req->id))
		return;
	kind = kind_of_call(call, a, algorithm, bytes);
	pd_trials_begin(trial, &kind, pd_stores_for(sys, PD_NT_NEVER, bytes),
			call->work.stores);
	call->work.stores = trial->stores;
	call->work.trial = trial;
}

static struct pc_request make_request(struct pidcomm *hc,
				      const struct pc_args *a,
				      const struct pc_shape *shape, bool small)
{
	struct pimdimm *sys = hc->crew ? hc->crew->view : hc->sys;
	struct pc_request req = {
		.hc = hc,
		.sys = sys,
		.crew = hc->crew,
		.places = hc->cube.places,
		.shape = shape,
		.moves = pc_isa_moves(sys->isa),
		.id = a->id,
		.bytes = a->bytes,
		.words = a->bytes / 8,
		.src = a->src / 8,
		.dst = a->dst / 8,
		.bufs = (uint8_t *const *)a->bufs,
		.type = a->type,
		.op = a->op,
		.small = small,
	};

	if (pc_traits[a->id].chunked)
		req.words /= shape->members;
	if (pc_traits[a->id].reduces)
		pc_fold_init(&req.fold, pc_isa_folds(sys->isa), a->type, a->op,
			     shape->members);
	return req;
}

static void keep_stats(struct pidcomm_stats *stats, const struct pc_call *call,
		       uint64_t ns)
{
	*stats = (struct pidcomm_stats){
		.mram_blocks_read = call->counts.blocks_read,
		.mram_blocks_written = call->counts.blocks_written,
		.domain_transfers = call->counts.transfers,
		.host_bytes_read = call->counts.host_read,
		.host_bytes_written = call->counts.host_written,
		.pe_bytes_moved = call->pe_moved,
		.ns = ns,
	};
}

static void trace_call(const struct pc_args *a, const struct pc_call *call,
		       const struct pc_algorithm *algorithm, bool chosen,
		       uint64_t ns)
{
	static const char *const stores[] = {
		[PD_STORES_PLAIN] = "temporal",
		[PD_STORES_AHEAD] = "temporal-ahead",
		[PD_STORES_AROUND] = "non-temporal",
	};
	const struct pidcomm *hc = call->req->hc;
	bool reduces = pc_traits[a->id].reduces;

	fprintf(stderr,
		"pidcomm: %s axes=%s bytes=%" PRIu64
		" type=%s op=%s algorithm=%s (%s) stores=%s isa=%s ns=%" PRIu64
		"\n",
		pc_collective_name(a->id), a->axes, a->bytes,
		reduces ? pc_type_name(a->type) : "-",
		reduces ? pc_op_name(a->op) : "-", algorithm->name,
		chosen	 ? "set by the caller" :
		hc->crew ? pc_hosts_why(hc) :
			   "auto: first that serves",
		stores[call->work.stores], pd_isa_name(hc->sys->isa),
		ns);
}

static void end_span(const struct pd_span *span, const struct pc_args *a,
		     const struct pc_call *call,
		     const struct pc_algorithm *algorithm, int ret)
{
	const struct pc_shape *s = call->req->shape;
	bool reduces = pc_traits[a->id].reduces;

	pd_timeline_end(span,
			"\"axes\":\"%s\",\"bytes\":%" PRIu64
			",\"groups\":%u,\"members\":%u,\"total_bytes\":%" PRIu64
			",\"type\":\"%s\",\"op\":\"%s\",\"algorithm\":\"%s\",\"ret\":%d",
			a->axes, a->bytes, s->groups, s->members,
			(uint64_t)s->groups * s->members * a->bytes,
			reduces ? pc_type_name(a->type) : "-",
			reduces ? pc_op_name(a->op) : "-", algorithm->name,
			ret);
}

/* Injected faults befall the bytes read, or where none are those written. */
static struct pd_touch bytes_touched(const struct pc_call *call,
				     const struct pc_args *a, bool helped)
{
	const struct pidcomm *hc = call->req->hc;
	struct pd_touch touch = {.first_pe = hc->first_pe,
				 .nr_pes = hc->range_pes,
				 .bufs = hc->members,
				 .ranks = hc->members ? &hc->ranks : NULL,
				 .helped = helped,
				 .call = pc_collective_name(a->id)};
	struct pc_ranges ranges;

	pc_args_ranges(a, call->req->shape->members, &ranges);
	touch.to_mram = !ranges.read_bytes;
	touch.off = touch.to_mram ? ranges.written : ranges.read;
	touch.bytes = touch.to_mram ? ranges.written_bytes : ranges.read_bytes;
	return touch;
}

/* Room for what is written; PEs that help write to what is read, too. */
static int claim_room(struct pimdimm *sys, const struct pc_call *call,
		      const struct pc_args *a, bool helped)
{
	const struct pidcomm *hc = call->req->hc;
	struct pd_room room = {.first_pe = hc->first_pe,
			       .nr_pes = hc->range_pes,
			       .bufs = hc->members,
			       .to_mram = true};
	struct pc_ranges ranges;
	int ret;

	if (!sys->file)
		return 0;
	pc_args_ranges(a, call->req->shape->members, &ranges);
	room.off = ranges.written;
	room.bytes = ranges.written_bytes;
	ret = pd_room_claim(sys, &room);
	if (ret || !helped)
		return ret;
	room.off = ranges.read;
	room.bytes = ranges.read_bytes;
	return pd_room_claim(sys, &room);
}

/* A program's operation may be where its thread is cancelled: the thread is to end
 * when what the call has taken has been given back. */
static bool may_be_cancelled(const struct pc_call *call)
{
	return call->req->fold.user;
}

/* This host has failed: others wait for what it hands on. */
static int run_idle(struct pc_call *call, const struct pc_algorithm *algorithm, int ret)
{
	struct pd_error_text kept;
	int broken;

	pd_error_save(&kept);
	call->work.idle = true;
	broken = algorithm->run(call);
	if (broken)
		return broken;
	pd_error_restore(&kept);
	return ret;
}

static int run_algorithm(struct pc_call *call, const struct pc_args *a,
			 const struct pc_algorithm *algorithm)
{
	struct pimdimm *sys = call->req->hc->sys;
	struct pd_touch touch = bytes_touched(call, a, algorithm->assisted);
	int before = may_be_cancelled(call) ? pd_cancel_off() : 0;
	struct pimdimm_fate *fates = NULL;
	int ret = claim_room(sys, call, a, algorithm->assisted), err;

	pc_phase_begin(call, pc_hosts_only_phase(a->id));
	if (!ret && sys->isa == PD_ISA_COUNT)
		ret = pc_counted_check(call);
	if (!ret)
		ret = pd_touch_begin(sys, &touch, &fates);
	if (ret && call->req->crew && call->req->crew->mail)
		ret = run_idle(call, algorithm, ret);
	else if (!ret) {
		ret = sys->isa == PD_ISA_COUNT ?
			      pc_run_counted(call, algorithm) :
			      algorithm->run(call);
		err = pd_touch_end(sys, &touch, fates);
		if (err)
			ret = err;
	}
	if (may_be_cancelled(call))
		pd_cancel_restore(before);
	return ret;
}

/* What PEs help with takes this machine's time, which hardware's host does not spend. */
static void report_call(const struct pc_args *a, const struct pc_call *call,
			const struct pc_algorithm *algorithm,
			const struct pidcomm_stats *stats)
{
	uint64_t helped = call->phase_ns[PC_PHASE_REORDER];
	uint64_t blocks = stats->mram_blocks_read + stats->mram_blocks_written;
	struct pd_report_call told = {
		.row = {
			.kind = PIMDIMM_REPORT_COLLECTIVE,
			.calls = 1,
			.mram_bytes = PIMDIMM_BLOCK_BYTES * blocks,
			.host_bytes = stats->host_bytes_read +
				      stats->host_bytes_written,
			.bus_bytes = PIMDIMM_BLOCK_BYTES * blocks,
			.host_ns = stats->ns - helped,
			.pe_ns = call->pe_modelled_ns,
			.bus_ns = pd_bus_collective_ns(PIMDIMM_BLOCK_BYTES *
						       blocks),
			.emulation_ns = helped,
		},
	};
	struct pimdimm_report_row *row = &told.row;

	pd_report_text(row->name, sizeof(row->name), pc_collective_name(a->id));
	pd_report_text(row->axes, sizeof(row->axes), a->axes);
	pd_report_text(row->algorithm, sizeof(row->algorithm), algorithm->name);
	pd_report_add(&told);
}

/*
 * Where the hosts have no memory for what would pass through it, `auto` does without: they all
 * know, and nothing has been moved.
 */
static bool does_without(const struct pidcomm *hc, const struct pc_algorithm *chosen)
{
	return hc->crew && !chosen && hc->crew->unstaged && hc->crew->mapped;
}

static int run_chosen(struct pc_call *call, const struct pc_args *a,
		      const struct pc_algorithm *chosen, const struct pc_algorithm **algorithm)
{
	struct pidcomm *hc = call->req->hc;
	int ret = run_algorithm(call, a, *algorithm);

	if (!ret || !does_without(hc, chosen))
		return ret;
	hc->crew->err = 0;
	*algorithm = pc_algorithm_auto(a->id);
	return run_algorithm(call, a, *algorithm);
}

/* What a call of several hosts has of them. */
static void adapt_to_hosts(struct pc_call *call, struct pc_request *req,
			   const struct pc_args *a)
{
	const struct pc_crew *crew = req->crew;

	call->work.stores = (enum pd_stores)crew->way.stores;
	if (crew->bufs)
		req->bufs = crew->bufs;
	else if (pc_is_rooted(a->id))
		call->work.share = PC_SHARE_ROOTS;
}

/* All hosts have begun the call, or there is one alone. */
static int run_begun(struct pc_request *req, const struct pc_args *a,
		     const struct pc_algorithm *chosen, uint64_t start,
		     const struct pd_span *span, struct pidcomm_stats *stats)
{
	const struct pc_algorithm *algorithm = chosen;
	const uint64_t begun = pd_now_ns();
	struct pc_call call = { .req = req };
	struct pidcomm *hc = req->hc;
	struct pd_trial trial;
	uint64_t ns;
	int ret = 0;

	if (!algorithm)
		algorithm = hc->crew ? pc_hosts_choose(hc, a) : pc_algorithm_auto(a->id);
	if (hc->crew)
		adapt_to_hosts(&call, req, a);
	else
		choose_stores(&call, a, algorithm, work_set(a, req->shape), &trial);
	if (a->bytes)
		ret = run_chosen(&call, a, chosen, &algorithm);
	if (hc->crew)
		ret = pc_hosts_end(&call, begun, ret);
	end_span(span, a, &call, algorithm, ret);
	if (call.work.trial) {
		pd_trials_end(&trial);
		call.work.stores = trial.stores;
	}
	if (ret)
		return ret;
	ns = pd_now_ns() - start;
	keep_stats(stats, &call, ns);
	hc->tried = hc->crew ? hc->crew->way.why == PC_WHY_TRIED :
			       call.work.trial && trial.tried;
	memcpy(hc->phase_ns, call.phase_ns, sizeof(hc->phase_ns));
	hc->pe_modelled_ns = call.pe_modelled_ns;
	if (pd_report_on())
		report_call(a, &call, algorithm, stats);
	if (hc->sys->trace)
		trace_call(a, &call, algorithm, chosen, stats->ns);
	return 0;
}

int pc_run(struct pidcomm *hc, const struct pc_args *a,
	   const struct pc_shape *shape, const struct pc_algorithm *chosen,
	   struct pidcomm_stats *stats)
{
	uint64_t start = pd_now_ns();
	int ret = a->bytes ? pd_check_host(hc->sys) : 0;
	/* other hosts count on a call that has begun */
	int cancel = hc->crew ? pd_cancel_off() : 0;
	const uint64_t bytes = work_set(a, shape);
	struct pc_request req = make_request(hc, a, shape, bytes <= SMALL_BYTES);
	struct pd_span span = { 0 };

	/* what one host refuses alone has taken no time */
	if (hc->crew || !ret)
		span = pd_timeline_begin(pc_collective_name(a->id));
	if (hc->crew) {
		if (!ret)
			ret = pc_hosts_reserve(&req, chosen);
		ret = pc_hosts_begin(hc, a, shape, chosen,
				     pc_hosts_propose(hc, a, shape, chosen, bytes), ret);
	}
	if (!ret)
		ret = run_begun(&req, a, chosen, start, &span, stats);
	else
		pd_timeline_end(&span, "\"axes\":\"%s\",\"bytes\":%" PRIu64 ",\"ret\":%d",
				a->axes, a->bytes, ret);
	pc_mailed_release(req.mailed);
	if (hc->crew)
		pd_cancel_restore(cancel);
	return ret;
}
