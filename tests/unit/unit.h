/* SPDX-License-Identifier: MIT */
/* What every unit test starts from: cmocka, printing TAP that prove reads. */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <pimdimm/pidcomm.h>
#include <pimdimm/pimdimm.h>

#include "tests/conformance/rng.h"
#include "tests/conformance/support.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* cmocka prints some of its TAP to stderr, which prove does not read. */
static inline void unit_start(void)
{
	const char *left_out = getenv("TEST_LEFT_OUT");

	if (left_out)
		cmocka_set_skip_filter(left_out);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	setvbuf(stdout, NULL, _IOLBF, 0);
	dup2(STDOUT_FILENO, STDERR_FILENO);
}

/* Whether a tier is to be tested: all are, or the one that TEST_TIER names. */
static inline bool unit_tier(const char *name)
{
	const char *only = getenv("TEST_TIER");

	return !only || !strcmp(only, name);
}

#define UNIT_MAIN(tests)						\
	int main(void)							\
	{								\
		unit_start();						\
		return cmocka_run_group_tests(tests, NULL, NULL);	\
	}

/*
 * Leaves a test that cannot run here, aloud. cmocka's skip() before 1.1.7 says "not ok",
 * which is a failure to prove.
 */
#define unit_skip(why)							\
	do {								\
		print_message("# skipped: %s\n", why);			\
		return;							\
	} while (0)

#define assert_ok(call)							\
	do {								\
		int unit_err = (call);					\
									\
		if (unit_err)						\
			fail_msg("%s: %d: %s", #call, unit_err,		\
				 pimdimm_errmsg());			\
	} while (0)

/* Refused with this errno, in a sentence that holds this word. */
#define assert_refused(call, err, word)					\
	do {								\
		int unit_err = (call);					\
									\
		if (unit_err != -(err) || !strstr(pimdimm_errmsg(), word)) \
			fail_msg("%s: %d instead of %d, or no \"%s\" in: %s", \
				 #call, unit_err, -(err), word,		\
				 pimdimm_errmsg());			\
	} while (0)

static inline struct pimdimm *unit_open(const char *uri)
{
	struct pimdimm *sys = NULL;

	assert_ok(pimdimm_open(uri, &sys));
	assert_non_null(sys);
	return sys;
}

static const char *const unit_uris[] = {
	"mem:ranks=2,mram=64K,layout=linear",
	"mem:ranks=2,mram=64K,layout=xeon_sp",
};

/* the module's ranks in their place, where TYPED_ON_DEV is set: there is one layout of them */
static inline const char *unit_uri(const char *const uris[], size_t i, const char *on_dev)
{
	if (!getenv("TYPED_ON_DEV"))
		return uris[i];
	return i ? NULL : on_dev;
}

#endif
