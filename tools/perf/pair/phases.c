// SPDX-License-Identifier: MIT
/* Both ranks' moments, walked together. */
#include "tools/perf/pair/phases.h"

struct walk {
	const struct pair_phases *of;
	uint32_t next;
	enum pair_phase now;
};

static uint64_t walk_next(const struct walk *w)
{
	return w->next < w->of->nr ? w->of->moments[w->next].ns : UINT64_MAX;
}

/* as it is at a time */
static void walk_to(struct walk *w, uint64_t ns)
{
	while (walk_next(w) <= ns)
		w->now = w->of->moments[w->next++].phase;
}

static void divide(const struct walk ranks[2], double ns, double parts[PAIR_PHASES])
{
	enum pair_phase a = ranks[0].now, b = ranks[1].now;

	/* who rests waits for the other one */
	if (a == PAIR_PHASE_REST)
		a = b;
	if (b == PAIR_PHASE_REST)
		b = a;
	parts[a] += ns / 2;
	parts[b] += ns / 2;
}

void pair_phases_divide(const struct pair_phases *const ranks[2], uint64_t start, uint64_t end,
			double parts[PAIR_PHASES])
{
	struct walk walks[2] = { { .of = ranks[0] }, { .of = ranks[1] } };

	for (int i = 0; i < PAIR_PHASES; i++)
		parts[i] = 0;
	for (uint64_t at = start; at < end;) {
		uint64_t until = end;

		for (int i = 0; i < 2; i++) {
			walk_to(&walks[i], at);
			if (walk_next(&walks[i]) < until)
				until = walk_next(&walks[i]);
		}
		divide(walks, (double)(until - at), parts);
		at = until;
	}
}
