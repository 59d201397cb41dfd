// SPDX-License-Identifier: MIT
/*
 * Halo: faces go to the neighbours along each axis. All lanes of an entangled
 * group get the same part, each from wherever its neighbour is: rows, moved or
 * blended.
 */
#include <errno.h>
#include <stdlib.h>

#include "collectives/typed/typed.h"
#include "collectives/types/layouts.h"
#include "collectives/types/mram/sets.h"
#include "runtime/base/error.h"

/* one axis of the hypercube: how far apart neighbours are, a power of two */
struct axis {
	uint32_t stride, shift, len;
	bool periodic;
};

/* the axis of the chosen one's faces */
static struct axis axis_of(const struct pc_typed *t, uint32_t chosen)
{
	const struct pc_cube *cube = &t->hc->cube;
	struct axis axis = { .stride = 1 };

	for (unsigned int d = 0; d < cube->ndims; d++) {
		axis.len = cube->dims[d];
		axis.periodic = t->periodic >> d & 1;
		if (t->axes[d] == '1' && !chosen--)
			break;
		axis.stride *= cube->dims[d];
	}
	axis.shift = (uint32_t)__builtin_ctz(axis.stride);
	return axis;
}

/* what is run, and the axis of every two faces */
struct run {
	struct pc_typed *t;
	struct axis axis[PIDCOMM_MAX_DIMS];
};

/* nodes next to those of an entangled group, or PT_NOBODY: without a branch, so that all lanes
 * are found at once */
static void neighbours(const struct axis *axis, uint32_t first, bool up,
		       uint32_t nodes[PIMDIMM_CHIPS])
{
	uint32_t round = (axis->len - 1) * axis->stride, end = up ? axis->len - 1 : 0;
	uint32_t step = up ? axis->stride : -axis->stride, back = up ? -round : round;
	/* of another length is the last one alone, behind which there is nothing */
	uint32_t mask = axis->len & (axis->len - 1) ? UINT32_MAX : axis->len - 1;

	for (uint32_t i = 0; i < PIMDIMM_CHIPS; i++) {
		uint32_t node = first + i;
		bool last = (node >> axis->shift & mask) == end;

		node += last ? back : step;
		nodes[i] = last && !axis->periodic ? PT_NOBODY : node;
	}
}

/* of what comes from -1, or from +1: faces are even, or odd */
static struct pt_set set_of(const struct run *run, uint32_t eg, uint32_t face)
{
	const struct pc_typed *t = run->t;
	struct pt_set set = {
		.eg = pc_typed_eg(t, eg),
		.to = &t->parts[t->nr + face].whole,
		.source = &t->parts[face ^ 1].whole,
		.merged = t->merged[face],
	};

	neighbours(&run->axis[face / 2], PIMDIMM_CHIPS * eg, face & 1, set.from);
	for (uint32_t i = 0; i < PIMDIMM_CHIPS; i++) {
		if (set.from[i] != PT_NOBODY)
			set.from[i] = pc_typed_pe(t, set.from[i]);
	}
	return set;
}

int pc_halo_prepare(struct pc_typed *t)
{
	int ret = 0;

	t->merged = calloc(t->nr, sizeof(*t->merged));
	if (!t->merged)
		return pd_error(ENOMEM, "no memory for %u faces", t->nr);
	if (t->hc->sys->geometry.layout != PIMDIMM_LAYOUT_LINEAR)
		return 0;
	for (uint32_t i = 0; i < t->nr && !ret; i++) {
		const struct pc_part *to = &t->parts[t->nr + i];
		const struct pc_part *from = &t->parts[i ^ 1];

		if (to->whole.size && to->whole.size == from->whole.size)
			ret = pt_layouts_find(&to->part, &to->whole,
					      &from->part, &from->whole,
					      &t->merged[i]);
	}
	return ret;
}

static void halo_items(void *ctx, uint64_t first, uint64_t count)
{
	struct run *run = ctx;
	struct pc_typed *t = run->t;
	uint32_t eg = (uint32_t)(first / t->nr), face = (uint32_t)(first % t->nr);
	uint64_t read = 0, written = 0;

	while (count--) {
		struct pt_set set = set_of(run, eg, face);
		struct pt_traffic traffic = pt_set_move(t->hc->sys, &set, t->stores);

		read += traffic.read;
		written += traffic.written;
		if (++face == t->nr) {
			face = 0;
			eg++;
		}
	}
	pc_tally_add(&t->tally.read, read);
	pc_tally_add(&t->tally.written, written);
}

void pc_halo_run(struct pc_typed *t)
{
	uint64_t items = t->hc->cube.nr_pes / PIMDIMM_CHIPS * t->nr;
	struct pd_workers *workers = t->hc->sys->workers;
	uint64_t grain = pd_workers_grain(workers, items, t->bytes);
	struct run run = { .t = t };

	for (uint32_t i = 0; i < t->nr / 2; i++)
		run.axis[i] = axis_of(t, i);
	if (grain < items)
		grain = pc_typed_grain(t->bytes / t->hc->cube.nr_pes / t->nr);
	pd_workers_run(workers, items, grain, halo_items, &run);
}
