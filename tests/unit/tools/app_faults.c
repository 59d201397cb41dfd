// SPDX-License-Identifier: MIT
/*
 * Applications in memory that fails: whatever bits flip, a result that is not the right one
 * never passes for verified; a transfer that fails ends a run with a sentence. Elements are
 * integers, since of floats a flip in the last bits is within any bound.
 */
#include "tests/unit/unit.h"

#include <sys/mman.h>

#include "tests/unit/small_apps.h"
#include "tools/apps/common/pes.h"

/* seeds that flip bits; APP_FAULT_SEEDS=N takes more, APP_FAULT_PPM=N other numbers of bits */
#define SEEDS 200
#define PPM "150"

/* what a run ends with */
struct outcome {
	int status;
	uint64_t wrong;
	char *result;		/* what --output writes, where it is verified */
	size_t bytes;
	char said[1024];	/* on standard error */
};

static void write_result(struct app_context *ctx, struct outcome *outcome)
{
	FILE *file = open_memstream(&outcome->result, &outcome->bytes);

	assert_non_null(file);
	assert_ok(ctx->app->write(ctx, file));
	assert_int_equal(fclose(file), 0);
}

static void execute(const struct small *small, const char *uri, struct outcome *outcome)
{
	struct app_context *ctx = calloc(1, sizeof(*ctx));

	begin_small(ctx, small, uri);
	outcome->status = app_load(ctx);
	if (!outcome->status)
		outcome->status = app_open(ctx);
	if (!outcome->status)
		outcome->status = app_execute(ctx);
	outcome->wrong = ctx->wrong;
	if (!outcome->status && !ctx->wrong)
		write_result(ctx, outcome);
	app_end(ctx);
	free(ctx);
}

/* With what it says on standard error kept. */
static void run_small(const struct small *small, const char *faults, struct outcome *outcome)
{
	int kept = dup(STDERR_FILENO), said = memfd_create("said", MFD_CLOEXEC);
	ssize_t length;
	char uri[160];

	snprintf(uri, sizeof(uri), "mem:ranks=1,mram=64K%s", faults);
	*outcome = (struct outcome){ 0 };
	assert_true(kept >= 0 && said >= 0);
	dup2(said, STDERR_FILENO);
	execute(small, uri, outcome);
	dup2(kept, STDERR_FILENO);
	length = pread(said, outcome->said, sizeof(outcome->said) - 1, 0);
	assert_true(length >= 0);
	close(kept);
	close(said);
}

/* One line, which names what failed. */
static bool is_sentence(const char *said)
{
	const char *newline = strchr(said, '\n');

	return !strncmp(said, "pimdimm: ", 9) && newline && !newline[1];
}

/* Which of the ways in which a run may end this one took; it may take no other. */
enum ending { RIGHT, NOTICED, FAILED, NR_ENDINGS };

static enum ending ending_of(const struct small *small, const char *faults,
			     const struct outcome *right)
{
	struct outcome outcome;
	enum ending ending = FAILED;

	run_small(small, faults, &outcome);
	if (outcome.status && (outcome.status != TOOL_FAILED || !is_sentence(outcome.said)))
		fail_msg("%s%s: status %d after: %s", small->app->name, faults,
			 outcome.status, outcome.said);
	if (!outcome.status) {
		ending = outcome.wrong ? NOTICED : RIGHT;
		if (!outcome.wrong && (outcome.bytes != right->bytes ||
				       memcmp(outcome.result, right->result, right->bytes)))
			fail_msg("%s%s: a changed result is verified",
				 small->app->name, faults);
	}
	free(outcome.result);
	return ending;
}

/* Deals the seeds out over the runs, and counts how these end. */
static void count_endings(const char *fault, unsigned int seeds,
			  unsigned int endings[][NR_ENDINGS])
{
	for (size_t i = 0; i < ARRAY_SIZE(small_apps); i++) {
		struct outcome right;

		run_small(&small_apps[i], "", &right);
		assert_int_equal(right.status, TOOL_OK);
		assert_non_null(right.result);
		for (unsigned int seed = (unsigned int)i; seed < seeds;
		     seed += ARRAY_SIZE(small_apps)) {
			char faults[80];

			snprintf(faults, sizeof(faults), ",inject=%s+seed:%u", fault, seed);
			endings[i][ending_of(&small_apps[i], faults, &right)]++;
		}
		free(right.result);
		print_message("# %s, %s: %u as without, %u wrong, %u failed\n",
			      small_apps[i].app->name, fault, endings[i][RIGHT],
			      endings[i][NOTICED], endings[i][FAILED]);
	}
}

static void flips(void **state)
{
	unsigned int endings[ARRAY_SIZE(small_apps)][NR_ENDINGS] = { 0 };
	const char *seeds = getenv("APP_FAULT_SEEDS"), *ppm = getenv("APP_FAULT_PPM");
	char fault[40];

	(void)state;
	if (!app_runs_here(&app_bfs))
		unit_skip("the command's own programs for PEs are built on x86-64 alone");
	snprintf(fault, sizeof(fault), "flip_ppm:%s", ppm ? ppm : PPM);
	count_endings(fault, seeds ? (unsigned int)atoi(seeds) : SEEDS, endings);
	/* flips are seen in each */
	for (size_t i = 0; !ppm && i < ARRAY_SIZE(small_apps); i++)
		assert_true(endings[i][NOTICED] + endings[i][FAILED] > 0);
}

static void failures(void **state)
{
	unsigned int endings[ARRAY_SIZE(small_apps)][NR_ENDINGS] = { 0 };

	(void)state;
	if (!app_runs_here(&app_bfs))
		unit_skip("the command's own programs for PEs are built on x86-64 alone");
	count_endings("fail_ppm:100000", 48, endings);
	for (size_t i = 0; i < ARRAY_SIZE(small_apps); i++) {
		assert_int_equal(endings[i][NOTICED], 0);
		assert_true(endings[i][FAILED] > 0);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(flips),
	cmocka_unit_test(failures),
};

UNIT_MAIN(tests)
