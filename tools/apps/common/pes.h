/* SPDX-License-Identifier: MIT */
/* Programs on the PEs of a run. */
#ifndef PIMDIMM_APPS_PES_H
#define PIMDIMM_APPS_PES_H

#include "tools/apps/common/context.h"

/* All return TOOL_OK, or TOOL_FAILED after a message. */

/* Can this CPU run the application's programs? */
bool app_runs_here(const struct app *app);
/* Opens the application's programs, which it must before the plan. */
int app_programs_open(struct app_context *ctx);
void app_programs_close(struct app_context *ctx);
/* MRAM that the programs themselves take, of each PE: data begins behind it. */
uint64_t app_programs_mram(const struct app_context *ctx);

/*
 * Runs a program on all PEs until it has ended. It is loaded first where another was
 * there, which sets the PEs' WRAM anew and leaves MRAM alone. Its __host object `args`
 * of `bytes` is set before: to args + pe * stride on each PE, so that a stride of 0
 * gives all the same.
 */
int app_launch(struct app_context *ctx, const struct app_program *program,
	       const void *args, size_t bytes, size_t stride);

/*
 * Reads a __host object of `bytes` of each of the first nr_pes PEs into values, one
 * behind another, after a launch of the program.
 */
int app_wram_read(struct app_context *ctx, const char *symbol, uint32_t nr_pes,
		  void *values, size_t bytes);

#endif /* PIMDIMM_APPS_PES_H */
