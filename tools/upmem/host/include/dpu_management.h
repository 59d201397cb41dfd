/* SPDX-License-Identifier: MIT */
/* Ranks and DPUs themselves, below the sets of dpu.h. */
#ifndef DPU_MANAGEMENT_H
#define DPU_MANAGEMENT_H

#include <dpu_description.h>
#include <dpu_error.h>
#include <dpu_macro_utils.h>
#include <dpu_rank.h>
#include <dpu_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * dpu_get_profile_description() - what ranks of a profile are made of
 * @profile: the profile, or NULL
 * @description: receives it; dpu_free_description() is due
 *
 * Return: DPU_OK, DPU_ERR_INVALID_PROFILE or DPU_ERR_ALLOCATION.
 */
dpu_error_t dpu_get_profile_description(const char *profile,
					dpu_description_t *description);

/**
 * dpu_get() - a DPU of a rank
 * @rank: the rank
 * @slice_id: the chip
 * @dpu_id: its DPU
 *
 * Return: the DPU; NULL where the rank has none, or it is disabled.
 */
struct dpu_t *dpu_get(struct dpu_rank_t *rank, dpu_slice_id_t slice_id,
		      dpu_member_id_t dpu_id);

/**
 * dpu_get_id() - a DPU's number among all: rank << 16 | slice << 8 | member
 * @dpu: the DPU
 *
 * Return: the number.
 */
dpu_id_t dpu_get_id(struct dpu_t *dpu);

/**
 * dpu_get_rank_id() - a rank's number
 * @rank: the rank
 *
 * Return: the number.
 */
dpu_id_t dpu_get_rank_id(struct dpu_rank_t *rank);

/**
 * dpu_get_rank_numa_node() - the NUMA node of a rank
 * @rank: the rank
 *
 * Return: -1: ranks have none here.
 */
int dpu_get_rank_numa_node(struct dpu_rank_t *rank);

/**
 * dpu_get_rank() - the rank of a DPU
 * @dpu: the DPU
 *
 * Return: the rank.
 */
struct dpu_rank_t *dpu_get_rank(struct dpu_t *dpu);

/**
 * dpu_get_slice_id() - the chip of a DPU
 * @dpu: the DPU
 *
 * Return: 0 to 7.
 */
dpu_slice_id_t dpu_get_slice_id(struct dpu_t *dpu);

/**
 * dpu_get_member_id() - which DPU of its chip a DPU is
 * @dpu: the DPU
 *
 * Return: 0 to 7. The DPUs of one number in all chips share their bus lines.
 */
dpu_member_id_t dpu_get_member_id(struct dpu_t *dpu);

/**
 * dpu_is_enabled() - whether a DPU takes part in anything
 * @dpu: the DPU
 *
 * Return: whether.
 */
bool dpu_is_enabled(struct dpu_t *dpu);

/**
 * dpu_get_description() - what a rank is made of
 * @rank: the rank
 *
 * Return: the rank's own; not to be freed.
 */
dpu_description_t dpu_get_description(struct dpu_rank_t *rank);

/**
 * dpu_set_from_rank() - a set of one rank
 * @rank: where the rank is kept
 *
 * Return: the set, valid as long as @rank.
 */
struct dpu_set_t dpu_set_from_rank(struct dpu_rank_t **rank);

/**
 * dpu_set_from_dpu() - a set of one DPU
 * @dpu: the DPU
 *
 * Return: the set.
 */
struct dpu_set_t dpu_set_from_dpu(struct dpu_t *dpu);

/**
 * dpu_rank_from_set() - the rank of a set of one rank
 * @set: the set
 *
 * Return: the rank; NULL for other sets.
 */
struct dpu_rank_t *dpu_rank_from_set(struct dpu_set_t set);

/**
 * dpu_from_set() - the DPU of a set of one DPU
 * @set: the set
 *
 * Return: the DPU; NULL for other sets.
 */
struct dpu_t *dpu_from_set(struct dpu_set_t set);

struct dpu_iterator_t {
	struct dpu_rank_t *rank;
	uint32_t count;
	uint32_t next_idx;
	bool has_next;
	struct dpu_t *next;
};

/* what STRUCT_DPU_FOREACH stands on */
struct dpu_iterator_t dpu_iterator_from(struct dpu_rank_t *rank);
void dpu_iterator_next(struct dpu_iterator_t *iterator);

/* for all enabled DPUs of a struct dpu_rank_t: (rank, dpu) or (rank, dpu, i) */
#define STRUCT_DPU_FOREACH(...)                                             \
	_DPU_FOREACH_PICK(__VA_ARGS__, _STRUCT_DPU_FOREACH_I,               \
			  _STRUCT_DPU_FOREACH_X, _)(__VA_ARGS__)
#define _STRUCT_DPU_FOREACH_X(rank, dpu)                                    \
	for (struct dpu_iterator_t __dpu_it = dpu_iterator_from(rank);      \
	     dpu = __dpu_it.next, __dpu_it.has_next;                        \
	     dpu_iterator_next(&__dpu_it))
#define _STRUCT_DPU_FOREACH_I(rank, dpu, i)                                 \
	for (struct dpu_iterator_t __dpu_it = dpu_iterator_from(rank);      \
	     i = __dpu_it.count, dpu = __dpu_it.next, __dpu_it.has_next;    \
	     dpu_iterator_next(&__dpu_it))

#ifdef __cplusplus
}
#endif

#endif /* DPU_MANAGEMENT_H */
