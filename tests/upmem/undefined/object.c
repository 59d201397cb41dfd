// SPDX-License-Identifier: MIT
/* An object in MRAM that is dereferenced; one that has an initial value. */
#include "undefined.h"

__mram_noinit uint32_t there[4096];
__mram uint32_t begun[4] = { 1, 2, 3, 4 };

int main(void)
{
	if (begun[zero + 1] == 2)
		sum++;
	MEND(there[2048] = 1;)
	if (there[zero + 2048])	/* BUG */
		sum++;
	return 0;
}
