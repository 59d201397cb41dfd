/* SPDX-License-Identifier: MIT */
/* Short runs of all applications, on integers, for tests that need many of them. */
#ifndef TESTS_SMALL_APPS_H
#define TESTS_SMALL_APPS_H

#include "tests/unit/unit.h"

#include "tools/apps/apps.h"
#include "tools/apps/common/app.h"

/* a small run, of so many options */
struct small {
	const struct app *app;
	const char *input;
	uint32_t pes;
	const char *options[6][2];
};

static const struct small small_apps[] = {
	{ &app_bfs, "uniform:vertices=300,edges=2,seed=5", 16, { { 0 } } },
	{ &app_cc, "uniform:vertices=300,edges=1,seed=5", 16, { { 0 } } },
	{ &app_gnn, "uniform:vertices=90,edges=3,seed=5", 16,
	  { { "strategy", "rsar" }, { "type", "I16" }, { "features", "12" },
	    { "hidden", "9" }, { "layers", "2" } } },
	{ &app_gnn, "uniform:vertices=90,edges=3,seed=5", 16,
	  { { "strategy", "arag" }, { "type", "I8" }, { "features", "12" },
	    { "hidden", "9" }, { "layers", "2" } } },
	{ &app_mlp, "random:", 16,
	  { { "features", "45" }, { "layers", "3" }, { "batch", "5" } } },
	{ &app_dlrm, "criteo:rows=40", 16,
	  { { "type", "i32" }, { "max-rows", "30" }, { "bottom", "5" },
	    { "top", "6" }, { "batch", "25" } } },
};

static inline void set_option(struct app_context *ctx, const char *name, const char *value)
{
	const struct tool_option *option = ctx->app->options;

	while (strcmp(option->name, name))
		option++;
	assert_ok(ctx->app->option(ctx, option->val, value));
}

/* Everything before the input is loaded. */
static inline void begin_small(struct app_context *ctx, const struct small *small, const char *uri)
{
	assert_ok(app_begin(ctx, small->app));
	ctx->input = small->input;
	ctx->pes_asked = small->pes;
	ctx->uri = uri;
	ctx->threads = 1;
	for (size_t i = 0; small->options[i][0]; i++)
		set_option(ctx, small->options[i][0], small->options[i][1]);
}

#endif /* TESTS_SMALL_APPS_H */
