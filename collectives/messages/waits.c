// SPDX-License-Identifier: MIT
/*
 * Waits for messages. While threads of PEs wait, and the host is there to send them
 * something, the run is held, so that it is none of a deadlock; when the host waits, too,
 * it is not.
 */
#include <errno.h>
#include <stdio.h>

#include "collectives/messages/collected.h"
#include "collectives/messages/waits.h"
#include "runtime/base/error.h"
#include "runtime/base/threads.h"

/* who runs on this thread of the process, between two waits */
static _Thread_local struct pimdimm_pe *caller;

/* not inlined: after a switch the thread, and so the variable, may be another one */
__attribute__((noinline))
void pm_call_for(struct pimdimm_pe *pe)
{
	caller = pe;
}

/* lock held: holds the run or says that it is to be released */
static bool waits_hold(struct pm_world *w)
{
	bool want = w->run && w->host_apart && w->waiting && !w->host_waits;
	bool release = w->held && !want;

	if (want && !w->held)
		pd_resident_hold(w->run);
	w->held = want;
	return release;
}

/* one more or less of the threads of PEs waits */
static void waits_count(struct pm_world *w, int more)
{
	struct pd_run *run;
	bool release;

	/* once it is not, it never is again in a run */
	if (!atomic_load(&w->host_apart))
		return;
	pthread_mutex_lock(&w->lock);
	w->waiting += (uint32_t)more;
	run = w->run;
	release = waits_hold(w);
	pthread_mutex_unlock(&w->lock);
	if (release)
		pd_resident_release(run);
}

/* of the library's own messages, whose tags nobody knows who calls it */
static const char *told_own(int32_t tag)
{
	return tag < PM_TAG_BARRIER ? "waits in pimmsg_split() for" : "waits in pimmsg_barrier() for";
}

static uint32_t told_peer(const struct pimmsg_end *end, const struct me_key *key,
			  const char *what, char *text, size_t bytes)
{
	const struct pm_world *w = end->world;
	char from[32] = "anybody", tag[32] = "any tag";
	bool host = key->source == (int32_t)w->nr_pes;
	uint32_t pe = w->first_pe + (uint32_t)key->source;

	if (host)
		snprintf(from, sizeof(from), "the host");
	else if (key->source != ME_ANY)
		snprintf(from, sizeof(from), "PE %u", pe);
	if (key->tag != ME_ANY)
		snprintf(tag, sizeof(tag), "tag %d", key->tag);
	if (key->context == end->comm.context + PM_OWN)
		snprintf(text, bytes, "%s %s", told_own(key->tag), from);
	else
		snprintf(text, bytes, "%s %s, %s", what, from, tag);
	return host || key->source == ME_ANY ? PD_NO_PE : pe;
}

static uint32_t told_wait(const struct pd_wait *wait, char *text, size_t bytes)
{
	const struct pm_wait *w = (const struct pm_wait *)wait;

	for (uint32_t i = 0; i < w->nr; i++) {
		const struct me_request *r = w->requests[i];
		struct me_key key;

		if (!r || r->state == ME_DONE)
			continue;
		if (r->kind == ME_RECEIVE)
			return told_peer(w->end, &r->entry.key,
					 "waits for a message of", text, bytes);
		key = r->entry.key;
		key.source = (int32_t)r->peer;
		return told_peer(w->end, &key, "waits for a receive of", text, bytes);
	}
	return told_peer(w->end, &w->key, "probes for a message of", text, bytes);
}

/* the host's thread, which no run schedules */
static int wait_host(struct pm_wait *wait)
{
	struct pm_world *w = wait->end->world;
	struct pd_run *run;
	bool release, failed;

	pm_copy_collected(w);
	pthread_mutex_lock(&w->lock);
	w->host_waits = !wait->woken;
	w->run_failed = false;
	run = w->run;
	release = waits_hold(w);
	pthread_mutex_unlock(&w->lock);
	if (release)
		pd_resident_release(run);
	pthread_mutex_lock(&w->lock);
	while (!wait->woken && !w->run_failed)
		pthread_cond_wait(&w->host_woken, &w->lock);
	w->host_waits = false;
	failed = !wait->woken;
	pthread_mutex_unlock(&w->lock);
	if (!failed)
		return 0;
	return pd_error(EDEADLK,
			"the host waits for PEs whose run has ended in a deadlock");
}

/*
 * Of a thread of the process. Others know `wait`, on its stack: were it cancelled, it would
 * leave that behind, and whatever lock it waits with.
 */
static int wait_outside(struct pm_wait *wait)
{
	const struct pm_apart *apart = wait->end->world->apart;
	int cancel = pd_cancel_off();
	int ret = apart ? apart->wait(wait) : wait_host(wait);

	pd_cancel_restore(cancel);
	return ret;
}

int pm_wait(struct pm_wait *wait)
{
	struct pimmsg_end *end = wait->end;

	if (end->world->apart || !end->pe)
		return wait_outside(wait);
	wait->thread.told = told_wait;
	waits_count(end->world, 1);
	pd_resident_wait(end->pe, &wait->thread);
	waits_count(end->world, -1);
	pm_call_for(end->pe);
	return 0;
}

void pm_wake(struct pm_wait *wait)
{
	struct pm_world *w = wait->end->world;

	if (w->apart) {
		wait->woken = true;
		return;
	}
	if (wait->end->pe && caller) {
		pd_resident_wake(caller, &wait->thread);
		return;
	}
	pthread_mutex_lock(&w->lock);
	if (wait->end->pe) {
		/* whoever waited in a run that is over is no more */
		if (w->run)
			pd_resident_wake(NULL, &wait->thread);
		pthread_mutex_unlock(&w->lock);
		return;
	}
	wait->woken = true;
	w->host_waits = false;
	/* by a thread of the run's, if the host was what others may be waiting for */
	if (waits_hold(w))
		pd_resident_release(w->run);
	pthread_cond_broadcast(&w->host_woken);
	pthread_mutex_unlock(&w->lock);
}

void pm_request_done(struct me_request *request)
{
	struct pm_wait *wait = request->waiter;

	request->waiter = NULL;
	if (wait && !--wait->left)
		pm_wake(wait);
}

void pm_run_begin(struct pm_world *world, struct pd_run *run)
{
	pthread_mutex_lock(&world->lock);
	world->run = run;
	world->runs++;
	world->waiting = 0;
	world->held = false;
	world->host_apart = !pthread_equal(world->host_thread, pthread_self());
	pthread_mutex_unlock(&world->lock);
}

void pm_run_end(struct pm_world *world, int ret)
{
	pthread_mutex_lock(&world->lock);
	world->run = NULL;
	world->held = false;
	world->run_failed = ret == -EDEADLK;
	pthread_cond_broadcast(&world->host_woken);
	pthread_mutex_unlock(&world->lock);
}

void pm_host_ends(struct pm_world *world)
{
	struct pd_run *run;
	bool release;

	pthread_mutex_lock(&world->lock);
	world->host_apart = false;
	run = world->run;
	release = waits_hold(world);
	pthread_mutex_unlock(&world->lock);
	if (release)
		pd_resident_release(run);
}
