// SPDX-License-Identifier: MIT
/* Copies are no uses, however many: of members, structures, by memcpy(), as arguments. */
#include "undefined.h"

struct pair {
	uint32_t first, second;
};

__attribute__((noinline))
static struct pair turned(struct pair p, uint32_t more)
{
	return (struct pair){ p.second, p.first + more };
}

int main(void)
{
	struct pair a, b, many[4];

	a.first = zero;
	MEND(a.second = 1;)
	b = turned(a, 1);
	for (uint32_t i = 0; i < 4; i++)
		many[i] = b;
	memcpy(&a, &many[zero + 2], sizeof(a));
	if (a.second == 1)
		sum++;
	if (a.first == 1)	/* BUG */
		sum++;
	return 0;
}
