/* SPDX-License-Identifier: MIT */
/*
 * What a command is: its name, its options as a table, and how they are read,
 * told by --help and complained about.
 */
#ifndef PIMDIMM_OPTIONS_H
#define PIMDIMM_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

#include "tools/nearest.h"

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

/* The options of a command, --help the last; NULL after that. */
const struct tool_option *tool_option(const struct command *self, size_t at);

/* the value that names a system */
#define TOOL_URI { "URI", .word = tool_uri_word }
tool_word_fn tool_uri_word;

/*
 * The next option's val, -1 after the last one, its value in optarg and operands
 * from optind on, as getopt_long() has it. Answers --help and wrong options
 * itself, by exiting.
 */
int tool_getopt(const struct command *self, int argc, char **argv);

/* what `pimdimm NAME --help` prints */
void tool_print_help(const struct command *self);

/*
 * "pimdimm NAME: ...", a pointer to --help and a newline on standard error;
 * returns TOOL_USAGE
 */
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

/* complain about operands where none is expected; 0 or TOOL_USAGE */
int tool_no_operands(const struct command *self, int argc, char **argv);

#endif /* PIMDIMM_OPTIONS_H */
