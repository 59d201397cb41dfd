// SPDX-License-Identifier: MIT
/*
 * halt() stops the PE.
 * quirk: tasklets=3
 * fault: 4 
 */
#include <stdlib.h>

#include "quirk.h"

int main(void)
{
	if (me() == 2)
		halt();
	return 0;
}
