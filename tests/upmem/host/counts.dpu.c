// SPDX-License-Identifier: MIT
/* Counts, and says nothing of the clock. */
#include <stdint.h>

#include <defs.h>
#include <perfcounter.h>

__host uint64_t cycles;

int main(void)
{
	perfcounter_config(COUNT_CYCLES, true);
	cycles = perfcounter_get();
	return 0;
}
