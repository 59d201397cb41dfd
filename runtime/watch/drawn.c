// SPDX-License-Identifier: MIT
/* Which PEs' tasklets are drawn in the timeline, and how much of them. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include "runtime/watch/drawn.h"

#define MAX_RANGES	64

static struct {
	pthread_once_t once;
	bool wrong;
	uint32_t nr;
	struct { uint64_t first, last; } ranges[MAX_RANGES];
	_Atomic uint32_t drawn;
} drawn = { .once = PTHREAD_ONCE_INIT };

/* "N" or "N-M" */
static bool read_range(const char *text, size_t length)
{
	const char *dash = memchr(text, '-', length);
	size_t first = dash ? (size_t)(dash - text) : length;
	uint64_t *range;

	if (drawn.nr == MAX_RANGES)
		return false;
	range = &drawn.ranges[drawn.nr++].first;
	if (!pd_parse_number(text, first, false, UINT32_MAX, &range[0]))
		return false;
	range[1] = range[0];
	return !dash || (pd_parse_number(dash + 1, length - first - 1, false, UINT32_MAX,
					 &range[1]) && range[1] >= range[0]);
}

static void read_drawn(void)
{
	/* not for who has more rights than the one who asks */
	const char *text = secure_getenv("PIMDIMM_TRACE_TASKLETS");

	if (!text || !*text)
		return;
	if (!strcmp(text, "all"))
		text = "0-4294967295";
	for (;;) {
		size_t length = strcspn(text, ",");

		drawn.wrong |= !read_range(text, length);
		if (drawn.wrong || !text[length])
			return;
		text += length + 1;
	}
}

int pd_drawn_open(void)
{
	pthread_once(&drawn.once, read_drawn);
	if (!drawn.wrong)
		return 0;
	return pd_error(EINVAL, "PIMDIMM_TRACE_TASKLETS is \"%s\", expected all, or PEs such as 0,64-67, of %d ranges at most",
			getenv("PIMDIMM_TRACE_TASKLETS"), MAX_RANGES);
}

bool pd_drawn_pe(uint32_t pe)
{
	for (uint32_t i = 0; i < drawn.nr; i++)
		if (pe >= drawn.ranges[i].first && pe <= drawn.ranges[i].last)
			return true;
	return false;
}

uint32_t pd_drawn_take(uint32_t waits)
{
	uint32_t before = atomic_load(&drawn.drawn), taken;

	do {
		taken = PD_DRAWN_WAITS - before;
		taken = waits < taken ? waits : taken;
	} while (!atomic_compare_exchange_weak(&drawn.drawn, &before, before + taken));
	return taken;
}
