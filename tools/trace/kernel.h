/* SPDX-License-Identifier: MIT */
/* The kernel's part of a timeline: tracepoints, read from an instance of tracefs. */
#ifndef PIMDIMM_TRACE_KERNEL_H
#define PIMDIMM_TRACE_KERNEL_H

#include "tools/trace/file.h"

struct trace_kernel;

/* NULL after a message where tracefs cannot be had */
struct trace_kernel *trace_kernel_begin(void);
/* The descriptor to poll for more. */
int trace_kernel_fd(const struct trace_kernel *kernel);
/* Takes what there is. */
void trace_kernel_read(struct trace_kernel *kernel, struct trace_file *file);
/* Takes the rest, and removes the instance. */
void trace_kernel_end(struct trace_kernel *kernel, struct trace_file *file);

#endif /* PIMDIMM_TRACE_KERNEL_H */
