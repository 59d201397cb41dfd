/* SPDX-License-Identifier: MIT */
/* The one clock by which durations are measured and deadlines set; and short waits. */
#ifndef PD_CLOCK_H
#define PD_CLOCK_H

#include <stdint.h>
#include <time.h>

#define PD_NS_PER_S	UINT64_C(1000000000)

/* nanoseconds of CLOCK_MONOTONIC, which nobody sets */
static inline uint64_t pd_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * PD_NS_PER_S + (uint64_t)t.tv_nsec;
}

/* between two looks at a word that another thread will change */
static inline void pd_relax(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

#endif /* PD_CLOCK_H */
