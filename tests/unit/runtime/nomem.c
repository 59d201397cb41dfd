// SPDX-License-Identifier: MIT
/*
 * Out of memory: each allocation, mapping and thread that the library asks for
 * fails once. Only -ENOMEM or -EAGAIN may come of it, nothing leaks, MRAM is as
 * it was, and the next try succeeds.
 */
#include <sys/stat.h>
#include <pimdimm/program.h>
#include <pimdimm/spmd.h>

#include "tests/unit/failing.h"
#include "tests/unit/unit.h"

#define MRAM	0x10000u
#define NR_PES	128u
#define MOST	500	/* requests of one call, more means that it never ends */

struct rig {
	struct pimdimm *sys;
	struct pidcomm *hc;
	pidcomm_op op;
	void *bufs[NR_PES];
	uint8_t *before, *after;
};

typedef int (*scenario)(struct rig *rig);

static void add(void *inout, const void *in, size_t count,
		enum pidcomm_type type, void *ctx)
{
	uint64_t *x = inout;
	const uint64_t *y = in;

	(void)type;
	(void)ctx;
	for (size_t i = 0; i < count; i++)
		x[i] += y[i];
}

static void copy_kernel(struct pimdimm_pe *pe, void *arg)
{
	(void)arg;
	pimdimm_mram_write(pe, 0, pimdimm_wram(pe), 8);
}

static int make_bufs(struct rig *rig)
{
	for (uint32_t pe = 0; pe < NR_PES; pe++)
		rig->bufs[pe] = need(calloc(NR_PES, 4096));
	rig->before = need(malloc(NR_PES * MRAM));
	rig->after = need(malloc(NR_PES * MRAM));
	return 0;
}

static void free_bufs(struct rig *rig)
{
	for (uint32_t pe = 0; pe < NR_PES; pe++)
		free(rig->bufs[pe]);
	free(rig->before);
	free(rig->after);
}

static void rig_make(struct rig *rig, const char *uri, const char *algorithm)
{
	static const uint32_t dims[] = { 4, 4, 8 };
	struct rng rng = { 6 };
	uint8_t *data = need(malloc(MRAM));

	make_bufs(rig);
	rig->sys = unit_open(uri);
	assert_ok(pidcomm_create(rig->sys, 3, dims, &rig->hc));
	assert_ok(pidcomm_op_create(add, NULL, &rig->op));
	assert_ok(pidcomm_set_algorithm(rig->hc, NULL, algorithm));
	for (uint32_t pe = 0; pe < NR_PES; pe++) {
		rng_fill(&rng, data, MRAM);
		assert_ok(pimdimm_write(rig->sys, pe, 0, data, MRAM));
	}
	free(data);
}

static void rig_end(struct rig *rig)
{
	pidcomm_op_free(rig->op);
	pidcomm_destroy(rig->hc);
	pimdimm_close(rig->sys);
	free_bufs(rig);
}

static void read_all(struct rig *rig, uint8_t *to)
{
	for (uint32_t pe = 0; rig->sys && pe < NR_PES; pe++)
		assert_ok(pimdimm_read(rig->sys, pe, 0, to + pe * MRAM, MRAM));
}

static void check_failure(struct rig *rig, const char *name, unsigned nth,
			  int err, long outstanding)
{
	if (err != -ENOMEM && err != -EAGAIN)
		fail_msg("%s, request %u: %d: %s", name, nth, err,
			 pimdimm_errmsg());
	if (failing_outstanding() != outstanding)
		fail_msg("%s, request %u: %ld are not given back", name, nth,
			 failing_outstanding() - outstanding);
	assert_true(strlen(pimdimm_errmsg()) > 0);
	if (!rig->sys)
		return;
	read_all(rig, rig->after);
	assert_memory_equal(rig->before, rig->after, NR_PES * MRAM);
}

/* The scenario gives back all that it takes, whether it fails or not. */
static void every_failure(struct rig *rig, const char *name, scenario run)
{
	long outstanding;
	unsigned nth;
	bool fired;
	int err;

	/* what is made once, when first needed, is no leak */
	read_all(rig, rig->before);
	outstanding = failing_outstanding();
	for (nth = 1; nth < MOST; nth++) {
		failing_start(nth);
		err = run(rig);
		fired = failing_stop();
		if (!fired)
			break;
		/* it may do with less */
		if (!err)
			read_all(rig, rig->before);
		else
			check_failure(rig, name, nth, err, outstanding);
	}
	assert_true(nth < MOST);
	if (err)
		fail_msg("%s: %d: %s", name, err, pimdimm_errmsg());
	printf("# %s: %u requests\n", name, nth - 1);
}

static int open_linear(struct rig *rig)
{
	struct pimdimm *sys;
	int err = pimdimm_open("mem:ranks=2,mram=64K", &sys);

	(void)rig;
	if (!err)
		pimdimm_close(sys);
	return err;
}

static int open_xeon_sp(struct rig *rig)
{
	struct pimdimm *sys;
	int err = pimdimm_open("mem:channels=2,ranks=2,mram=64K,layout=xeon_sp",
			       &sys);

	(void)rig;
	if (!err)
		pimdimm_close(sys);
	return err;
}

static int open_strict(struct rig *rig)
{
	struct pimdimm *sys;
	int err = pimdimm_open("mem:ranks=2,mram=64K,strict=1", &sys);

	(void)rig;
	if (!err)
		pimdimm_close(sys);
	return err;
}

/* A folder of the test's own, and the one file that is ever in it. */
static char folder[] = "/tmp/pimdimm-nomem-XXXXXX", kept[sizeof(folder) + 8];

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(kept, sizeof(kept), "%s/file", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

/* A file is made, and opened again; one that was made for nothing goes. */
static int open_file(struct rig *rig)
{
	char uri[128];
	struct pimdimm *sys;
	int err = 0;

	(void)rig;
	snprintf(uri, sizeof(uri), "mem:ranks=2,mram=64K,reserve=1,file=%s", kept);
	for (int i = 0; i < 2 && !err; i++) {
		err = pimdimm_open(uri, &sys);
		assert_int_equal(!access(kept, F_OK), !err || i);
		if (!err)
			pimdimm_close(sys);
	}
	unlink(kept);
	return err;
}

static int open_no_device(struct rig *rig)
{
	struct pimdimm *sys;
	int err = pimdimm_open("dev:/nonexistent/a,/nonexistent/b", &sys);

	(void)rig;
	return err == -ENOENT ? 0 : err;
}

/* from memory: files that are opened are not counted */
static int program_open(struct pimdimm_program **program)
{
	static uint8_t image[65536];
	static size_t bytes;

	if (!bytes) {
		FILE *file = fopen(PE_PROGRAMS "/loaded.elf", "r");

		assert_non_null(file);
		bytes = fread(image, 1, sizeof(image), file);
		fclose(file);
	}
	return pimdimm_program_open_memory(image, bytes, program);
}

static int open_program(struct rig *rig)
{
	struct pimdimm_program *program;
	int err = program_open(&program);

	(void)rig;
	if (!err)
		pimdimm_program_close(program);
	return err;
}

static void test_open(void **state)
{
	struct rig rig = { 0 };

	(void)state;
	open_linear(&rig);
	every_failure(&rig, "open linear", open_linear);
	every_failure(&rig, "open xeon_sp", open_xeon_sp);
	every_failure(&rig, "open strict", open_strict);
	every_failure(&rig, "open file", open_file);
	every_failure(&rig, "open dev:", open_no_device);
	open_program(&rig);
	every_failure(&rig, "open a program", open_program);
}

static int create(struct rig *rig)
{
	static const uint32_t dims[] = { 2, 2, 2, 16 };
	struct pidcomm *hc;
	int err = pidcomm_create(rig->sys, 4, dims, &hc);

	if (!err)
		pidcomm_destroy(hc);
	return err;
}

static int op_create(struct rig *rig)
{
	pidcomm_op op;
	int err = pidcomm_op_create(add, NULL, &op);

	(void)rig;
	if (!err)
		pidcomm_op_free(op);
	return err;
}

static int launch_one(struct rig *rig)
{
	return pimdimm_launch(rig->sys, 0, NR_PES, 1, copy_kernel, NULL);
}

static int launch_many(struct rig *rig)
{
	return pimdimm_launch(rig->sys, 0, NR_PES, 16, copy_kernel, NULL);
}

/* Whatever fails, the windows are the host's afterwards. */
static int touch_after(struct rig *rig, int err)
{
	for (uint32_t i = 0; i < NR_PES / 64; i++)
		*(volatile uint8_t *)pimdimm_mram(rig->sys, i, NULL) |= 0;
	return err;
}

static void nothing_entry(struct pimdimm_pe *pe, void *frame)
{
	(void)frame;
	pimdimm_yield(pe);
}

static void sending_kernel(struct pimdimm_pe *pe, void *arg)
{
	(void)arg;
	for (uint32_t to = 0; to < 4; to++)
		pimdimm_parcel(pe, to, nothing_entry, NULL, 0);
	pimdimm_barrier(pe);
}

/* of a system of its own, which keeps no stacks of the last time */
static int run_spmd(struct rig *rig)
{
	struct pimdimm_spmd how = { .size = sizeof(how), .nr_tasklets = 2 };
	struct pimdimm *sys;
	int err = pimdimm_open("mem:ranks=1,mram=64K", &sys);

	(void)rig;
	if (err)
		return err;
	err = pimdimm_spmd(sys, 0, 4, sending_kernel, NULL, &how);
	pimdimm_close(sys);
	return err;
}

static int launch_one_strict(struct rig *rig)
{
	return touch_after(rig, launch_one(rig));
}

static int launch_many_strict(struct rig *rig)
{
	return touch_after(rig, launch_many(rig));
}

static int push(struct rig *rig)
{
	return pimdimm_push(rig->sys, 0, NR_PES, 0,
			    (const void *const *)rig->bufs, 4096);
}

static int pull(struct rig *rig)
{
	return pimdimm_pull(rig->sys, 0, NR_PES, 0, rig->bufs, 4096);
}

static void test_others(void **state)
{
	struct rig rig;

	(void)state;
	rig_make(&rig, unit_uris[0], "auto");
	op_create(&rig);
	every_failure(&rig, "create", create);
	every_failure(&rig, "op_create", op_create);
	every_failure(&rig, "launch, 1 tasklet", launch_one);
	every_failure(&rig, "launch, 16 tasklets", launch_many);
	every_failure(&rig, "resident kernels", run_spmd);
	every_failure(&rig, "push", push);
	every_failure(&rig, "pull", pull);
	rig_end(&rig);
}

static void test_strict(void **state)
{
	struct rig rig;

	(void)state;
	rig_make(&rig, "mem:ranks=2,mram=64K,strict=1", "auto");
	every_failure(&rig, "strict launch, 1 tasklet", launch_one_strict);
	every_failure(&rig, "strict launch, 16 tasklets", launch_many_strict);
	rig_end(&rig);
}

static int alltoall(struct rig *rig)
{
	return pidcomm_alltoall(rig->hc, "101", 4096, 0, 0);
}

static int reduce_scatter(struct rig *rig)
{
	return pidcomm_reduce_scatter(rig->hc, "011", 4096, 0, 8192, PIDCOMM_F16,
				      PIDCOMM_SUM);
}

static int allreduce(struct rig *rig)
{
	return pidcomm_allreduce(rig->hc, "111", 4096, 0, 0, PIDCOMM_I32,
				 PIDCOMM_MIN);
}

static int allreduce_user(struct rig *rig)
{
	return pidcomm_allreduce(rig->hc, "111", 4096, 0, 8192, PIDCOMM_U64,
				 rig->op);
}

static int allgather(struct rig *rig)
{
	return pidcomm_allgather(rig->hc, "110", 4096, 0, 0);
}

static int scatter(struct rig *rig)
{
	return pidcomm_scatter(rig->hc, "010", 4096,
			       (const void *const *)rig->bufs, 8);
}

static int gather(struct rig *rig)
{
	return pidcomm_gather(rig->hc, "100", 4096, 8, rig->bufs);
}

static int reduce(struct rig *rig)
{
	return pidcomm_reduce(rig->hc, "111", 4096, 8, rig->bufs, PIDCOMM_F64,
			      PIDCOMM_PROD);
}

static int reduce_user(struct rig *rig)
{
	return pidcomm_reduce(rig->hc, "110", 4096, 8, rig->bufs, PIDCOMM_U64,
			      rig->op);
}

static int broadcast(struct rig *rig)
{
	return pidcomm_broadcast(rig->hc, "110", 4096,
				 (const void *const *)rig->bufs, 8);
}

static const struct {
	const char *name;
	scenario run;
} scenarios[] = {
	{ "alltoall", alltoall }, { "reduce_scatter", reduce_scatter },
	{ "allreduce", allreduce }, { "allreduce, user's", allreduce_user },
	{ "allgather", allgather }, { "scatter", scatter },
	{ "gather", gather }, { "reduce", reduce },
	{ "reduce, user's", reduce_user }, { "broadcast", broadcast },
};

static void check_collectives(const char *algorithm)
{
	for (size_t i = 0; i < ARRAY_SIZE(scenarios); i++) {
		struct rig rig;
		char name[64];
		long outstanding = failing_outstanding();

		snprintf(name, sizeof(name), "%s %s", algorithm,
			 scenarios[i].name);
		rig_make(&rig, unit_uris[i % 2], algorithm);
		every_failure(&rig, name, scenarios[i].run);
		rig_end(&rig);
		assert_int_equal(failing_outstanding(), outstanding);
	}
}

static void test_direct(void **state)
{
	(void)state;
	check_collectives("direct");
}

static void test_conventional(void **state)
{
	(void)state;
	check_collectives("conventional");
}

/* what each step of help from PEs serves: bytes, and not in place */
static int assisted_alltoall(struct rig *rig)
{
	return pidcomm_alltoall(rig->hc, "101", 4096, 0, 8192);
}

static int assisted_reduce_scatter(struct rig *rig)
{
	return pidcomm_reduce_scatter(rig->hc, "101", 4096, 0, 8192, PIDCOMM_I8,
				      PIDCOMM_SUM);
}

static int assisted_allreduce(struct rig *rig)
{
	return pidcomm_allreduce(rig->hc, "111", 4096 + 24, 0, 8192, PIDCOMM_I8,
				 PIDCOMM_MIN);
}

static int assisted_allgather(struct rig *rig)
{
	return pidcomm_allgather(rig->hc, "110", 4096, 0, 8192);
}

static int assisted_reduce(struct rig *rig)
{
	return pidcomm_reduce(rig->hc, "101", 4096, 8, rig->bufs, PIDCOMM_U8,
			      PIDCOMM_MAX);
}

static const struct {
	const char *name;
	scenario run;
} assisted[] = {
	{ "alltoall", assisted_alltoall },
	{ "reduce_scatter", assisted_reduce_scatter },
	{ "allreduce", assisted_allreduce },
	{ "allgather", assisted_allgather }, { "reduce", assisted_reduce },
};

static void test_assisted(void **state)
{
	static const char *const steps[] = { "pr", "pr+im", "pr+im+cm" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(assisted) * ARRAY_SIZE(steps); i++) {
		size_t what = i / ARRAY_SIZE(steps), how = i % ARRAY_SIZE(steps);
		long outstanding = failing_outstanding();
		struct rig rig;
		char name[64];

		snprintf(name, sizeof(name), "%s %s", steps[how],
			 assisted[what].name);
		rig_make(&rig, unit_uris[i % 2], "auto");
		assert_ok(pidcomm_set_algorithm(rig.hc, assisted[what].name,
						steps[how]));
		every_failure(&rig, name, assisted[what].run);
		rig_end(&rig);
		assert_int_equal(failing_outstanding(), outstanding);
	}
}

/* on a system of its own each time, whose worker process ends with it */
static int run_program(struct rig *rig)
{
	static const uint32_t pes[] = { 0, 1, 2, 9, 17 };
	struct pimdimm *sys;
	struct pimdimm_program *program;
	uint64_t word = 1;
	int err;

	(void)rig;
	err = pimdimm_open("mem:ranks=1,mram=64K", &sys);
	if (err)
		return err;
	err = program_open(&program);
	if (err) {
		pimdimm_close(sys);
		return err;
	}
	err = pimdimm_load(sys, pes, ARRAY_SIZE(pes), program);
	if (!err)
		err = pimdimm_wram_write(sys, 1, 0x8000, &word, 8);
	if (!err)
		err = pimdimm_run(sys, pes, ARRAY_SIZE(pes), NULL);
	if (!err)
		err = pimdimm_run(sys, pes, ARRAY_SIZE(pes), NULL);
	pimdimm_program_close(program);
	pimdimm_close(sys);
	/* no memory for what one PE keeps is that PE's fault */
	return err == -EFAULT ? -ENOMEM : err;
}

/* Nothing but the file that is meant is left, whatever fails. */
static int save(struct rig *rig)
{
	int err = pimdimm_save(rig->sys, kept);

	assert_int_equal(unlink(kept), err ? -1 : 0);
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(mkdir(folder, 0700), 0);
	return err;
}

static int restore(struct rig *rig)
{
	return pimdimm_restore(rig->sys, kept);
}

static void test_save(void **state)
{
	static const uint32_t pes[] = { 0, 3 };
	struct pimdimm_program *program;
	uint64_t word = 1;
	struct rig rig;

	(void)state;
	rig_make(&rig, unit_uris[0], "auto");
	assert_ok(program_open(&program));
	assert_ok(pimdimm_load(rig.sys, pes, ARRAY_SIZE(pes), program));
	assert_ok(pimdimm_wram_write(rig.sys, 3, 0x8000, &word, 8));
	every_failure(&rig, "save", save);
	assert_ok(pimdimm_save(rig.sys, kept));
	assert_ok(pimdimm_restore(rig.sys, kept));
	every_failure(&rig, "restore", restore);
	pimdimm_program_close(program);
	rig_end(&rig);
	assert_int_equal(unlink(kept), 0);
}

static void test_programs(void **state)
{
	struct rig rig = { 0 };

	(void)state;
	assert_ok(setenv("PIMDIMM_THREADS", "1", 1));
	assert_ok(run_program(&rig));
	every_failure(&rig, "run a program", run_program);
	unsetenv("PIMDIMM_THREADS");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_open),
	cmocka_unit_test(test_others),
	cmocka_unit_test(test_strict),
	cmocka_unit_test(test_direct),
	cmocka_unit_test(test_conventional),
	cmocka_unit_test(test_assisted),
	cmocka_unit_test(test_save),
	cmocka_unit_test(test_programs),
};

int main(void)
{
	unit_start();
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
