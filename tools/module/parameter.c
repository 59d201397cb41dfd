// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pimdimm/pimdimm_layout.h>

#include "tools/module/parameter.h"
#include "tools/module/systems.h"
#include "runtime/base/env.h"
#include "runtime/ranks/uri.h"

const char *parameter_word(size_t at)
{
	static char word[64];

	for (size_t i = 0; systems_parameter(i); i++) {
		const char *name = systems_parameter(i);
		bool layout = !strcmp(name, "layout");
		size_t values = layout ? PIMDIMM_NR_LAYOUTS : 1;

		if (at < values) {
			snprintf(word, sizeof(word), "%s=%s", name,
				 layout ? pd_layout_name((uint32_t)at) : "");
			return word;
		}
		at -= values;
	}
	return NULL;
}

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
