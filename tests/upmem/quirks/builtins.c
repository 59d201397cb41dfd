// SPDX-License-Identifier: MIT
/*
 * Instructions of hardware by name, and the compiler's own.
 * quirk: tasklets=1
 */
#include <built_ins.h>
#include <dpuruntime.h>

#include "quirk.h"

static int of_bit(uint32_t word)
{
	switch (word & 1) {
	case 0:
		return 10;
	case 1:
		return 11;
	}
	unreachable();
}

int main(void)
{
	volatile int32_t y = -123456789;
	int32_t t0, t1, t2, t3;
	int8_t x = -77;

	/* a product of 8 and 32 bits, as programs make it of bytes */
	__builtin_mul_sl_ul_rrr(t0, x, y);
	__builtin_mul_sl_uh_rrr(t1, x, y);
	__builtin_mul_sl_ul_rrr(t2, x, (y >> 16));
	__builtin_mul_sl_sh_rrr(t3, x, (y >> 16));
	CHECK((int32_t)((uint32_t)t0 + ((uint32_t)t1 << 8) +
			((uint32_t)t2 << 16) + ((uint32_t)t3 << 24)) ==
	      (int32_t)((int64_t)x * y));
	__builtin_mul_uh_uh_rrr(t0, 0xff00, 0xfe00);
	CHECK(t0 == 0xff * 0xfe);
	__builtin_cmpb4_rrr(t0, 0x11223344, 0x11ff33ff);
	CHECK(t0 == 0x01000100);
	__builtin_cao_rr(t0, 0xf0f0);
	__builtin_clz_rr(t1, 0);
	CHECK(t0 == 8 && t1 == 32 && __builtin_popcount(0xff) == 8);
	CHECK(count_leading_zeros(t0) == 28 && count_population(t1) == 1);
	CHECK(of_bit(t0) == 10 && of_bit(t0 + 1) == 11);
	__builtin_cls_rr(t0, -1);
	CHECK(t0 == 31);
	for (int i = 0; i < 10; i++)
		__builtin_nop_();
	quirk_end();
	return 0;
}
