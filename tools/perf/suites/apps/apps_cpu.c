// SPDX-License-Identifier: MIT
/* Opponents take turns as the algorithms do: a repetition runs and checks each. */
#include <stdlib.h>
#include <string.h>

#include "tools/perf/cpu/cpu.h"
#include "tools/perf/measure.h"
#include "tools/perf/suites/apps/apps_cpu.h"
#include "tools/perf/suites/apps/apps_message.h"
#include "tools/tool.h"

static void introduce(const struct cpu_opponent *opponent, struct apps_cpu *to)
{
	*to = (struct apps_cpu){ 0 };
	snprintf(to->name, sizeof(to->name), "%s", opponent->name);
	snprintf(to->method, sizeof(to->method), "%s", opponent->method);
	snprintf(to->library, sizeof(to->library), "%s", opponent->library);
	snprintf(to->left_out, sizeof(to->left_out), "%s", opponent->missing);
}

/* A repetition of one opponent; ns is NULL for what is no part of its time. */
static int take_turn(struct cpu *cpu, unsigned int number, struct apps_cpu *to, double *ns)
{
	struct cpu_verdict verdict;
	uint64_t start = tool_now();

	if (cpu_run(cpu, number))
		return TOOL_FAILED;
	if (ns)
		*ns = (double)(tool_now() - start);
	if (cpu_check(cpu, number, &verdict))
		return TOOL_FAILED;
	to->wrong += verdict.wrong;
	if (!*to->verdict || verdict.wrong)
		snprintf(to->verdict, sizeof(to->verdict), "%s", verdict.sentence);
	return TOOL_OK;
}

/* One opponent from its preparation to its median. */
static int measure_opponent(struct cpu *cpu, unsigned int number, unsigned int count,
			    struct apps_cpu *to)
{
	double *ns = calloc(count, sizeof(*ns));
	int ret = ns ? cpu_prepare(cpu, number) : tool_error("no memory for times");

	/* once more before, for caches, pages and threads to be there */
	if (!ret)
		ret = take_turn(cpu, number, to, NULL);
	for (unsigned int i = 0; !ret && i < count && !perf_interrupted(); i++)
		ret = take_turn(cpu, number, to, &ns[i]);
	if (!ret) {
		perf_sort_times(ns, count);
		to->ns = perf_median(ns, count);
	}
	cpu_release(cpu, number);
	free(ns);
	return ret;
}

static void measure_or_leave_out(struct cpu *cpu, unsigned int number, unsigned int count,
				 struct apps_cpu *to)
{
	struct apps_message message;
	char sentence[sizeof(to->left_out)];
	int ret;

	introduce(cpu_at(cpu, number), to);
	if (*to->left_out)
		return;
	apps_message_catch(&message);
	ret = measure_opponent(cpu, number, count, to);
	apps_message_take(&message, sentence, sizeof(sentence));
	if (ret)
		memcpy(to->left_out, *sentence ? sentence : "it failed",
		       *sentence ? sizeof(sentence) : sizeof("it failed"));
}

/* NULL, with a row that says why, where not even the input can be had. */
static struct cpu *open_cpu(const struct app_context *ctx, struct apps_result *result)
{
	struct apps_message message;
	struct cpu *cpu = NULL;

	apps_message_catch(&message);
	if (cpu_open(ctx, ctx->threads, &cpu))
		cpu = NULL;
	result->cpu[0] = (struct apps_cpu){ .name = "ours" };
	apps_message_take(&message, result->cpu[0].left_out,
			  sizeof(result->cpu[0].left_out));
	result->nr_cpu = !cpu;
	return cpu;
}

int apps_cpu_run(struct perf_suite *suite, const struct app_context *ctx,
		 struct apps_result *result)
{
	struct cpu *cpu = open_cpu(ctx, result);

	result->cpu_threads = ctx->threads;
	if (!cpu)
		return TOOL_OK;
	for (unsigned int i = 0; i < cpu_count(cpu) && i < APPS_MAX_CPU; i++) {
		measure_or_leave_out(cpu, i, suite->how.iters, &result->cpu[i]);
		result->nr_cpu = i + 1;
		if (perf_interrupted())
			break;
	}
	cpu_close(cpu);
	return perf_interrupted() ? tool_error("interrupted") : TOOL_OK;
}
