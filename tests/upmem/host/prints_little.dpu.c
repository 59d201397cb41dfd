// SPDX-License-Identifier: MIT
/* Prints into a log of its own size. */
#include <stdint.h>
#include <stdio.h>

#include <defs.h>

STDOUT_BUFFER_INIT(4096)

__host uint32_t lines = 1;

int main(void)
{
	for (uint32_t i = 0; i < lines; i++)
		printf("line %u\n", i);
	return 0;
}
