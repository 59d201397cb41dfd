/* SPDX-License-Identifier: MIT */
/*
 * What the same work takes a CPU: our own programs, and those of libraries that are
 * installed, on the input of an application that has been loaded. Each result is
 * compared with the application's own reference.
 *
 *	struct cpu *cpu;
 *
 *	if (!cpu_open(ctx, threads, &cpu)) {
 *		for (i = 0; i < cpu_count(cpu); i++) {
 *			if (cpu_at(cpu, i)->missing[0])
 *				continue;
 *			if (cpu_prepare(cpu, i) ||
 *			    cpu_run(cpu, i) ||		once, to warm up
 *			    cpu_check(cpu, i, &verdict))
 *				...
 *			cpu_run(cpu, i);		again and again: what is timed
 *			cpu_release(cpu, i);
 *		}
 *		cpu_close(cpu);
 *	}
 */
#ifndef PIMDIMM_PERF_CPU_H
#define PIMDIMM_PERF_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/apps/common/context.h"

/* Who else does the application's work. */
struct cpu_opponent {
	const char *name;	/* "ours", "graphblas", "igraph", "openblas", "onednn" */
	const char *method;	/* "direction-optimising search", ... */
	char library[80];	/* with its version; of ours the instruction set */
	char missing[200];	/* a sentence why it cannot be had here; "": it can */
};

struct cpu_verdict {
	uint64_t wrong;		/* elements that differ, or lie outside of their bounds */
	char sentence[160];	/* what was compared with what; "" before */
};

struct cpu;

/*
 * The opponents of ctx->app, whose load() has been called, or of no application: then
 * there are none. ctx stays as it is, and is needed until cpu_close(). Functions return
 * TOOL_OK, or TOOL_FAILED after a message.
 */
int cpu_open(const struct app_context *ctx, unsigned int threads, struct cpu **cpu);
void cpu_close(struct cpu *cpu);

/* They are numbered from 0; which there are depends on the application alone. */
unsigned int cpu_count(const struct cpu *cpu);
const struct cpu_opponent *cpu_at(const struct cpu *cpu, unsigned int number);

/* Brings the input into the form that an opponent likes best: nobody times that. */
int cpu_prepare(struct cpu *cpu, unsigned int number);
/* Works on `threads` threads; to be timed. The result stays until the next call. */
int cpu_run(struct cpu *cpu, unsigned int number);
/* Compares what the last cpu_run() left; the first call makes the reference. */
int cpu_check(struct cpu *cpu, unsigned int number, struct cpu_verdict *verdict);
/* Frees what cpu_prepare() made; whatever that returned. */
void cpu_release(struct cpu *cpu, unsigned int number);

#endif /* PIMDIMM_PERF_CPU_H */
