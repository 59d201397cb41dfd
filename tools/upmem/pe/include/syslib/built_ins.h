/* SPDX-License-Identifier: MIT */
/*
 * Instructions of hardware that programs ask for by name, in C. The first operand
 * receives the result.
 */
#ifndef BUILT_INS_H
#define BUILT_INS_H

#include <stdint.h>

#define __PE_SL(x)	((int32_t)(int8_t)(x))
#define __PE_SH(x)	((int32_t)(int8_t)((uint32_t)(x) >> 8))
#define __PE_UL(x)	((int32_t)(uint8_t)(x))
#define __PE_UH(x)	((int32_t)(uint8_t)((uint32_t)(x) >> 8))

/* products of bytes: signed or unsigned, the low or the high one of 16 bits */
#define __builtin_mul_sl_sl_rrr(rc, ra, rb) ((rc) = __PE_SL(ra) * __PE_SL(rb))
#define __builtin_mul_sl_sh_rrr(rc, ra, rb) ((rc) = __PE_SL(ra) * __PE_SH(rb))
#define __builtin_mul_sh_sl_rrr(rc, ra, rb) ((rc) = __PE_SH(ra) * __PE_SL(rb))
#define __builtin_mul_sh_sh_rrr(rc, ra, rb) ((rc) = __PE_SH(ra) * __PE_SH(rb))
#define __builtin_mul_sl_ul_rrr(rc, ra, rb) ((rc) = __PE_SL(ra) * __PE_UL(rb))
#define __builtin_mul_sl_uh_rrr(rc, ra, rb) ((rc) = __PE_SL(ra) * __PE_UH(rb))
#define __builtin_mul_sh_ul_rrr(rc, ra, rb) ((rc) = __PE_SH(ra) * __PE_UL(rb))
#define __builtin_mul_sh_uh_rrr(rc, ra, rb) ((rc) = __PE_SH(ra) * __PE_UH(rb))
#define __builtin_mul_ul_ul_rrr(rc, ra, rb) ((rc) = __PE_UL(ra) * __PE_UL(rb))
#define __builtin_mul_ul_uh_rrr(rc, ra, rb) ((rc) = __PE_UL(ra) * __PE_UH(rb))
#define __builtin_mul_uh_ul_rrr(rc, ra, rb) ((rc) = __PE_UH(ra) * __PE_UL(rb))
#define __builtin_mul_uh_uh_rrr(rc, ra, rb) ((rc) = __PE_UH(ra) * __PE_UH(rb))

/* 1 in each byte where the operands agree */
static inline uint32_t __pe_cmpb4(uint32_t a, uint32_t b)
{
	uint32_t equal = 0;

	for (int shift = 0; shift < 32; shift += 8)
		equal |= (uint32_t)(((a ^ b) >> shift & 0xff) == 0) << shift;
	return equal;
}

#define __builtin_cmpb4_rrr(rc, ra, rb)	((rc) = __pe_cmpb4(ra, rb))

/* ones in all; leading zeros, ones and copies of the sign */
#define __builtin_cao_rr(rc, ra)	((rc) = __builtin_popcount((uint32_t)(ra)))
#define __builtin_clz_rr(rc, ra)	((rc) = __pe_clz((uint32_t)(ra)))
#define __builtin_clo_rr(rc, ra)	((rc) = __pe_clz(~(uint32_t)(ra)))
#define __builtin_cls_rr(rc, ra)					\
	((rc) = __pe_clz((uint32_t)((int32_t)(ra) >> 31 ^ (int32_t)(ra))) - 1)

static inline int32_t __pe_clz(uint32_t x)
{
	return x ? __builtin_clz(x) : 32;
}

#define __builtin_extsb_rr(rc, ra)	((rc) = (int32_t)(int8_t)(ra))
#define __builtin_extub_rr(rc, ra)	((rc) = (int32_t)(uint8_t)(ra))
#define __builtin_extsh_rr(rc, ra)	((rc) = (int32_t)(int16_t)(ra))
#define __builtin_extuh_rr(rc, ra)	((rc) = (int32_t)(uint16_t)(ra))

/* stays where it is: programs wait by the number of them */
#define __builtin_nop_()	__asm__ volatile("nop")

#endif /* BUILT_INS_H */
