// SPDX-License-Identifier: MIT
/* check_stack(): what a tasklet's stack has left. */
#include <defs.h>

/* note.S defines it. */
extern const struct pe_note __pe_note;

/*
 * What native code has left of the stack that was declared. Its frames are larger
 * than hardware's, and so is the stack that it really has: see PE_STACK_BYTES.
 */
int check_stack(void)
{
	uint32_t t = PE_SELF->tasklet;
	uint32_t used = PE_STACK_TOP(t) - (uint32_t)(uintptr_t)__builtin_frame_address(0);

	return ((int)(t < PE_MAX_TASKLETS ? __pe_note.stack_bytes[t] :
					    PE_TRAVELLER_STACK) - (int)used) / 4;
}
