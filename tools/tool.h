/* SPDX-License-Identifier: MIT */
/* What all of the tool shares: exit statuses, messages, ways of printing, a clock. */
#ifndef PIMDIMM_TOOL_H
#define PIMDIMM_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_object;

/* Exit statuses; SKIP is kselftest's and only `selftest` gives it. */
enum {
	TOOL_OK = 0,
	TOOL_FAILED = 1,
	TOOL_USAGE = 2,
	TOOL_SKIP = 4,
};

#define TOOL_COUNT(array) (sizeof(array) / sizeof(*(array)))

/* "pimdimm: ..." and a newline on standard error; returns TOOL_FAILED */
__attribute__((format(printf, 1, 2)))
int tool_error(const char *format, ...);

/* Where messages go from now on, for who wants to tell them otherwise; NULL: as ever. */
void tool_messages_to(FILE *file);
FILE *tool_messages(void);

/* Print indented and let go of; an OOM in json-c is fatal here. */
void tool_print_json(struct json_object *object);
void tool_json_add(struct json_object *object, const char *key,
		   struct json_object *value);
struct json_object *tool_json_string(const char *text);

/* Text in a static ring of buffers, good until the eighth call from here. */
const char *tool_count(uint64_t n);		/* 117,659 */
const char *tool_size(uint64_t bytes);		/* 1 MiB, 1000 bytes */
const char *tool_rate(double bytes_a_second);	/* 1.23 GB/s */
const char *tool_seconds(uint64_t ns);		/* 1.23 s, 45.6 ms, 789 us */

/* A number of seconds, fractions too, from `min` on; false: it is none. */
bool tool_parse_seconds(const char *text, double min, uint64_t *ns);

uint64_t tool_now(void);			/* monotonic nanoseconds */

/*
 * The number behind `key` at the beginning of a line of a small file, such as
 * "MemAvailable:" of /proc/meminfo, times `unit`; UINT64_MAX where there is none.
 */
uint64_t tool_number_in(const char *path, const char *key, uint64_t unit);

/*
 * Bytes that the kernel thinks it can hand out without swapping, and that the process's
 * control groups let it have; UINT64_MAX: not known.
 */
uint64_t tool_memory_available(void);

/*
 * The folder that the running program lies in, "." when that cannot be told;
 * static.
 */
const char *tool_folder(void);

/*
 * The path of a part of the tool that is a file of its own in a folder: beside the tool as
 * `make` leaves it, in libexec/pimdimm as `make install` puts it behind PREFIX/bin. false: it
 * is in neither.
 */
bool tool_part(const char *folder, const char *name, char *path, size_t bytes);

/* TMPDIR, or /tmp where that is not set */
const char *tool_temporary_folder(void);

/*
 * A name there for mkstemp() or mkdtemp(): pimdimm-NAME-XXXXXX. One that is too long is cut, and
 * refused by these.
 */
#define TOOL_TEMPORARY 200
void tool_temporary(const char *name, char path[TOOL_TEMPORARY]);

#endif /* PIMDIMM_TOOL_H */
