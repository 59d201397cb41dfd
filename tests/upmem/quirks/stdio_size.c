// SPDX-License-Identifier: MIT
/*
 * <stdio.h> alone has size_t and NULL, as in any C.
 * quirk: tasklets=1
 */
#include <stdio.h>

size_t nothing;
void *nowhere = NULL;

#include "quirk.h"

int main(void)
{
	CHECK(!nothing && !nowhere);
	quirk_end();
	return 0;
}
