// SPDX-License-Identifier: MIT
/*
 * Sections sum up cycles; start out of turn stops the PE.
 * quirk: tasklets=1
 * fault: 6 profiling_start of.*profiling_start.c:18 (main)
 */
#include <profiling.h>

#include "quirk.h"

PROFILING_INIT(section);

int main(void)
{
	profiling_start(&section);
	profiling_stop(&section);
	profiling_start(&section);
	profiling_start(&section);
	return 0;
}
