// SPDX-License-Identifier: MIT
#include <stdint.h>

#include <defs.h>

__host uint64_t word;

int main(void)
{
	word += me();
	return 0;
}
