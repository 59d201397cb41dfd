// SPDX-License-Identifier: MIT
/* Loops for ever where asked to. */
#include <stdint.h>

#include <defs.h>

__host uint64_t for_ever;

int main(void)
{
	while (*(volatile uint64_t *)&for_ever)
		;
	return 0;
}
