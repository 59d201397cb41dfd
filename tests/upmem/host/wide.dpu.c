// SPDX-License-Identifier: MIT
/* Prints what the host must not print, or barely may. */
#include <mram.h>
#include <stdint.h>
#include <stdio.h>

STDOUT_BUFFER_INIT(4096)

__host uint32_t act;

int main(void)
{
	static const char *const formats[] = {
		"%.4096f|", "%4096d|", "%.4097f|", "%4097d|", "%.999999999f|",
		"%999999999d|", "%-4097.1s|", "%04294967297d|", "%1.99999999g|",
	};

	if (act == 0 || act == 2 || act == 4 || act == 8)
		printf(formats[act], 1.5);
	else if (act == 6)
		printf(formats[act], "text");
	else
		printf(formats[act], 1);
	return 0;
}
