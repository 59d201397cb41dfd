// SPDX-License-Identifier: MIT
/*
 * Sections sum up cycles; stop out of turn stops the PE.
 * quirk: tasklets=1
 * fault: 7 profiling_stop
 */
#include <profiling.h>

#include "quirk.h"

PROFILING_INIT(section);

int main(void)
{
	profiling_start(&section);
	profiling_stop(&section);
	profiling_stop(&section);
	profiling_stop(&section);
	return 0;
}
