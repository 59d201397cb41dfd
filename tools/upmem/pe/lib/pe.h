/* SPDX-License-Identifier: MIT */
/* What the PE library's parts share. */
#ifndef PE_H
#define PE_H

#include <stddef.h>
#include <stdint.h>

#include <pe_abi.h>

/*
 * Between the two no other tasklet runs. A wait in between ends it; whoever waited
 * begins again and looks anew.
 */
static inline void pe_enter(void)
{
	PE_SELF->critical = 1;
	__asm__ volatile("" ::: "memory");
}

static inline void pe_leave(void)
{
	__asm__ volatile("" ::: "memory");
	PE_SELF->critical = 0;
}

/* inside pe_enter(): let others run until woken, maybe earlier */
static inline void pe_wait(enum pe_wait kind, const volatile void *object)
{
	PE_SVC->wait(kind, object);
	pe_enter();
}

#endif /* PE_H */
