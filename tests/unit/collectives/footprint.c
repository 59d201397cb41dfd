// SPDX-License-Identifier: MIT
/*
 * Memory of `auto` and `direct` beside MRAM and the caller's buffers: below 4 MiB
 * whatever the size of a call. What the kernel counts of the pages that this
 * process has, hypercubes, plans and stacks of all threads included, is exact
 * once MRAM and buffers have been touched; what a call might take and give back
 * meanwhile is told by its requests, of which there may be none.
 */
#include <sys/mman.h>
#include <sys/prctl.h>

#include "tests/conformance/call.h"
#include "tests/conformance/userop.h"
#include "tests/unit/allocations.h"
#include "tests/unit/unit.h"

#define PES	1024u
#define MRAM	(128u << 10)
#define MOST	(64u << 10)	/* bytes of a PE: 64 MiB in all */
#define LIMIT	(4l << 20)

struct rig {
	struct pimdimm *sys;
	struct pidcomm *hc;
	void *bufs[PES];
	uint8_t *memory;	/* of all buffers */
};

static void touch(volatile uint8_t *p, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 4096)
		p[i] = p[i];
}

/* All that the caller provides is there before anything is counted. */
static void rig_make(struct rig *rig)
{
	rig->sys = unit_open("mem:ranks=16,mram=128K");
	for (uint32_t rank = 0; rank < PES / 64; rank++) {
		size_t bytes;
		uint8_t *window = pimdimm_mram(rig->sys, rank, &bytes);

		touch(window, bytes);
	}
	rig->memory = mmap(NULL, PES * MOST, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	assert_true(rig->memory != MAP_FAILED);
	touch(rig->memory, PES * MOST);
}

static void rig_end(struct rig *rig)
{
	munmap(rig->memory, PES * MOST);
	pimdimm_close(rig->sys);
}

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/*
 * Bytes of this process's pages. MRAM is left out, and so are files: of those
 * only what was written to and so copied counts.
 */
static long resident(void)
{
	static char line[512];	/* nothing of our own may count */
	FILE *file = fopen("/proc/self/smaps", "re");
	bool mram = false, from_file = false;
	long sum = 0, kib;
	char name[128];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		/* a mapping's own line; the path may be missing */
		*name = '\0';
		if (sscanf(line, "%*x-%*x %*s %*s %*s %*s %127s", name) >= 0 &&
		    strchr(line, '-') && strchr(line, '-') < strchr(line, ' ')) {
			mram = starts(name, "/memfd:pimdimm");
			from_file = *name == '/' && !starts(name, "/memfd:") &&
				    !starts(name, "/dev/");
		}
		if (mram)
			continue;
		if (sscanf(line, from_file ? "Anonymous: %ld" : "Rss: %ld",
			   &kib) == 1)
			sum += 1024 * kib;
	}
	fclose(file);
	return sum;
}

static void run_collective(struct rig *rig, const struct call *call)
{
	uint32_t groups, members;
	uint64_t each = call->bytes;
	unsigned long requests;
	int err;

	assert_ok(pidcomm_group_count(rig->hc, call->axes, &groups, &members));
	if (call->collective == SCATTER || call->collective == GATHER)
		each *= members;
	for (uint32_t g = 0; g < groups; g++)
		rig->bufs[g] = rig->memory + g * each;
	allocations_start();
	err = call_start(rig->hc, call->axes, call, rig->bufs);
	requests = allocations_stop();
	assert_ok(err);
	if (strcmp(call->algorithm, "conventional"))
		assert_int_equal(requests, 0);
}

/* every collective, with types that fold in different ways */
static void run_all(struct rig *rig, const char *algorithm, uint64_t bytes)
{
	static const char *const axes[] = { "10", "01", "11" };
	static const enum pidcomm_type types[] = { PIDCOMM_I32, PIDCOMM_F16 };
	struct call call = { .algorithm = algorithm, .bytes = bytes };

	for (size_t i = 0; i < 2 * ARRAY_SIZE(axes) * NR_COLLECTIVES; i++) {
		call.collective = i / 6;
		call.type = types[i % 2];
		call.op = PIDCOMM_SUM;
		call.dst = i % 2 && collectives[call.collective].in_place ?
				   0 : MOST;
		strcpy(call.axes, axes[i / 2 % 3]);
		run_collective(rig, &call);
		if (!collectives[call.collective].reduces)
			continue;
		call.op = userops[0].handle;
		run_collective(rig, &call);
	}
}

/* what calls of this size have taken, the hypercube with them */
static long taken(struct rig *rig, const char *algorithm, uint64_t bytes)
{
	static const uint32_t dims[] = { 32, 32 };
	long before, after;

	resident();	/* stdio's own buffers */
	before = resident();
	assert_ok(pidcomm_create(rig->sys, 2, dims, &rig->hc));
	assert_ok(pidcomm_set_algorithm(rig->hc, NULL, algorithm));
	run_all(rig, algorithm, bytes);
	after = resident();
	pidcomm_destroy(rig->hc);
	printf("# %s, %llu MiB: %ld KiB\n", algorithm,
	       (unsigned long long)bytes * PES >> 20, (after - before) >> 10);
	return after - before;
}

static void check(const char *algorithm)
{
	/* 8, 16 and 64 MiB in all, the largest first and last */
	static const uint64_t bytes[] = { MOST, 8192, 16384, MOST };
	struct rig rig;

	rig_make(&rig);
	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++)
		assert_true(taken(&rig, algorithm, bytes[i]) < LIMIT);
	rig_end(&rig);
}

static void test_auto(void **state)
{
	(void)state;
	check("auto");
}

static void test_direct(void **state)
{
	(void)state;
	check("direct");
}

/* with more threads, each has a stack */
static void test_threads(void **state)
{
	(void)state;
	setenv("PIMDIMM_THREADS", "16", 1);
	check("auto");
	unsetenv("PIMDIMM_THREADS");
}

/* What stages is seen to. */
static void test_instrument(void **state)
{
	struct rig rig;

	(void)state;
	rig_make(&rig);
	assert_true(taken(&rig, "conventional", MOST) > (long)(PES * MOST));
	rig_end(&rig);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_auto),
	cmocka_unit_test(test_direct),
	cmocka_unit_test(test_threads),
	cmocka_unit_test(test_instrument),
};

int main(void)
{
	int ret;

	unit_start();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	printf("1..0 # SKIP sanitizers take memory of their own\n");
	return 0;
#endif
	/* a page is a page, whatever huge pages are set to */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	userops_create();
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	userops_free();
	return ret;
}
