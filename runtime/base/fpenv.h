/* SPDX-License-Identifier: MIT */
/*
 * The default floating-point environment: round to nearest, denormals kept,
 * nothing traps. MXCSR is what the library's own arithmetic obeys; the x87
 * control word is for PE kernels and user-defined operations, where long double and
 * fegetround() obey it. Far cheaper than fegetenv(), and without libm.
 */
#ifndef PD_FPENV_H
#define PD_FPENV_H

#ifdef __x86_64__
#include <stdint.h>
#include <xmmintrin.h>

typedef struct {
	unsigned int mxcsr;
	uint16_t x87;
} pd_fpenv;

static inline pd_fpenv pd_fpenv_enter(void)
{
	const uint16_t x87 = 0x037f;
	pd_fpenv old = { .mxcsr = _mm_getcsr() };

	__asm__ volatile("fnstcw %0" : "=m"(old.x87));
	__asm__ volatile("fldcw %0" : : "m"(x87));
	_mm_setcsr(0x1f80);
	return old;
}

static inline void pd_fpenv_leave(pd_fpenv old)
{
	_mm_setcsr(old.mxcsr);
	__asm__ volatile("fldcw %0" : : "m"(old.x87));
}
#else
#include <fenv.h>

typedef fenv_t pd_fpenv;

static inline pd_fpenv pd_fpenv_enter(void)
{
	pd_fpenv old;

	fegetenv(&old);
	fesetenv(FE_DFL_ENV);
	return old;
}

static inline void pd_fpenv_leave(pd_fpenv old)
{
	fesetenv(&old);
}
#endif

#endif /* PD_FPENV_H */
