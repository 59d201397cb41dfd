// SPDX-License-Identifier: MIT
/* Completion in fish: a `complete` for every command, option and operand. */
#include <stdio.h>
#include <string.h>

#include "tools/apps/apps.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/completion.h"
#include "tools/tool.h"

/* Prints a text in single quotes, as fish reads them. */
static void fish_quoted(const char *text)
{
	putchar('\'');
	for (; *text; text++) {
		if (strchr("'\\", *text))
			putchar('\\');
		putchar(*text);
	}
	putchar('\'');
}

static void fish_words(tool_word_fn *word)
{
	for (size_t i = 0; word(i); i++)
		printf(" %s", word(i));
}

/* The options of `complete` that say what a value, or an operand, may be. */
static void fish_value(const struct tool_value *value)
{
	if (value->lister)
		printf(" -x -a '(pimdimm %s 2>/dev/null)'", value->lister);
	else if (value->kind == TOOL_FILE)
		fputs(" -r -F", stdout);
	else if (value->kind == TOOL_FOLDER)
		fputs(" -x -a '(__fish_complete_directories)'", stdout);
	else if (value->kind == TOOL_PROGRAM)
		fputs(" -x -a '(__fish_complete_subcommand --fcs-skip=2)'",
		      stdout);
	else
		fputs(" -x", stdout);
	if (!value->word)
		return;
	fputs(value->list ? " -a '(__fish_append ," : " -a '", stdout);
	fish_words(value->word);
	fputs(value->list ? ")'" : "'", stdout);
}

static void fish_option(const struct command *command,
			const struct tool_option *option)
{
	printf("complete -c pimdimm -n '__pimdimm_command %s' -l %s",
	       command->name, option->name);
	if (option->letter)
		printf(" -s %c", option->val);
	if (option->value.name)
		fish_value(&option->value);
	fputs(" -d ", stdout);
	fish_quoted(option->help);
	putchar('\n');
}

static void fish_name(const struct command *command)
{
	printf("complete -c pimdimm -n __pimdimm_no_command -a %s -d ",
	       command->name);
	fish_quoted(command->summary);
	putchar('\n');
}

static void fish_command(const struct command *command)
{
	for (size_t i = 0; tool_option(command, i); i++)
		fish_option(command, tool_option(command, i));
	if (!command->operand.name)
		return;
	/* an application's own words follow its name */
	printf("complete -c pimdimm -n '__pimdimm_command %s%s'", command->name,
	       command->operand.word == app_word ?
		       "; and test (count (commandline -opc)) -eq 2" : "");
	fish_value(&command->operand);
	putchar('\n');
}

static void print_fish(void)
{
	puts("# fish completion of pimdimm, written by `pimdimm completion fish`\n"
	     "\n"
	     "function __pimdimm_command\n"
	     "\tset -l words (commandline -opc)\n"
	     "\tset -l last (math (count $argv) + 1)\n"
	     "\ttest (count $words) -ge $last; and test \"$words[2..$last]\" = \"$argv\"\n"
	     "end\n"
	     "\n"
	     "function __pimdimm_no_command\n"
	     "\ttest (count (commandline -opc)) -eq 1\n"
	     "end\n"
	     "\n"
	     "complete -c pimdimm -f\n"
	     "complete -c pimdimm -n __pimdimm_no_command -s h -l help -d 'list the commands'\n"
	     "complete -c pimdimm -n __pimdimm_no_command -l version -d 'tell the version'");
	for (size_t i = 0; tool_command(i); i++) {
		fish_name(tool_command(i));
		fish_command(tool_command(i));
	}
	for (size_t i = 0; completion_app(i); i++)
		fish_command(completion_app(i));
}

const struct completion_shell completion_fish = { "fish", print_fish };
