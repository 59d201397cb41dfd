// SPDX-License-Identifier: MIT
/* The applications by number. */
#include "tools/apps/apps.h"

#define APP_ADDRESS(name) &app_##name,

static const struct app *const apps[] = { APPS(APP_ADDRESS) };

const struct app *app_at(size_t at)
{
	return at < TOOL_COUNT(apps) ? apps[at] : NULL;
}

const char *app_word(size_t at)
{
	return at < TOOL_COUNT(apps) ? apps[at]->name : NULL;
}
