// SPDX-License-Identifier: MIT
/* Chooses the PEs of a run, and refuses before anything runs what would not fit. */
#include <inttypes.h>
#include <string.h>

#include <pimdimm/pimdimm_layout.h>

#include "tools/apps/common/fit.h"
#include "tools/apps/common/memory.h"
#include "tools/apps/common/pes.h"

#define DEFAULT_PES 256

uint64_t app_fit_mram(const struct app_plan *plan)
{
	if (plan->mram < PIMDIMM_MRAM_MIN)
		return PIMDIMM_MRAM_MIN;
	return app_round_up(plan->mram, PIMDIMM_MRAM_ALIGN);
}

static uint32_t fit_axes(const struct app_context *ctx, uint32_t nr_pes)
{
	return ctx->app->fit ? ctx->app->fit(ctx, nr_pes) : nr_pes / 8 * 8;
}

/* the most PEs that there are: of the system, or of any */
static uint32_t fit_limit(const struct app_context *ctx)
{
	uint32_t nr_pes;

	if (!ctx->sys)
		return APP_MAX_PES;
	nr_pes = ctx->hosts ? ctx->hosts_pes : pimdimm_geometry(ctx->sys)->nr_pes;
	return nr_pes < APP_MAX_PES ? nr_pes : APP_MAX_PES;
}

static uint64_t fit_mram_limit(const struct app_context *ctx)
{
	return ctx->sys ? pimdimm_geometry(ctx->sys)->mram_size :
			  PIMDIMM_MRAM_MAX;
}

static bool fits_mram(const struct app_context *ctx)
{
	return app_fit_mram(&ctx->plan) <= fit_mram_limit(ctx);
}

static bool fits_memory(const struct app_context *ctx)
{
	return app_plan_total(&ctx->plan) <= app_memory_bound();
}

uint64_t app_fit_staging(const struct app_context *ctx)
{
	unsigned int stagers = ctx->stagers;

	if (!stagers && ctx->algorithm)
		stagers = !strcmp(ctx->algorithm, APP_SDK) ||
			  !strcmp(ctx->algorithm, "conventional");
	/* each keeps what it has taken */
	return app_times(ctx->plan.staging, stagers);
}

static int make_plan(struct app_context *ctx, uint32_t nr_pes)
{
	int ret;

	ctx->nr_pes = nr_pes;
	ctx->plan = (struct app_plan){ 0 };
	app_plan_mram(&ctx->plan, "programs", app_programs_mram(ctx));
	ret = ctx->app->plan(ctx, &ctx->plan);
	app_plan_host(&ctx->plan, app_fit_staging(ctx));
	return ret;
}

/* The lowest number of PEs above this that the axes allow, 0 none. */
static uint32_t next_above(const struct app_context *ctx, uint32_t nr_pes)
{
	for (uint32_t n = nr_pes + 1; n <= fit_limit(ctx); n++) {
		if (fit_axes(ctx, n) == n)
			return n;
	}
	return 0;
}

static int refuse_axes(const struct app_context *ctx, uint32_t asked)
{
	uint32_t below = fit_axes(ctx, asked < fit_limit(ctx) ? asked :
							      fit_limit(ctx));
	uint32_t above = next_above(ctx, asked);

	if (below && above)
		return tool_usage(&ctx->command, "%u PEs do not make axes %s, the nearest that do are %u and %u",
				  asked, ctx->app->axes, below, above);
	if (below || above)
		return tool_usage(&ctx->command, "%u PEs do not make axes %s, the nearest that do are %u",
				  asked, ctx->app->axes, below ? below : above);
	return tool_usage(&ctx->command, "no number of PEs up to %u makes axes %s",
			  fit_limit(ctx), ctx->app->axes);
}

/* Makes a plan with other PEs that fits; 0: there is none. The plan is then another. */
static uint32_t find_other(struct app_context *ctx, uint32_t first)
{
	uint32_t pes[2] = { first, first };

	for (unsigned int step = 0; step < 20; step++) {
		/* fewer take less memory, more take less MRAM each */
		for (unsigned int up = 0; up < 2; up++) {
			uint32_t try = up ? pes[up] * 2 : pes[up] / 2;

			pes[up] = try > fit_limit(ctx) ? fit_limit(ctx) : try;
			try = fit_axes(ctx, pes[up]);
			if (try && !make_plan(ctx, try) && fits_mram(ctx) &&
			    fits_memory(ctx))
				return try;
		}
	}
	return 0;
}

/* A system of its own size lacks MRAM. */
static int refuse_system(const struct app_context *ctx)
{
	uint64_t needed = app_fit_mram(&ctx->plan);

	if (needed > PIMDIMM_MRAM_MAX)
		return tool_error("%s needs %s bytes of MRAM in each PE of %u; a PE has at most %s",
				  ctx->input, tool_count(ctx->plan.mram),
				  ctx->nr_pes, tool_size(PIMDIMM_MRAM_MAX));
	return tool_error("%s needs %s bytes of MRAM in each PE, and this system has %s: a system with mram=%" PRIu64 "K (mram_size=%" PRIu64 "K for the module) would fit",
			  ctx->input, tool_count(needed),
			  tool_count(pimdimm_geometry(ctx->sys)->mram_size),
			  needed / 1024, needed / 1024);
}

static int refuse_size(struct app_context *ctx)
{
	uint64_t mram = ctx->plan.mram, total = app_plan_total(&ctx->plan);
	uint32_t nr_pes = ctx->nr_pes, other;
	bool of_mram = !fits_mram(ctx);
	char would[64] = "no number of PEs would do";

	if (of_mram && ctx->sys)
		return refuse_system(ctx);
	other = find_other(ctx, nr_pes);
	if (other)
		snprintf(would, sizeof(would), "--pes %u would do", other);
	if (of_mram)
		return tool_error("%s needs %s bytes of MRAM in each PE of %u, which has at most %s: %s",
				  ctx->input, tool_count(mram), nr_pes,
				  tool_size(PIMDIMM_MRAM_MAX), would);
	return tool_error("%s needs %s bytes of memory on %u PEs, more than three quarters of the %s that are available: %s",
			  ctx->input, tool_count(total), nr_pes,
			  tool_count(app_memory_available()), would);
}

/* The PEs to begin with where nobody says how many. */
static uint32_t default_pes(const struct app_context *ctx)
{
	uint32_t nr_pes = ctx->app->pes ? ctx->app->pes : DEFAULT_PES;

	/* each host has a rank at least */
	if (nr_pes < ctx->nr_hosts * PIMDIMM_RANK_PES)
		nr_pes = ctx->nr_hosts * PIMDIMM_RANK_PES;
	return fit_axes(ctx, ctx->sys || nr_pes > fit_limit(ctx) ?
				     fit_limit(ctx) : nr_pes);
}

int app_fit(struct app_context *ctx)
{
	uint32_t asked = ctx->pes_asked, nr_pes = asked ? asked : default_pes(ctx);
	int ret;

	if (!nr_pes || nr_pes > fit_limit(ctx) || fit_axes(ctx, nr_pes) != nr_pes)
		return refuse_axes(ctx, nr_pes);
	ret = make_plan(ctx, nr_pes);
	if (ret || (fits_mram(ctx) && fits_memory(ctx)))
		return ret;
	if (!asked && !ctx->sys && find_other(ctx, nr_pes))
		return TOOL_OK;
	ret = make_plan(ctx, nr_pes);
	return ret ? ret : refuse_size(ctx);
}
