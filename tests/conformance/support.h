/* SPDX-License-Identifier: MIT */
/* What every file of the tests needs: to give up on lack of memory. */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <stdio.h>
#include <stdlib.h>

static inline void *need(void *p)
{
	if (!p) {
		printf("Bail out! out of memory\n");
		exit(1);
	}
	return p;
}

#endif
