// SPDX-License-Identifier: MIT
/* The options of a command: read by getopt_long(), told by --help, complained about. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/inside.h"
#include "tools/options.h"
#include "tools/tool.h"

#define MAX_OPTIONS	32
/* getopt_long() returns this and the option's number: no letter is so large */
#define LONG		256
/* No line of --help is to be wider. */
#define COLUMNS		80

static int vusage(const struct command *self, const char *near,
		 const char *format, va_list args)
{
	fprintf(tool_messages(), "pimdimm %s: ", self->name);
	vfprintf(tool_messages(), format, args);
	if (near)
		fprintf(tool_messages(), ": did you mean \"%s\"?\n", near);
	else
		fprintf(tool_messages(), "; see `pimdimm %s --help`\n", self->name);
	return TOOL_USAGE;
}

int tool_usage(const struct command *self, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vusage(self, NULL, format, args);
	va_end(args);
	return TOOL_USAGE;
}

int tool_usage_near(const struct command *self, const char *near,
		    const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vusage(self, near, format, args);
	va_end(args);
	return TOOL_USAGE;
}

int tool_unknown(const struct command *self, const char *what,
		 const char *given, tool_word_fn *word)
{
	const char *near = nearest_word(given, word);
	char *all;
	int status;

	if (near)
		return tool_usage_near(self, near, "unknown %s \"%s\"", what,
				       given);
	all = words_joined(word);
	status = tool_usage(self, "unknown %s \"%s\", expected %s", what, given,
			    all ? all : "another");
	free(all);
	return status;
}

int tool_no_operands(const struct command *self, int argc, char **argv)
{
	if (optind == argc)
		return TOOL_OK;
	return tool_usage(self, "unexpected \"%s\"", argv[optind]);
}

static const struct tool_option help_option = {
	'h', "help", .help = "this text", .letter = true
};

const struct tool_option *tool_option(const struct command *self, size_t at)
{
	size_t own = 0;

	while (self->options && self->options[own].name && own < at)
		own++;
	if (self->options && self->options[own].name)
		return &self->options[own];
	return at == own ? &help_option : NULL;
}

const char *tool_uri_word(size_t at)
{
	static const char *const words[] = { "mem:", "dev:" };

	return at < TOOL_COUNT(words) ? words[at] : NULL;
}

/* what getopt_long() goes by */
struct getopt_table {
	char letters[2 * MAX_OPTIONS + 3];
	struct option longs[MAX_OPTIONS + 1];
};

static void add_option(struct getopt_table *table, size_t at,
		       const struct tool_option *option)
{
	bool takes = option->value.name;
	size_t length = strlen(table->letters);

	table->longs[at] = (struct option){
		.name = option->name,
		.has_arg = takes ? required_argument : no_argument,
		.val = LONG + (int)at,
	};
	if (option->letter)
		snprintf(table->letters + length,
			 sizeof(table->letters) - length, "%c%s", option->val,
			 takes ? ":" : "");
}

static void fill_table(const struct command *self, struct getopt_table *table)
{
	/* a program's own options are not ours */
	strcpy(table->letters,
	       self->operand.kind == TOOL_PROGRAM ? "+:" : ":");
	for (size_t i = 0; tool_option(self, i); i++) {
		if (i == MAX_OPTIONS)
			abort();
		add_option(table, i, tool_option(self, i));
	}
}

static int needs_value(const struct command *self, int c)
{
	if (c >= LONG)
		return tool_usage(self, "--%s needs a value",
				  tool_option(self, (size_t)(c - LONG))->name);
	return tool_usage(self, "-%c needs a value", c);
}

/* The nearest to what stands between the dashes and a value; "--name", static. */
static const char *near_option(const struct command *self, const char *given)
{
	static char text[sizeof("--") + sizeof(((struct pd_nearest *)0)->word)];
	char *name = strndup(given, strcspn(given, "="));
	struct pd_nearest nearest = { .given = name };

	for (size_t i = 0; name && tool_option(self, i); i++)
		pd_nearest_offer(&nearest, tool_option(self, i)->name);
	snprintf(text, sizeof(text), "--%s", nearest.word);
	free(name);
	return pd_nearest_found(&nearest) ? text : NULL;
}

/* `wrong` follows the dashes; which begin more than one option and are none? */
static bool ambiguous(const struct command *self, const char *wrong)
{
	size_t length = strcspn(wrong, "="), begun = 0;

	for (size_t i = 0; tool_option(self, i); i++)
		begun += !strncmp(tool_option(self, i)->name, wrong, length);
	return begun > 1;
}

static int wrong_long(const struct command *self, const char *argument)
{
	int length = (int)strcspn(argument, "=");

	if (ambiguous(self, argument + 2))
		return tool_usage(self, "option %.*s is ambiguous", length,
				  argument);
	return tool_usage_near(self, near_option(self, argument + 2),
			       "wrong option %.*s", length, argument);
}

/*
 * Why getopt_long() has refused: optopt is 0 for a long name that it does not know,
 * or a letter, of an argument that it stays at unless that was the last letter.
 */
static int wrong_option(const struct command *self, char **argv)
{
	const char *rest = argv[optind];

	if (!optopt)
		return wrong_long(self, argv[optind - 1]);
	if (optopt >= LONG)
		return tool_usage(self, "--%s takes no value",
				  tool_option(self, (size_t)(optopt - LONG))->name);
	/* -json for --json */
	if (rest && rest[0] == '-' && rest[1] == (char)optopt)
		return tool_usage_near(self, near_option(self, rest + 1),
				       "wrong option %s", rest);
	return tool_usage(self, "wrong option -%c", optopt);
}

int tool_getopt(const struct command *self, int argc, char **argv)
{
	struct getopt_table table = { 0 };
	int c;

	/* one process may read those of several commands */
	fill_table(self, &table);
	opterr = 0;
	c = getopt_long(argc, argv, table.letters, table.longs, NULL);
	if (c == ':')
		exit(needs_value(self, optopt));
	if (c == '?')
		exit(wrong_option(self, argv));
	if (c >= LONG)
		c = tool_option(self, (size_t)(c - LONG))->val;
	if (c == help_option.val) {
		tool_print_help(self);
		exit(fflush(stdout) ? TOOL_FAILED : TOOL_OK);
	}
	return c;
}

/* "-b, --begin SIZE" */
static int option_head(const struct tool_option *option, char *text, size_t size)
{
	return snprintf(text, size, "%s%s--%s%s%s",
			option->letter ? (char[]){ '-', (char)option->val, 0 } :
					 "  ",
			option->letter ? ", " : "  ", option->name,
			option->value.name ? " " : "",
			option->value.name ? option->value.name : "");
}

static size_t widest_head(const struct command *self)
{
	size_t widest = 0;
	char head[64];

	for (size_t i = 0; tool_option(self, i); i++) {
		size_t width = (size_t)option_head(tool_option(self, i), head,
						   sizeof(head));

		widest = width > widest ? width : widest;
	}
	return widest;
}

/* Prints a text from this column on, and lines that follow from there, too. */
static void print_wrapped(const char *text, size_t indent)
{
	size_t column = indent, length;

	for (; *text; text += length + strspn(text + length, " ")) {
		length = strcspn(text, " ");
		if (column > indent && column + 1 + length > COLUMNS) {
			printf("\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			putchar(' ');
			column++;
		}
		printf("%.*s", (int)length, text);
		column += length;
	}
	putchar('\n');
}

static void print_meanings(const struct tool_value *value, size_t indent)
{
	size_t widest = 0;

	for (size_t i = 0; value->word(i); i++) {
		if (strlen(value->word(i)) > widest)
			widest = strlen(value->word(i));
	}
	for (size_t i = 0; value->word(i); i++) {
		printf("%*s%-*s  ", (int)indent, "", (int)widest,
		       value->word(i));
		print_wrapped(value->meaning(i), indent + widest + 2);
	}
}

static void print_synopses(const struct command *self)
{
	const char *line = self->synopsis, *lead = "Usage:";
	size_t length;

	for (; *line; line += length + (line[length] == '\n')) {
		length = strcspn(line, "\n");
		printf("%-6s pimdimm %s %.*s\n", lead, self->name, (int)length,
		       line);
		lead = "";
	}
}

void tool_print_help(const struct command *self)
{
	size_t column = 2 + widest_head(self) + 2;
	const struct tool_option *option;
	char head[64];

	print_synopses(self);
	printf("\n%s\n", self->about);
	for (size_t i = 0; (option = tool_option(self, i)); i++) {
		if (option->heading)
			puts(option->heading);
		option_head(option, head, sizeof(head));
		printf("  %-*s  ", (int)column - 4, head);
		print_wrapped(option->help, column);
		if (option->value.meaning)
			print_meanings(&option->value, column + 2);
	}
	if (self->notes)
		printf("\n%s", self->notes);
}
