// SPDX-License-Identifier: MIT
/* Handing ranks to their PEs and back, and refusing whoever comes at the wrong time. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
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
	bool check;		/* PIMDIMM_CHECK=host: with strict=1, or alone */
	struct pd_pes_launch *launches;
	struct rank_users ranks[];
};

/* who asked for it, in sentences */
static const char *owners_why(const struct pimdimm *sys)
{
	return sys->owners->check ? "PIMDIMM_CHECK=host" :
				    "the system is opened with strict=1";
}

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
			"a kernel calls, of PE %u of rank %u, expected the host: PEs have neither launches nor collectives, and %s",
			*k->pe, *k->pe / PIMDIMM_RANK_PES, owners_why(sys));
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

int pd_owners_create(struct pimdimm *sys, bool check)
{
	struct pd_owners *o;

	if (sys->nr_ranks > PD_MAX_RANKS)
		return pd_error(EINVAL, "%s with %u ranks, expected at most %d",
				sys->strict ? "strict=1" : "PIMDIMM_CHECK=host",
				sys->nr_ranks, PD_MAX_RANKS);
	o = calloc(1, sizeof(*o) + sys->nr_ranks * sizeof(o->ranks[0]));
	if (!o)
		return pd_error(ENOMEM, "no memory for the owners of %u ranks",
				sys->nr_ranks);
	pthread_mutex_init(&o->lock, NULL);
	o->check = check;
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

/* "PE 5", "64 PEs from PE 0 on" */
static const char *tell_pes(char text[48], uint32_t first_pe, uint32_t nr_pes)
{
	if (nr_pes == 1)
		snprintf(text, 48, "PE %u", first_pe);
	else
		snprintf(text, 48, "%u PEs from PE %u on", nr_pes, first_pe);
	return text;
}

static const char *tell_range(char text[64], const struct pd_host_call *call)
{
	if (call->bytes)
		snprintf(text, 64, "MRAM 0x%" PRIx64 " to 0x%" PRIx64, call->off,
			 call->off + call->bytes - 1);
	else
		snprintf(text, 64, "MRAM");
	return text;
}

/* lock held; the call is too early for what runs on a rank */
static int refuse_early(const struct pimdimm *sys, uint32_t rank,
			const struct pd_host_call *call)
{
	const struct pd_pes_launch *launch = sys->owners->launches;
	char pes[48], range[64], theirs[48];

	while (launch && !pd_ranks_have(&launch->ranks, rank))
		launch = launch->next;
	return pd_error(EBUSY, "%s of %s, %s: %s %s runs on %s, and hardware's host has no access to MRAM of rank %u until its PEs are done (PIMDIMM_CHECK=host)",
			call->name ? call->name : "a transfer",
			tell_pes(pes, call->first_pe, call->nr_pes), tell_range(range, call),
			launch ? launch->kind : "a", launch ? launch->name : "collective",
			launch ? tell_pes(theirs, launch->first_pe, launch->nr_pes) :
				 "PEs that help with it",
			rank);
}

/* lock held */
static int check_hosts(const struct pimdimm *sys, const struct pd_rank_set *ranks,
		       const struct pd_host_call *call)
{
	for (uint32_t i = 0; i < sys->nr_ranks; i++) {
		const struct rank_users *rank = &sys->owners->ranks[i];

		if (!pd_ranks_have(ranks, i) || (!rank->launches && !rank->helped))
			continue;
		if (sys->owners->check)
			return refuse_early(sys, i, call);
		return pd_error(EBUSY,
				"rank %u is its PEs', expected the host's: a %s runs there, and the system is opened with strict=1",
				i, rank->helped ? "collective that PEs help with" : "launch");
	}
	return 0;
}

int pd_host_enter(struct pimdimm *sys, const struct pd_rank_set *ranks,
		  const struct pd_host_call *call)
{
	struct pd_owners *o = sys->owners;
	int ret;

	if (!o)
		return 0;
	pthread_mutex_lock(&o->lock);
	ret = check_hosts(sys, ranks, call);
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

int pd_host_enter_range(struct pimdimm *sys, const char *name, uint32_t first_pe,
			uint32_t nr_pes)
{
	const struct pd_host_call call = { .name = name, .first_pe = first_pe,
					   .nr_pes = nr_pes };
	struct pd_rank_set ranks;

	pd_ranks_of_range(&ranks, first_pe, nr_pes);
	return pd_host_enter(sys, &ranks, &call);
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
					"rank %u cannot be handed to its PEs: a transfer or a collective is under way there, and %s",
					i, owners_why(sys));
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

		if (pd_ranks_have(ranks, i) && !--sys->owners->ranks[i].launches && sys->strict)
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
		if (!rank->launches && sys->strict)
			ret = sys->backend->hand(sys, i, true);
		if (ret) {
			take_back(sys, ranks, i);
			return ret;
		}
		rank->launches++;
	}
	return 0;
}

int pd_host_enter_alone(struct pimdimm *sys, const struct pd_rank_set *ranks,
			const struct pd_host_call *call)
{
	struct pd_owners *o = sys->owners;
	int ret;

	if (!o)
		return 0;
	pthread_mutex_lock(&o->lock);
	ret = check_hosts(sys, ranks, call);
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
	int ret;

	if (!sys->owners)
		return 0;
	pthread_mutex_lock(&sys->owners->lock);
	ret = take_back(sys, ranks, sys->nr_ranks);
	pthread_mutex_unlock(&sys->owners->lock);
	return ret;
}

int pd_pes_begin(struct pimdimm *sys, struct pd_pes_launch *launch)
{
	struct pd_owners *o = sys->owners;
	int ret;

	if (!o)
		return 0;
	pthread_mutex_lock(&o->lock);
	ret = check_no_host(sys, &launch->ranks);
	if (!ret)
		ret = hand_over(sys, &launch->ranks);
	if (!ret) {
		launch->next = o->launches;
		o->launches = launch;
	}
	pthread_mutex_unlock(&o->lock);
	return ret;
}

int pd_pes_end(struct pimdimm *sys, struct pd_pes_launch *launch)
{
	struct pd_owners *o = sys->owners;
	int ret;

	if (!o)
		return 0;
	pthread_mutex_lock(&o->lock);
	for (struct pd_pes_launch **at = &o->launches; *at; at = &(*at)->next) {
		if (*at == launch) {
			*at = launch->next;
			break;
		}
	}
	ret = take_back(sys, &launch->ranks, sys->nr_ranks);
	pthread_mutex_unlock(&o->lock);
	return ret;
}
