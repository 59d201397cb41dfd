// SPDX-License-Identifier: MIT
/*
 * The least integer divided by -1 is itself, as in any operation that wraps, and
 * nothing remains; in all widths.
 */
#include "quirk.h"

#define LEAST(type) ((type)(1ull << (8 * sizeof(type) - 1)))

#define DIVIDE(type)							\
	do {								\
		static volatile type least = LEAST(type), minus = -1;	\
									\
		CHECK((type)(least / minus) == LEAST(type));		\
		CHECK(least % minus == 0);				\
		CHECK((type)((least + 1) / minus) == (type)~LEAST(type)); \
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
