/* SPDX-License-Identifier: MIT */
/* `perf --host-buffers`: collectives on buffers of hosts, by the algorithms asked for. */
#ifndef PIMDIMM_PERF_BUFFERS_H
#define PIMDIMM_PERF_BUFFERS_H

#include "tools/perf/args.h"

/* An exit status. */
int perf_buffers(const struct command *self, const struct perf_args *args);

/* of an algorithm: medians, the least, bytes that all hosts touch, elements that are wrong */
struct perf_buffers_row {
	double ns, least;	/* 0: the algorithm does not serve the call */
	uint64_t touched, wrong;
};

/*
 * The same as numbers: of the algorithms of args->names, in turns, by args->hosts processes
 * that are made for it, a row each. 0, or TOOL_FAILED after a message.
 */
int perf_buffers_rows(const struct perf_args *args, const char *kind, uint64_t bytes,
		      struct perf_buffers_row rows[PERF_MAX_NAMES]);

#endif /* PIMDIMM_PERF_BUFFERS_H */
