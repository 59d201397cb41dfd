// SPDX-License-Identifier: MIT
/* Parsing the knobs of injected faults. */
#include <errno.h>
#include <string.h>

#include <linux/pimdimm_inject.h>

#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include "runtime/ranks/inject_knobs.h"

/* one "KNOB:VALUE[@RANK]" */
struct setting {
	const char *text;
	size_t len;
	uint64_t value;
	uint32_t first, end;	/* ranks */
};

static void set_seed(struct pimdimm_inject *knobs, uint64_t value, uint32_t rank)
{
	pimdimm_inject_seed(knobs, value, rank);
}

#define KNOB(name)							\
	static void set_##name(struct pimdimm_inject *knobs,		\
			       uint64_t value, uint32_t rank)		\
	{								\
		(void)rank;						\
		knobs->name = (__typeof__(knobs->name))value;		\
	}
KNOB(fail_nth)
KNOB(fail_ppm)
KNOB(gone_nth)
KNOB(gone)
KNOB(flip_ppm)
KNOB(delay_us)

static const struct knob {
	const char *name;
	uint64_t max;
	void (*set)(struct pimdimm_inject *knobs, uint64_t value, uint32_t rank);
} knobs_there_are[] = {
	{ "seed", UINT64_MAX, set_seed },
	{ "fail_nth", UINT64_MAX, set_fail_nth },
	{ "fail_ppm", PIMDIMM_PPM, set_fail_ppm },
	{ "gone_nth", UINT64_MAX, set_gone_nth },
	{ "gone", 1, set_gone },
	{ "flip_ppm", PIMDIMM_PPM, set_flip_ppm },
	{ "delay_us", PIMDIMM_DELAY_MAX, set_delay_us },
};

static const struct knob *find_knob(const char *name, size_t len)
{
	for (size_t i = 0;
	     i < sizeof(knobs_there_are) / sizeof(*knobs_there_are); i++) {
		const struct knob *knob = &knobs_there_are[i];

		if (strlen(knob->name) == len &&
		    !strncmp(knob->name, name, len))
			return knob;
	}
	return NULL;
}

static int refuse(const struct setting *s, const char *expected)
{
	return pd_error(EINVAL, "inject: \"%.*s\", expected %s", (int)s->len,
			s->text, expected);
}

/* Which ranks: those of @RANK, of which `at` is the rest, or all. */
static int parse_ranks(struct setting *s, const char *at, uint32_t nr_ranks)
{
	uint64_t rank;

	s->first = 0;
	s->end = nr_ranks;
	if (!at)
		return 0;
	if (!pd_parse_number(at + 1, (size_t)(s->text + s->len - at) - 1, false,
			     nr_ranks - 1, &rank))
		return refuse(s, "a rank of the system behind @");
	s->first = (uint32_t)rank;
	s->end = s->first + 1;
	return 0;
}

static int parse_setting(struct setting *s, struct pimdimm_inject knobs[],
			 uint32_t nr_ranks)
{
	const char *colon = memchr(s->text, ':', s->len);
	const char *at = memchr(s->text, '@', s->len);
	const struct knob *knob;
	size_t len;

	if (!colon || (at && at < colon))
		return refuse(s, "KNOB:VALUE or KNOB:VALUE@RANK");
	knob = find_knob(s->text, (size_t)(colon - s->text));
	if (!knob)
		return refuse(s, "seed, fail_nth, fail_ppm, gone_nth, gone, flip_ppm or delay_us");
	len = (size_t)((at ? at : s->text + s->len) - colon) - 1;
	if (!pd_parse_number(colon + 1, len, false, knob->max, &s->value))
		return pd_error(EINVAL,
				"inject: \"%.*s\", expected a number up to %llu",
				(int)s->len, s->text,
				(unsigned long long)knob->max);
	if (parse_ranks(s, at, nr_ranks))
		return -EINVAL;
	for (uint32_t i = s->first; i < s->end; i++)
		knob->set(&knobs[i], s->value, i);
	return 0;
}

int pd_knobs_parse(const char *text, struct pimdimm_inject knobs[],
		   uint32_t nr_ranks)
{
	struct setting s = { .text = text };
	int ret;

	for (;;) {
		s.len = strcspn(s.text, "+");
		ret = parse_setting(&s, knobs, nr_ranks);
		if (ret || !s.text[s.len])
			return ret;
		s.text += s.len + 1;
	}
}
