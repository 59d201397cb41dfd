// SPDX-License-Identifier: MIT
/* A program with one shared object, to be called wrongly. */
#include <stdint.h>

#include <defs.h>

__host uint64_t word;

int main(void)
{
	word += me();
	return 0;
}
