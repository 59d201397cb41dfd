// SPDX-License-Identifier: MIT
/* Messages, numbers and the verdict of one run of an application. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "tools/apps/common/context.h"

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

static bool read_suffix(const char *text, uint64_t *value)
{
	static const char suffixes[] = "KMG";
	const char *found = *text ? strchr(suffixes, *text) : NULL;
	unsigned int shift;

	if (!*text)
		return true;
	if (!found || text[1])
		return false;
	shift = 10 * (unsigned int)(found - suffixes + 1);
	if (*value > UINT64_MAX >> shift)
		return false;
	*value <<= shift;
	return true;
}

static bool read_number(const char *text, uint64_t *value)
{
	size_t digits = strspn(text, "0123456789");

	*value = 0;
	for (size_t i = 0; i < digits; i++) {
		if (__builtin_mul_overflow(*value, UINT64_C(10), value) ||
		    __builtin_add_overflow(*value, (uint64_t)(text[i] - '0'),
					   value))
			return false;
	}
	return digits && read_suffix(text + digits, value);
}

int app_number(const struct app_context *ctx, const char *option,
	       const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	if (read_number(text, value) && *value >= min && *value <= max)
		return TOOL_OK;
	return tool_usage(&ctx->command, "--%s \"%s\", expected a number from %" PRIu64 " to %" PRIu64,
			  option, text, min, max);
}
