/* SPDX-License-Identifier: MIT */
/* How a work is done: what our own programs and plug-ins offer. */
#ifndef PIMDIMM_PERF_CPU_PLUGIN_H
#define PIMDIMM_PERF_CPU_PLUGIN_H

#include <stddef.h>

#include "tools/perf/cpu/own/inputs.h"

struct team;
struct multiplier;

/* The applications' works: input, and result. */
enum cpu_kind {
	CPU_BFS,	/* struct cpu_graph: uint32_t [vertices], CPU_UNREACHED */
	CPU_CC,		/* struct cpu_graph: uint32_t [vertices], equal in a component */
	CPU_GNN,	/* struct cpu_gnn: [vertices][outputs], elements */
	CPU_MLP,	/* struct cpu_mlp: [batch][outputs], elements or sums */
	CPU_DLRM,	/* struct cpu_dlrm: [samples] words */
	CPU_NR_KINDS,
};

struct cpu_hands {
	unsigned int threads;
	struct team *team;			/* of so many; ours alone use it */
	const struct multiplier *multiplier;	/* for ours to multiply with, or NULL */
};

struct cpu_work {
	/* The input, which stays, in a form of its own; NULL: no memory. */
	void *(*prepare)(const void *input, const struct cpu_hands *hands);
	/* 0, or what a library fails with */
	int (*run)(void *state);
	/* What the last run() left, in the form above: valid until the next. */
	const void *(*result)(void *state);
	void (*release)(void *state);
};

/* What a plug-in has as `cpu_plugin`. */
struct cpu_plugin {
	const char *built_for;	/* PIMDIMM_VERSION */
	/* The library's name and version, in a form for people. */
	void (*version)(char *text, size_t size);
	/* A sentence why it cannot compute with a type on this CPU, or NULL. */
	const char *(*refuses)(enum cpu_type type);
	struct cpu_work works[CPU_NR_KINDS];	/* those that it does as a whole */
	const struct multiplier *multiplier;	/* or NULL */
};

#endif /* PIMDIMM_PERF_CPU_PLUGIN_H */
