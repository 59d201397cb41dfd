// SPDX-License-Identifier: MIT
/* What lies between a thread of the host and a launch: a queue each way, and who waits. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/base/threads.h"
#include "runtime/pe/process/guest.h"

/* parcels that the host has not taken */
#define MOST		65536u
#define LOOK_NS		100000000L	/* between looks whether the launch is over */

enum guest_state {
	GUEST_EARLY,
	GUEST_RUNS,
	GUEST_OVER,
};

struct pd_guest {
	const struct pimdimm *sys;
	uint32_t first_pe, nr_pes;
	pthread_t thread;		/* that opened it */
	struct pd_guest *next;		/* under the lock of all */
	unsigned int users;		/* the same */

	pthread_mutex_t lock;		/* of what follows */
	pthread_cond_t changed;
	struct pd_inbox to_pes, to_host;
	enum guest_state state;
	bool apart;			/* another thread has launched */
	bool closed, waits;
	bool full, roomy;		/* to_host was, and is no more */
};

/* those that are open, or that a launch has */
static pthread_mutex_t guests_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pd_guest *guests;

PD_FORK_SAFE(&guests_lock);

static struct pd_guest *guest_find(const struct pimdimm *sys, uint32_t first_pe,
				   uint32_t nr_pes)
{
	struct pd_guest *g = guests;

	while (g && (g->sys != sys || g->first_pe != first_pe || g->nr_pes != nr_pes))
		g = g->next;
	return g;
}

static struct pd_guest *guest_make(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes)
{
	struct pd_guest *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->sys = sys;
	g->first_pe = first_pe;
	g->nr_pes = nr_pes;
	g->thread = pthread_self();
	g->users = 1;
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->changed, NULL);
	return g;
}

int pd_guest_open(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes,
		  struct pd_guest **guest)
{
	int ret = 0;

	pthread_mutex_lock(&guests_lock);
	if (guest_find(sys, first_pe, nr_pes)) {
		ret = -EBUSY;
	} else {
		*guest = guest_make(sys, first_pe, nr_pes);
		if (*guest) {
			(*guest)->next = guests;
			guests = *guest;
		} else {
			ret = -ENOMEM;
		}
	}
	pthread_mutex_unlock(&guests_lock);
	return ret;
}

/* by the host: from now on it is none that a launch, or another end, finds */
static void guest_unlist(struct pd_guest *g)
{
	struct pd_guest **at = &guests;

	while (*at != g)
		at = &(*at)->next;
	*at = g->next;
}

static void guest_put(struct pd_guest *g, bool unlist)
{
	bool last;

	pthread_mutex_lock(&guests_lock);
	if (unlist)
		guest_unlist(g);
	last = !--g->users;
	pthread_mutex_unlock(&guests_lock);
	if (!last)
		return;
	pd_inbox_free(&g->to_pes);
	pd_inbox_free(&g->to_host);
	pthread_mutex_destroy(&g->lock);
	pthread_cond_destroy(&g->changed);
	free(g);
}

void pd_guest_close(struct pd_guest *g)
{
	pthread_mutex_lock(&g->lock);
	g->closed = true;
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->lock);
	guest_put(g, true);
}

int pd_guest_send(struct pd_guest *g, const struct pd_parcel *parcel)
{
	struct pd_parcel sent = *parcel;
	int ret = 0;

	sent.from = PE_HOST;
	pthread_mutex_lock(&g->lock);
	if (g->state == GUEST_OVER)
		ret = -EPIPE;
	else if (!pd_inbox_put(&g->to_pes, &sent))
		ret = -ENOMEM;
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->lock);
	if (ret)
		free(parcel->payload);
	return ret;
}

bool pd_guest_take(struct pd_guest *g, struct pd_parcel *parcel)
{
	bool any;

	pthread_mutex_lock(&g->lock);
	any = pd_inbox_count(&g->to_host);
	if (any) {
		*parcel = *pd_inbox_at(&g->to_host, 0);
		pd_inbox_drop(&g->to_host, 1);
	}
	if (any && g->full) {
		g->full = false;
		g->roomy = true;
		pthread_cond_broadcast(&g->changed);
	}
	pthread_mutex_unlock(&g->lock);
	return any;
}

bool pd_guest_is_over(struct pd_guest *g)
{
	bool over;

	pthread_mutex_lock(&g->lock);
	over = g->state == GUEST_OVER;
	pthread_mutex_unlock(&g->lock);
	return over;
}

bool pd_guest_wait(struct pd_guest *g)
{
	bool any;

	pthread_mutex_lock(&g->lock);
	g->waits = true;
	pthread_cond_broadcast(&g->changed);
	while (!pd_inbox_count(&g->to_host) && g->state != GUEST_OVER)
		pthread_cond_wait(&g->changed, &g->lock);
	g->waits = false;
	any = pd_inbox_count(&g->to_host);
	pthread_mutex_unlock(&g->lock);
	return any;
}

struct pd_guest *pd_guest_begin(const struct pimdimm *sys, uint32_t first_pe,
				uint32_t nr_pes)
{
	struct pd_guest *g;

	pthread_mutex_lock(&guests_lock);
	g = guest_find(sys, first_pe, nr_pes);
	if (g) {
		pthread_mutex_lock(&g->lock);
		if (g->state == GUEST_EARLY) {
			g->state = GUEST_RUNS;
			g->apart = !pthread_equal(g->thread, pthread_self());
			g->users++;
			pthread_mutex_unlock(&g->lock);
		} else {
			pthread_mutex_unlock(&g->lock);
			g = NULL;
		}
	}
	pthread_mutex_unlock(&guests_lock);
	return g;
}

void pd_guest_end(struct pd_guest *g)
{
	if (!g)
		return;
	pthread_mutex_lock(&g->lock);
	g->state = GUEST_OVER;
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->lock);
	guest_put(g, false);
}

bool pd_guest_post(struct pd_guest *g, const struct pd_parcel *parcel)
{
	bool done = true;

	pthread_mutex_lock(&g->lock);
	if (g->closed) {
		free(parcel->payload);
	} else if (pd_inbox_count(&g->to_host) >= MOST) {
		g->full = true;
		done = false;
	} else {
		done = pd_inbox_put(&g->to_host, parcel);
		pthread_cond_broadcast(&g->changed);
	}
	pthread_mutex_unlock(&g->lock);
	return done;
}

void pd_guest_move(struct pd_guest *g,
		   bool (*deliver)(void *ctx, const struct pd_parcel *parcel), void *ctx)
{
	pthread_mutex_lock(&g->lock);
	while (pd_inbox_count(&g->to_pes)) {
		struct pd_parcel *p = pd_inbox_at(&g->to_pes, 0);

		if (!deliver(ctx, p))
			break;
		pd_inbox_drop(&g->to_pes, 1);
	}
	pthread_mutex_unlock(&g->lock);
}

bool pd_guest_await(struct pd_guest *g, const uint32_t *over)
{
	bool go_on;

	if (!g)
		return false;
	pthread_mutex_lock(&g->lock);
	while (!(go_on = pd_inbox_count(&g->to_pes) || g->roomy) && g->apart && !g->closed &&
	       !(g->waits && !pd_inbox_count(&g->to_host)) &&
	       !__atomic_load_n(over, __ATOMIC_RELAXED)) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += LOOK_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&g->changed, &g->lock, &until);
	}
	g->roomy = false;
	pthread_mutex_unlock(&g->lock);
	return go_on;
}
