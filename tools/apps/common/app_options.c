// SPDX-License-Identifier: MIT
/* Reads what an application is asked for. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/app_options.h"

#define MAX_APP_OPTIONS 30

static const char *format_word(size_t at)
{
	static const char *const words[] = { "text", "json", "csv" };

	return at < TOOL_COUNT(words) ? words[at] : NULL;
}

static const char *algorithm_word(size_t at)
{
	static const char *const words[] = {
		"auto", "direct", "conventional", "pr", "pr+im", "pr+im+cm",
		"ring", "tree", APP_SDK,
	};

	return at < TOOL_COUNT(words) ? words[at] : NULL;
}

static const struct tool_option everybodys[] = {
	{ 'p', "pes", { .name = "N" }, .letter = true, .heading = "Of every application:",
	  .help = "PEs to run on; else as many as suit" },
	{ 'u', "uri", TOOL_URI, .letter = true,
	  .help = "the system; else PIMDIMM_URI, else a \"mem:\" that fits" },
	{ 'a', "algorithm", { "NAME", .word = algorithm_word }, .letter = true,
	  .help = "of the collectives that it serves, the others keep theirs; or sdk: as a program on UPMEM's SDK does them" },
	{ 's', "seed", { .name = "N" }, .letter = true,
	  .help = "of random numbers (1)" },
	{ 't', "threads", { .name = "N" }, .letter = true,
	  .help = "of the host; else what the affinity mask allows" },
	{ 'f', "format", { "FORMAT", .word = format_word }, .letter = true,
	  .help = "of the report: text, json or csv" },
	{ 'P', "plan", .help = "tell what memory it takes, and run nothing" },
	{ 0 },
};

/* only where there is a result to write */
static const struct tool_option output_option = {
	'o', "output", { "FILE", .kind = TOOL_FILE }, .letter = true,
	.help = "write the result, once it is verified"
};

static struct command merged;
static struct tool_option merged_options[MAX_APP_OPTIONS + 1];
static char merged_name[32], merged_synopsis[64];

static size_t append_options(size_t at, const struct tool_option *options)
{
	for (; options && options->name; options++) {
		if (at == MAX_APP_OPTIONS)
			abort();
		merged_options[at++] = *options;
	}
	return at;
}

const struct command *app_command(const struct app *app)
{
	size_t count = append_options(0, app->options);

	count = append_options(count, everybodys);
	if (app->write)
		merged_options[count++] = output_option;
	memset(&merged_options[count], 0, sizeof(merged_options[count]));
	snprintf(merged_name, sizeof(merged_name), "app %s", app->name);
	snprintf(merged_synopsis, sizeof(merged_synopsis), "[OPTION]...%s%s%s",
		 app->operand.name ? " [" : "",
		 app->operand.name ? app->operand.name : "",
		 app->operand.name ? "]" : "");
	merged = (struct command){
		.name = merged_name,
		.summary = app->summary,
		.synopsis = merged_synopsis,
		.about = app->about,
		.notes = app->notes ? app->notes :
			"Exit status: 0 done and verified, 1 failed or wrong, 2 wrong usage.\n",
		.options = merged_options,
		.operand = app->operand,
	};
	return &merged;
}

static int take_threads(struct app_context *ctx, const char *text)
{
	uint64_t n;
	int ret = app_number(ctx, "threads", text, 1, 1024, &n);

	if (ret)
		return ret;
	ctx->threads = (unsigned int)n;
	/* the library reads it when the system is opened */
	if (setenv("PIMDIMM_THREADS", text, 1))
		return app_no_memory("--threads");
	return TOOL_OK;
}

static int take_format(struct app_context *ctx, const char *text)
{
	for (unsigned int i = 0; format_word(i); i++) {
		if (!strcmp(text, format_word(i))) {
			ctx->format = (enum app_format)i;
			return TOOL_OK;
		}
	}
	return tool_unknown(&ctx->command, "format", text, format_word);
}

static int take_algorithm(struct app_context *ctx, const char *text)
{
	for (size_t i = 0; algorithm_word(i); i++) {
		if (!strcmp(text, algorithm_word(i))) {
			ctx->algorithm = algorithm_word(i);
			return TOOL_OK;
		}
	}
	return tool_unknown(&ctx->command, "algorithm", text, algorithm_word);
}

static int take_option(struct app_context *ctx, int option, const char *value)
{
	uint64_t n = 0;
	int ret = TOOL_OK;

	switch (option) {
	case 'p':
		ret = app_number(ctx, "pes", value, 1, APP_MAX_PES, &n);
		ctx->pes_asked = (uint32_t)n;
		return ret;
	case 'u':
		ctx->uri = value;
		return ret;
	case 'a':
		return take_algorithm(ctx, value);
	case 's':
		return app_number(ctx, "seed", value, 0, UINT64_MAX, &ctx->seed);
	case 't':
		return take_threads(ctx, value);
	case 'f':
		return take_format(ctx, value);
	case 'P':
		ctx->plan_only = true;
		return ret;
	case 'o':
		ctx->output = value;
		return ret;
	}
	return ctx->app->option(ctx, option, value);
}

int app_read_options(struct app_context *ctx, int argc, char **argv)
{
	int c, ret = TOOL_OK;

	ctx->command = *app_command(ctx->app);
	while (!ret && (c = tool_getopt(&ctx->command, argc, argv)) != -1)
		ret = take_option(ctx, c, optarg);
	if (ret)
		return ret;
	if (!ctx->app->operand.name)
		return tool_no_operands(&ctx->command, argc, argv);
	if (argc - optind > 1)
		return tool_usage(&ctx->command, "expected one %s, got %d",
				  ctx->app->operand.name, argc - optind);
	if (argc > optind)
		ctx->input = argv[optind];
	if (!ctx->input)
		return tool_usage(&ctx->command, "expected %s",
				  ctx->app->operand.name);
	return TOOL_OK;
}
