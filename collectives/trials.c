/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "trials.h"

/* times of each way that decide: the least of them is what the way can do */
#define ENOUGH 3
/* calls that a kind is asked for in all; more will not be quieter */
#define PATIENCE 24

void pc_trials_init(struct pc_trials *t)
{
	memset(t->at, 0, sizeof(t->at));
	pthread_mutex_init(&t->lock, NULL);
}

void pc_trials_destroy(struct pc_trials *t)
{
	pthread_mutex_destroy(&t->lock);
}

static unsigned int scale(const struct pc_kind *kind)
{
	return kind->work_set ? 63 - __builtin_clzll(kind->work_set) : 0;
}

static bool same(const struct pc_kind *a, const struct pc_kind *b)
{
	return a->algorithm == b->algorithm && a->axes == b->axes &&
	       scale(a) == scale(b);
}

static struct pc_trial *place_of(struct pc_trials *t,
				 const struct pc_kind *kind)
{
	uint64_t hash = (uintptr_t)kind->algorithm / sizeof(void *) +
			7 * kind->axes + 19 * scale(kind);

	return &t->at[hash % (sizeof(t->at) / sizeof(t->at[0]))];
}

static bool decided(const struct pc_trial *trial)
{
	return (trial->around.timed >= ENOUGH &&
		trial->through.timed >= ENOUGH) ||
	       trial->around.asked + trial->through.asked >= PATIENCE;
}

/* the way that was faster, and around the caches where nothing is known */
static bool through_wins(const struct pc_trial *trial)
{
	return trial->around.timed && trial->through.timed &&
	       trial->through.ns_per_byte < trial->around.ns_per_byte;
}

static enum pd_stores next_of(struct pc_trial *trial)
{
	bool through = trial->through.asked < trial->around.asked;

	(through ? &trial->through : &trial->around)->asked++;
	return through ? PD_STORES_AHEAD : PD_STORES_AROUND;
}

enum pd_stores pc_trials_choose(struct pc_trials *t, const struct pc_kind *kind,
				bool *open)
{
	struct pc_trial *trial = place_of(t, kind);
	enum pd_stores stores;

	pthread_mutex_lock(&t->lock);
	if (!same(&trial->kind, kind))
		*trial = (struct pc_trial){ .kind = *kind };
	*open = !decided(trial);
	if (*open)
		stores = next_of(trial);
	else
		stores = through_wins(trial) ? PD_STORES_AHEAD :
					       PD_STORES_AROUND;
	pthread_mutex_unlock(&t->lock);
	return stores;
}

void pc_trials_learn(struct pc_trials *t, const struct pc_kind *kind,
		     enum pd_stores stores, uint64_t ns)
{
	struct pc_trial *trial = place_of(t, kind);
	double ns_per_byte = (double)ns / (double)kind->work_set;
	struct pc_tried *tried = stores == PD_STORES_AHEAD ? &trial->through :
							     &trial->around;

	pthread_mutex_lock(&t->lock);
	/* another kind may have taken the place meanwhile */
	if (same(&trial->kind, kind) &&
	    (!tried->timed++ || ns_per_byte < tried->ns_per_byte))
		tried->ns_per_byte = ns_per_byte;
	pthread_mutex_unlock(&t->lock);
}
