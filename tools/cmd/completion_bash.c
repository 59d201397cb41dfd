// SPDX-License-Identifier: MIT
/* Completion in bash: tables as case statements, and one function that reads them. */
#include <stdio.h>

#include "tools/cmd/commands.h"
#include "tools/cmd/completion.h"
#include "tools/tool.h"

static void bash_words(tool_word_fn *word)
{
	fputs("words='", stdout);
	for (size_t i = 0; word(i); i++)
		printf("%s%s", i ? " " : "", word(i));
	putchar('\'');
}

/* Assignments, the parts of a value that the reading function knows. */
static void bash_value(const struct tool_value *value)
{
	static const char *const kinds[] = {
		[TOOL_TEXT] = "text",
		[TOOL_FILE] = "file",
		[TOOL_FOLDER] = "folder",
		[TOOL_PROGRAM] = "program",
	};

	if (value->lister)
		printf("kind=words words=$(\"${COMP_WORDS[0]}\" %s 2>/dev/null)",
		       value->lister);
	else if (value->word)
		printf("kind=%s ", value->list ? "list" : "words");
	else
		printf("kind=%s", kinds[value->kind]);
	if (value->word)
		bash_words(value->word);
	puts(" ;;");
}

static void bash_command(const struct command *command)
{
	const struct tool_option *option;

	printf("\t'%s')\n\t\toptions='", command->name);
	for (size_t i = 0; (option = tool_option(command, i)); i++) {
		printf("%s--%s", i ? " " : "", option->name);
		if (option->letter)
			printf(" -%c", option->val);
	}
	puts("'\n\t\tcase $2 in");
	for (size_t i = 0; (option = tool_option(command, i)); i++) {
		if (!option->value.name)
			continue;
		printf("\t\t--%s", option->name);
		if (option->letter)
			printf(" | -%c", option->val);
		fputs(") ", stdout);
		bash_value(&option->value);
	}
	if (command->operand.name) {
		fputs("\t\t'') ", stdout);
		bash_value(&command->operand);
	}
	puts("\t\tesac\n"
	     "\t\t;;");
}

static const char functions[] =
	"# _pimdimm_reply PREFIX VALUE: COMPREPLY, by $kind and $words\n"
	"_pimdimm_reply()\n"
	"{\n"
	"\tlocal prefix=$1 value=$2 breaks= i stripped\n"
	"\tcase $kind in\n"
	"\tlist)\n"
	"\t\tprefix+=${value%\"${value##*,}\"} value=${value##*,} ;;&\n"
	"\tlist | words)\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -P \"$prefix\" -W \"$words\" -- \"$value\") ;;\n"
	"\tfile | folder)\n"
	"\t\tcompopt -o filenames 2>/dev/null\n"
	"\t\t[[ $kind == file ]] && i=-f || i=-d\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -P \"$prefix\" $i -- \"$value\") ;;\n"
	"\tprogram)\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -c -- \"$value\") ;;\n"
	"\tesac\n"
	"\t# behind what breaks words, readline has the rest alone for a word\n"
	"\tfor i in = :; do\n"
	"\t\t[[ $COMP_WORDBREAKS == *$i* ]] && breaks+=$i\n"
	"\tdone\n"
	"\tstripped=$prefix$value\n"
	"\tstripped=${stripped%\"${stripped##*[${breaks:- }]}\"}\n"
	"\tfor i in \"${!COMPREPLY[@]}\"; do\n"
	"\t\t[[ ${COMPREPLY[i]} == *[=:] ]] && compopt -o nospace 2>/dev/null\n"
	"\t\tCOMPREPLY[i]=${COMPREPLY[i]#\"$stripped\"}\n"
	"\tdone\n"
	"}\n"
	"\n"
	"_pimdimm()\n"
	"{\n"
	"\tlocal line=${COMP_LINE:0:COMP_POINT} words kind= options command word\n"
	"\tlocal i=2 last separator= args\n"
	"\tCOMPREPLY=()\n"
	"\tread -ra args <<<\"$line\"\n"
	"\t[[ $line == *[[:blank:]] ]] && args+=('')\n"
	"\tlast=$((${#args[@]} - 1))\n"
	"\tword=${args[last]} command=${args[1]}\n"
	"\tif ((last == 1)); then\n"
	"\t\tkind=words words=$_pimdimm_commands\n"
	"\t\t[[ $word == -* ]] && words='--help -h --version'\n"
	"\t\t_pimdimm_reply '' \"$word\"\n"
	"\t\treturn\n"
	"\tfi\n"
	"\t# an application is a command of two words\n"
	"\t[[ $command == app ]] && ((last > 2)) && command=\"app ${args[2]}\" i=3\n"
	"\t# what stands in front of the word: a program, or an option without its value\n"
	"\twhile ((i < last)); do\n"
	"\t\tkind=\n"
	"\t\tcase $separator${args[i]} in\n"
	"\t\t--) separator=/ ;;\n"
	"\t\t-*) _pimdimm_table \"$command\" \"${args[i]}\"\n"
	"\t\t\t[[ $kind ]] && ((i++)) ;;\n"
	"\t\t*) _pimdimm_table \"$command\" ''\n"
	"\t\t\tif [[ $kind == program ]]; then\n"
	"\t\t\t\tkind=file\n"
	"\t\t\t\t_pimdimm_reply '' \"$word\"\n"
	"\t\t\t\treturn\n"
	"\t\t\tfi ;;\n"
	"\t\tesac\n"
	"\t\t((i++))\n"
	"\tdone\n"
	"\tif ((i > last)); then\n"
	"\t\t_pimdimm_reply '' \"$word\"\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tkind=\n"
	"\tcase $separator$word in\n"
	"\t--*=*)\n"
	"\t\t_pimdimm_table \"$command\" \"${word%%=*}\"\n"
	"\t\t_pimdimm_reply \"${word%%=*}=\" \"${word#*=}\" ;;\n"
	"\t-*)\n"
	"\t\t_pimdimm_table \"$command\" ''\n"
	"\t\tkind=words words=$options\n"
	"\t\t_pimdimm_reply '' \"$word\" ;;\n"
	"\t*)\n"
	"\t\t_pimdimm_table \"$command\" ''\n"
	"\t\t_pimdimm_reply '' \"$word\" ;;\n"
	"\tesac\n"
	"}\n"
	"\n"
	"complete -F _pimdimm pimdimm\n";

static void print_bash(void)
{
	puts("# bash completion of pimdimm, written by `pimdimm completion bash`\n");
	fputs("_pimdimm_commands='", stdout);
	for (size_t i = 0; tool_command(i); i++)
		printf("%s%s", i ? " " : "", tool_command(i)->name);
	puts("'\n\n"
	     "# _pimdimm_table COMMAND OPTION: $options, and $kind and $words of the option's\n"
	     "# value, or without an option of the operands\n"
	     "_pimdimm_table()\n"
	     "{\n"
	     "\tcase $1 in");
	for (size_t i = 0; tool_command(i); i++)
		bash_command(tool_command(i));
	for (size_t i = 0; completion_app(i); i++)
		bash_command(completion_app(i));
	puts("\tesac\n"
	     "}\n");
	fputs(functions, stdout);
}

const struct completion_shell completion_bash = { "bash", print_bash };
