/* SPDX-License-Identifier: MIT */
/* What an application's state is made of for opponents, and how results are compared. */
#ifndef PIMDIMM_PERF_CPU_TASK_H
#define PIMDIMM_PERF_CPU_TASK_H

#include "tools/apps/common/context.h"
#include "tools/perf/cpu/own/plugin.h"

#define CPU_MAX_METHODS 3

struct cpu_method {
	const char *name, *method;
	const char *plugin;	/* NULL: ours alone */
	bool whole;		/* the plug-in does it all, else ours with its products */
};

struct cpu_task {
	const char *app;
	enum cpu_kind kind;
	struct cpu_method methods[CPU_MAX_METHODS];	/* ours first; then without a name */
	/*
	 * Makes *state of an application that has been loaded. It returns TOOL_OK, or
	 * TOOL_FAILED after a message; close() whatever it returns.
	 */
	int (*open)(const struct app_context *ctx, void **state);
	/* what works take, see enum cpu_kind */
	const void *(*input)(const void *state);
	enum cpu_type (*type)(const void *state);
	/* The reference, by the application's own code. TOOL_OK, or TOOL_FAILED as open(). */
	int (*refer)(void *state, unsigned int threads);
	/* Elements of a result that are wrong. */
	uint64_t (*differ)(const void *state, const void *result);
	const char *elements;	/* what is compared: "levels" */
	void (*close)(void *state);
};

extern const struct cpu_task cpu_task_bfs, cpu_task_cc, cpu_task_gnn, cpu_task_mlp,
	cpu_task_dlrm;

#endif /* PIMDIMM_PERF_CPU_TASK_H */
