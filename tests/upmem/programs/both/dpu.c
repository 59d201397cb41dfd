// SPDX-License-Identifier: MIT
#include <defs.h>

int main(void)
{
	return 0;
}
