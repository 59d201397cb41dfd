// SPDX-License-Identifier: MIT
/* Typed transfers between host memory and the MRAM of many PEs. */
#include <errno.h>
#include <inttypes.h>

#include <pimdimm/types.h>

#include "collectives/types/mram/direct.h"
#include "collectives/types/mram/groups.h"
#include "collectives/types/stream.h"
#include "runtime/base/error.h"
#include "runtime/ranks/inject.h"
#include "runtime/ranks/transfer.h"
#include "runtime/watch/report.h"
#include "runtime/watch/timeline.h"

/* bytes of each PE that a worker does at a time */
#define ITEM_BYTES	(32 * PT_TILE)

struct typed {
	struct pimdimm *sys;
	uint32_t first_pe, nr_pes;
	uint8_t *const *bufs;
	bool to_mram;
	enum pt_direct_way direct;	/* of groups all of which take part */
	struct pt_whole mram, host;
	uint64_t bytes;		/* of each PE */
	uint64_t items;		/* of an entangled group */
	enum pd_stores stores;
};

/* the buffers of a group's lanes; returns how many there are */
static unsigned int typed_lanes(const struct typed *t, uint32_t eg,
				uint8_t *bufs[PIMDIMM_CHIPS])
{
	unsigned int n = 0;

	for (uint32_t lane = 0; lane < PIMDIMM_CHIPS; lane++) {
		uint32_t nth = PIMDIMM_CHIPS * eg + lane - t->first_pe;

		bufs[lane] = nth < t->nr_pes ? t->bufs[nth] : NULL;
		n += bufs[lane] != NULL;
	}
	return n;
}

/* the packed streams of all lanes */
struct tile {
	_Alignas(64) uint8_t streams[PIMDIMM_CHIPS][PT_TILE];
	_Alignas(64) uint8_t rows[PIMDIMM_CHIPS * PT_TILE];
};

/* where a lane's stream lies, packed or as it is; NULL: it takes no part */
static void typed_streams(const struct typed *t, struct tile *tile,
			  uint8_t *const bufs[PIMDIMM_CHIPS], uint64_t at,
			  void *streams[PIMDIMM_CHIPS])
{
	for (unsigned int i = 0; i < PIMDIMM_CHIPS; i++) {
		streams[i] = tile->streams[i];
		if (!bufs[i])
			streams[i] = NULL;
		else if (pt_is_run(&t->host))
			streams[i] = bufs[i] + t->host.off + at;
	}
}

/* of lanes whose host memory is not packed as it is */
static void typed_host(const struct typed *t, uint8_t *const bufs[PIMDIMM_CHIPS],
		       void *const streams[PIMDIMM_CHIPS], uint64_t at,
		       uint64_t bytes)
{
	if (pt_is_run(&t->host))
		return;
	for (unsigned int i = 0; i < PIMDIMM_CHIPS; i++) {
		if (bufs[i])
			pt_stream(&t->host, bufs[i], at, streams[i], bytes,
				  !t->to_mram);
	}
}

/* whether words of MRAM are words of the stream there */
static bool words_alike(const struct typed *t, uint64_t at, uint64_t bytes)
{
	return pt_is_run(&t->mram) &&
	       !(((uint64_t)t->mram.off + at) % PIMDIMM_WORD_BYTES) &&
	       !(bytes % PIMDIMM_WORD_BYTES);
}

static void push_tile(const struct typed *t, const struct pt_group *g,
		      struct tile *tile, uint8_t *const bufs[PIMDIMM_CHIPS],
		      bool whole, uint64_t at, uint64_t bytes)
{
	void *streams[PIMDIMM_CHIPS];

	typed_streams(t, tile, bufs, at, streams);
	typed_host(t, bufs, streams, at, bytes);
	if (whole && words_alike(t, at, bytes)) {
		pd_eg_put(t->sys, g->eg,
			  ((uint64_t)t->mram.off + at) / PIMDIMM_WORD_BYTES,
			  bytes / PIMDIMM_WORD_BYTES,
			  (const void *const *)streams, t->stores);
	} else if (whole) {
		pt_rows_from_lanes(t->sys, tile->rows,
				   (const void *const *)streams, bytes);
		pt_rows_put(g, &t->mram, at, bytes, tile->rows);
	}
	for (unsigned int i = 0; i < PIMDIMM_CHIPS && !whole; i++) {
		if (bufs[i])
			pt_lane_put(t->sys, PIMDIMM_CHIPS * g->eg + i, &t->mram,
				    at, bytes, streams[i]);
	}
}

static void pull_tile(const struct typed *t, const struct pt_group *g,
		      struct tile *tile, uint8_t *const bufs[PIMDIMM_CHIPS],
		      bool whole, uint64_t at, uint64_t bytes)
{
	void *streams[PIMDIMM_CHIPS];

	typed_streams(t, tile, bufs, at, streams);
	if (whole && words_alike(t, at, bytes)) {
		pd_eg_get(t->sys, g->eg,
			  ((uint64_t)t->mram.off + at) / PIMDIMM_WORD_BYTES,
			  bytes / PIMDIMM_WORD_BYTES, streams, PD_STORES_PLAIN);
	} else if (whole) {
		pt_rows_get(g, &t->mram, at, bytes, tile->rows);
		pt_rows_to_lanes(t->sys, streams, tile->rows, bytes);
	}
	for (unsigned int i = 0; i < PIMDIMM_CHIPS && !whole; i++) {
		if (bufs[i])
			pt_lane_get(t->sys, PIMDIMM_CHIPS * g->eg + i, &t->mram,
				    at, bytes, streams[i]);
	}
	typed_host(t, bufs, streams, at, bytes);
}

/* not inlined: whoever does without the tile has no room made for it on the stack */
__attribute__((noinline))
static void typed_tiles(const struct typed *t, uint32_t eg, uint8_t *const bufs[PIMDIMM_CHIPS],
			bool whole, uint64_t at, uint64_t bytes)
{
	const struct pt_group g = { t->sys, eg, t->stores };
	struct tile tile;

	for (uint64_t end = at + bytes; at < end; at += PT_TILE) {
		uint64_t n = end - at < PT_TILE ? end - at : PT_TILE;

		if (t->to_mram)
			push_tile(t, &g, &tile, bufs, whole, at, n);
		else
			pull_tile(t, &g, &tile, bufs, whole, at, n);
	}
}

static void typed_item(const struct typed *t, uint32_t eg, uint64_t at,
		       uint64_t bytes)
{
	uint8_t *bufs[PIMDIMM_CHIPS];
	unsigned int lanes = typed_lanes(t, eg, bufs);

	if (lanes == PIMDIMM_CHIPS && t->direct) {
		const struct pt_direct direct = {
			t->sys, eg, t->direct, &t->mram, &t->host, bufs, t->to_mram, t->stores,
		};

		pt_direct_move(&direct, at, bytes);
	} else if (lanes) {
		typed_tiles(t, eg, bufs, lanes == PIMDIMM_CHIPS, at, bytes);
	}
}

static void typed_work(void *ctx, uint64_t first, uint64_t count)
{
	const struct typed *t = ctx;

	for (uint64_t i = first; i < first + count; i++) {
		uint64_t at = i % t->items * ITEM_BYTES;
		uint64_t bytes = t->bytes - at;

		typed_item(t, pd_eg_of(t->first_pe) + (uint32_t)(i / t->items),
			   at, bytes < ITEM_BYTES ? bytes : ITEM_BYTES);
	}
}

static struct pd_bus_call typed_bus(const struct typed *t)
{
	struct pd_bus_call call = {
		.kind = t->to_mram ? PD_BUS_PUSH : PD_BUS_PULL,
		.bytes = t->bytes,
	};

	for (uint32_t i = 0; i < t->nr_pes; i++) {
		if (t->bufs[i])
			pd_bus_add_pe(&call, pd_eg_of(t->first_pe + i));
	}
	return call;
}

static const char *typed_name(const struct typed *t)
{
	return t->to_mram ? "push typed" : "pull typed";
}

static void typed_run(struct typed *t)
{
	uint32_t egs = pd_eg_of(t->first_pe + t->nr_pes - 1) -
		       pd_eg_of(t->first_pe) + 1;
	struct pd_span span = pd_timeline_begin(typed_name(t));
	struct pd_bus_call call;

	t->direct = pt_direct_way(&t->mram, &t->host);
	t->items = (t->bytes + ITEM_BYTES - 1) / ITEM_BYTES;
	t->stores = pd_stores_for(t->sys, t->sys->nt,
				  2 * t->nr_pes * t->bytes);
	pd_workers_run(t->sys->workers, egs * t->items,
		       pd_workers_grain(t->sys->workers, egs * t->items, t->nr_pes * t->bytes),
		       typed_work, t);
	if (!span.start)
		return;
	call = typed_bus(t);
	pd_timeline_end(&span,
			"\"first_pe\":%u,\"nr_pes\":%u,\"bytes\":%" PRIu64
			",\"modelled_ns\":%" PRIu64, t->first_pe, t->nr_pes,
			t->bytes, pd_bus_ns(&call));
}

static void typed_report(const struct typed *t, uint64_t start)
{
	struct pd_bus_call call = typed_bus(t);

	if (call.pes)
		pd_report_transfer(start, typed_name(t), &call);
}

static int typed_check(struct typed *t, const struct pimtype_part *mram,
		       const struct pimtype_part *host)
{
	const struct pimdimm_geometry *g = pimdimm_geometry(t->sys);
	int ret;

	if (!g)
		return pd_error(EINVAL, "sys is NULL");
	if (t->first_pe > g->nr_pes || t->nr_pes > g->nr_pes - t->first_pe)
		return pd_error(EINVAL,
				"first_pe=%u and nr_pes=%u, expected PEs below %u",
				t->first_pe, t->nr_pes, g->nr_pes);
	if (!t->bufs)
		return pd_error(EINVAL, "bufs is NULL");
	ret = pt_whole_of(&t->mram, mram, "mram");
	if (!ret)
		ret = pt_whole_of(&t->host, host, "host");
	if (!ret)
		ret = pt_check_mram(t->sys, &t->mram, "mram");
	if (ret)
		return ret;
	t->bytes = t->to_mram ? t->host.size : t->mram.size;
	return t->to_mram ?
	       pt_check_parts("mram", mram, &t->mram, "host", host, &t->host) :
	       pt_check_parts("host", host, &t->host, "mram", mram, &t->mram);
}

static int typed_transfer(struct typed *t, const struct pimtype_part *mram,
			  const struct pimtype_part *host)
{
	uint64_t start = pd_report_begin();
	struct pimdimm_fate *fates;
	struct pd_touch touch = {
		.first_pe = t->first_pe,
		.nr_pes = t->nr_pes,
		.bufs = (void *const *)t->bufs,
		.to_mram = t->to_mram,
		.call = t->to_mram ? "pimtype_push()" : "pimtype_pull()",
	};
	int ret = typed_check(t, mram, host);

	if (ret || !t->nr_pes || !t->bytes)
		return ret;
	touch.off = (uint64_t)t->mram.lo;
	touch.bytes = (uint64_t)(t->mram.hi - t->mram.lo);
	ret = pd_touch_begin(t->sys, &touch, &fates);
	if (ret)
		return ret;
	typed_run(t);
	ret = pd_touch_end(t->sys, &touch, fates);
	if (start && !ret)
		typed_report(t, start);
	return ret;
}

int pimtype_push(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes,
		 struct pimtype_part mram, const void *const bufs[],
		 struct pimtype_part host)
{
	struct typed t = {
		.sys = sys, .first_pe = first_pe, .nr_pes = nr_pes,
		.bufs = (uint8_t *const *)bufs, .to_mram = true,
	};

	return typed_transfer(&t, &mram, &host);
}

int pimtype_pull(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes,
		 struct pimtype_part mram, void *const bufs[],
		 struct pimtype_part host)
{
	struct typed t = {
		.sys = sys, .first_pe = first_pe, .nr_pes = nr_pes,
		.bufs = (uint8_t *const *)bufs,
	};

	return typed_transfer(&t, &mram, &host);
}
