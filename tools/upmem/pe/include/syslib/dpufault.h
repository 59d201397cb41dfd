/* SPDX-License-Identifier: MIT */
/* Why a PE may stop, by hardware's numbers. */
#ifndef DPUFAULT_H
#define DPUFAULT_H

#define FAULT_ALLOC_HEAP_FULL		1
#define FAULT_DIVISION_BY_ZERO		2
#define FAULT_ASSERT_FAILED		3
#define FAULT_HALT			4
#define FAULT_PRINTF_OVERFLOW		5
#define FAULT_ALREADY_PROFILING		6
#define FAULT_NOT_PROFILING		7
#define FAULT_UNALIGNED_ACCESS		8

#endif /* DPUFAULT_H */
