// SPDX-License-Identifier: MIT
/* What parcels carry, and the threads that they start: memory and stacks, in slabs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/error.h"
#include "runtime/base/util.h"
#include "runtime/pe/resident/parcels.h"
#include "runtime/ranks/system.h"

#define SLAB_THREADS	64
#define SLAB_STACKS	64
/* more than so many a worker gives back to all: threads may end elsewhere than they began */
#define SPARES		128

struct pd_slab {
	struct pd_slab *next;
	struct pd_thread *threads;	/* or NULL, and then it is one of stacks */
	struct pd_stacks *stacks;
	struct pd_stack_slot *slots;
};

static void keep_slab(struct pd_run *run, struct pd_slab *slab, bool locked)
{
	if (!locked)
		pthread_mutex_lock(&run->lock);
	slab->next = run->slabs;
	run->slabs = slab;
	if (!locked)
		pthread_mutex_unlock(&run->lock);
}

static struct pd_thread *new_threads(struct pd_run *run, bool locked)
{
	struct pd_slab *slab = calloc(1, sizeof(*slab));
	struct pd_thread *t;

	if (!slab)
		return NULL;
	t = aligned_alloc(64, pd_round_up(SLAB_THREADS * sizeof(*t), 64));
	if (!t) {
		free(slab);
		return NULL;
	}
	memset(t, 0, SLAB_THREADS * sizeof(*t));
	for (unsigned int i = 0; i + 1 < SLAB_THREADS; i++)
		t[i].next = &t[i + 1];
	slab->threads = t;
	keep_slab(run, slab, locked);
	return t;
}

/* Stacks for one worker; false: there is no memory. */
static bool new_stacks(struct pd_worker *w)
{
	struct pd_run *run = w->run;
	struct pd_slab *slab = calloc(1, sizeof(*slab));

	if (!slab)
		return false;
	slab->slots = calloc(SLAB_STACKS, sizeof(*slab->slots));
	if (slab->slots)
		slab->stacks = pd_stacks_take(&run->call.sys->stacks,
					      SLAB_STACKS, run->stack_bytes);
	if (!slab->stacks) {
		free(slab->slots);
		free(slab);
		return false;
	}
	for (unsigned int i = 0; i < SLAB_STACKS; i++) {
		slab->slots[i] = (struct pd_stack_slot){ w->spare_slots,
							 slab->stacks, i };
		w->spare_slots = &slab->slots[i];
	}
	w->nr_slots = SLAB_STACKS;
	keep_slab(run, slab, false);
	return true;
}

/* Half of a worker's, for all: whoever sends is not who ends what was sent. */
static void give_spares(struct pd_worker *w)
{
	struct pd_thread *first = w->spare_threads, *last = first;

	for (unsigned int i = 1; i < SPARES / 2; i++)
		last = last->next;
	w->spare_threads = last->next;
	w->nr_spares -= SPARES / 2;
	pthread_mutex_lock(&w->run->lock);
	last->next = w->run->spare_threads;
	w->run->spare_threads = first;
	pthread_mutex_unlock(&w->run->lock);
}

/* What others have given, all of it. */
static struct pd_thread *take_spares(struct pd_worker *w)
{
	pthread_mutex_lock(&w->run->lock);
	w->spare_threads = w->run->spare_threads;
	w->run->spare_threads = NULL;
	pthread_mutex_unlock(&w->run->lock);
	w->nr_spares = 0;
	return w->spare_threads;
}

static struct pd_stack_slot *take_slot(struct pd_worker *w)
{
	struct pd_run *run = w->run;
	struct pd_stack_slot *slot;

	pthread_mutex_lock(&run->lock);
	slot = run->spare_slots;
	if (slot)
		run->spare_slots = slot->next;
	pthread_mutex_unlock(&run->lock);
	return slot;
}

static void give_slot(struct pd_worker *w, struct pd_stack_slot *slot)
{
	pthread_mutex_lock(&w->run->lock);
	slot->next = w->run->spare_slots;
	w->run->spare_slots = slot;
	pthread_mutex_unlock(&w->run->lock);
}

/* Off the worker's, or off all's. */
static struct pd_stack_slot *find_slot(struct pd_worker *w)
{
	struct pd_stack_slot *slot = w->spare_slots ? NULL : take_slot(w);

	if (slot || (!w->spare_slots && !new_stacks(w)))
		return slot;
	slot = w->spare_slots;
	w->spare_slots = slot->next;
	w->nr_slots--;
	return slot;
}

/* The host keeps none: what it leaves of a slab stays there until the run is over. */
struct pd_thread *pd_parcel_new(struct pd_run *run, struct pd_worker *w,
				void (*entry)(struct pimdimm_pe *pe, void *frame),
				const void *frame, size_t bytes)
{
	struct pd_thread *t = w ? w->spare_threads : NULL;

	if (!t && w)
		t = take_spares(w);
	if (!t)
		t = new_threads(run, !w);
	if (!t)
		return NULL;
	if (w) {
		w->spare_threads = t->next;
		w->nr_spares -= w->nr_spares > 0;
	}
	t->next = NULL;
	t->born = NULL;
	t->begun = t->ended = false;
	t->arriving = true;
	t->entry = entry;
	if (bytes)
		memcpy(t->frame, frame, bytes);
	t->pe.tasklet = PIMDIMM_TRAVELLER;
	t->pe.dmas = 0;
	return t;
}

/* The stack of a thread that is about to begin; low NULL: there is none. */
static struct pd_stack find_stack(struct pd_worker *w, struct pd_thread *t)
{
	struct pd_run *run = w->run;

	if (t->born)
		return pd_stack_of(run->stacks,
				   (unsigned int)(t - run->tasklets));
	t->slot = find_slot(w);
	if (!t->slot)
		return (struct pd_stack){ NULL, 0 };
	return pd_stack_of(t->slot->stacks, t->slot->index);
}

bool pd_parcel_begin(struct pd_worker *w, struct pd_thread *t,
		     void (*run)(void *thread))
{
	struct pd_stack stack;

	t->worker = w;
	if (t->begun)
		return true;
	stack = find_stack(w, t);
	if (!stack.low)
		return false;
	pd_fiber_make(&t->pe.fiber, stack, run, t);
	t->begun = true;
	return true;
}

void pd_parcel_recycle(struct pd_worker *w, struct pd_thread *t)
{
	struct pd_stack_slot *slot = t->slot;

	pd_fiber_free(&t->pe.fiber);
	t->ended = true;
	if (t->born)
		return;
	t->slot = NULL;
	if (w->nr_slots < SLAB_STACKS) {
		slot->next = w->spare_slots;
		w->spare_slots = slot;
		w->nr_slots++;
	} else {
		give_slot(w, slot);
	}
	t->next = w->spare_threads;
	w->spare_threads = t;
	if (++w->nr_spares >= SPARES)
		give_spares(w);
}

static void free_slab(struct pd_run *run, struct pd_slab *slab)
{
	for (unsigned int i = 0; slab->threads && i < SLAB_THREADS; i++)
		if (slab->threads[i].begun && !slab->threads[i].ended)
			pd_fiber_free(&slab->threads[i].pe.fiber);
	if (slab->stacks)
		pd_stacks_put(&run->call.sys->stacks, slab->stacks);
	free(slab->threads);
	free(slab->slots);
	free(slab);
}

void pd_parcels_free(struct pd_run *run)
{
	struct pd_slab *slab;

	while ((slab = run->slabs)) {
		run->slabs = slab->next;
		free_slab(run, slab);
	}
}

int pd_parcel_check_to(const struct pd_run *run, uint32_t to)
{
	const struct pd_kernel_call *call = &run->call;

	if (to >= call->first_pe && to - call->first_pe < call->nr_pes)
		return 0;
	return pd_error(EINVAL, "to=%u, expected a PE from %u to %u", to,
			call->first_pe, call->first_pe + call->nr_pes - 1);
}

int pd_parcel_check_frame(const struct pd_run *run, uint32_t to,
			  void (*entry)(struct pimdimm_pe *pe, void *frame),
			  const void *frame, size_t bytes)
{
	if (!entry)
		return pd_error(EINVAL, "entry is NULL");
	if (bytes > PIMDIMM_FRAME_BYTES || (bytes && !frame))
		return pd_error(EINVAL,
				"frame=%p of bytes=%zu, expected one of up to %d",
				frame, bytes, PIMDIMM_FRAME_BYTES);
	return pd_parcel_check_to(run, to);
}

struct pd_home *pd_parcel_home(struct pd_run *run, uint32_t pe)
{
	return &run->homes[pe - run->call.first_pe];
}

void pd_parcel_settle(struct pd_thread *t, struct pd_home *home)
{
	t->home = home;
	t->pe.place = &home->place;
}
