/* SPDX-License-Identifier: MIT */
/* Who a tasklet is, and how it stops its PE. */
#ifndef DEFS_H
#define DEFS_H

#include <attributes.h>
#include <dpufault.h>
#include <macro_utils.h>
#include <pe_abi.h>
#include <sysdef.h>

/**
 * me() - the number of the calling tasklet
 *
 * Return: 0 to NR_TASKLETS - 1.
 */
static inline sysname_t me(void)
{
	return PE_SELF->tasklet;
}

/* me(), as hardware's compiler knows it */
unsigned int __builtin_dpu_tid(void);

/**
 * halt() - stop the whole PE; its launch fails
 */
static inline __attribute__((noreturn)) void halt(void)
{
	PE_SVC->fault(PE_FAULT_HALT, 0, 0);
}

/**
 * check_stack() - how much of the caller's stack is left
 *
 * Return: 32-bit words; negative once the stack is larger than it was declared,
 * for which there is as much room again and 1,024 bytes.
 */
int check_stack(void);

#endif /* DEFS_H */
