/* SPDX-License-Identifier: MIT */
/* Where the tasklets of a PE are, from what its worker has left in memory. */
#ifndef PD_REGISTERS_H
#define PD_REGISTERS_H

#include "runtime/pe/process/arena.h"
#include "runtime/pe/program/program.h"
#include "runtime/pe/program/unwind.h"

struct pd_frames_at pd_tasklet_stack(const struct pd_arena *arena, uint32_t tasklet);

/*
 * The registers of a tasklet in the program's code: those with which it called the
 * service that it is in. The worker does not run. false: it has not begun, or what
 * it wrote over itself does not tell.
 */
bool pd_tasklet_registers(const struct pd_arena *arena,
			  const struct pimdimm_program *program, uint32_t tasklet,
			  struct pd_registers *r);

/* The registers of the caller, whose code is the program's; false: there is none. */
bool pd_tasklet_caller(const struct pd_arena *arena,
		       const struct pimdimm_program *program, uint32_t tasklet,
		       struct pd_registers *r);

/* of the tasklet that a signal has stopped: where what it goes on with is kept */
struct pd_context {
	int64_t *registers[PD_NR_REGISTERS];
	int64_t *flags;
	int64_t trap;		/* the processor's number of what happened */
	const uint8_t *fp;	/* as FXSAVE has them, or NULL */
};

/* false: no signal has stopped it */
bool pd_stopped_context(const struct pd_arena *arena, struct pd_context *c);

#endif /* PD_REGISTERS_H */
