/* SPDX-License-Identifier: MIT */
/* Between MRAM and WRAM. */
#ifndef MRAM_H
#define MRAM_H

#include <stdint.h>

#include <attributes.h>
#include <mram_unaligned.h>
#include <pe_abi.h>

extern __mram_ptr uint8_t __sys_used_mram_end[];

/* its code counts as the caller's line: where faults are told to be */
#define __pe_at_caller __attribute__((__always_inline__, __nodebug__))
/* nor is it lost where the transfer is the last thing that a function does */
#define __pe_no_tail_call()	__asm__ volatile("")

/* a program that is checked says what it transfers */
#ifdef __PE_CHECKED
void pe_check_dma(uint32_t mram, const void *wram, uint32_t bytes, int write);
#else
#define pe_check_dma(mram, wram, bytes, write)	((void)0)
#endif

/* the first byte of MRAM behind the program's own objects */
#ifdef __PE_HEAP	/* the driver knows already where the linker will put it */
#define DPU_MRAM_HEAP_POINTER	((__mram_ptr void *)__PE_HEAP)
#else
#define DPU_MRAM_HEAP_POINTER	((__mram_ptr void *)&__sys_used_mram_end[0])
#endif

/**
 * mram_read() - copy from MRAM to WRAM
 * @from: source, a multiple of 8
 * @to: destination, a multiple of 8
 * @nb_of_bytes: a multiple of 8, from 8 to 2048
 */
__pe_at_caller
static inline void mram_read(const __mram_ptr void *from, void *to,
			     unsigned int nb_of_bytes)
{
	pe_check_dma((uint32_t)(uintptr_t)from, to, nb_of_bytes, 0);
	PE_SVC->mram_read((uint32_t)(uintptr_t)from, to, nb_of_bytes);
	__pe_no_tail_call();
}

/**
 * mram_write() - copy from WRAM to MRAM
 * @from: source, a multiple of 8
 * @to: destination, a multiple of 8
 * @nb_of_bytes: a multiple of 8, from 8 to 2048
 */
__pe_at_caller
static inline void mram_write(const void *from, __mram_ptr void *to,
			      unsigned int nb_of_bytes)
{
	pe_check_dma((uint32_t)(uintptr_t)to, from, nb_of_bytes, 1);
	PE_SVC->mram_write((uint32_t)(uintptr_t)to, from, nb_of_bytes);
	__pe_no_tail_call();
}

/* the same, as hardware's compiler knows them */
void __builtin_dpu_ldma(void *to, const __mram_ptr void *from, unsigned int bytes);
void __builtin_dpu_sdma(const void *from, __mram_ptr void *to, unsigned int bytes);

/* the time of transferring so many bytes, where a program dereferences MRAM */
void pe_mram_access(unsigned long address, unsigned long bytes, int write);

#endif /* MRAM_H */
