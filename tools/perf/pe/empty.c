// SPDX-License-Identifier: MIT
/* Nothing but a sign that every tasklet ran. */
#include <defs.h>

#include "tools/perf/pe/args.h"

__host uint32_t ran[PE_TASKLETS] = { [0 ... PE_TASKLETS - 1] = PE_LOADED };

int main(void)
{
	ran[me()]++;
	return 0;
}
