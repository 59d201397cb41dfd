/* SPDX-License-Identifier: MIT */
/*
 * The default floating-point environment: round to nearest, denormals kept,
 * nothing traps. On x86-64 only MXCSR matters, and reading it is far cheaper
 * than fegetenv().
 */
#ifndef PD_FPENV_H
#define PD_FPENV_H

#ifdef __x86_64__
#include <xmmintrin.h>

typedef unsigned int pd_fpenv;

static inline pd_fpenv pd_fpenv_enter(void)
{
	pd_fpenv old = _mm_getcsr();

	_mm_setcsr(0x1f80);
	return old;
}

static inline void pd_fpenv_leave(pd_fpenv old)
{
	_mm_setcsr(old);
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
