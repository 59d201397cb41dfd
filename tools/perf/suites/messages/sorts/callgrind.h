/* SPDX-License-Identifier: MIT */
/* Profiles as valgrind's callgrind writes them. */
#ifndef PIMDIMM_PERF_CALLGRIND_H
#define PIMDIMM_PERF_CALLGRIND_H

#include <stdint.h>

/* what a function took itself in one of the files that its code is of */
struct callgrind_line {
	const char *object, *file, *function;	/* an address where it has no name */
	uint64_t instructions, references;	/* of data, with --cache-sim=yes */
};

/* What a profile was dumped for; "": nothing. 0, or TOOL_FAILED after a message. */
int callgrind_label(const char *path, char label[64]);
/* Calls `each` for what a profile has. 0, or TOOL_FAILED after a message. */
int callgrind_read(const char *path, void (*each)(void *ctx, const struct callgrind_line *line),
		   void *ctx);

#endif /* PIMDIMM_PERF_CALLGRIND_H */
