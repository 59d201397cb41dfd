// SPDX-License-Identifier: MIT
/*
 * Windows of ranks: the other process maps what pimdimm_export() hands out and moves the
 * bytes of a PE there as this one does, of a view of that one rank.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pimdimm/pimdimm_layout.h>

#include "collectives/messages/pair/pair.h"
#include "collectives/types/mram/groups.h"
#include "collectives/types/stream.h"
#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include "runtime/ranks/backend.h"
#include "runtime/ranks/system.h"

/* one rank of the other process's, as a system of its own */
struct pair_view {
	struct pimdimm sys;
	struct pd_rank rank;
};

/* whether this process moves all that touches its MRAM itself, since that may fail */
static bool windows_kept(const struct pair *p)
{
	return p->world.sys->owners || p->world.sys->injector ||
	       (p->design != PD_ZEROCOPY_AUTO && p->design != PD_ZEROCOPY_MEMO);
}

static void windows_refused(struct pair *p, uint32_t rank)
{
	struct pd_env_log log;

	if (p->ranks[rank].refused)
		return;
	p->ranks[rank].refused = true;
	if (!pd_env_log(&log) && log.messages)
		fprintf(stderr, "pimdimm: %s; long messages from and to it are packed\n",
			pimdimm_errmsg());
}

static int windows_export(struct pair *p, uint32_t rank)
{
	struct pimdimm *sys = p->world.sys;
	struct pd_error_text kept;
	int fd;

	pd_error_save(&kept);
	fd = pimdimm_export(sys, rank, 0, sys->ranks[rank].bytes);
	/* what others hold, or there is too little of, may be had the next time */
	if (fd == -EOPNOTSUPP || fd == -ENOMEM)
		windows_refused(p, rank);
	pd_error_restore(&kept);
	return fd;
}

static void windows_tell(struct pair *p, uint32_t rank)
{
	const struct pimdimm *sys = p->world.sys;
	struct pair_note note = {
		.magic = PAIR_MAGIC,
		.version = PAIR_VERSION,
		.kind = PAIR_RANK,
		.rank = sys->geometry.layout,
		.bytes = sys->ranks[rank].bytes,
		.number = p->world.last_segment + 1,
		.pool = sys->geometry.mram_size,
	};
	int fd;

	if (p->nr_told == PAIR_SEGMENTS)
		return;
	fd = windows_export(p, rank);
	if (fd < 0)
		return;
	if (!pm_pair_note_send(p->socket, &note, fd)) {
		p->ranks[rank].number = ++p->world.last_segment;
		p->nr_told++;
	}
	pm_pair_close(fd);
}

uint64_t pm_pair_window_of(struct pair *p, uint32_t pe)
{
	const uint32_t rank = pe / PIMDIMM_RANK_PES;

	if (windows_kept(p) || p->broken)
		return 0;
	if (!p->ranks[rank].number && !p->ranks[rank].refused)
		windows_tell(p, rank);
	return p->ranks[rank].number;
}

bool pm_pair_window_fits(const struct pair_note *note)
{
	return note->rank < PIMDIMM_NR_LAYOUTS && note->pool >= PIMDIMM_MRAM_MIN &&
	       note->pool <= PIMDIMM_MRAM_MAX && !(note->pool % PIMDIMM_MRAM_ALIGN) &&
	       note->bytes == pimdimm_layout_span(note->rank, note->pool);
}

struct pair_view *pm_pair_window_view(const struct pair_note *note, uint8_t *base)
{
	struct pair_view *v = calloc(1, sizeof(*v));
	struct pimdimm *sys;

	if (!v)
		return NULL;
	sys = &v->sys;
	pd_geometry_set(&sys->geometry, 1, 1, note->pool, note->rank);
	v->rank = (struct pd_rank){ .window = base, .host = base, .bytes = note->bytes,
				    .fd = -1 };
	sys->ranks = &v->rank;
	sys->nr_ranks = 1;
	if (pd_isa_choose(&sys->isa)) {
		free(v);
		return NULL;
	}
	sys->blocks = pd_isa_blocks(sys->isa);
	return v;
}

uint64_t pm_pair_window_bytes(const struct pair_view *view)
{
	return view->sys.geometry.mram_size;
}

void pm_pair_window_stream(struct pair_view *view, uint32_t pe, const struct pt_whole *whole,
			   uint64_t at, uint8_t *data, uint64_t bytes, bool to_mram)
{
	if (to_mram)
		pt_lane_put(&view->sys, pe, whole, at, bytes, data);
	else
		pt_lane_get(&view->sys, pe, whole, at, bytes, data);
}
