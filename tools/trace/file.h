/* SPDX-License-Identifier: MIT */
/*
 * A file of Chrome's trace events, into which `pimdimm trace` puts the library's
 * events, the kernel's tracepoints and the counters in sysfs. All tell time by
 * CLOCK_MONOTONIC.
 */
#ifndef PIMDIMM_TRACE_FILE_H
#define PIMDIMM_TRACE_FILE_H

#include <stdint.h>
#include <stdio.h>

struct json_object;

struct trace_file {
	FILE *file;
	int err;		/* errno of the first write that failed */
	uint64_t events;
	uint64_t lost;		/* what was no event, or came too late */
};

/* 0, or -errno after a message */
int trace_file_open(struct trace_file *file, const char *path);
int trace_file_close(struct trace_file *file, const char *path);

/* Writes the event and lets go of it. */
void trace_file_add(struct trace_file *file, struct json_object *event);

/* The events of a file that PIMDIMM_TRACE named; none is none. */
int trace_file_library(struct trace_file *file, const char *path);

/* An event but for its arguments; ts in ns. */
struct json_object *trace_event(const char *phase, const char *name,
				uint32_t pid, uint32_t tid, uint64_t ns);
/* process_name or thread_name */
void trace_name(struct trace_file *file, const char *kind, uint32_t pid,
		uint32_t tid, const char *name);

/* The track of /dev/pimdimmN: a process beyond the numbers of real ones. */
static inline uint32_t trace_node(uint32_t number)
{
	return (number + 1) << 22;
}

#endif /* PIMDIMM_TRACE_FILE_H */
