// SPDX-License-Identifier: MIT
/* Who waits for what, from the lowest PE on as far as there is room, and in what cycle. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/pe/resident/deadlock.h"

/* what is said of those that wait; behind it there is room for the cycle */
#define WAITS_BYTES	340
#define ONE_BYTES	120

struct text {
	char *at;
	size_t left;
};

__attribute__((format(printf, 2, 3)))
static void add(struct text *text, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text->at, text->left, format, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n >= text->left)
		n = text->left ? (int)text->left - 1 : 0;
	text->at += n;
	text->left -= (size_t)n;
}

/* the PE that a thread waits for, or PD_NO_PE */
static uint32_t ask(const struct pd_thread *t, char *text, size_t bytes)
{
	text[0] = '\0';
	return t->wait->told(t->wait, text, bytes);
}

static bool add_wait(struct text *text, const struct pd_thread *t, bool first)
{
	char one[ONE_BYTES], who[32];

	ask(t, one, sizeof(one));
	pd_kernel_who(t->pe.tasklet, who);
	if (text->left < strlen(one) + strlen(who) + 32)
		return false;
	add(text, "%sPE %u, %s %s", first ? ": " : "; ", t->home->place.pe, who,
	    one);
	return true;
}

static void add_waits(struct text *text, const struct pd_run *run, uint64_t left)
{
	uint64_t told = 0;

	for (uint32_t i = 0; i < run->call.nr_pes; i++) {
		const struct pd_thread *t = run->homes[i].waiting;

		for (; t; t = t->later) {
			if (!add_wait(text, t, !told)) {
				text->left += ONE_BYTES;
				add(text, "; and %llu more",
				    (unsigned long long)(left - told));
				return;
			}
			told++;
		}
	}
}

/* The first PE that a thread of this one waits for; its index, or PD_NO_PE. */
static uint32_t next_of(const struct pd_run *run, uint32_t i)
{
	char unused[ONE_BYTES];

	for (const struct pd_thread *t = run->homes[i].waiting; t; t = t->later) {
		uint32_t pe = ask(t, unused, sizeof(unused));

		if (pe >= run->call.first_pe &&
		    pe - run->call.first_pe < run->call.nr_pes)
			return pe - run->call.first_pe;
	}
	return PD_NO_PE;
}

/*
 * A PE of a cycle, or PD_NO_PE. Each is gone on from until one comes that was before:
 * homes remember, in `yields`, which walk they were in.
 */
static uint32_t find_cycle(struct pd_run *run)
{
	for (uint32_t i = 0; i < run->call.nr_pes; i++)
		run->homes[i].yields = 0;
	for (uint32_t i = 0; i < run->call.nr_pes; i++) {
		uint32_t at = i;

		while (at != PD_NO_PE && !run->homes[at].yields) {
			run->homes[at].yields = i + 1;
			at = next_of(run, at);
		}
		if (at != PD_NO_PE && run->homes[at].yields == i + 1)
			return at;
	}
	return PD_NO_PE;
}

static void add_cycle(struct text *text, struct pd_run *run)
{
	uint32_t first = find_cycle(run), at = first;

	if (first == PD_NO_PE)
		return;
	add(text, "; a cycle: PE %u", run->homes[at].place.pe);
	do {
		at = next_of(run, at);
		if (text->left < 32) {
			add(text, " for ...");
			return;
		}
		add(text, " for PE %u", run->homes[at].place.pe);
	} while (at != first);
}

void pd_deadlock_tell(struct pd_run *run, uint64_t left)
{
	struct text text = { run->deadlock, WAITS_BYTES };

	add(&text, "deadlock, %llu thread%s in vain", (unsigned long long)left,
	    left == 1 ? " waits" : "s wait");
	add_waits(&text, run, left);
	text.left = (size_t)(run->deadlock + sizeof(run->deadlock) - text.at);
	add_cycle(&text, run);
}
