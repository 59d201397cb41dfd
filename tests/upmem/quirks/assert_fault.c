// SPDX-License-Identifier: MIT
/*
 * assert(1 == 2) stops the PE.
 * quirk: tasklets=3
 * fault: 3 assert_fault.c:.*1 == 2
 */
#include <stdlib.h>

#include "quirk.h"

int main(void)
{
	if (me() == 2)
		assert(1 == 2);
	return 0;
}
