/* SPDX-License-Identifier: MIT */
/* `perf --host-buffers`: collectives on buffers of hosts, by the algorithms asked for. */
#ifndef PIMDIMM_PERF_BUFFERS_H
#define PIMDIMM_PERF_BUFFERS_H

#include "tools/perf/args.h"

/* An exit status. */
int perf_buffers(const struct command *self, const struct perf_args *args);
/* names of algorithms, one after the other; NULL after the last */
tool_word_fn perf_buffers_word;

#endif /* PIMDIMM_PERF_BUFFERS_H */
