/* SPDX-License-Identifier: MIT */
/* The programs that suite apps runs, on inputs whose vectors have a given size. */
#ifndef PIMDIMM_PERF_APPS_PROGRAMS_H
#define PIMDIMM_PERF_APPS_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

struct app;

enum apps_program {
	APPS_BFS,
	APPS_CC,
	APPS_RSAR,
	APPS_ARAG,
	APPS_MLP,
	APPS_DLRM,
	APPS_PROGRAMS,
};

/* bits of an element, where a program has the choice: its own is the first */
enum apps_width {
	APPS_8,
	APPS_16,
	APPS_32,
	APPS_WIDTHS,
};

/* how large an input is: vectors of so many bytes in each of so many PEs, with bytes */
struct apps_scale {
	uint64_t bytes;
	uint32_t pes;
};

/* "gnn rsar" */
const char *apps_program_name(enum apps_program program);
const struct app *apps_program_app(enum apps_program program);

/*
 * What runs it behind `pimdimm app`, "bfs --pes 64 kron:scale=20,edges=2": on so many
 * PEs the input that suits the scale, whose PEs may be others.
 */
void apps_program_line(enum apps_program program, const struct apps_scale *scale,
		       uint32_t pes, enum apps_width width, char *line, size_t bytes);

#endif /* PIMDIMM_PERF_APPS_PROGRAMS_H */
