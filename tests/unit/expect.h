/* SPDX-License-Identifier: MIT */
/* For what is found wrong in tasklets and other threads, which cannot end the test. */
#ifndef TESTS_EXPECT_H
#define TESTS_EXPECT_H

#include <stdatomic.h>
#include <stdio.h>

#include "tests/unit/unit.h"

static atomic_uint wrong;

#define expect_that(cond)						\
	do {								\
		if (!(cond)) {						\
			wrong++;					\
			printf("# line %d: %s\n", __LINE__, #cond);	\
		}							\
	} while (0)

/* two ranks on which nothing has gone wrong yet */
static inline struct pimdimm *expect_open(void)
{
	wrong = 0;
	return unit_open("mem:ranks=2,mram=64K");
}

/* closes them; nothing must have gone wrong */
static inline void expect_close(struct pimdimm *sys)
{
	assert_int_equal(wrong, 0);
	pimdimm_close(sys);
}

#endif /* TESTS_EXPECT_H */
