// SPDX-License-Identifier: MIT
/* Threads that wait for work between the steps of a program. */
#include <pthread.h>
#include <stdlib.h>

#include "tools/perf/cpu/own/team.h"

/* so many looks, some tens of microseconds, before a thread sleeps */
#define SPINS 1000

struct member {
	struct team *team;
	pthread_t thread;
	unsigned int number;
};

struct team {
	unsigned int threads;
	uint32_t turn;		/* changes when there is work, or the end */
	uint32_t working;	/* threads but the caller that are not done yet */
	bool ends;
	team_fn fn;
	void *arg;
	pthread_mutex_t lock;	/* for those who sleep */
	pthread_cond_t begun, done;
	struct member members[];
};

static inline void team_pause(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

static uint32_t team_word(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Until *word is `value` no more, or is it: by looking, then asleep. */
static void team_wait(struct team *team, const uint32_t *word, uint32_t value,
		      bool until, pthread_cond_t *cond)
{
	for (unsigned int i = 0; i < SPINS; i++) {
		if ((team_word(word) == value) == until)
			return;
		team_pause();
	}
	pthread_mutex_lock(&team->lock);
	while ((team_word(word) == value) != until)
		pthread_cond_wait(cond, &team->lock);
	pthread_mutex_unlock(&team->lock);
}

static void *team_member(void *arg)
{
	struct member *member = arg;
	struct team *team = member->team;

	for (uint32_t turn = 0;; turn++) {
		team_wait(team, &team->turn, turn, false, &team->begun);
		if (team->ends)
			return NULL;
		team->fn(member->number, team->arg);
		if (__atomic_fetch_sub(&team->working, 1, __ATOMIC_ACQ_REL) != 1)
			continue;
		/* with the lock, for the caller not to fall asleep just now */
		pthread_mutex_lock(&team->lock);
		pthread_cond_signal(&team->done);
		pthread_mutex_unlock(&team->lock);
	}
}

static void team_begin(struct team *team)
{
	pthread_mutex_lock(&team->lock);
	__atomic_fetch_add(&team->turn, 1, __ATOMIC_RELEASE);
	pthread_cond_broadcast(&team->begun);
	pthread_mutex_unlock(&team->lock);
}

void team_run(struct team *team, team_fn fn, void *arg)
{
	team->fn = fn;
	team->arg = arg;
	__atomic_store_n(&team->working, team->threads - 1, __ATOMIC_RELAXED);
	if (team->threads > 1)
		team_begin(team);
	fn(0, arg);
	team_wait(team, &team->working, 0, true, &team->done);
}

struct team *team_make(unsigned int threads)
{
	struct team *team = calloc(1, sizeof(*team) + threads * sizeof(struct member));

	if (!team)
		return NULL;
	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->begun, NULL);
	pthread_cond_init(&team->done, NULL);
	for (team->threads = 1; team->threads < threads; team->threads++) {
		struct member *member = &team->members[team->threads];

		member->team = team;
		member->number = team->threads;
		if (pthread_create(&member->thread, NULL, team_member, member)) {
			team_free(team);
			return NULL;
		}
	}
	return team;
}

void team_free(struct team *team)
{
	if (!team)
		return;
	team->ends = true;
	team_begin(team);
	for (unsigned int i = 1; i < team->threads; i++)
		pthread_join(team->members[i].thread, NULL);
	pthread_cond_destroy(&team->begun);
	pthread_cond_destroy(&team->done);
	pthread_mutex_destroy(&team->lock);
	free(team);
}

unsigned int team_threads(const struct team *team)
{
	return team->threads;
}

bool team_take(uint64_t *next, uint64_t piece, uint64_t count, struct team_range *range)
{
	range->first = __atomic_fetch_add(next, piece, __ATOMIC_RELAXED);
	if (range->first >= count)
		return false;
	range->end = count - range->first < piece ? count : range->first + piece;
	return true;
}
