// SPDX-License-Identifier: MIT
/* Bytes between host memory and the MRAM of one PE or of many. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>

#include "runtime/base/error.h"
#include "runtime/ranks/inject.h"
#include "runtime/ranks/system.h"
#include "runtime/watch/report.h"
#include "runtime/watch/timeline.h"
#include "runtime/ranks/transfer.h"
#include "runtime/machine/trials.h"

/* words handed to a worker at a time: 256 KiB of an entangled group's blocks; less
 * where parts try how to store */
#define TILE_WORDS	4096
#define TRYING_WORDS	1024

/* where byte `off` of a PE's MRAM lies */
static uint8_t *pe_byte(struct pimdimm *sys, uint32_t pe, uint64_t off)
{
	return pd_block(sys, pd_eg_of(pe), off / PIMDIMM_WORD_BYTES) +
	       PIMDIMM_CHIPS * (off % PIMDIMM_WORD_BYTES) + pd_lane_of(pe);
}

/*
 * Walk [off, off + bytes) of a PE: up to 7 bytes, whole words, up to 7 bytes.
 * The PE's bytes lie as far apart in a block as it has lanes.
 */
void pd_pe_read(struct pimdimm *sys, uint32_t pe, uint64_t off, void *dst,
		size_t bytes)
{
	uint8_t *d = dst;

	for (; bytes && off % PIMDIMM_WORD_BYTES; bytes--)
		*d++ = *pe_byte(sys, pe, off++);
	while (bytes >= PIMDIMM_WORD_BYTES) {
		uint64_t words = pd_run(sys, off / PIMDIMM_WORD_BYTES);

		if (words > bytes / PIMDIMM_WORD_BYTES)
			words = bytes / PIMDIMM_WORD_BYTES;
		sys->blocks->lane_get(d, pd_block(sys, pd_eg_of(pe),
						   off / PIMDIMM_WORD_BYTES),
				       pd_stride(sys), pd_lane_of(pe), words);
		d += PIMDIMM_WORD_BYTES * words;
		off += PIMDIMM_WORD_BYTES * words;
		bytes -= PIMDIMM_WORD_BYTES * words;
	}
	for (; bytes; bytes--)
		*d++ = *pe_byte(sys, pe, off++);
}

void pd_pe_write(struct pimdimm *sys, uint32_t pe, uint64_t off,
		 const void *src, size_t bytes)
{
	const uint8_t *s = src;

	for (; bytes && off % PIMDIMM_WORD_BYTES; bytes--)
		*pe_byte(sys, pe, off++) = *s++;
	while (bytes >= PIMDIMM_WORD_BYTES) {
		uint64_t words = pd_run(sys, off / PIMDIMM_WORD_BYTES);

		if (words > bytes / PIMDIMM_WORD_BYTES)
			words = bytes / PIMDIMM_WORD_BYTES;
		sys->blocks->lane_put(pd_block(sys, pd_eg_of(pe),
						off / PIMDIMM_WORD_BYTES),
				       pd_stride(sys), pd_lane_of(pe), s,
				       words);
		s += PIMDIMM_WORD_BYTES * words;
		off += PIMDIMM_WORD_BYTES * words;
		bytes -= PIMDIMM_WORD_BYTES * words;
	}
	for (; bytes; bytes--)
		*pe_byte(sys, pe, off++) = *s++;
}

/* name: the caller's for the buffer */
static int check_pe(const struct pimdimm *sys, uint32_t pe, uint64_t off,
		    const char *name, const void *buffer, size_t bytes)
{
	if (!sys)
		return pd_error(EINVAL, "sys is NULL");
	if (pe >= sys->geometry.nr_pes)
		return pd_error(EINVAL, "pe=%u, expected below %u", pe,
				sys->geometry.nr_pes);
	if (!buffer && bytes)
		return pd_error(EINVAL, "%s is NULL, expected %zu bytes", name,
				bytes);
	return pd_check_range(&sys->geometry, "off", off, bytes);
}

/* the arguments of the span of a transfer of one PE */
#define PE_ARGS "\"pe\":%u,\"off\":%" PRIu64 ",\"bytes\":%" PRIu64 \
	",\"modelled_ns\":%" PRIu64

static struct pd_bus_call bus_call_of_pe(const struct pd_touch *touch)
{
	return pd_bus_serial(touch->to_mram ? PD_BUS_PUSH : PD_BUS_PULL,
			     touch->bytes);
}

static int move_pe(struct pimdimm *sys, const struct pd_touch *touch,
		   const char *name, void *buffer)
{
	const uint32_t pe = touch->first_pe;
	struct pd_bus_call bus;
	struct pimdimm_fate *fates;
	struct pd_span span;
	uint64_t start = pd_report_begin();
	int ret = check_pe(sys, pe, touch->off, name, buffer, touch->bytes);

	if (!ret)
		ret = pd_touch_begin(sys, touch, &fates);
	if (ret)
		return ret;
	span = pd_timeline_begin(touch->to_mram ? "write" : "read");
	if (touch->to_mram)
		pd_pe_write(sys, pe, touch->off, buffer, touch->bytes);
	else
		pd_pe_read(sys, pe, touch->off, buffer, touch->bytes);
	bus = bus_call_of_pe(touch);
	pd_timeline_end(&span, PE_ARGS, pe, touch->off, touch->bytes,
			pd_bus_ns(&bus));
	ret = pd_touch_end(sys, touch, fates);
	if (start && !ret)
		pd_report_transfer(start, touch->to_mram ? "write" : "read",
				   &bus);
	return ret;
}

int pimdimm_write(struct pimdimm *sys, uint32_t pe, uint64_t off,
		  const void *src, size_t bytes)
{
	const struct pd_touch touch = { .first_pe = pe, .nr_pes = 1, .off = off,
					.bytes = bytes, .to_mram = true,
					.call = "pimdimm_write()" };

	return move_pe(sys, &touch, "src", (void *)(uintptr_t)src);
}

int pimdimm_read(struct pimdimm *sys, uint32_t pe, uint64_t off, void *dst,
		 size_t bytes)
{
	const struct pd_touch touch = { .first_pe = pe, .nr_pes = 1, .off = off,
					.bytes = bytes, .call = "pimdimm_read()" };

	return move_pe(sys, &touch, "dst", dst);
}

static void eg_get_run(struct pimdimm *sys, uint32_t eg, uint64_t word, uint64_t words,
		       void *const dst[], unsigned int buffers, enum pd_stores stores)
{
	(buffers > PIMDIMM_CHIPS ? sys->blocks->pair_get : sys->blocks->eg_get)(
		dst, pd_block(sys, eg, word), pd_stride(sys), words, stores);
}

/* from so many buffers to a run's end, and on behind it */
static void eg_get_runs(struct pimdimm *sys, uint32_t eg, uint64_t word, uint64_t words,
			void *const dst[], unsigned int buffers, enum pd_stores stores)
{
	void *at[2 * PIMDIMM_CHIPS];

	if (pd_run(sys, word) >= words) {
		eg_get_run(sys, eg, word, words, dst, buffers, stores);
		return;
	}
	for (unsigned int i = 0; i < buffers; i++)
		at[i] = dst[i];
	while (words) {
		uint64_t n = pd_run(sys, word);

		if (n > words)
			n = words;
		eg_get_run(sys, eg, word, n, at, buffers, stores);
		for (unsigned int i = 0; i < buffers; i++) {
			if (at[i])
				at[i] = (uint8_t *)at[i] +
					PIMDIMM_WORD_BYTES * n;
		}
		word += n;
		words -= n;
	}
}

void pd_eg_get(struct pimdimm *sys, uint32_t eg, uint64_t word, uint64_t words,
	       void *const dst[PIMDIMM_CHIPS], enum pd_stores stores)
{
	eg_get_runs(sys, eg, word, words, dst, PIMDIMM_CHIPS, stores);
}

void pd_pair_get(struct pimdimm *sys, uint32_t eg, uint64_t word, uint64_t words,
		 void *const dst[2 * PIMDIMM_CHIPS], enum pd_stores stores)
{
	eg_get_runs(sys, eg, word, words, dst, 2 * PIMDIMM_CHIPS, stores);
}

void pd_eg_put(struct pimdimm *sys, uint32_t eg, uint64_t word, uint64_t words,
	       const void *const src[PIMDIMM_CHIPS], enum pd_stores stores)
{
	const void *at[PIMDIMM_CHIPS];

	if (pd_run(sys, word) >= words) {
		sys->blocks->eg_put(pd_block(sys, eg, word), pd_stride(sys), src, words, stores);
		return;
	}
	for (unsigned int i = 0; i < PIMDIMM_CHIPS; i++)
		at[i] = src[i];
	while (words) {
		uint64_t n = pd_run(sys, word);

		if (n > words)
			n = words;
		sys->blocks->eg_put(pd_block(sys, eg, word), pd_stride(sys), at, n, stores);
		for (unsigned int i = 0; i < PIMDIMM_CHIPS; i++)
			at[i] = (const uint8_t *)at[i] + PIMDIMM_WORD_BYTES * n;
		word += n;
		words -= n;
	}
}

/* of a rank's entangled groups */
#define PAIRS	(PIMDIMM_BANKS / 2)

/* a push or a pull, split into (entangled group, tile of words) */
struct batch {
	struct pimdimm *sys;
	uint32_t first_pe, nr_pes;
	uint64_t off, bytes;
	uint8_t *const *bufs;
	bool to_mram;
	/* Entangled groups are taken by two that share lines of memory, four apart:
	 * who reads those reads memory in order. Who stores gains nothing. */
	bool paired;
	uint64_t tiles, tile_bytes;	/* of an entangled group, of each PE */
};

/* Its buffers at byte `at`; returns how many of the eight PEs take part. */
static unsigned int batch_lanes(const struct batch *b, uint32_t eg, uint64_t at,
				void *lanes[PIMDIMM_CHIPS])
{
	unsigned int taking = 0;

	for (uint32_t lane = 0; lane < PIMDIMM_CHIPS; lane++) {
		uint32_t pe = PIMDIMM_CHIPS * eg + lane;
		uint8_t *buf = NULL;

		if (pe >= b->first_pe && pe - b->first_pe < b->nr_pes)
			buf = b->bufs[pe - b->first_pe];
		lanes[lane] = buf ? buf + at : NULL;
		taking += !!buf;
	}
	return taking;
}

/* Whole blocks, where all eight have something for them: the bytes of a PE that
 * takes no part are not to be stored, not even as they were. */
static void push_item(const struct batch *b, uint32_t eg, uint64_t off,
		      uint64_t bytes, void *const lanes[PIMDIMM_CHIPS],
		      bool whole, enum pd_stores stores)
{
	if (whole) {
		pd_eg_put(b->sys, eg, off / PIMDIMM_WORD_BYTES,
			  bytes / PIMDIMM_WORD_BYTES,
			  (const void *const *)lanes, stores);
		return;
	}
	for (uint32_t lane = 0; lane < PIMDIMM_CHIPS; lane++) {
		if (lanes[lane])
			pd_pe_write(b->sys, PIMDIMM_CHIPS * eg + lane, off,
				    lanes[lane], bytes);
	}
}

static void batch_pair(const struct batch *b, uint32_t eg, uint64_t at, uint64_t bytes,
		       enum pd_stores stores)
{
	void *lanes[2 * PIMDIMM_CHIPS];

	if (batch_lanes(b, eg, at, lanes) +
	    batch_lanes(b, eg + PAIRS, at, lanes + PIMDIMM_CHIPS))
		pd_pair_get(b->sys, eg, (b->off + at) / PIMDIMM_WORD_BYTES,
			    bytes / PIMDIMM_WORD_BYTES, lanes, stores);
}

static void batch_item(const struct batch *b, uint32_t eg, uint64_t at,
		       uint64_t bytes, enum pd_stores stores)
{
	uint64_t off = b->off + at;
	void *lanes[PIMDIMM_CHIPS];
	unsigned int taking;

	if (b->paired) {
		batch_pair(b, eg, at, bytes, stores);
		return;
	}
	taking = batch_lanes(b, eg, at, lanes);
	if (b->to_mram)
		push_item(b, eg, off, bytes, lanes, taking == PIMDIMM_CHIPS,
			  stores);
	else if (taking)
		pd_eg_get(b->sys, eg, off / PIMDIMM_WORD_BYTES,
			  bytes / PIMDIMM_WORD_BYTES, lanes, stores);
}

static uint64_t batch_work(void *ctx, uint64_t first, uint64_t count,
			   enum pd_stores stores)
{
	const struct batch *b = ctx;
	uint64_t work = 0;

	for (uint64_t i = first; i < first + count; i++) {
		uint64_t at = i % b->tiles * b->tile_bytes;
		uint64_t bytes = b->bytes - at;
		uint32_t eg = (uint32_t)(i / b->tiles);

		if (bytes > b->tile_bytes)
			bytes = b->tile_bytes;
		if (b->paired)
			eg = eg / PAIRS * PIMDIMM_BANKS + eg % PAIRS;
		batch_item(b, pd_eg_of(b->first_pe) + eg, at, bytes, stores);
		work += bytes;
	}
	return work;
}

static int check_batch(const struct batch *b)
{
	const struct pimdimm_geometry *g = pimdimm_geometry(b->sys);

	if (!g)
		return pd_error(EINVAL, "sys is NULL");
	if (b->first_pe > g->nr_pes || b->nr_pes > g->nr_pes - b->first_pe)
		return pd_error(EINVAL,
				"first_pe=%u and nr_pes=%u, expected PEs below %u",
				b->first_pe, b->nr_pes, g->nr_pes);
	if (!b->bufs)
		return pd_error(EINVAL, "bufs is NULL");
	if (b->off % PIMDIMM_WORD_BYTES)
		return pd_error(EINVAL, "off=%llu, expected a multiple of 8",
				(unsigned long long)b->off);
	if (b->bytes % PIMDIMM_WORD_BYTES)
		return pd_error(EINVAL, "bytes=%llu, expected a multiple of 8",
				(unsigned long long)b->bytes);
	return pd_check_range(&b->sys->geometry, "off", b->off, b->bytes);
}

/* What the model of transfers sees of it: one buffer for several PEs is a broadcast. */
static struct pd_bus_call bus_call_of(const struct batch *b)
{
	struct pd_bus_call call = { .bytes = b->bytes };
	const uint8_t *buf = NULL;
	bool one = true;

	for (uint32_t i = 0; i < b->nr_pes; i++) {
		if (!b->bufs[i])
			continue;
		one &= !buf || buf == b->bufs[i];
		buf = b->bufs[i];
		pd_bus_add_pe(&call, pd_eg_of(b->first_pe + i));
	}
	call.kind = !b->to_mram ? PD_BUS_PULL :
		    one && call.pes > 1 ? PD_BUS_BROADCAST : PD_BUS_PUSH;
	return call;
}

/* a push to one PE is what write does, a pull from one what read does */
static const char *name_of(const struct pd_bus_call *call)
{
	static const char *const names[][2] = {
		[PD_BUS_PUSH] = { "push", "write" },
		[PD_BUS_BROADCAST] = { "broadcast", "broadcast" },
		[PD_BUS_PULL] = { "pull", "read" },
	};

	return names[call->kind][call->pes == 1];
}

static void end_batch_span(const struct pd_span *span, const struct batch *b,
			   const struct pd_bus_call *call)
{
	pd_timeline_end(span,
			"\"first_pe\":%u,\"nr_pes\":%u,\"off\":%" PRIu64
			",\"bytes\":%" PRIu64 ",\"total_bytes\":%" PRIu64
			",\"modelled_ns\":%" PRIu64,
			b->first_pe, b->nr_pes, b->off, b->bytes,
			call->pes * b->bytes, pd_bus_ns(call));
}

/* how it stores, and whether parts of it try */
static void choose_stores(const struct batch *b, uint32_t egs,
			  struct pd_trial *trial)
{
	static const char push, pull;
	struct pimdimm *sys = b->sys;
	uint64_t bytes = 2 * b->nr_pes * b->bytes;
	struct pd_kind kind = {
		.what = b->to_mram ? &push : &pull,
		.traits = (((uint64_t)egs << 16 |
			    pd_workers_threads(sys->workers)) << 8 |
			   sys->isa) << 8 | sys->geometry.layout << 1 |
			  ((uintptr_t)b->bufs[0] % PIMDIMM_WORD_BYTES != 0),
		.work_set = bytes,
		.fits = bytes <= sys->cache_bytes,
	};

	trial->stores = pd_stores_for(sys, sys->nt, bytes);
	if (sys->nt == PD_NT_AUTO && bytes >= PD_TRIALS_LEAST)
		pd_trials_begin(trial, &kind,
				pd_stores_for(sys, PD_NT_NEVER, bytes),
				trial->stores);
}

/* Whole ranks have both groups of every pair. */
static bool pulls_pairs(const struct batch *b)
{
	return !b->to_mram && b->sys->geometry.layout == PIMDIMM_LAYOUT_XEON_SP &&
	       b->first_pe % PIMDIMM_RANK_PES == 0 && b->nr_pes % PIMDIMM_RANK_PES == 0;
}

static void move_batch(struct batch *b)
{
	uint32_t egs = pd_eg_of(b->first_pe + b->nr_pes - 1) -
		       pd_eg_of(b->first_pe) + 1;
	struct pd_trial trial = { .open = false };
	uint64_t items, grain;

	choose_stores(b, egs, &trial);
	b->paired = pulls_pairs(b);
	b->tile_bytes = (PIMDIMM_WORD_BYTES * (trial.open ? TRYING_WORDS : TILE_WORDS)) >>
			b->paired;
	b->tiles = (b->bytes + b->tile_bytes - 1) / b->tile_bytes;
	items = (egs >> b->paired) * b->tiles;
	/* what is tried, is by all threads */
	grain = trial.open ? 1 : pd_workers_grain(b->sys->workers, items, b->nr_pes * b->bytes);
	pd_trial_run(&trial, b->sys->workers, items, grain, batch_work, b);
	pd_trials_end(&trial);
}

static int batch_run(struct batch *b)
{
	const struct pd_touch touch = {
		.first_pe = b->first_pe,
		.nr_pes = b->nr_pes,
		.bufs = (void *const *)b->bufs,
		.off = b->off,
		.bytes = b->bytes,
		.to_mram = b->to_mram,
		.call = b->to_mram ? "pimdimm_push()" : "pimdimm_pull()",
	};
	uint64_t start = pd_report_begin();
	struct pimdimm_fate *fates;
	struct pd_bus_call call;
	struct pd_span span;
	int ret = check_batch(b);

	if (ret || !b->nr_pes || !b->bytes)
		return ret;
	ret = pd_touch_begin(b->sys, &touch, &fates);
	if (ret)
		return ret;
	span = pd_timeline_begin(b->to_mram ? "push" : "pull");
	move_batch(b);
	if (start || span.start)
		call = bus_call_of(b);
	if (span.start)
		end_batch_span(&span, b, &call);
	ret = pd_touch_end(b->sys, &touch, fates);
	if (start && !ret && call.pes)
		pd_report_transfer(start, name_of(&call), &call);
	return ret;
}

int pimdimm_push(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes,
		 uint64_t off, const void *const bufs[], size_t bytes)
{
	struct batch b = {
		.sys = sys,
		.first_pe = first_pe,
		.nr_pes = nr_pes,
		.off = off,
		.bytes = bytes,
		.bufs = (uint8_t *const *)bufs,
		.to_mram = true,
	};

	return batch_run(&b);
}

int pimdimm_pull(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes,
		 uint64_t off, void *const bufs[], size_t bytes)
{
	struct batch b = {
		.sys = sys,
		.first_pe = first_pe,
		.nr_pes = nr_pes,
		.off = off,
		.bytes = bytes,
		.bufs = (uint8_t *const *)bufs,
	};

	return batch_run(&b);
}

static const struct pd_blocks *best_blocks;

static void choose_kernels(void)
{
	enum pd_isa isa = PD_ISA_PORTABLE;

	/* a name that cannot be had is reported where a system is opened */
	pd_isa_choose(&isa);
	best_blocks = pd_isa_blocks(isa);
}

void pimdimm_domain_transfer(void *dst, const void *src, size_t blocks)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, choose_kernels);
	best_blocks->transpose(dst, src, blocks);
}
