// SPDX-License-Identifier: MIT
/* pimdimm_errmsg(): a sentence for each thread. */
#include <pthread.h>

#include "tests/unit/unit.h"

/* Returns NULL when all is well: cmocka's assertions serve the main thread. */
static void *other_thread(void *arg)
{
	struct pimdimm *sys;

	if (*pimdimm_errmsg())
		return arg;
	if (pimdimm_open("mem:ranks=zwei", &sys) != -EINVAL)
		return arg;
	return strstr(pimdimm_errmsg(), "zwei") ? NULL : arg;
}

/* First of all, before any failure of this thread. */
static void test_empty(void **state)
{
	(void)state;
	assert_string_equal(pimdimm_errmsg(), "");
}

static void test_thread_local(void **state)
{
	struct pimdimm *sys;
	pthread_t thread;
	void *wrong;

	(void)state;
	assert_int_equal(pimdimm_open("mem:ranks=drei", &sys), -EINVAL);
	assert_int_equal(pthread_create(&thread, NULL, other_thread, &sys),
			 0);
	assert_int_equal(pthread_join(thread, &wrong), 0);
	assert_null(wrong);
	assert_non_null(strstr(pimdimm_errmsg(), "drei"));
	assert_null(strstr(pimdimm_errmsg(), "zwei"));
}

static void test_stays(void **state)
{
	struct pimdimm *sys;
	char kept[4096];

	(void)state;
	assert_int_equal(pimdimm_open("mem:ranks=vier", &sys), -EINVAL);
	snprintf(kept, sizeof(kept), "%s", pimdimm_errmsg());
	sys = unit_open("mem:ranks=1,mram=64K");
	assert_string_equal(pimdimm_errmsg(), kept);
	pimdimm_close(sys);
	assert_string_equal(pimdimm_errmsg(), kept);
}

/* Others' functions fail as the library's do, and may quote the sentence that stands. */
static void test_of_others(void **state)
{
	(void)state;
	assert_refused(pimdimm_error(ENOENT, "name=%s, expected %d letters", "funf", 5), ENOENT,
		       "name=funf, expected 5 letters");
	assert_refused(pimdimm_error(EIO, "again: %s", pimdimm_errmsg()), EIO,
		       "again: name=funf");
	assert_refused(pimdimm_error(EIO, "%0600d", 7), EIO, "000");
	assert_int_equal(strlen(pimdimm_errmsg()), 511);
}

/* What it repeats of the outside world is no format string. */
static void test_percent(void **state)
{
	struct pimdimm *sys;

	(void)state;
	assert_int_equal(pimdimm_open("mem:ranks=%s%n%d", &sys), -EINVAL);
	assert_non_null(strstr(pimdimm_errmsg(), "%s%n%d"));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_empty),
	cmocka_unit_test(test_thread_local),
	cmocka_unit_test(test_stays),
	cmocka_unit_test(test_of_others),
		cmocka_unit_test(test_percent),
};

UNIT_MAIN(tests)
