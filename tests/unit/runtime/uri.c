// SPDX-License-Identifier: MIT
/* What pimdimm_open takes, and how it says no. */
#include "tests/unit/unit.h"

static void test_geometry(void **state)
{
	static const struct {
		const char *uri;
		uint32_t channels, ranks, layout;
		uint64_t mram;
	} good[] = {
		{ "mem:", 1, 4, 0, 64 << 20 },
		{ "mem:ranks=1", 1, 1, 0, 64 << 20 },
		{ "mem:mram=64K", 1, 4, 0, 65536 },
		{ "mem:mram=65536,ranks=2", 1, 2, 0, 65536 },
		{ "mem:mram=68K,ranks=2", 1, 2, 0, 68 << 10 },
		{ "mem:mram=2M,ranks=1", 1, 1, 0, 2 << 20 },
		{ "mem:channels=2,ranks=3,mram=64K", 2, 3, 0, 65536 },
		{ "mem:layout=xeon_sp,mram=64K,ranks=1", 1, 1, 1, 65536 },
		{ "mem:layout=linear,mram=64M,ranks=1", 1, 1, 0, 64 << 20 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct pimdimm *sys = unit_open(good[i].uri);
		const struct pimdimm_geometry *g = pimdimm_geometry(sys);

		assert_int_equal(g->channels, good[i].channels);
		assert_int_equal(g->ranks_per_channel, good[i].ranks);
		assert_int_equal(g->banks, 8);
		assert_int_equal(g->chips, 8);
		assert_int_equal(g->nr_pes, 64 * good[i].channels * good[i].ranks);
		assert_int_equal(g->max_tasklets, 24);
		assert_true(g->mram_size == good[i].mram);
		assert_int_equal(g->wram_size, 65536);
		assert_int_equal(g->layout, good[i].layout);
		pimdimm_close(sys);
	}
}

/* URIs that are refused, and a word of the sentence that says why */
static const struct {
	const char *uri, *word;
} refused[] = {
	{ " ", "" },
	{ "mem", "mem" },
	{ "memory:", "memory" },
	{ "MEM:", "MEM" },
	{ "http://x", "http" },
	{ ":ranks=1", "" },
	{ "mem:rank=1", "rank" },
	{ "mem:ranks", "ranks" },
	{ "mem:ranks=", "ranks" },
	{ "mem:ranks=0", "ranks" },
	{ "mem:ranks=-1", "ranks" },
	{ "mem:ranks=+1", "ranks" },
	{ "mem:ranks= 1", "ranks" },
	{ "mem:ranks=1x", "ranks" },
	{ "mem:ranks=1,", "" },
	{ "mem:,ranks=1", "" },
	{ "mem:ranks=1,,mram=64K", "" },
	{ "mem:ranks=4294967296", "ranks" },
	{ "mem:ranks=4294967297", "ranks" },
	{ "mem:ranks=99999999999999999999999", "ranks" },
	{ "mem:channels=0", "channels" },
	{ "mem:channels=two", "channels" },
	{ "mem:channels=65536,ranks=65536", "channels" },
	{ "mem:mram=0", "mram" },
	{ "mem:mram=", "mram" },
	{ "mem:mram=K", "mram" },
	{ "mem:mram=4K", "mram" },
	{ "mem:mram=60K", "mram" },
	{ "mem:mram=65535", "mram" },
	{ "mem:mram=65537", "mram" },
	{ "mem:mram=66K", "mram" },
	{ "mem:mram=65M", "mram" },
	{ "mem:mram=67112960", "mram" },
	{ "mem:mram=1G", "mram" },
	{ "mem:mram=1KK", "mram" },
	{ "mem:mram=1T", "mram" },
	{ "mem:mram=1MB", "mram" },
	{ "mem:mram=17592186044417M", "mram" },
	{ "mem:mram=18446744073709551615G", "mram" },
	{ "mem:layout=", "layout" },
	{ "mem:layout=Linear", "layout" },
	{ "mem:layout=0", "layout" },
	{ "mem:layout=linear2", "layout" },
	{ "mem:size=3", "size" },
	{ "mem:/dev/pimdimm0", "/dev/pimdimm0" },
	{ "dev:ranks=0", "ranks" },
	{ "dev:ranks=x", "ranks" },
	{ "dev:mram=64K", "mram" },
	{ "dev:foo=1", "foo" },
	{ "dev:system=", "system" },
	{ "dev:system=a,system=b", "system" },
	{ "dev:system=a,/dev/pimdimm0", "/dev/pimdimm0" },
	{ "mem:system=a", "system" },
	{ "mem:file=", "file" },
	{ "mem:reserve=2", "reserve" },
	{ "dev:reserve=1", "reserve" },
	{ "dev:file=/tmp/a", "file" },
};

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		struct pimdimm *sys = (struct pimdimm *)(uintptr_t)8;
		int err = pimdimm_open(refused[i].uri, &sys);

		if (err != -EINVAL || !*pimdimm_errmsg() ||
		    !strstr(pimdimm_errmsg(), refused[i].word))
			fail_msg("\"%s\": %d, without \"%s\": %s", refused[i].uri,
				 err, refused[i].word, pimdimm_errmsg());
	}
}

static void test_long(void **state)
{
	char *uri = need(malloc(1 << 16));
	struct pimdimm *sys;

	(void)state;
	memset(uri, 'r', 1 << 16);
	memcpy(uri, "mem:", 4);
	uri[(1 << 16) - 1] = '\0';
	assert_int_equal(pimdimm_open(uri, &sys), -EINVAL);
	assert_true(strlen(pimdimm_errmsg()) < 4096);
	memcpy(uri, "dev:/", 5);
	assert_true(pimdimm_open(uri, &sys) < 0);
	free(uri);
}

static void test_devices(void **state)
{
	struct pimdimm *sys;

	(void)state;
	assert_refused(pimdimm_open("dev:/nonexistent/pimdimm0", &sys), ENOENT,
		       "/nonexistent/pimdimm0");
	assert_refused(pimdimm_open("dev:/dev/null", &sys), ENODEV, "/dev/null");
	assert_true(pimdimm_open("dev:/dev", &sys) < 0);
	assert_non_null(strstr(pimdimm_errmsg(), "/dev"));
	assert_refused(pimdimm_open("dev:/etc/hostname", &sys), ENODEV,
		       "/etc/hostname");
}

static void test_strict(void **state)
{
	static const char *const bad[] = {
		"mem:strict=2", "mem:strict=", "mem:strict=10", "mem:strict=yes",
		"dev:strict=2", "mem:strict=1,strict=1",
	};
	struct pimdimm *sys;

	(void)state;
	pimdimm_close(unit_open("mem:strict=1"));
	pimdimm_close(unit_open("mem:strict=0"));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_refused(pimdimm_open(bad[i], &sys), EINVAL, "strict");
}

static void test_null(void **state)
{
	struct pimdimm *sys;

	(void)state;
	assert_refused(pimdimm_open("mem:", NULL), EINVAL, "sys");
	setenv("PIMDIMM_URI", "mem:ranks=3,mram=128K", 1);
	assert_ok(pimdimm_open(NULL, &sys));
	assert_int_equal(pimdimm_geometry(sys)->nr_pes, 192);
	pimdimm_close(sys);
	setenv("PIMDIMM_URI", "mem:ranks=many", 1);
	assert_refused(pimdimm_open(NULL, &sys), EINVAL, "ranks");
	unsetenv("PIMDIMM_URI");
	assert_ok(pimdimm_open(NULL, &sys));
	assert_int_equal(pimdimm_geometry(sys)->nr_pes, 256);
	pimdimm_close(sys);
	pimdimm_close(NULL);
}

static void test_no_system(void **state)
{
	(void)state;
	assert_null(pimdimm_geometry(NULL));
	assert_null(pimdimm_mram(NULL, 0, NULL));
}

static void test_version(void **state)
{
	(void)state;
	assert_string_equal(pimdimm_version(), PIMDIMM_VERSION);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_geometry),
	cmocka_unit_test(test_bad),
	cmocka_unit_test(test_long),
	cmocka_unit_test(test_devices),
	cmocka_unit_test(test_strict),
	cmocka_unit_test(test_null),
	cmocka_unit_test(test_no_system),
	cmocka_unit_test(test_version),
};

UNIT_MAIN(tests)
