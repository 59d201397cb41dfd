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

static uint32_t neighbour(const struct axis *axis, uint32_t node, bool up)
{
	uint32_t at = node >> axis->shift;
	uint32_t round = (axis->len - 1) * axis->stride;

	/* of another length is the last one alone, behind which there is nothing */
	if (!(axis->len & (axis->len - 1)))
		at &= axis->len - 1;
	if (up && at + 1 < axis->len)
		return node + axis->stride;
	if (!up && at)
		return node - axis->stride;
	if (!axis->periodic)
		return PT_NOBODY;
	return up ? node - round : node + round;
}

/* of what comes from -1, or from +1: faces are even, or odd */
static struct pt_set set_of(const struct pc_typed *t, uint32_t eg,
			    uint32_t face)
{
	const struct axis axis = axis_of(t, face / 2);
	struct pt_set set = {
		.eg = pc_typed_eg(t, eg),
		.to = &t->parts[t->nr + face].whole,
		.source = &t->parts[face ^ 1].whole,
		.merged = t->merged[face],
	};

	for (uint32_t i = 0; i < PIMDIMM_CHIPS; i++) {
		uint32_t from = neighbour(&axis, PIMDIMM_CHIPS * eg + i, face & 1);

		set.from[i] = from == PT_NOBODY ? PT_NOBODY : pc_typed_pe(t, from);
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
	struct pc_typed *t = ctx;

	for (uint64_t i = first; i < first + count; i++) {
		struct pt_set set =
			set_of(t, (uint32_t)(i / t->nr), (uint32_t)(i % t->nr));
		struct pt_traffic traffic = pt_set_traffic(&set);

		if (!set.source->size)
			continue;
		pt_set_move(t->hc->sys, &set, t->stores);
		pc_tally_add(&t->tally.read, traffic.read);
		pc_tally_add(&t->tally.written, traffic.written);
	}
}

void pc_halo_run(struct pc_typed *t)
{
	uint64_t items = t->hc->cube.nr_pes / PIMDIMM_CHIPS * t->nr;
	struct pd_workers *workers = t->hc->sys->workers;
	uint64_t grain = pd_workers_grain(workers, items, t->bytes);

	if (grain < items)
		grain = pc_typed_grain(t->bytes / t->hc->cube.nr_pes / t->nr);
	pd_workers_run(workers, items, grain, halo_items, t);
}
