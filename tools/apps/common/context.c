// SPDX-License-Identifier: MIT
/* Messages, numbers and the verdict of one run of an application. */
#include <inttypes.h>
#include <stdarg.h>
#include <strings.h>

#include "tools/apps/common/context.h"
#include "tools/apps/common/files/number.h"

int app_verdict(struct app_context *ctx, uint64_t wrong, const char *format, ...)
{
	va_list args;

	ctx->wrong = wrong;
	va_start(args, format);
	vsnprintf(ctx->verdict, sizeof(ctx->verdict), format, args);
	va_end(args);
	return TOOL_OK;
}

int app_failed(const char *what)
{
	return tool_error("%s: %s", what, pimdimm_errmsg());
}

int app_no_memory(const char *what)
{
	return tool_error("%s: no memory", what);
}

int app_number(const struct app_context *ctx, const char *option,
	       const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	if (app_parse_number(text, value) && *value >= min && *value <= max)
		return TOOL_OK;
	return tool_usage(&ctx->command, "--%s \"%s\", expected a number from %" PRIu64 " to %" PRIu64,
			  option, text, min, max);
}

int app_take_number(const struct app_context *ctx, const char *option, const char *text,
		    uint32_t min, uint32_t max, uint32_t *value)
{
	uint64_t n = 0;
	int ret = app_number(ctx, option, text, min, max, &n);

	if (!ret)
		*value = (uint32_t)n;
	return ret;
}

int app_take_word(const struct app_context *ctx, const char *what, const char *text,
		  tool_word_fn *word, unsigned int *place)
{
	for (unsigned int i = 0; word(i); i++) {
		if (!strcasecmp(text, word(i))) {
			*place = i;
			return TOOL_OK;
		}
	}
	return tool_unknown(&ctx->command, what, text, word);
}
