// SPDX-License-Identifier: MIT
/*
 * __builtin_trap() stops the PE.
 * quirk: tasklets=3
 * fault: 3 
 */
#include <stdlib.h>

#include "quirk.h"

int main(void)
{
	if (me() == 2)
		__builtin_trap();
	return 0;
}
