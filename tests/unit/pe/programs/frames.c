// SPDX-License-Identifier: MIT
/* Faults below calls, some of which are inlined. */
#define TASKLETS 2
#include "tests/unit/pe/programs/pe.h"

HOST uint32_t act;
HOST volatile uint32_t zero;
HOST uint8_t buffer[64];

#define INLINED static inline __attribute__((always_inline))

INLINED void store_through(uint32_t address)
{
	*(volatile uint32_t *)(uintptr_t)address = 1;
}

INLINED void fetch(uint32_t mram, void *wram, uint32_t bytes)
{
	PE_SVC->mram_read(mram, wram, bytes);
}

INLINED void by_way(uint32_t address)
{
	store_through(address);
	zero = 0;
}

NOINLINE static void store(uint32_t address)
{
	by_way(address);
}

NOINLINE static uint32_t middle(uint32_t n)
{
	/* a frame whose size the compiler does not know */
	volatile uint8_t *frame = __builtin_alloca(8 * n + 8);

	frame[n] = (uint8_t)n;
	store(zero);
	return frame[n];
}

NOINLINE static void transfer(void)
{
	fetch(0, buffer, 12);
	zero = 0;
}

NOINLINE static uint32_t again(uint32_t n)
{
	if (!n)
		store(zero);
	return (n ? again(n - 1) : 0) + zero;
}

NOINLINE static void wait_for_ever(void)
{
	PE_SVC->wait(PE_WAIT_BARRIER, buffer);
	zero = 0;
}

/* Without a stack of its own: where it goes on is in a register. */
__attribute__((naked)) NOINLINE static void bare(void)
{
	__asm__(STORE_AND_GO);
	/*
	 * which stores to address 0 and jumps to what that register holds
	 */
}

NOINLINE static void jump(void)
{
	__asm__ volatile(GO_BACK_TO_1
			 "1:"
			 : : "r"(bare) : GO_CLOBBERS, "memory");
	zero = 0;
}

void pe_start(void)
{
	if (!me()) {
		boot();
		return;
	}
	switch (act) {
	case 1:
		zero = middle(3) + zero;
		break;
	case 2:
		transfer();
		break;
	case 3:
		zero = again(5);
		break;
	case 4:
		wait_for_ever();
		break;
	case 5:
		jump();
		break;
	}
}
