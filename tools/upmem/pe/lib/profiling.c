// SPDX-License-Identifier: MIT
/* Sections whose cycles or instructions are summed up for the host. */
#include <profiling.h>

#include "pe.h"

/* sections have room for the program's own tasklets alone */
static void check_tasklet(const void *caller, const profiling_t *context)
{
	if (PE_SELF->tasklet >= PE_MAX_TASKLETS)
		pe_fault_at(caller, PE_FAULT_RUNTIME, (uintptr_t)context,
			    "a profiled section in a traveller");
}

void profiling_start(profiling_t *context)
{
	uint32_t *start = &context->start[PE_SELF->tasklet];

	check_tasklet(__builtin_return_address(0), context);
	if (*start)
		pe_fault_at(__builtin_return_address(0), PE_FAULT_PROFILE_START,
			    (uintptr_t)context,
			    "profiling_start of a section that was started");
	*start = (uint32_t)PE_SVC->count(0) | 1;
}

void profiling_stop(profiling_t *context)
{
	uint32_t *start = &context->start[PE_SELF->tasklet];

	check_tasklet(__builtin_return_address(0), context);
	if (!*start)
		pe_fault_at(__builtin_return_address(0), PE_FAULT_PROFILE_END,
			    (uintptr_t)context,
			    "profiling_stop of a section that was not started");
	context->count[PE_SELF->tasklet] +=
		((uint32_t)PE_SVC->count(0) | 1) - *start;
	*start = 0;
}
