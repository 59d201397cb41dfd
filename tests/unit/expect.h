/* SPDX-License-Identifier: MIT */
/* For what is found wrong in tasklets and other threads, which cannot end the test. */
#ifndef TESTS_EXPECT_H
#define TESTS_EXPECT_H

#include <stdatomic.h>
#include <stdio.h>

static atomic_uint wrong;

#define expect_that(cond)						\
	do {								\
		if (!(cond)) {						\
			wrong++;					\
			printf("# line %d: %s\n", __LINE__, #cond);	\
		}							\
	} while (0)

#endif /* TESTS_EXPECT_H */
