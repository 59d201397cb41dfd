// SPDX-License-Identifier: MIT
/*
 * abort() stops the PE.
 * quirk: tasklets=3
 * fault: 4 abort
 */
#include <stdlib.h>

#include "quirk.h"

int main(void)
{
	if (me() == 2)
		abort();
	return 0;
}
