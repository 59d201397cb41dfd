// SPDX-License-Identifier: MIT
/* Hypercubes and their coordinates, against enumeration. */
#include "tests/conformance/grouping.h"
#include "tests/unit/unit.h"

static void check_axes(struct pidcomm *hc, const struct shape *shape,
		       const char *axes)
{
	uint32_t groups = 0, members = 0;
	struct grouping g;

	grouping_make(shape, axes, &g);
	assert_ok(pidcomm_group_count(hc, axes, &groups, &members));
	assert_int_equal(groups, g.groups);
	assert_int_equal(members, g.members);
	for (uint32_t i = 0; i < groups; i++) {
		for (uint32_t r = 0; r < members; r++) {
			uint32_t group = ~0u, rank = ~0u;

			assert_ok(pidcomm_group_of(hc, axes,
						   grouping_pe(&g, i, r),
						   &group, &rank));
			assert_int_equal(group, i);
			assert_int_equal(rank, r);
		}
	}
	grouping_free(&g);
}

static void test_random(void **state)
{
	struct pimdimm *sys = unit_open("mem:ranks=4,mram=64K");
	struct rng rng = { 5 };

	(void)state;
	for (int i = 0; i < 1000; i++) {
		char axes[PIDCOMM_MAX_DIMS + 1];
		struct pidcomm *hc = NULL;
		struct shape shape;

		shape_random(&rng, 256, &shape);
		assert_ok(pidcomm_create(sys, shape.ndims, shape.dims, &hc));
		for (int j = 0; j < 3; j++) {
			axes_random(&rng, shape.ndims, axes);
			check_axes(hc, &shape, axes);
		}
		pidcomm_destroy(hc);
	}
	pimdimm_close(sys);
}

/* The numbers of the definition's example, by hand. */
static void test_by_hand(void **state)
{
	static const uint32_t dims[] = { 4, 2, 3 };
	struct pimdimm *sys = unit_open("mem:ranks=1,mram=64K");
	struct pidcomm *hc;
	uint32_t group, rank;

	(void)state;
	assert_ok(pidcomm_create(sys, 3, dims, &hc));
	/* PE 17 is (1, 0, 2) */
	assert_ok(pidcomm_group_of(hc, "010", 17, &group, &rank));
	assert_int_equal(group, 1 + 4 * 2);
	assert_int_equal(rank, 0);
	assert_ok(pidcomm_group_of(hc, "101", 17, &group, &rank));
	assert_int_equal(group, 0);
	assert_int_equal(rank, 1 + 4 * 2);
	assert_ok(pidcomm_group_of(hc, "000", 17, &group, NULL));
	assert_int_equal(group, 17);
	assert_ok(pidcomm_group_of(hc, "111", 17, NULL, &rank));
	assert_int_equal(rank, 17);
	assert_ok(pidcomm_group_count(hc, "110", NULL, NULL));
	pidcomm_destroy(hc);
	pimdimm_close(sys);
}

static void test_coordinate_refusals(void **state)
{
	static const uint32_t dims[] = { 8, 3 };
	struct pimdimm *sys = unit_open("mem:ranks=1,mram=64K");
	uint32_t a = 77, b = 77;
	struct pidcomm *hc;

	(void)state;
	assert_ok(pidcomm_create(sys, 2, dims, &hc));
	assert_refused(pidcomm_group_of(hc, "10", 24, &a, &b), EINVAL, "24");
	assert_refused(pidcomm_group_of(hc, "1", 0, &a, &b), EINVAL, "axes");
	assert_refused(pidcomm_group_of(hc, "100", 0, &a, &b), EINVAL, "axes");
	assert_refused(pidcomm_group_of(hc, "1x", 0, &a, &b), EINVAL, "axes");
	assert_refused(pidcomm_group_of(hc, NULL, 0, &a, &b), EINVAL, "axes");
	assert_refused(pidcomm_group_count(hc, "", &a, &b), EINVAL, "axes");
	assert_refused(pidcomm_group_count(hc, "12", &a, &b), EINVAL, "axes");
	assert_refused(pidcomm_group_count(hc, NULL, &a, &b), EINVAL, "axes");
	assert_int_equal(a, 77);
	assert_int_equal(b, 77);
	pidcomm_destroy(hc);
	pidcomm_destroy(NULL);
	pimdimm_close(sys);
}

static void test_no_hypercube(void **state)
{
	struct pidcomm_stats stats;
	uint32_t a, b;

	(void)state;
	assert_refused(pidcomm_group_of(NULL, "10", 0, &a, &b), EINVAL, "hc");
	assert_refused(pidcomm_group_count(NULL, "10", &a, &b), EINVAL, "hc");
	assert_refused(pidcomm_stats(NULL, &stats), EINVAL, "hc");
}

struct bad_shape {
	unsigned ndims;
	uint32_t dims[PIDCOMM_MAX_DIMS + 1];
	const char *words[2];
};

/* Each message names the axis, or what is wrong, and the value. */
static const struct bad_shape bad_shapes[] = {
	{ 0, { 8 }, { "ndims", "0" } },
	{ 17, { 8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 },
	  { "ndims", "17" } },
	{ UINT32_MAX, { 8 }, { "ndims", "4294967295" } },
	{ 1, { 0 }, { "dims", "0" } },
	{ 3, { 8, 0, 8 }, { "1", "0" } },
	{ 3, { 8, 2, 0 }, { "2", "0" } },
	{ 2, { 3, 8 }, { "0", "3" } },
	{ 3, { 2, 6, 8 }, { "1", "6" } },
	{ 3, { 8, 0x80000001u, 8 }, { "1", "2147483649" } },
	{ 1, { 7 }, { "7", "8" } },
	{ 1, { 12 }, { "12", "8" } },
	{ 2, { 2, 2 }, { "4", "8" } },
	{ 2, { 4, 3 }, { "12", "8" } },
	{ 1, { 136 }, { "136", "128" } },
	{ 2, { 16, 16 }, { "16", "128" } },
	{ 1, { 0xfffffff8u }, { "4294967288", "128" } },
	{ 2, { 0x80000000u, 2 }, { "dims", "128" } },
	{ 2, { 0x10000, 0x10000 }, { "dims", "128" } },
	{ 3, { 0x80000000u, 0x80000000u, 4 }, { "dims", "128" } },
	{ 16, { 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16 },
	  { "dims", "128" } },
};

static void test_create_refusals(void **state)
{
	struct pimdimm *sys = unit_open("mem:ranks=2,mram=64K");
	static const uint32_t dims[] = { 8 };
	struct pidcomm *hc = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad_shapes); i++) {
		const struct bad_shape *bad = &bad_shapes[i];

		assert_refused(pidcomm_create(sys, bad->ndims, bad->dims, &hc),
			       EINVAL, bad->words[0]);
		assert_non_null(strstr(pimdimm_errmsg(), bad->words[1]));
	}
	assert_refused(pidcomm_create(NULL, 1, dims, &hc), EINVAL, "sys");
	assert_refused(pidcomm_create(sys, 1, NULL, &hc), EINVAL, "dims");
	assert_refused(pidcomm_create(sys, 1, dims, NULL), EINVAL, "hc");
	pimdimm_close(sys);
}

static void test_set_algorithm(void **state)
{
	static const char *const names[] = {
		"alltoall", "reduce_scatter", "allreduce", "allgather",
		"scatter", "gather", "reduce", "broadcast", NULL,
	};
	struct pimdimm *sys = unit_open("mem:ranks=1,mram=64K");
	static const uint32_t dims[] = { 8 };
	struct pidcomm *hc;

	(void)state;
	assert_ok(pidcomm_create(sys, 1, dims, &hc));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_ok(pidcomm_set_algorithm(hc, names[i], "direct"));
		assert_ok(pidcomm_set_algorithm(hc, names[i], "conventional"));
		assert_ok(pidcomm_set_algorithm(hc, names[i], "auto"));
		assert_refused(pidcomm_set_algorithm(hc, names[i], "fastest"),
			       EINVAL, "fastest");
		assert_refused(pidcomm_set_algorithm(hc, names[i], ""), EINVAL,
			       "algorithm");
		assert_refused(pidcomm_set_algorithm(hc, names[i], NULL), EINVAL,
			       "algorithm");
	}
	assert_ok(pidcomm_set_algorithm(hc, "allreduce", "ring"));
	assert_ok(pidcomm_set_algorithm(hc, "allreduce", "tree"));
	assert_refused(pidcomm_set_algorithm(hc, "alltoall", "ring"), EOPNOTSUPP,
		       "algorithm=ring does not serve alltoall");
	assert_refused(pidcomm_set_algorithm(hc, "reduce", "tree"), EOPNOTSUPP,
		       "algorithm=tree does not serve reduce");
	assert_refused(pidcomm_set_algorithm(hc, NULL, "tree"), EOPNOTSUPP,
		       "algorithm=tree");
	assert_refused(pidcomm_set_algorithm(hc, "allscatter", "direct"), EINVAL,
		       "allscatter");
	assert_refused(pidcomm_set_algorithm(hc, "", "direct"), EINVAL,
		       "collective");
	assert_refused(pidcomm_set_algorithm(NULL, NULL, "direct"), EINVAL, "hc");
	pidcomm_destroy(hc);
	pimdimm_close(sys);
}

/* dims belong to the caller again once the hypercube is made. */
static void test_dims_copied(void **state)
{
	struct pimdimm *sys = unit_open("mem:ranks=1,mram=64K");
	uint32_t dims[] = { 4, 2 }, groups;
	struct pidcomm *hc;

	(void)state;
	assert_ok(pidcomm_create(sys, 2, dims, &hc));
	dims[0] = 2;
	assert_ok(pidcomm_group_count(hc, "01", &groups, NULL));
	assert_int_equal(groups, 4);
	pidcomm_destroy(hc);
	pimdimm_close(sys);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_random),
	cmocka_unit_test(test_by_hand),
	cmocka_unit_test(test_coordinate_refusals),
	cmocka_unit_test(test_no_hypercube),
	cmocka_unit_test(test_create_refusals),
	cmocka_unit_test(test_set_algorithm),
	cmocka_unit_test(test_dims_copied),
};

UNIT_MAIN(tests)
