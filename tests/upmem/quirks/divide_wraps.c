// SPDX-License-Identifier: MIT
/*
 * The least integer divided by -1 is itself, as in any operation that wraps, and
 * nothing remains; in all widths. Results are volatile: C leaves the first undefined,
 * and some compilers fold a comparison of it.
 */
#include "quirk.h"

#define LEAST(type) ((type)(1ull << (8 * sizeof(type) - 1)))

#define DIVIDE(type)							\
	do {								\
		static volatile type least = LEAST(type), minus = -1;	\
		volatile type result;					\
									\
		result = least / minus;					\
		CHECK(result == LEAST(type));				\
		result = least % minus;					\
		CHECK(result == 0);					\
		result = (least + 1) / minus;				\
		CHECK(result == (type)~LEAST(type));			\
	} while (0)

int main(void)
{
	DIVIDE(int8_t);
	DIVIDE(int16_t);
	DIVIDE(int32_t);
	DIVIDE(int64_t);
	quirk_end();
	return 0;
}
