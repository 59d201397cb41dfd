// SPDX-License-Identifier: MIT
/* Which way calls of a kind go over several hosts: each is tried, the fastest is kept. */
#include <string.h>

#include "collectives/cubes/choices.h"

/* calls of a way: the first one finds the caches as another way has left them */
#define TIMES		3
/* a way whose first call takes so many times what the best one does is given up */
#define HOPELESS	2
/* another way than the first one is to be faster by so many parts of 100 */
#define HANDICAP	10
/* they are tried again when there have been so many times as many calls */
#define LATER		8
/* calls with page faults that a way may have until they count as any others */
#define PATIENCE	8

/* two steps an octave */
static unsigned int scale_of(uint64_t work_set)
{
	unsigned int log = work_set ? 63 - (unsigned int)__builtin_clzll(work_set) : 0;

	return 2 * log + (log ? work_set >> (log - 1) & 1 : 0);
}

static bool is_kind(const struct pc_choice *k, const struct pc_choice_kind *kind,
		    const struct pc_way ways[], unsigned int count)
{
	return k->used && k->kind.what == kind->what && k->count == count &&
	       scale_of(k->kind.work_set) == scale_of(kind->work_set) &&
	       !memcmp(k->ways, ways, count * sizeof(*ways));
}

/* where the kind is known, or takes the place of the one least recently used */
static struct pc_choice *known_of(struct pc_choices *c, const struct pc_choice_kind *kind,
				  const struct pc_way ways[], unsigned int count)
{
	struct pc_choice *oldest = c->known;

	for (unsigned int i = 0; i < PC_CHOICES_KINDS; i++) {
		if (is_kind(&c->known[i], kind, ways, count))
			return &c->known[i];
		if (c->known[i].used < oldest->used)
			oldest = &c->known[i];
	}
	*oldest = (struct pc_choice){ .kind = *kind, .count = count, .again = 2 };
	memcpy(oldest->ways, ways, count * sizeof(*ways));
	return oldest;
}

struct pc_way pc_choices_begin(struct pc_choices *c, const struct pc_choice_kind *kind,
			       const struct pc_way ways[], unsigned int count)
{
	struct pc_choice *k = known_of(c, kind, ways, count);
	struct pc_way way;

	k->used = ++c->now;
	k->calls++;
	c->current = k;
	c->tries = count > 1 && k->calls >= k->again;
	way = k->ways[c->tries ? k->at : k->best];
	way.why = c->tries ? PC_WHY_TRIED : k->calls > 1 && count > 1 ? PC_WHY_FASTEST :
							  PC_WHY_FIRST;
	return way;
}

/* The first way stands for those that others are measured by. */
static void choose_best(struct pc_choice *k)
{
	k->best = 0;
	for (unsigned int i = 1; i < k->count; i++) {
		uint64_t ns = k->ns[i] < UINT64_MAX / 128 ? k->ns[i] : UINT64_MAX / 128;

		if (k->best ? k->ns[i] < k->ns[k->best] :
			      ns * (100 + HANDICAP) < k->ns[0] * 100)
			k->best = i;
	}
}

static void next_way(struct pc_choice *k)
{
	k->times = k->in_vain = 0;
	if (++k->at < k->count)
		return;
	k->at = 0;
	k->again = LATER * k->calls;
	choose_best(k);
}

/* Whether the way is far behind one that has been tried in this round. */
static bool is_hopeless(const struct pc_choice *k, uint64_t ns)
{
	for (unsigned int i = 0; i < k->at; i++) {
		if (ns / HOPELESS > k->ns[i])
			return true;
	}
	return false;
}

static void choice_learn(struct pc_choice *k, uint64_t ns, bool faulted)
{
	uint64_t *least = &k->ns[k->at];

	if (!ns) {
		*least = UINT64_MAX;
		next_way(k);
		return;
	}
	if (faulted && k->in_vain++ < PATIENCE)
		return;
	k->times++;
	if (k->times <= 2 || ns < *least)
		*least = ns;
	if (k->times == TIMES || (k->times == 1 && is_hopeless(k, ns)))
		next_way(k);
}

void pc_choices_end(struct pc_choices *c, uint64_t ns, bool mapped, bool faulted)
{
	struct pc_choice *k = c->current;

	c->current = NULL;
	if (!k)
		return;
	if (k->mapped != mapped && k->calls > 1) {
		/* what was learned is of other calls */
		k->calls = k->at = k->times = k->in_vain = k->best = 0;
		k->again = 2;
	} else if (c->tries) {
		choice_learn(k, ns, faulted);
	}
	k->mapped = mapped;
}
