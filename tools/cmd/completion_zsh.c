// SPDX-License-Identifier: MIT
/* Completion in zsh: the tables as specifications of _arguments. */
#include <stdio.h>
#include <string.h>

#include "tools/apps/apps.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/completion.h"
#include "tools/tool.h"

/* Within quotes, with a backslash in front of what the place gives a meaning. */
static void print_escaped(const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\'", stdout);
		else if (strchr(special, *text))
			putchar('\\');
		putchar(*text);
	}
}

static void zsh_words(tool_word_fn *word)
{
	for (size_t i = 0; word(i); i++) {
		if (i)
			putchar(' ');
		print_escaped(word(i), ":\\()");
	}
}

static bool goes_on(const char *word)
{
	return strchr("=:", word[strlen(word) - 1]);
}

/* ":NAME:" and what completes it */
static void zsh_value(const struct tool_value *value)
{
	static const char *const kinds[] = {
		[TOOL_TEXT] = " ",
		[TOOL_FILE] = "_files",
		[TOOL_FOLDER] = "_files -/",
		[TOOL_PROGRAM] = " _command_names -e",
	};

	printf(":%s:", value->name);
	if (value->lister) {
		printf("($(_call_program words $service %s 2>/dev/null))",
		       value->lister);
	} else if (value->list) {
		fputs("_values -s , word ", stdout);
		zsh_words(value->word);
	} else if (value->word) {
		/* behind = and : comes no blank */
		fputs(goes_on(value->word(0)) ? "{compadd -S \"\" -- " : "(",
		      stdout);
		zsh_words(value->word);
		putchar(goes_on(value->word(0)) ? '}' : ')');
	} else {
		fputs(kinds[value->kind], stdout);
	}
}

static void zsh_option(const struct tool_option *option)
{
	const char *of_long = option->value.name ? "=" : "";

	if (option->letter)
		printf("\t\t\t'(-%c --%s)'{-%c%s,--%s%s}'", option->val,
		       option->name, option->val, option->value.name ? "+" : "",
		       option->name, of_long);
	else
		printf("\t\t\t'--%s%s", option->name, of_long);
	putchar('[');
	print_escaped(option->help, "[]\\");
	putchar(']');
	if (option->value.name)
		zsh_value(&option->value);
	puts("' \\");
}

static void zsh_command(const struct command *command, const char *name)
{
	printf("\t\t%s)\n\t\t\t_arguments -s -S \\\n", name);
	for (size_t i = 0; tool_option(command, i); i++)
		zsh_option(tool_option(command, i));
	if (command->operand.kind == TOOL_PROGRAM) {
		fputs("\t\t\t'(-)1", stdout);
		zsh_value(&command->operand);
		puts("' \\\n\t\t\t'*::argument:_normal' && return");
	} else if (command->operand.name) {
		fputs("\t\t\t'*", stdout);
		zsh_value(&command->operand);
		puts("' && return");
	} else {
		puts("\t\t\t&& return");
	}
	puts("\t\t\t;;");
}

static void zsh_app(const char *app, const struct command *command)
{
	char name[64];

	snprintf(name, sizeof(name), "app-%s", app);
	zsh_command(command, name);
}

static void print_zsh(void)
{
	puts("#compdef pimdimm\n"
	     "# zsh completion of pimdimm, written by `pimdimm completion zsh`\n"
	     "\n"
	     "_pimdimm()\n"
	     "{\n"
	     "\tlocal curcontext=$curcontext state line ret=1\n"
	     "\tlocal -a commands\n"
	     "\tcommands=(");
	for (size_t i = 0; tool_command(i); i++) {
		printf("\t\t'%s:", tool_command(i)->name);
		print_escaped(tool_command(i)->summary, ":\\");
		puts("'");
	}
	puts("\t)\n"
	     "\t_arguments -C '(- *)'{-h,--help}'[list the commands]' \\\n"
	     "\t\t'(- *)--version[tell the version]' \\\n"
	     "\t\t'1:command:->command' '*::argument:->argument' && return\n"
	     "\tcase $state in\n"
	     "\tcommand)\n"
	     "\t\t_describe -t commands 'pimdimm command' commands && ret=0\n"
	     "\t\t;;\n"
	     "\targument)\n"
	     "\t\tlocal command=$line[1]\n"
	     "\t\t# an application is a command of two words\n"
	     "\t\tif [[ $command == app ]] && (( CURRENT > 2 )); then\n"
	     "\t\t\tcommand=app-$words[2]\n"
	     "\t\t\tshift words\n"
	     "\t\t\t(( CURRENT-- ))\n"
	     "\t\tfi\n"
	     "\t\tcase $command in");
	for (size_t i = 0; completion_app(i); i++)
		zsh_app(app_at(i)->name, completion_app(i));
	for (size_t i = 0; tool_command(i); i++)
		zsh_command(tool_command(i), tool_command(i)->name);
	puts("\t\tesac\n"
	     "\t\t;;\n"
	     "\tesac\n"
	     "\treturn ret\n"
	     "}\n"
	     "\n"
	     "if [[ $funcstack[1] == _pimdimm ]]; then\n"
	     "\t_pimdimm \"$@\"\n"
	     "else\n"
	     "\tcompdef _pimdimm pimdimm\n"
	     "fi");
}

const struct completion_shell completion_zsh = { "zsh", print_zsh };
