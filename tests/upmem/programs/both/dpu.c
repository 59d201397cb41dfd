// SPDX-License-Identifier: MIT
/* Ends at once: it is there to be launched. */
#include <defs.h>

int main(void)
{
	return 0;
}
