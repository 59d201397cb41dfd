/* SPDX-License-Identifier: MIT */
/* What may be said of an object of a PE program. */
#ifndef ATTRIBUTES_H
#define ATTRIBUTES_H

#define __dma_aligned	__attribute__((aligned(8)))
#define __aligned(x)	__attribute__((aligned(x)))
#define __noinline	__attribute__((noinline))
#define __used		__attribute__((used))
#define __unused	__attribute__((unused))
#define __weak		__attribute__((weak))
#define __keep		__attribute__((used))
/* where short addresses reach, on hardware */
#define __lower_data(name)
/*
 * The call keeps its frame, so that a fault in it is told at the caller's line
 * where it is the last thing that a function does.
 */
#if __has_attribute(not_tail_called)
#define __pe_keeps_caller __attribute__((not_tail_called))
#else
#define __pe_keeps_caller
#endif

#define __no_instrument_function__ __attribute__((no_instrument_function))

/* in WRAM, and the host finds it by name */
#define __dpu_host	__attribute__((used, section(".dpu_host"))) __dma_aligned
#define __host		__dpu_host

/* a pointer to MRAM; programs may dereference it */
#define __mram_ptr	__attribute__((address_space(255)))

#define __section(s)	__attribute__((section(s)))
#define __mram_section(s) __mram_ptr __section(s) __dma_aligned __attribute__((used))

/*
 * Objects in MRAM: with a value from load on, or with whatever is there. Of the
 * latter a file holds nothing, which the compiler knows by the section's name.
 */
#define __mram		__mram_section(".mram")
#define __mram_keep	__mram_section(".mram.keep")
#define __mram_noinit	__mram_section(".bss.mram.noinit")
#define __mram_noinit_keep __mram_section(".bss.mram.keep")

#endif /* ATTRIBUTES_H */
