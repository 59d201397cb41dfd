// SPDX-License-Identifier: MIT
/*
 * The opponents of the applications on the CPU, ours and those of libraries that are
 * installed: on small inputs of each application and type, their results are those of the
 * application's reference, run after run; and a damaged result is found.
 */
#include "tests/unit/unit.h"

#include "tools/apps/apps.h"
#include "tools/apps/common/app.h"
#include "tools/perf/cpu/cpu.h"
#include "tools/perf/cpu/own/team.h"
#include "tools/perf/cpu/plugins.h"
#include "tools/perf/cpu/task.h"
#include "tools/perf/cpu/works.h"

struct sample {
	const struct app *app;
	const char *input;	/* NULL: the application's own */
	const char *options;	/* names and values, by turns, with blanks between */
};

static const struct sample samples[] = {
	{ &app_bfs, "kron:scale=11", "" },
	{ &app_bfs, "kron:scale=10,edges=2", "directed yes" },
	{ &app_bfs, "path:vertices=1000,shuffled=1", "" },
	{ &app_bfs, "grid:rows=40,columns=60", "" },
	{ &app_cc, "kron:scale=11", "" },
	{ &app_cc, "uniform:vertices=3000,edges=1", "" },
	{ &app_cc, "uniform:vertices=3000,edges=20", "" },
	{ &app_cc, "path:vertices=1000,shuffled=1", "" },
	{ &app_gnn, "sbm:vertices=500", "type i8" },
	{ &app_gnn, "sbm:vertices=300", "type i16 activation relu" },
	{ &app_gnn, "sbm:vertices=400", "type i32 hidden 33" },
	{ &app_gnn, "sbm:vertices=500", "type f32 activation relu" },
	{ &app_mlp, NULL, "type i8 features 300 batch 7" },
	{ &app_mlp, NULL, "type i16 features 129 batch 16" },
	{ &app_mlp, NULL, "type i32 features 200 batch 33" },
	{ &app_mlp, NULL, "type f32 features 512 batch 70" },
	{ &app_mlp, NULL, "type i8-i32 features 257 batch 5" },
	{ &app_dlrm, "criteo:rows=300", "max-rows 1000" },
	{ &app_dlrm, "criteo:rows=100", "max-rows 900 pooling 3 type i32" },
};

static void set_option(struct app_context *ctx, const char *name, const char *value)
{
	const struct tool_option *option = ctx->app->options;

	while (option->name && strcmp(option->name, name))
		option++;
	assert_non_null(option->name);
	assert_int_equal(ctx->app->option(ctx, option->val, value), TOOL_OK);
}

static void load(const struct sample *sample, struct app_context *ctx)
{
	char text[128], *rest, *name;

	assert_int_equal(app_begin(ctx, sample->app), TOOL_OK);
	if (sample->input)
		ctx->input = sample->input;
	snprintf(text, sizeof(text), "%s", sample->options);
	for (name = strtok_r(text, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
		set_option(ctx, name, strtok_r(NULL, " ", &rest));
	assert_int_equal(app_load(ctx), TOOL_OK);
}

static void check_opponent(struct cpu *cpu, unsigned int number, const char *what)
{
	const struct cpu_opponent *opponent = cpu_at(cpu, number);
	struct cpu_verdict verdict;

	if (opponent->missing[0]) {
		/* ours need nothing */
		assert_int_not_equal(number, 0);
		print_message("%s: no %s: %s\n", what, opponent->name,
			      opponent->missing);
		return;
	}
	assert_int_equal(cpu_prepare(cpu, number), TOOL_OK);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(cpu_run(cpu, number), TOOL_OK);
		assert_int_equal(cpu_check(cpu, number, &verdict), TOOL_OK);
		if (verdict.wrong)
			print_error("%s: %s: %s\n", what, opponent->name,
				    verdict.sentence);
		assert_int_equal(verdict.wrong, 0);
	}
	cpu_release(cpu, number);
}

static void check_sample(const struct sample *sample)
{
	for (unsigned int threads = 1; threads <= 3; threads += 2) {
		struct app_context ctx;
		struct cpu *cpu;

		load(sample, &ctx);
		assert_int_equal(cpu_open(&ctx, threads, &cpu), TOOL_OK);
		assert_true(cpu_count(cpu) >= 2);
		for (unsigned int k = 0; k < cpu_count(cpu); k++)
			check_opponent(cpu, k, sample->app->name);
		cpu_close(cpu);
		app_end(&ctx);
	}
}

static void agree(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		check_sample(&samples[i]);
}

/*
 * Two halves, of even and of odd vertices, that the last edge of their last vertices
 * alone joins: it is in no sample of the first edges of each.
 */
static void late_edge(void **state)
{
	enum { VERTICES = 2400, REACH = 20 };
	char path[] = "/tmp/pimdimm-opponents-XXXXXX";
	const struct sample sample = { &app_cc, path, "" };
	FILE *file = fdopen(mkstemp(path), "w");

	(void)state;
	assert_non_null(file);
	for (unsigned int v = 0; v < VERTICES; v++)
		for (unsigned int w = v + 2; w <= v + REACH && w < VERTICES; w += 2)
			fprintf(file, "%u\t%u\n", v, w);
	fprintf(file, "%u\t%u\n", VERTICES - 2, VERTICES - 1);
	fclose(file);
	check_sample(&sample);
	unlink(path);
}

/* A right result's first element, damaged: of a float by more than rounding. */
static void check_damage(const struct sample *sample, const struct cpu_task *task)
{
	struct app_context ctx;
	const struct cpu_work *work = &cpu_own_works[task->kind];
	struct cpu_hands hands = { 1, team_make(1), NULL };
	void *state, *made;
	uint8_t *result;

	load(sample, &ctx);
	assert_int_equal(task->open(&ctx, &state), TOOL_OK);
	assert_int_equal(task->refer(state, 2), TOOL_OK);
	made = work->prepare(task->input(state), &hands);
	assert_non_null(made);
	assert_int_equal(work->run(made), 0);
	result = (uint8_t *)work->result(made);
	assert_int_equal(task->differ(state, result), 0);
	if (task->type(state) == CPU_F32)
		result[3] ^= 0x40;
	else
		result[0] ^= 1;
	assert_int_not_equal(task->differ(state, result), 0);
	work->release(made);
	team_free(hands.team);
	task->close(state);
	app_end(&ctx);
}

static void damage(void **state)
{
	(void)state;
	check_damage(&samples[0], &cpu_task_bfs);
	check_damage(&samples[4], &cpu_task_cc);
	check_damage(&samples[8], &cpu_task_gnn);
	check_damage(&samples[11], &cpu_task_gnn);
	check_damage(&samples[12], &cpu_task_mlp);
	check_damage(&samples[15], &cpu_task_mlp);
	check_damage(&samples[17], &cpu_task_dlrm);
	check_damage(&samples[18], &cpu_task_dlrm);
}

static void plugins(void **state)
{
	char why[200] = "";

	(void)state;
	assert_null(cpu_plugin_open("nothing", why, sizeof(why)));
	assert_string_equal(why, "the library was not there when pimdimm was built");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(agree),
	cmocka_unit_test(late_edge),
	cmocka_unit_test(damage),
	cmocka_unit_test(plugins),
};

UNIT_MAIN(tests)
