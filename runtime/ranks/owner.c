// SPDX-License-Identifier: MIT
/* Handing ranks to their PEs and back, and refusing whoever comes at the wrong time. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/error.h"
#include "runtime/ranks/backend.h"
#include "runtime/ranks/owner.h"

struct rank_users {
	uint32_t host;		/* transfers and collectives under way */
	uint32_t launches;
	bool helped;		/* by its PEs, who do part of the one that is */
};

struct pd_owners {
	pthread_mutex_t lock;
	struct rank_users ranks[];
};

static _Thread_local const struct pd_in_pe_kernel *inside;

void pd_pe_kernel_enter(struct pd_in_pe_kernel *kernel, const struct pimdimm *sys,
			const uint32_t *pe)
{
	*kernel = (struct pd_in_pe_kernel){ sys, pe, inside };
	inside = kernel;
}

void pd_pe_kernel_leave(const struct pd_in_pe_kernel *kernel)
{
	inside = kernel->outer;
}

int pd_check_host(const struct pimdimm *sys)
{
	const struct pd_in_pe_kernel *k = inside;

	if (!sys->owners)
		return 0;
	while (k && k->sys != sys)
		k = k->outer;
	if (!k)
		return 0;
	return pd_error(EBUSY,
			"a kernel calls, of PE %u of rank %u, expected the host: PEs have neither launches nor collectives, and the system is opened with strict=1",
			*k->pe, *k->pe / PIMDIMM_RANK_PES);
}

void pd_ranks_of_range(struct pd_rank_set *set, uint32_t first_pe,
		       uint32_t nr_pes)
{
	uint32_t end = first_pe + nr_pes;

	memset(set, 0, sizeof(*set));
	for (uint32_t pe = first_pe; pe < end;
	     pe = (pe / PIMDIMM_RANK_PES + 1) * PIMDIMM_RANK_PES)
		pd_ranks_add(set, pe);
}

void pd_ranks_of_list(struct pd_rank_set *set, const uint32_t pes[],
		      uint32_t nr_pes)
{
	memset(set, 0, sizeof(*set));
	for (uint32_t i = 0; i < nr_pes; i++)
		pd_ranks_add(set, pes[i]);
}

int pd_owners_create(struct pimdimm *sys)
{
	struct pd_owners *o;

	if (sys->nr_ranks > PD_MAX_RANKS)
		return pd_error(EINVAL, "strict=1 with %u ranks, expected at most %d",
				sys->nr_ranks, PD_MAX_RANKS);
	o = calloc(1, sizeof(*o) + sys->nr_ranks * sizeof(o->ranks[0]));
	if (!o)
		return pd_error(ENOMEM, "no memory for the owners of %u ranks",
				sys->nr_ranks);
	pthread_mutex_init(&o->lock, NULL);
	sys->owners = o;
	return 0;
}

void pd_owners_destroy(struct pimdimm *sys)
{
	if (!sys->owners)
		return;
	pthread_mutex_destroy(&sys->owners->lock);
	free(sys->owners);
	sys->owners = NULL;
}

/* lock held */
static int check_hosts(const struct pimdimm *sys,
		       const struct pd_rank_set *ranks)
{
	for (uint32_t i = 0; i < sys->nr_ranks; i++) {
		const struct rank_users *rank = &sys->owners->ranks[i];

		if (pd_ranks_have(ranks, i) && (rank->launches || rank->helped))
			return pd_error(EBUSY,
					"rank %u is its PEs', expected the host's: a %s runs there, and the system is opened with strict=1",
					i, rank->helped ?
					"collective that PEs help with" :
					"launch");
	}
	return 0;
}

int pd_host_enter(struct pimdimm *sys, const struct pd_rank_set *ranks)
{
	struct pd_owners *o = sys->owners;
	int ret;

	if (!o)
		return 0;
	pthread_mutex_lock(&o->lock);
	ret = check_hosts(sys, ranks);
	for (uint32_t i = 0; i < sys->nr_ranks && !ret; i++)
		o->ranks[i].host += pd_ranks_have(ranks, i);
	pthread_mutex_unlock(&o->lock);
	return ret;
}

void pd_host_leave(struct pimdimm *sys, const struct pd_rank_set *ranks)
{
	struct pd_owners *o = sys->owners;

	if (!o)
		return;
	pthread_mutex_lock(&o->lock);
	for (uint32_t i = 0; i < sys->nr_ranks; i++)
		o->ranks[i].host -= pd_ranks_have(ranks, i);
	pthread_mutex_unlock(&o->lock);
}

int pd_host_enter_range(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes)
{
	struct pd_rank_set ranks;

	pd_ranks_of_range(&ranks, first_pe, nr_pes);
	return pd_host_enter(sys, &ranks);
}

void pd_host_leave_range(struct pimdimm *sys, uint32_t first_pe,
			 uint32_t nr_pes)
{
	struct pd_rank_set ranks;

	pd_ranks_of_range(&ranks, first_pe, nr_pes);
	pd_host_leave(sys, &ranks);
}

/* lock held */
static int check_no_host(const struct pimdimm *sys,
			 const struct pd_rank_set *ranks)
{
	for (uint32_t i = 0; i < sys->nr_ranks; i++) {
		if (pd_ranks_have(ranks, i) && sys->owners->ranks[i].host)
			return pd_error(EBUSY,
					"rank %u cannot be handed to its PEs: a transfer or a collective is under way there, and the system is opened with strict=1",
					i);
	}
	return 0;
}

/* lock held; the first `end` ranks */
static int take_back(struct pimdimm *sys, const struct pd_rank_set *ranks,
		     uint32_t end)
{
	int ret = 0;

	for (uint32_t i = 0; i < end; i++) {
		int err = 0;

		if (pd_ranks_have(ranks, i) && !--sys->owners->ranks[i].launches)
			err = sys->backend->hand(sys, i, false);
		ret = ret ? ret : err;
	}
	return ret;
}

/* lock held */
static int hand_over(struct pimdimm *sys, const struct pd_rank_set *ranks)
{
	for (uint32_t i = 0; i < sys->nr_ranks; i++) {
		struct rank_users *rank = &sys->owners->ranks[i];
		int ret = 0;

		if (!pd_ranks_have(ranks, i))
			continue;
		if (!rank->launches)
			ret = sys->backend->hand(sys, i, true);
		if (ret) {
			take_back(sys, ranks, i);
			return ret;
		}
		rank->launches++;
	}
	return 0;
}

int pd_host_enter_alone(struct pimdimm *sys, const struct pd_rank_set *ranks)
{
	struct pd_owners *o = sys->owners;
	int ret;

	if (!o)
		return 0;
	pthread_mutex_lock(&o->lock);
	ret = check_hosts(sys, ranks);
	if (!ret)
		ret = check_no_host(sys, ranks);
	for (uint32_t i = 0; i < sys->nr_ranks && !ret; i++) {
		o->ranks[i].host += pd_ranks_have(ranks, i);
		o->ranks[i].helped |= pd_ranks_have(ranks, i);
	}
	pthread_mutex_unlock(&o->lock);
	return ret;
}

void pd_host_leave_alone(struct pimdimm *sys, const struct pd_rank_set *ranks)
{
	struct pd_owners *o = sys->owners;

	if (!o)
		return;
	pthread_mutex_lock(&o->lock);
	for (uint32_t i = 0; i < sys->nr_ranks; i++) {
		o->ranks[i].host -= pd_ranks_have(ranks, i);
		o->ranks[i].helped &= !pd_ranks_have(ranks, i);
	}
	pthread_mutex_unlock(&o->lock);
}

int pd_pes_help(struct pimdimm *sys, const struct pd_rank_set *ranks)
{
	int ret;

	if (!sys->owners)
		return 0;
	pthread_mutex_lock(&sys->owners->lock);
	ret = hand_over(sys, ranks);
	pthread_mutex_unlock(&sys->owners->lock);
	return ret;
}

int pd_pes_helped(struct pimdimm *sys, const struct pd_rank_set *ranks)
{
	return sys->owners ? pd_pes_end(sys, ranks) : 0;
}

int pd_pes_begin(struct pimdimm *sys, const struct pd_rank_set *ranks)
{
	int ret;

	if (!sys->owners)
		return 0;
	pthread_mutex_lock(&sys->owners->lock);
	ret = check_no_host(sys, ranks);
	if (!ret)
		ret = hand_over(sys, ranks);
	pthread_mutex_unlock(&sys->owners->lock);
	return ret;
}

int pd_pes_end(struct pimdimm *sys, const struct pd_rank_set *ranks)
{
	int ret;

	if (!sys->owners)
		return 0;
	pthread_mutex_lock(&sys->owners->lock);
	ret = take_back(sys, ranks, sys->nr_ranks);
	pthread_mutex_unlock(&sys->owners->lock);
	return ret;
}
