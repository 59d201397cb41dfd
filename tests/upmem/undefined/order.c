// SPDX-License-Identifier: MIT
/* What qsort() is given, by the comparison that uses it. */
#include "undefined.h"

static int compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	if (*x > *y)	/* BUG */
		sum++;
	return (int)zero;
}

int main(void)
{
	uint32_t a[8], n = 7;

	MEND(n = 8;)
	for (uint32_t i = 0; i < n; i++)
		a[i] = 8 - i;
	qsort(a, 8, sizeof(*a), compare);
	sum += a[0];
	return 0;
}
