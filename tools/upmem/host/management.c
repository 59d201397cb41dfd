// SPDX-License-Identifier: MIT
/* What ranks and DPUs are, one by one. */
#include <stdlib.h>

#include <dpu_program.h>

#include "tools/upmem/host/core/error.h"
#include "tools/upmem/host/core/system.h"

DPU_API dpu_error_t dpu_get_profile_description(const char *profile,
						dpu_description_t *description)
{
	struct profile wanted;
	dpu_error_t status = profile_read(profile, &wanted);

	if (status != DPU_OK)
		return status;
	if (!host_system())
		return DPU_ERR_ALLOCATION;
	*description = calloc(1, sizeof(**description));
	if (!*description)
		return host_fail(DPU_ERR_SYSTEM, "no memory for a description");
	(*description)->refcount = 1;
	host_fill_description(*description, &wanted);
	return DPU_OK;
}

DPU_API void dpu_acquire_description(dpu_description_t description)
{
	__atomic_add_fetch(&description->refcount, 1, __ATOMIC_RELAXED);
}

DPU_API void dpu_free_description(dpu_description_t description)
{
	if (!__atomic_sub_fetch(&description->refcount, 1, __ATOMIC_ACQ_REL))
		free(description);
}

DPU_API struct dpu_t *dpu_get(struct dpu_rank_t *rank, dpu_slice_id_t slice_id,
			      dpu_member_id_t dpu_id)
{
	struct dpu_t *dpu;

	if (slice_id >= RANK_CHIPS || dpu_id >= RANK_LINES)
		return NULL;
	dpu = DPU_GET_UNSAFE(rank, slice_id, dpu_id);
	return dpu->enabled ? dpu : NULL;
}

DPU_API dpu_id_t dpu_get_id(struct dpu_t *dpu)
{
	return (dpu_id_t)dpu->rank->rank_id << 16 |
	       (dpu_id_t)dpu->slice_id << 8 | dpu->dpu_id;
}

DPU_API dpu_id_t dpu_get_rank_id(struct dpu_rank_t *rank)
{
	return rank->rank_id;
}

DPU_API int dpu_get_rank_numa_node(
	__attribute__((unused)) struct dpu_rank_t *rank)
{
	return -1;
}

DPU_API struct dpu_rank_t *dpu_get_rank(struct dpu_t *dpu)
{
	return dpu->rank;
}

DPU_API dpu_slice_id_t dpu_get_slice_id(struct dpu_t *dpu)
{
	return dpu->slice_id;
}

DPU_API dpu_member_id_t dpu_get_member_id(struct dpu_t *dpu)
{
	return dpu->dpu_id;
}

DPU_API bool dpu_is_enabled(struct dpu_t *dpu)
{
	return dpu->enabled;
}

DPU_API dpu_description_t dpu_get_description(struct dpu_rank_t *rank)
{
	return rank->description;
}

DPU_API struct dpu_program_t *dpu_get_program(struct dpu_t *dpu)
{
	return dpu->program;
}

DPU_API struct dpu_set_t dpu_set_from_rank(struct dpu_rank_t **rank)
{
	struct dpu_set_t set = { .kind = DPU_SET_RANKS };

	set.list.nr_ranks = 1;
	set.list.ranks = rank;
	return set;
}

DPU_API struct dpu_set_t dpu_set_from_dpu(struct dpu_t *dpu)
{
	struct dpu_set_t set = { .kind = DPU_SET_DPU };

	set.dpu = dpu;
	return set;
}

DPU_API struct dpu_rank_t *dpu_rank_from_set(struct dpu_set_t set)
{
	return set.kind == DPU_SET_RANKS && set.list.nr_ranks == 1 ?
		       set.list.ranks[0] :
		       NULL;
}

DPU_API struct dpu_t *dpu_from_set(struct dpu_set_t set)
{
	return set.kind == DPU_SET_DPU ? set.dpu : NULL;
}
