// SPDX-License-Identifier: MIT
/* Opens, loads and runs the PE programs of an application. */
#include <string.h>

#include <pimdimm/program.h>

#include "tools/apps/common/pes.h"

static unsigned int program_number(const struct app_context *ctx,
				   const struct app_program *program)
{
	unsigned int i = 0;

	while (ctx->app->programs[i] && ctx->app->programs[i] != program)
		i++;
	return i;
}

bool app_runs_here(const struct app *app)
{
	return !app->programs[0] || app->programs[0]->begin;
}

int app_programs_open(struct app_context *ctx)
{
	const struct app_program *program;

	if (!app_runs_here(ctx->app))
		return tool_error("%s: the command's own programs for PEs are built on x86-64 alone",
				  ctx->command.name);
	for (unsigned int i = 0; (program = ctx->app->programs[i]); i++) {
		if (pimdimm_program_open_memory(program->begin,
						(size_t)(program->end - program->begin),
						&ctx->opened[i])) {
			ctx->opened[i] = NULL;
			return app_failed(program->name);
		}
		pimdimm_program_set_name(ctx->opened[i], program->name);
	}
	return TOOL_OK;
}

void app_programs_close(struct app_context *ctx)
{
	for (unsigned int i = 0; i < APP_MAX_PROGRAMS; i++) {
		pimdimm_program_close(ctx->opened[i]);
		ctx->opened[i] = NULL;
	}
	ctx->loaded = NULL;
}

uint64_t app_programs_mram(const struct app_context *ctx)
{
	uint64_t most = 0;

	for (unsigned int i = 0; i < APP_MAX_PROGRAMS && ctx->opened[i]; i++) {
		uint64_t bytes = pimdimm_program_info(ctx->opened[i])->mram_bytes;

		most = bytes > most ? bytes : most;
	}
	return most;
}

/* Where a program has an object of exactly this size in WRAM. */
static int find_symbol(struct app_context *ctx, const char *name, size_t bytes,
		       uint32_t *address)
{
	unsigned int number = program_number(ctx, ctx->loaded);
	struct pimdimm_symbol symbol;

	if (pimdimm_program_symbol(ctx->opened[number], name, &symbol))
		return app_failed(ctx->loaded->name);
	if (symbol.space != PIMDIMM_WRAM || symbol.bytes != bytes)
		return tool_error("%s: %s is no object of %zu bytes in WRAM",
				  ctx->loaded->name, name, bytes);
	*address = symbol.address;
	return TOOL_OK;
}

static int load_program(struct app_context *ctx, const struct app_program *program)
{
	if (ctx->loaded == program)
		return TOOL_OK;
	if (pimdimm_load(ctx->sys, ctx->pes, ctx->own_pes,
			 ctx->opened[program_number(ctx, program)]))
		return app_failed(program->name);
	ctx->loaded = program;
	return TOOL_OK;
}

static int write_args(struct app_context *ctx, const uint8_t *args, size_t bytes,
		      size_t stride)
{
	uint32_t address;
	int ret = 0;

	if (!bytes)
		return TOOL_OK;
	if (find_symbol(ctx, "args", bytes, &address))
		return TOOL_FAILED;
	/* one transfer, as hardware has it */
	pimdimm_report_enter(PIMDIMM_REPORT_TO_PES);
	for (uint32_t pe = 0; !ret && pe < ctx->own_pes; pe++)
		ret = pimdimm_wram_write(ctx->sys, pe, address,
					 args + (ctx->first_pe + pe) * stride, bytes);
	pimdimm_report_leave();
	return ret ? app_failed(ctx->loaded->name) : TOOL_OK;
}

int app_launch(struct app_context *ctx, const struct app_program *program,
	       const void *args, size_t bytes, size_t stride)
{
	/* a host may have no PE of the run */
	if (!ctx->own_pes)
		return TOOL_OK;
	if (load_program(ctx, program) || write_args(ctx, args, bytes, stride))
		return TOOL_FAILED;
	if (pimdimm_run(ctx->sys, ctx->pes, ctx->own_pes, NULL))
		return app_failed(program->name);
	return TOOL_OK;
}

int app_wram_read(struct app_context *ctx, const char *symbol, uint32_t nr_pes,
		  void *values, size_t bytes)
{
	uint32_t address;
	int ret = 0;

	if (find_symbol(ctx, symbol, bytes, &address))
		return TOOL_FAILED;
	pimdimm_report_enter(PIMDIMM_REPORT_FROM_PES);
	for (uint32_t pe = 0; !ret && pe < nr_pes; pe++)
		ret = pimdimm_wram_read(ctx->sys, pe, address,
					(uint8_t *)values + pe * bytes, bytes);
	pimdimm_report_leave();
	return ret ? app_failed(ctx->loaded->name) : TOOL_OK;
}
