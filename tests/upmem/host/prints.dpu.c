// SPDX-License-Identifier: MIT
/* Prints in each format that DPUs have. */
#include <stdint.h>
#include <stdio.h>

#include <defs.h>

__host uint32_t lines = 1;

int main(void)
{
	printf("%d %i %u|%5d|%-5d|%05d\n", -1, -2, 4000000000u, 42, 42, 42);
	printf("%x %X %#x %o %c%c\n", 255, 255, 255, 8, 'o', 'k');
	printf("%ld %lu %lx\n", -5000000000L, 5000000000UL, 0x123456789abUL);
	printf("%s|%10s|%-4s|%.2s\n", "text", "right", "l", "cut");
	printf("%f %.2f %e\n", 1.5, -0.125, 12345.678);
	printf("100%% of %p\n", (void *)0x1234);
	for (uint32_t i = 1; i < lines; i++)
		printf("line %u of many\n", i);
	return 0;
}
