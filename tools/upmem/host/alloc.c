// SPDX-License-Identifier: MIT
/* Sets: taking ranks together and giving them back. */
#include <stdlib.h>
#include <string.h>

#include "tools/upmem/host/core/choose.h"
#include "tools/upmem/host/core/program.h"
#include "tools/upmem/host/core/queue.h"
#include "tools/upmem/host/core/system.h"
#include "tools/upmem/host/inside.h"

/* the sets that were given out: what dpu_free() takes */
struct given {
	struct dpu_rank_t **ranks;
	uint32_t nr_ranks;
	struct given *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

PD_FORK_SAFE(&lock);

static struct given *given;

/* ranks of a set that is being put together */
struct taking {
	struct dpu_rank_t **ranks;
	uint32_t nr_ranks;
	uint32_t nr_dpus;
};

static void take_back(struct taking *taking)
{
	for (uint32_t i = 0; i < taking->nr_ranks; i++) {
		program_forget(taking->ranks[i]);
		host_give_rank(taking->ranks[i]);
	}
	free(taking->ranks);
}

static dpu_error_t take_one(struct taking *taking,
			    const struct profile *profile)
{
	struct dpu_rank_t **larger;

	larger = realloc(taking->ranks,
			 (taking->nr_ranks + 1) * sizeof(struct dpu_rank_t *));
	if (!larger)
		return host_fail(DPU_ERR_SYSTEM, "no memory for a set");
	taking->ranks = larger;
	larger[taking->nr_ranks] = host_take_rank(profile);
	if (!larger[taking->nr_ranks])
		return DPU_ERR_ALLOCATION;
	taking->nr_dpus += host_count(larger[taking->nr_ranks++]);
	return DPU_OK;
}

/* enough ranks, or as many as there are where that is wanted */
static dpu_error_t take_dpus(struct taking *taking, uint32_t nr_dpus,
			     const struct profile *profile)
{
	bool all = nr_dpus == DPU_ALLOCATE_ALL;
	bool spread = profile->dispatch && !all;
	dpu_error_t status = DPU_OK;

	while (taking->nr_ranks < nr_dpus &&
	       (spread || taking->nr_dpus < nr_dpus) && status == DPU_OK)
		status = take_one(taking, profile);
	if (status == DPU_ERR_ALLOCATION && taking->nr_ranks &&
	    (all || (spread && taking->nr_dpus >= nr_dpus)))
		return DPU_OK;
	return status;
}

static dpu_error_t take_ranks(struct taking *taking, uint32_t nr_ranks,
			      const struct profile *profile)
{
	dpu_error_t status = DPU_OK;

	while (taking->nr_ranks < nr_ranks && status == DPU_OK)
		status = take_one(taking, profile);
	return status;
}

static dpu_error_t disable_surplus(struct taking *taking, uint32_t nr_dpus,
				   void (*choose)(uint64_t *, uint32_t,
						  uint32_t))
{
	uint64_t *masks;

	if (nr_dpus >= taking->nr_dpus)
		return DPU_OK;
	masks = calloc(taking->nr_ranks, sizeof(*masks));
	if (!masks)
		return host_fail(DPU_ERR_SYSTEM, "no memory for a set");
	for (uint32_t i = 0; i < taking->nr_ranks; i++)
		masks[i] = taking->ranks[i]->state->enabled;
	choose(masks, taking->nr_ranks, nr_dpus);
	for (uint32_t i = 0; i < taking->nr_ranks; i++)
		taking->ranks[i]->state->enabled = masks[i];
	free(masks);
	return DPU_OK;
}

static void alloc_settle(struct taking *taking)
{
	uint32_t before = 0;

	for (uint32_t r = 0; r < taking->nr_ranks; r++) {
		struct dpu_rank_state *state = taking->ranks[r]->state;

		state->dpus_before = before;
		before += host_count(taking->ranks[r]);
		for (unsigned int p = 0; p < RANK_DPUS; p++)
			dpu_at(taking->ranks[r], p)->enabled =
				state->enabled >> p & 1;
	}
	for (uint32_t r = 0; r < taking->nr_ranks; r++)
		if (!taking->ranks[r]->state->profile.sg_blocks)
			taking->ranks[r]->state->profile.sg_blocks = before;
}

static dpu_error_t give_out(struct taking *taking, struct dpu_set_t *set)
{
	struct given *entry = malloc(sizeof(*entry));

	if (!entry)
		return host_fail(DPU_ERR_SYSTEM, "no memory for a set");
	alloc_settle(taking);
	*entry = (struct given){ .ranks = taking->ranks,
				 .nr_ranks = taking->nr_ranks };
	pthread_mutex_lock(&lock);
	entry->next = given;
	given = entry;
	pthread_mutex_unlock(&lock);
	memset(set, 0, sizeof(*set));
	set->kind = DPU_SET_RANKS;
	set->list.nr_ranks = taking->nr_ranks;
	set->list.ranks = taking->ranks;
	return DPU_OK;
}

static dpu_error_t alloc_begin(uint32_t nr, const char *what, const char *text,
			       const struct dpu_set_t *set, struct profile *profile)
{
	if (!set)
		return host_fail(DPU_ERR_INTERNAL,
				 "dpu_set is NULL: expected where to put the set");
	if (!nr)
		return host_fail(DPU_ERR_ALLOCATION, "%s=0: expected at least 1",
				 what);
	return profile_read(text, profile);
}

static dpu_error_t alloc_finish(dpu_error_t status, struct taking *taking,
				struct dpu_set_t *set)
{
	if (status == DPU_OK)
		status = give_out(taking, set);
	if (status != DPU_OK)
		take_back(taking);
	return status;
}

DPU_API dpu_error_t dpu_alloc(uint32_t nr_dpus, const char *profile,
			      struct dpu_set_t *dpu_set)
{
	struct taking taking = { 0 };
	struct profile wanted;
	dpu_error_t status = alloc_begin(nr_dpus, "nr_dpus", profile, dpu_set,
					 &wanted);

	if (status != DPU_OK)
		return status;
	status = take_dpus(&taking, nr_dpus, &wanted);
	if (status == DPU_OK)
		status = disable_surplus(&taking, nr_dpus, choose_by_line);
	return alloc_finish(status, &taking, dpu_set);
}

DPU_API dpu_error_t dpu_alloc_ranks(uint32_t nr_ranks, const char *profile,
				    struct dpu_set_t *dpu_set)
{
	struct taking taking = { 0 };
	struct profile wanted;
	dpu_error_t status;

	if (nr_ranks == DPU_ALLOCATE_ALL)
		return dpu_alloc(nr_ranks, profile, dpu_set);
	status = alloc_begin(nr_ranks, "nr_ranks", profile, dpu_set, &wanted);
	if (status != DPU_OK)
		return status;
	status = take_ranks(&taking, nr_ranks, &wanted);
	return alloc_finish(status, &taking, dpu_set);
}

DPU_API dpu_error_t dpu_alloc_comm(uint32_t nr_dpus, const char *profile,
				   struct dpu_set_t *dpu_set, int comm_type)
{
	struct taking taking = { 0 };
	struct profile wanted;
	dpu_error_t status = alloc_begin(nr_dpus, "nr_dpus", profile, dpu_set,
					 &wanted);

	if (status != DPU_OK)
		return status;
	if (comm_type != 1 && comm_type != 2)
		return host_fail(DPU_ERR_ALLOCATION,
				 "comm_type=%d: expected 1 (by line) or 2 (by chip)",
				 comm_type);
	if (wanted.disabled)
		return host_fail(DPU_ERR_ALLOCATION,
				 "disabledMask=%#llx leaves no rank with all of its DPUs",
				 (unsigned long long)wanted.disabled);
	status = take_dpus(&taking, nr_dpus, &wanted);
	if (status == DPU_OK)
		status = disable_surplus(&taking, nr_dpus,
					 comm_type == 1 ? choose_by_line :
							  choose_by_chip);
	return alloc_finish(status, &taking, dpu_set);
}

static struct given *take_given(const struct dpu_set_t *set)
{
	struct given **at, *found;

	pthread_mutex_lock(&lock);
	for (at = &given; *at; at = &(*at)->next)
		if ((*at)->ranks == set->list.ranks &&
		    (*at)->nr_ranks == set->list.nr_ranks)
			break;
	found = *at;
	if (found)
		*at = found->next;
	pthread_mutex_unlock(&lock);
	return found;
}

DPU_API dpu_error_t dpu_free(struct dpu_set_t dpu_set)
{
	struct members on = { 0 };
	struct taking taking;
	struct given *entry = NULL;

	if (dpu_set.kind == DPU_SET_RANKS)
		entry = take_given(&dpu_set);
	if (!entry)
		return host_fail(DPU_ERR_INVALID_DPU_SET,
				 "not a set as dpu_alloc() gave it, or freed before");
	on.nr_ranks = entry->nr_ranks;
	on.ranks = entry->ranks;
	op_sync(&on);
	op_wait_detached(&on);
	taking = (struct taking){ .ranks = entry->ranks,
				  .nr_ranks = entry->nr_ranks };
	take_back(&taking);
	free(entry);
	return DPU_OK;
}
