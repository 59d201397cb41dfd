// SPDX-License-Identifier: MIT
/*
 * Wide words of resident kernels. Whoever finds a word as it is not to be waits in one of
 * the PE's queues; whoever changes a word serves those who waited for that, first come
 * first served: first all that leave it as it is, then one that changes it again, and so
 * on. What is served has its value before it runs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/error.h"
#include "runtime/pe/resident/resident.h"
#include "runtime/pe/resident/run.h"
#include "runtime/ranks/system.h"

enum wide_want {
	READ_FF,	/* wait for full words, in this order */
	READ_FE,
	WRITE_EF,	/* waits for empty ones */
};

struct pd_wide_wait {
	struct pd_wait wait;		/* the first member */
	struct pd_wide_wait *next;
	uint32_t word;
	enum wide_want want;
	struct pimdimm_wide *value;	/* on the waiter's side */
};

static int check_wide(struct pimdimm_pe *pe, const char *what,
		      const struct pimdimm_wide *wide, const void *value)
{
	size_t size = pe->place->sys->geometry.wram_size;
	uintptr_t first = (uintptr_t)pe->place->wram;
	int ret = pd_kernel_check_resident(pe, what);

	if (ret)
		return ret;
	if ((uintptr_t)wide < first || (uintptr_t)wide - first >= size ||
	    (uintptr_t)wide % sizeof(*wide))
		return pd_kernel_fault(pe,
				       "%s: wide=%p, expected a multiple of 32 in the PE's WRAM, %zu bytes at %p",
				       what, (const void *)wide, size,
				       (void *)pe->place->wram);
	if (!value)
		return pd_kernel_fault(pe, "%s: value is NULL", what);
	return 0;
}

static uint32_t number_of(struct pimdimm_pe *pe, const struct pimdimm_wide *wide)
{
	return (uint32_t)((uintptr_t)wide - (uintptr_t)pe->place->wram) /
	       (uint32_t)sizeof(*wide);
}

static struct pimdimm_wide *word_of(const struct pd_home *home, uint32_t n)
{
	return (struct pimdimm_wide *)(void *)home->place.wram + n;
}

static bool is_full(const struct pd_home *home, uint32_t n)
{
	return home->full[n / 64] >> n % 64 & 1;
}

static void set_full(struct pd_home *home, uint32_t n, bool full)
{
	uint64_t bit = UINT64_C(1) << n % 64;

	home->full[n / 64] = full ? home->full[n / 64] | bit :
				    home->full[n / 64] & ~bit;
}

static uint32_t tell(const struct pd_wait *wait, char *text, size_t bytes)
{
	const struct pd_wide_wait *w = (const struct pd_wide_wait *)wait;

	snprintf(text, bytes, "waits for the wide word at byte %zu of its WRAM to be %s",
		 w->word * sizeof(struct pimdimm_wide),
		 w->want == WRITE_EF ? "empty" : "full");
	return PD_NO_PE;
}

static void wait_for(struct pimdimm_pe *pe, uint32_t n, enum wide_want want,
		     struct pimdimm_wide *value)
{
	struct pd_home *home = pd_thread_of(pe)->home;
	unsigned int q = n % PD_WIDE_QUEUES;
	struct pd_wide_wait w = {
		.wait = { .told = tell },
		.word = n,
		.want = want,
		.value = value,
	};

	if (home->wide[q])
		home->wide_last[q]->next = &w;
	else
		home->wide[q] = &w;
	home->wide_last[q] = &w;
	pd_resident_wait(pe, &w.wait);
}

/* The first that wants that of a word, off its queue; NULL: nobody does. */
static struct pd_wide_wait *take_waiter(struct pd_home *home, uint32_t n,
					enum wide_want want)
{
	unsigned int q = n % PD_WIDE_QUEUES;
	struct pd_wide_wait *before = NULL, *w = home->wide[q];

	for (; w && (w->word != n || w->want != want); w = w->next)
		before = w;
	if (!w)
		return NULL;
	*(before ? &before->next : &home->wide[q]) = w->next;
	if (home->wide_last[q] == w)
		home->wide_last[q] = before;
	return w;
}

/* Give those who wait for the word as it is what they wait for. */
static void serve(struct pimdimm_pe *pe, struct pd_home *home, uint32_t n)
{
	struct pimdimm_wide *word = word_of(home, n);
	struct pd_wide_wait *w;

	for (;;) {
		if (is_full(home, n)) {
			while ((w = take_waiter(home, n, READ_FF))) {
				*w->value = *word;
				pd_resident_wake(pe, &w->wait);
			}
			w = take_waiter(home, n, READ_FE);
			if (!w)
				return;
			*w->value = *word;
		} else {
			w = take_waiter(home, n, WRITE_EF);
			if (!w)
				return;
			*word = *w->value;
		}
		set_full(home, n, w->want == WRITE_EF);
		pd_resident_wake(pe, &w->wait);
	}
}

static void make(struct pimdimm_pe *pe, uint32_t n, bool full)
{
	struct pd_home *home = pd_thread_of(pe)->home;

	set_full(home, n, full);
	serve(pe, home, n);
}

int pimdimm_wide_write_ef(struct pimdimm_pe *pe, struct pimdimm_wide *wide,
			  const struct pimdimm_wide *value)
{
	int ret = check_wide(pe, "wide_write_ef", wide, value);
	struct pimdimm_wide copy;
	uint32_t n;

	if (ret)
		return ret;
	n = number_of(pe, wide);
	if (is_full(pd_thread_of(pe)->home, n)) {
		copy = *value;
		wait_for(pe, n, WRITE_EF, &copy);
		return 0;
	}
	*wide = *value;
	make(pe, n, true);
	return 0;
}

int pimdimm_wide_write_xf(struct pimdimm_pe *pe, struct pimdimm_wide *wide,
			  const struct pimdimm_wide *value)
{
	int ret = check_wide(pe, "wide_write_xf", wide, value);

	if (ret)
		return ret;
	*wide = *value;
	make(pe, number_of(pe, wide), true);
	return 0;
}

int pimdimm_wide_read_fe(struct pimdimm_pe *pe, struct pimdimm_wide *wide,
			 struct pimdimm_wide *value)
{
	int ret = check_wide(pe, "wide_read_fe", wide, value);
	uint32_t n;

	if (ret)
		return ret;
	n = number_of(pe, wide);
	if (!is_full(pd_thread_of(pe)->home, n)) {
		wait_for(pe, n, READ_FE, value);
		return 0;
	}
	*value = *wide;
	make(pe, n, false);
	return 0;
}

int pimdimm_wide_read_ff(struct pimdimm_pe *pe, struct pimdimm_wide *wide,
			 struct pimdimm_wide *value)
{
	int ret = check_wide(pe, "wide_read_ff", wide, value);
	uint32_t n;

	if (ret)
		return ret;
	n = number_of(pe, wide);
	if (is_full(pd_thread_of(pe)->home, n))
		*value = *wide;
	else
		wait_for(pe, n, READ_FF, value);
	return 0;
}

int pimdimm_wide_set_empty(struct pimdimm_pe *pe, struct pimdimm_wide *wide)
{
	int ret = check_wide(pe, "wide_set_empty", wide, wide);

	if (ret)
		return ret;
	make(pe, number_of(pe, wide), false);
	return 0;
}

int pimdimm_wide_is_full(struct pimdimm_pe *pe, const struct pimdimm_wide *wide)
{
	int ret = check_wide(pe, "wide_is_full", wide, wide);

	return ret ? ret : is_full(pd_thread_of(pe)->home, number_of(pe, wide));
}
