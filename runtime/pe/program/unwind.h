/* SPDX-License-Identifier: MIT */
/* From a function's registers to its caller's, by .debug_frame. */
#ifndef PD_UNWIND_H
#define PD_UNWIND_H

#include "runtime/pe/program/dwarf.h"

/* registers by DWARF's numbers */
#ifdef __aarch64__
enum {
	PD_X0, PD_X19 = 19, PD_X29 = 29, PD_LR, PD_SP,
	PD_PC,
	PD_NR_REGISTERS
};
/* where a call leaves what it returns to, until the function keeps that */
#define PD_RETURN	PD_LR
#else
enum {
	PD_RAX, PD_RDX, PD_RCX, PD_RBX, PD_RSI, PD_RDI, PD_RBP, PD_RSP,
	PD_R8, PD_R9, PD_R10, PD_R11, PD_R12, PD_R13, PD_R14, PD_R15,
	PD_PC,
	PD_NR_REGISTERS
};
#define PD_SP		PD_RSP
/* calls leave it in memory */
#define PD_RETURN	PD_PC
#endif

struct pd_registers {
	uint64_t value[PD_NR_REGISTERS];
	uint64_t known;		/* a bit for each */
	bool called;		/* the pc is where a call returns to */
};

/* where frames are, as it lies in the host's memory */
struct pd_frames_at {
	uint64_t base;
	const uint8_t *bytes;
	uint64_t nr_bytes;
};

/* a word of a stack; false: it has none there */
bool pd_stack_word(const struct pd_frames_at *stack, uint64_t address, uint64_t *word);

/* where it is: in the call, behind which another line or function may begin */
static inline uint64_t pd_pc_of(const struct pd_registers *r)
{
	return r->value[PD_PC] - r->called;
}

/* The caller's registers; false: the table does not know, or there is none. */
bool pd_unwind(const struct pd_section *frame, const struct pd_frames_at *stack,
	       struct pd_registers *r);

#endif /* PD_UNWIND_H */
