// SPDX-License-Identifier: MIT
/* Making the state of a system's PEs, and lending its workers out. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/error.h"
#include "runtime/base/threads.h"
#include "runtime/pe/state.h"

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

PD_FORK_SAFE(&making);

static struct pd_pe_state *make_state(struct pimdimm *sys)
{
	struct pd_pe_state *st = calloc(1, sizeof(*st));

	if (st)
		st->pes = calloc(sys->geometry.nr_pes, sizeof(*st->pes));
	if (!st || !st->pes) {
		free(st);
		pd_error_keep("no memory for the state of %u PEs",
			      sys->geometry.nr_pes);
		return NULL;
	}
	st->pid = getpid();
	st->max_slots = pd_workers_threads(sys->workers);
	pthread_mutex_init(&st->lock, NULL);
	pthread_cond_init(&st->slot_freed, NULL);
	return st;
}

struct pd_pe_state *pd_pe_state(struct pimdimm *sys)
{
	pthread_mutex_lock(&making);
	if (!sys->pe)
		sys->pe = make_state(sys);
	pthread_mutex_unlock(&making);
	return sys->pe;
}

void pd_pes_free(struct pd_pe *pes, uint32_t nr_pes)
{
	for (uint32_t i = 0; i < nr_pes; i++) {
		if (pes[i].program)
			pimdimm_program_close(pes[i].program);
		free(pes[i].wram.data);
	}
	free(pes);
}

/* Called with the lock held. */
static int check_all_idle(const struct pimdimm *sys)
{
	for (uint32_t i = 0; i < sys->geometry.nr_pes; i++) {
		if (sys->pe->pes[i].run)
			return pd_error(EBUSY, "PE %u runs", i);
	}
	return 0;
}

int pd_pe_state_check_idle(struct pimdimm *sys)
{
	int ret;

	pthread_mutex_lock(&sys->pe->lock);
	ret = check_all_idle(sys);
	pthread_mutex_unlock(&sys->pe->lock);
	return ret;
}

int pd_pe_state_exchange(struct pimdimm *sys, struct pd_pe *pes)
{
	int ret;

	pthread_mutex_lock(&sys->pe->lock);
	ret = check_all_idle(sys);
	for (uint32_t i = 0; i < sys->geometry.nr_pes && !ret; i++) {
		struct pd_pe old = sys->pe->pes[i];

		sys->pe->pes[i] = pes[i];
		pes[i] = old;
	}
	pthread_mutex_unlock(&sys->pe->lock);
	return ret;
}

int pimdimm_program_of(struct pimdimm *sys, uint32_t pe,
		       struct pimdimm_program **program)
{
	struct pimdimm_program *loaded = NULL;

	if (!sys || !program)
		return pd_error(EINVAL, "%s is NULL", sys ? "program" : "sys");
	if (pe >= sys->geometry.nr_pes)
		return pd_error(EINVAL, "pe=%u, expected below %u", pe,
				sys->geometry.nr_pes);
	if (!pd_pe_state(sys))
		return -ENOMEM;
	pthread_mutex_lock(&sys->pe->lock);
	if (sys->pe->pes[pe].program)
		loaded = pd_program_get(sys->pe->pes[pe].program);
	pthread_mutex_unlock(&sys->pe->lock);
	if (!loaded)
		return pd_error(ENOEXEC, "PE %u has no program loaded", pe);
	*program = loaded;
	return 0;
}

void pd_pe_state_free(struct pimdimm *sys)
{
	struct pd_pe_state *st = sys->pe;

	if (!st)
		return;
	/* after fork() they are another process's */
	while (st->idle && st->pid == getpid()) {
		struct pd_slot *slot = st->idle;

		st->idle = slot->next;
		pd_slot_destroy(slot);
	}
	if (st->nursery && st->pid == getpid())
		pd_nursery_destroy(st->nursery);
	pd_pes_free(st->pes, sys->geometry.nr_pes);
	pthread_cond_destroy(&st->slot_freed);
	pthread_mutex_destroy(&st->lock);
	free(st);
}

/* Take the idle slot of this program, else any; NULL when there is none. */
static struct pd_slot *pick_idle(struct pd_pe_state *st,
				 const struct pimdimm_program *program,
				 bool any)
{
	struct pd_slot **p = &st->idle;

	while (*p && !((*p)->program && (*p)->program->id == program->id))
		p = &(*p)->next;
	/* the one that has been idle longest is the last */
	if (!*p && any && st->idle) {
		for (p = &st->idle; (*p)->next; p = &(*p)->next)
			;
	}
	if (*p) {
		struct pd_slot *slot = *p;

		*p = slot->next;
		return slot;
	}
	return NULL;
}

/* Called with the lock held, which it lets go while it waits. */
static int find_slot(struct pimdimm *sys, struct pd_pe_state *st,
		     const struct pimdimm_program *program,
		     struct pd_slot **slot)
{
	int ret = 0;

	if (st->pid != getpid())
		return pd_error(EAGAIN, "a system that was opened before fork() runs no programs after it");
	if (!st->nursery)
		ret = pd_nursery_create(&st->nursery);
	while (!ret) {
		bool full = st->nr_slots >= st->max_slots + st->nr_spared;

		*slot = pick_idle(st, program, full);
		if (*slot)
			return 0;
		if (!full) {
			ret = pd_slot_create(sys, st->nursery, slot);
			st->nr_slots += !ret;
			return ret;
		}
		pthread_cond_wait(&st->slot_freed, &st->lock);
	}
	return ret;
}

int pd_slot_borrow(struct pimdimm *sys, struct pimdimm_program *program,
		   struct pd_slot **slot)
{
	struct pd_pe_state *st = sys->pe;
	int ret;

	pthread_mutex_lock(&st->lock);
	ret = find_slot(sys, st, program, slot);
	pthread_mutex_unlock(&st->lock);
	if (ret)
		return ret;
	ret = pd_slot_take(*slot, program);
	if (ret)
		pd_slot_return(sys, *slot);
	return ret;
}

void pd_slot_return(struct pimdimm *sys, struct pd_slot *slot)
{
	struct pd_pe_state *st = sys->pe;

	pthread_mutex_lock(&st->lock);
	slot->next = st->idle;
	st->idle = slot;
	pthread_cond_signal(&st->slot_freed);
	pthread_mutex_unlock(&st->lock);
}

int pd_slot_spare(struct pimdimm *sys, struct pimdimm_program *program)
{
	struct pd_pe_state *st = sys->pe;
	struct pd_slot *slot = NULL;
	int ret = 0;

	pthread_mutex_lock(&st->lock);
	st->nr_spared++;
	if (st->nr_slots < st->max_slots + st->nr_spared)
		ret = find_slot(sys, st, program, &slot);
	pthread_mutex_unlock(&st->lock);
	if (!ret && slot)
		ret = pd_slot_take(slot, program);
	if (slot)
		pd_slot_return(sys, slot);
	return ret;
}

void pd_slot_spare_back(struct pimdimm *sys)
{
	struct pd_pe_state *st = sys->pe;

	pthread_mutex_lock(&st->lock);
	st->nr_spared--;
	pthread_mutex_unlock(&st->lock);
}
