/* SPDX-License-Identifier: MIT */
/* Breakpoints and steps of the tasklets of a PE. */
#ifndef PD_TRAPS_H
#define PD_TRAPS_H

#include "runtime/pe/debug/scene.h"

/* whether a processor can be told to stop after each instruction */
#ifdef __x86_64__
#define PD_CAN_STEP	true
#else
#define PD_CAN_STEP	false
#endif

#define PD_MAX_BREAKPOINTS	256u
#define PD_NO_TASKLET		UINT32_MAX

struct pd_traps {
	uint8_t *text;		/* what the worker executes, */
	const uint8_t *original;
	uint32_t text_bytes;
	uint64_t breakpoints[PD_MAX_BREAKPOINTS];
	uint32_t nr_breakpoints;
	uint32_t step;		/* a tasklet that is to take one, or PD_NO_TASKLET */
	bool stepping;		/* the processor stops after the next instruction, */
	bool quietly;		/* which nobody has asked for */
	uint64_t lifted;	/* not 0: a breakpoint that is not in the text meanwhile */
	uint64_t back;		/* not 0: where that tasklet comes out of a service */
};

enum pd_trap {
	PD_TRAP_FOREIGN,	/* the program's own */
	PD_TRAP_GO_ON,
	PD_TRAP_BREAKPOINT,
	PD_TRAP_STEP,
};

/* false: no code there, or too many of them */
bool pd_traps_set(struct pd_traps *t, uint64_t at);
void pd_traps_clear(struct pd_traps *t, uint64_t at);
void pd_traps_clear_all(struct pd_traps *t);

/* the PE is to go on from a stop, with a step where t->step says so */
void pd_traps_go(struct pd_traps *t, const struct pd_scene *scene);
/* the worker has come to one; what it is for who asked */
enum pd_trap pd_traps_hit(struct pd_traps *t, const struct pd_scene *scene);
/* the PE stops for another reason, or is at its end: no step is left */
void pd_traps_stop(struct pd_traps *t, const struct pd_scene *scene);

#endif /* PD_TRAPS_H */
