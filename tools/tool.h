/* SPDX-License-Identifier: MIT */
/* What the commands of pimdimm share: errors, options, ways of printing. */
#ifndef PIMDIMM_TOOL_H
#define PIMDIMM_TOOL_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

/* Exit statuses; SKIP is kselftest's and only `selftest` gives it. */
enum {
	TOOL_OK = 0,
	TOOL_FAILED = 1,
	TOOL_USAGE = 2,
	TOOL_SKIP = 4,
};

struct command {
	const char *name;
	const char *summary;	/* a line of `pimdimm --help` */
	const char *help;	/* what `pimdimm NAME --help` prints */
	/* argv[0] is the command's name; returns an exit status */
	int (*run)(const struct command *self, int argc, char **argv);
};

extern const struct command cmd_load, cmd_unload, cmd_list, cmd_info, cmd_demo,
	cmd_cc, cmd_compat, cmd_perf, cmd_selftest, cmd_share,
	cmd_top, cmd_trace, cmd_create, cmd_remove;

#define TOOL_COUNT(array) (sizeof(array) / sizeof(*(array)))

/* "pimdimm: ..." and a newline on standard error; returns TOOL_FAILED */
__attribute__((format(printf, 1, 2)))
int tool_error(const char *format, ...);

/* the same and a pointer to --help; returns TOOL_USAGE */
__attribute__((format(printf, 2, 3)))
int tool_usage(const struct command *self, const char *format, ...);

/*
 * getopt_long() for long options alone: the next option's val, -1 after the
 * last one. Answers --help (val 'h') and wrong options itself, by exiting.
 */
int tool_getopt(const struct command *self, int argc, char **argv,
		const struct option *options);

/* the same with short options; `letters` begins with ":h" */
int tool_getopt_with(const struct command *self, const char *letters, int argc,
		     char **argv, const struct option *options);

/* complain about operands where none is expected; 0 or TOOL_USAGE */
int tool_no_operands(const struct command *self, int argc, char **argv);

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
 * The folder that the running program lies in, "." when that cannot be told;
 * static.
 */
const char *tool_folder(void);

#endif /* PIMDIMM_TOOL_H */
