// SPDX-License-Identifier: MIT
/* Tasklets that do nothing but let each other run. */
#include <defs.h>
#include <pe_abi.h>

#include "tools/perf/pe/args.h"

__host struct pe_args args;
/* turns that found another tasklet's before them */
__host uint32_t turns[PE_TASKLETS];

static volatile uint32_t last;

int main(void)
{
	uint32_t self = me(), n = 0;

	for (uint32_t i = 0; i < args.passes; i++) {
		PE_SVC->yield();
		n += last != self;
		last = self;
	}
	turns[self] = n;
	return 0;
}
