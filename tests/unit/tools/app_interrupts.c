// SPDX-License-Identifier: MIT
/*
 * An application that is interrupted while it loads, runs, compares or writes ends by the
 * signal at once, leaves no file behind and no worker either. Each of the four is repeated in
 * a process of its own until the signal comes, so that it does come there. A second is what
 * an idle machine is allowed; here it may be ten, as others may have the processors.
 */
#include "tests/unit/unit.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/unit/small_apps.h"
#include "tools/apps/common/files/output.h"
#include "tools/apps/common/pes.h"

#define LIMIT_MS 10000

enum phase { LOADING, RUNNING, COMPARING, WRITING, NR_PHASES };

static const char *const names[NR_PHASES] = { "loading", "running", "comparing", "writing" };
static char folder[] = "/tmp/app_interrupts.XXXXXX";

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Nothing is to be told of what comes too late to be one. */
static void quit(int status)
{
	_exit(status ? 3 : 4);
}

static void load_on(struct app_context *ctx, const struct small *small, int told)
{
	for (;;) {
		begin_small(ctx, small, "mem:ranks=1,mram=64K");
		if (app_load(ctx) || write(told, "x", 1) != 1)
			quit(0);
		app_end(ctx);
	}
}

/* Goes on with what it has come to, and tells before each turn. */
static void go_on(struct app_context *ctx, enum phase phase, FILE *file, int told)
{
	int ret = 0;

	while (!ret && write(told, "x", 1) == 1) {
		/* a turn tells what the one before has told */
		ctx->report.nr_facts = 0;
		switch (phase) {
		case RUNNING:
			app_report_begin(&ctx->report);
			ret = ctx->app->run(ctx);
			break;
		case COMPARING:
			ret = ctx->app->check(ctx);
			break;
		default:
			ret = ctx->app->write(ctx, file);
			fflush(file);
			break;
		}
	}
	quit(ret);
}

/* The process that is interrupted. */
static void be_interrupted(const struct small *small, enum phase phase, int told)
{
	struct app_context *ctx = calloc(1, sizeof(*ctx));
	struct app_output output;
	char path[64];

	snprintf(path, sizeof(path), "%s/result", folder);
	app_output_interrupts();
	if (app_output_open(&output, path))
		quit(1);
	if (phase == LOADING)
		load_on(ctx, small, told);
	begin_small(ctx, small, "mem:ranks=1,mram=64K");
	if (app_load(ctx) || app_open(ctx) ||
	    (phase != RUNNING && (app_execute(ctx) || ctx->wrong)))
		quit(1);
	go_on(ctx, phase, output.file, told);
}

static unsigned int files_left(void)
{
	DIR *dir = opendir(folder);
	unsigned int count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;	/* . and .. */
}

/* All processes that began with one have ended; how long after a time that took. */
static uint64_t wait_for_all(pid_t pid, int *status, uint64_t since)
{
	uint64_t after = 0;
	pid_t ended;
	int other;

	/* workers become this process's own when their parent ends */
	while ((ended = waitpid(-1, &other, WNOHANG)) >= 0 && after < LIMIT_MS) {
		if (ended == pid)
			*status = other;
		if (!ended)
			nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		after = now_ms() - since;
	}
	return after;
}

static void interrupt(const struct small *small, enum phase phase, int number,
		      unsigned int delay_us)
{
	int told[2], status = 0;
	uint64_t start, after;
	char byte;
	pid_t pid;

	assert_int_equal(pipe(told), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(told[0]);
		be_interrupted(small, phase, told[1]);
	}
	close(told[1]);
	if (read(told[0], &byte, 1) != 1)
		fail_msg("%s does not get to %s", small->app->name, names[phase]);
	usleep(delay_us);
	start = now_ms();
	kill(pid, number);
	after = wait_for_all(pid, &status, start);
	close(told[0]);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != number || after >= LIMIT_MS ||
	    files_left())
		fail_msg("%s, %s, signal %d after %u us: status %#x, %u ms, %u files left",
			 small->app->name, names[phase], number, delay_us,
			 (unsigned int)status, (unsigned int)after, files_left());
}

static void interrupts(void **state)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct rng rng = { .state = 1 };

	(void)state;
	if (!app_runs_here(&app_bfs))
		unit_skip("the command's own programs for PEs are built on x86-64 alone");

	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_non_null(mkdtemp(folder));
	for (size_t i = 0; i < ARRAY_SIZE(small_apps); i++) {
		for (enum phase phase = LOADING; phase < NR_PHASES; phase++) {
			for (size_t k = 0; k < 2; k++)
				interrupt(&small_apps[i], phase,
					  numbers[rng_below(&rng, ARRAY_SIZE(numbers))],
					  (unsigned int)rng_below(&rng, 20000));
		}
	}
	assert_int_equal(rmdir(folder), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(interrupts),
};

UNIT_MAIN(tests)
