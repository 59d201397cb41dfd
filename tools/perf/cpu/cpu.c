// SPDX-License-Identifier: MIT
/* The opponents of a loaded application: which there are, and one after the other. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/perf/cpu/cpu.h"
#include "tools/perf/cpu/own/loops.h"
#include "tools/perf/cpu/own/team.h"
#include "tools/perf/cpu/plugins.h"
#include "tools/perf/cpu/task.h"
#include "tools/perf/cpu/works.h"

struct entry {
	struct cpu_opponent opponent;
	const struct cpu_work *work;
	const struct multiplier *multiplier;
	void *state;
};

struct cpu {
	const struct cpu_task *task;
	unsigned int threads;
	struct team *team;
	void *state;		/* of the task */
	bool referred;
	unsigned int count;
	struct entry entries[CPU_MAX_METHODS];
};

static const struct cpu_task *const tasks[] = {
	&cpu_task_bfs, &cpu_task_cc, &cpu_task_gnn, &cpu_task_mlp, &cpu_task_dlrm,
};

static void find_ours(struct entry *entry, enum cpu_kind kind)
{
	entry->work = &cpu_own_works[kind];
	snprintf(entry->opponent.library, sizeof(entry->opponent.library),
		 kind == CPU_BFS || kind == CPU_CC ? "pimdimm" : "pimdimm, with %s",
		 own_loops_fastest()->name);
}

static void find_library(struct entry *entry, const struct cpu_method *method,
			 const struct cpu *cpu)
{
	struct cpu_opponent *opponent = &entry->opponent;
	const struct cpu_plugin *plugin;
	const char *refusal;

	plugin = cpu_plugin_open(method->plugin, opponent->missing,
				 sizeof(opponent->missing));
	if (!plugin)
		return;
	plugin->version(opponent->library, sizeof(opponent->library));
	refusal = plugin->refuses(cpu->task->type(cpu->state));
	if (refusal)
		snprintf(opponent->missing, sizeof(opponent->missing), "%s", refusal);
	entry->multiplier = method->whole ? NULL : plugin->multiplier;
	entry->work = method->whole ? &plugin->works[cpu->task->kind] :
				      &cpu_own_works[cpu->task->kind];
}

static void find_opponents(struct cpu *cpu)
{
	while (cpu->count < CPU_MAX_METHODS &&
	       cpu->task->methods[cpu->count].name) {
		const struct cpu_method *method = &cpu->task->methods[cpu->count];
		struct entry *entry = &cpu->entries[cpu->count++];

		entry->opponent.name = method->name;
		entry->opponent.method = method->method;
		if (method->plugin)
			find_library(entry, method, cpu);
		else
			find_ours(entry, cpu->task->kind);
	}
}

static const struct cpu_task *task_of(const struct app *app)
{
	for (size_t i = 0; i < TOOL_COUNT(tasks); i++) {
		if (!strcmp(tasks[i]->app, app->name))
			return tasks[i];
	}
	return NULL;
}

int cpu_open(const struct app_context *ctx, unsigned int threads, struct cpu **result)
{
	struct cpu *cpu = calloc(1, sizeof(*cpu));
	int ret = TOOL_OK;

	*result = cpu;
	if (!cpu)
		return app_no_memory("opponents");
	cpu->task = task_of(ctx->app);
	if (!cpu->task)
		return TOOL_OK;
	cpu->threads = threads ? threads : 1;
	cpu->team = team_make(cpu->threads);
	ret = cpu->team ? cpu->task->open(ctx, &cpu->state) : app_no_memory("threads");
	if (!ret) {
		find_opponents(cpu);
		return TOOL_OK;
	}
	cpu_close(cpu);
	*result = NULL;
	return ret;
}

void cpu_close(struct cpu *cpu)
{
	if (!cpu)
		return;
	for (unsigned int i = 0; i < cpu->count; i++)
		cpu_release(cpu, i);
	if (cpu->state)
		cpu->task->close(cpu->state);
	team_free(cpu->team);
	free(cpu);
}

unsigned int cpu_count(const struct cpu *cpu)
{
	return cpu->count;
}

const struct cpu_opponent *cpu_at(const struct cpu *cpu, unsigned int number)
{
	return &cpu->entries[number].opponent;
}

int cpu_prepare(struct cpu *cpu, unsigned int number)
{
	struct entry *entry = &cpu->entries[number];
	const struct cpu_hands hands = { cpu->threads, cpu->team, entry->multiplier };

	if (entry->opponent.missing[0])
		return tool_error("%s: %s", entry->opponent.name,
				  entry->opponent.missing);
	cpu_release(cpu, number);
	entry->state = entry->work->prepare(cpu->task->input(cpu->state), &hands);
	return entry->state ? TOOL_OK : app_no_memory(entry->opponent.name);
}

int cpu_run(struct cpu *cpu, unsigned int number)
{
	struct entry *entry = &cpu->entries[number];
	int ret = entry->work->run(entry->state);

	return ret ? tool_error("%s: the library fails with %d", entry->opponent.name,
				ret) : TOOL_OK;
}

int cpu_check(struct cpu *cpu, unsigned int number, struct cpu_verdict *verdict)
{
	struct entry *entry = &cpu->entries[number];
	const struct cpu_task *task = cpu->task;

	*verdict = (struct cpu_verdict){ 0 };
	if (!cpu->referred) {
		int ret = task->refer(cpu->state, cpu->threads);

		if (ret)
			return ret;
		cpu->referred = true;
	}
	verdict->wrong = task->differ(cpu->state, entry->work->result(entry->state));
	if (verdict->wrong)
		snprintf(verdict->sentence, sizeof(verdict->sentence),
			 "%" PRIu64 " %s differ from the reference's",
			 verdict->wrong, task->elements);
	else
		snprintf(verdict->sentence, sizeof(verdict->sentence),
			 "all %s are the reference's%s", task->elements,
			 task->type(cpu->state) == CPU_F32 ? ", within its bounds" : "");
	return TOOL_OK;
}

void cpu_release(struct cpu *cpu, unsigned int number)
{
	struct entry *entry = &cpu->entries[number];

	if (entry->state)
		entry->work->release(entry->state);
	entry->state = NULL;
}
