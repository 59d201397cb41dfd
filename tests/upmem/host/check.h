/* SPDX-License-Identifier: MIT */
/* What the quirks check with: says what is wrong, and the program then fails. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include <dpu.h>

static int failures;

#define CHECK(condition)                                                    \
	do {                                                                \
		if (!(condition)) {                                         \
			printf("%s:%d: not so: %s\n", __FILE__, __LINE__,   \
			       #condition);                                 \
			failures++;                                         \
		}                                                           \
	} while (0)

/* a call must return exactly this */
#define RETURNS(expected, call)                                             \
	do {                                                                \
		dpu_error_t status_ = (call);                               \
		if (status_ != (dpu_error_t)(expected)) {                   \
			printf("%s:%d: %s: %#x, expected %#x (%s)\n",       \
			       __FILE__, __LINE__, #call,                   \
			       (unsigned int)status_,                       \
			       (unsigned int)(expected),                    \
			       dpu_error_detail());                         \
			failures++;                                         \
		}                                                           \
	} while (0)

#define OK(call) RETURNS(DPU_OK, call)

/* a call must return exactly this, and a sentence must say more */
#define FAILS(expected, call)                                               \
	do {                                                                \
		RETURNS(expected, call);                                    \
		CHECK(dpu_error_detail()[0]);                               \
	} while (0)

static inline int check_result(void)
{
	if (failures)
		printf("%d failures\n", failures);
	return failures != 0;
}

#endif /* CHECK_H */
