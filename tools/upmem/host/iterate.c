// SPDX-License-Identifier: MIT
/* Going through the ranks and DPUs of a set. */
#include "tools/upmem/host/core/rank.h"

DPU_API struct dpu_set_rank_iterator_t
dpu_set_rank_iterator_from(struct dpu_set_t *set)
{
	struct dpu_set_rank_iterator_t it = {
		.set = set,
		.next_idx = 1,
		.next = *set,
	};

	if (set->kind == DPU_SET_RANKS) {
		it.has_next = set->list.nr_ranks != 0;
		it.next.list.nr_ranks = 1;
	} else {
		it.has_next = set->kind == DPU_SET_DPU;
	}
	return it;
}

DPU_API void dpu_set_rank_iterator_next(struct dpu_set_rank_iterator_t *it)
{
	it->count++;
	if (!it->has_next)
		return;
	it->has_next = it->set->kind == DPU_SET_RANKS &&
		       it->next_idx < it->set->list.nr_ranks;
	if (it->has_next)
		it->next.list.ranks = it->set->list.ranks + it->next_idx++;
}

/* the next DPU in the order that at() gives the DPUs of a rank */
static void advance_dpu(struct dpu_set_dpu_iterator_t *it,
			struct dpu_t *(*at)(struct dpu_rank_t *, uint32_t))
{
	uint32_t i = it->next_idx;

	while (it->rank_iterator.has_next) {
		struct dpu_rank_t *rank = *it->rank_iterator.next.list.ranks;

		for (; i < RANK_DPUS; i++) {
			struct dpu_t *dpu = at(rank, i);

			if (!dpu->enabled)
				continue;
			it->has_next = true;
			it->next_idx = i + 1;
			it->next.dpu = dpu;
			return;
		}
		dpu_set_rank_iterator_next(&it->rank_iterator);
		i = 0;
	}
	it->has_next = false;
}

static struct dpu_t *by_chip(struct dpu_rank_t *rank, uint32_t i)
{
	return &rank->dpus[i];
}

static struct dpu_t *by_line(struct dpu_rank_t *rank, uint32_t i)
{
	return dpu_at(rank, i);
}

static struct dpu_set_dpu_iterator_t
iterate_dpus(struct dpu_set_t *set,
	     struct dpu_t *(*at)(struct dpu_rank_t *, uint32_t))
{
	struct dpu_set_dpu_iterator_t it = {
		.rank_iterator = dpu_set_rank_iterator_from(set),
	};

	it.has_next = it.rank_iterator.has_next;
	it.next.kind = DPU_SET_DPU;
	if (set->kind == DPU_SET_RANKS)
		advance_dpu(&it, at);
	else
		it.next = *set;
	return it;
}

static void next_dpu(struct dpu_set_dpu_iterator_t *it,
		     struct dpu_t *(*at)(struct dpu_rank_t *, uint32_t))
{
	it->count++;
	if (!it->has_next)
		return;
	/* a set of ranks, or the single DPU that there was */
	if (it->rank_iterator.set->kind == DPU_SET_RANKS)
		advance_dpu(it, at);
	else
		it->has_next = false;
}

DPU_API struct dpu_set_dpu_iterator_t
dpu_set_dpu_iterator_from(struct dpu_set_t *set)
{
	return iterate_dpus(set, by_chip);
}

DPU_API void dpu_set_dpu_iterator_next(struct dpu_set_dpu_iterator_t *it)
{
	next_dpu(it, by_chip);
}

DPU_API struct dpu_set_dpu_iterator_t
dpu_set_dpu_iterator_from_entangled_group(struct dpu_set_t *set)
{
	return iterate_dpus(set, by_line);
}

DPU_API void dpu_set_dpu_iterator_next_entangled_group(
	struct dpu_set_dpu_iterator_t *it,
	__attribute__((unused)) uint32_t cube_size)
{
	next_dpu(it, by_line);
}

DPU_API struct dpu_iterator_t dpu_iterator_from(struct dpu_rank_t *rank)
{
	struct dpu_iterator_t it = { .rank = rank, .has_next = true };

	dpu_iterator_next(&it);
	it.count = 0;
	return it;
}

DPU_API void dpu_iterator_next(struct dpu_iterator_t *it)
{
	it->count++;
	if (!it->has_next)
		return;
	for (; it->next_idx < RANK_DPUS; it->next_idx++) {
		if (!it->rank->dpus[it->next_idx].enabled)
			continue;
		it->next = &it->rank->dpus[it->next_idx++];
		return;
	}
	it->has_next = false;
}
