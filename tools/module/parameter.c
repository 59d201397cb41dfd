// SPDX-License-Identifier: MIT
/* Reads PARAMETER=VALUE, and sizes as the kernel takes them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/inside.h"
#include "tools/module/parameter.h"
#include "tools/tool.h"

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text);

	return length >= strlen(end) &&
	       !strcmp(text + length - strlen(end), end);
}

int parameter_parse(const struct command *self, const char *argument,
		    struct parameter *parameter)
{
	size_t key = strcspn(argument, "=");
	const char *value = argument + key + 1;
	uint64_t bytes;

	if (!argument[key] || !key || !*value || strpbrk(argument, " \t\n\""))
		return tool_usage(self, "\"%s\" is no PARAMETER=VALUE",
				  argument);
	if (key >= sizeof(parameter->name) ||
	    strlen(value) >= sizeof(parameter->value))
		return tool_usage(self, "\"%.32s...\": too long", argument);
	memcpy(parameter->name, argument, key);
	parameter->name[key] = '\0';
	strcpy(parameter->value, value);
	if (!ends_with(parameter->name, "_size"))
		return TOOL_OK;
	if (!pd_parse_number(value, strlen(value), true, UINT64_MAX, &bytes))
		return tool_usage(self,
				  "\"%s\": expected bytes, or a number with K, M or G",
				  argument);
	snprintf(parameter->value, sizeof(parameter->value), "%" PRIu64, bytes);
	return TOOL_OK;
}
