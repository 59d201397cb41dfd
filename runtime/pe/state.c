// SPDX-License-Identifier: MIT
/* Making the state of a system's PEs, and lending its workers out. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/error.h"
#include "runtime/pe/state.h"

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

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
	for (uint32_t i = 0; i < sys->geometry.nr_pes; i++) {
		if (st->pes[i].program)
			pimdimm_program_close(st->pes[i].program);
		free(st->pes[i].wram.data);
	}
	pthread_cond_destroy(&st->slot_freed);
	pthread_mutex_destroy(&st->lock);
	free(st->pes);
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
		bool full = st->nr_slots == st->max_slots;

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
