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

/* Some words by number, from 0 on; NULL after the last. */
typedef const char *tool_word_fn(size_t at);

/* what shells complete a value with, beside its words */
enum tool_kind {
	TOOL_TEXT,	/* nothing */
	TOOL_FILE,
	TOOL_FOLDER,
	TOOL_PROGRAM,	/* of PATH, whose own arguments follow */
};

/* the value of an option, or an operand */
struct tool_value {
	const char *name;	/* as --help calls it; NULL: there is none */
	enum tool_kind kind;
	/* what it may be; behind a word that ends in = or : it goes on */
	tool_word_fn *word;
	tool_word_fn *meaning;	/* of these words, for --help */
	bool list;		/* several words, with commas between */
	const char *lister;	/* arguments of the tool, which then prints words */
};

/* The tables of commands end with an entry of zeros, and leave out --help. */
struct tool_option {
	int val;		/* what tool_getopt() returns */
	const char *name;
	struct tool_value value;
	const char *help;	/* a sentence without line breaks */
	bool letter;		/* -val is its short form */
	const char *heading;	/* a line of --help above it, or NULL */
};

struct command {
	const char *name;
	const char *summary;	/* a line of `pimdimm --help` */
	const char *synopsis;	/* what follows its name; several: a line each */
	const char *about;	/* of --help, in front of the options */
	const char *notes;	/* and behind them, or NULL */
	const struct tool_option *options;
	struct tool_value operand;
	/* argv[0] is the command's name; returns an exit status */
	int (*run)(const struct command *self, int argc, char **argv);
};

extern const struct command cmd_load, cmd_unload, cmd_list, cmd_info, cmd_demo,
	cmd_cc, cmd_compat, cmd_perf, cmd_selftest, cmd_share,
	cmd_top, cmd_trace, cmd_create, cmd_remove, cmd_help, cmd_completion;

#define TOOL_COUNT(array) (sizeof(array) / sizeof(*(array)))

/* The commands in the order of `pimdimm --help`, NULL after the last. */
const struct command *tool_command(size_t at);
const char *tool_command_name(size_t at);
/* NULL after a message where there is no such command. */
const struct command *tool_find_command(const char *name);

/* what `pimdimm --help` and `pimdimm NAME --help` print */
void tool_print_commands(void);
void tool_print_help(const struct command *self);

/* The options of a command, --help the last; NULL after that. */
const struct tool_option *tool_option(const struct command *self, size_t at);

/* the value that names a system */
#define TOOL_URI { "URI", .word = tool_uri_word }
tool_word_fn tool_uri_word;

/* "pimdimm: ..." and a newline on standard error; returns TOOL_FAILED */
__attribute__((format(printf, 1, 2)))
int tool_error(const char *format, ...);

/* the same and a pointer to --help; returns TOOL_USAGE */
__attribute__((format(printf, 2, 3)))
int tool_usage(const struct command *self, const char *format, ...);

/*
 * Usage, with the word that may have been meant instead of the pointer to --help
 * unless near is NULL.
 */
__attribute__((format(printf, 3, 4)))
int tool_usage_near(const struct command *self, const char *near,
		    const char *format, ...);

/* A word that is none of those: tells the nearest, or else all. TOOL_USAGE. */
int tool_unknown(const struct command *self, const char *what,
		 const char *given, tool_word_fn *word);

/*
 * The next option's val, -1 after the last one, its value in optarg and operands
 * from optind on, as getopt_long() has it. Answers --help and wrong options
 * itself, by exiting.
 */
int tool_getopt(const struct command *self, int argc, char **argv);

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
