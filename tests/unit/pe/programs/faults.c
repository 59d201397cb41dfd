// SPDX-License-Identifier: MIT
/* A fault of each kind, and transfers in and out of hardware's rules. */
#define TASKLETS 3
#include "runtime/pe/shared/syscall.h"
#include "tests/unit/pe/programs/pe.h"

HOST uint32_t act;
HOST volatile uint32_t zero;
HOST uint32_t dma[4];		/* write, MRAM, WRAM offset, bytes */
HOST uint8_t buffer[8192];
HOST uint32_t reach;		/* bytes below the top of a stack */

NOINLINE static void nothing(void)
{
}

NOINLINE static void transfer(void)
{
	uint8_t *wram = buffer + dma[2];

	if (dma[0])
		PE_SVC->mram_write(dma[1], wram, dma[3]);
	else
		PE_SVC->mram_read(dma[1], wram, dma[3]);
}

NOINLINE static void divide(void)
{
	zero = 12345 / zero;
}

NOINLINE static void null_pointer(void)
{
	*(volatile uint32_t *)(uintptr_t)zero = 1;
}

NOINLINE static void into_text(void)
{
	*(volatile uint8_t *)(uintptr_t)PE_TEXT_BASE = 0xcc;
}

NOINLINE static void past_mram(void)
{
	zero = MRAM[PE_SELF->mram_bytes];
}

__attribute__((noinline))
static uint32_t deeper(uint32_t n)
{
	volatile uint8_t frame[512];

	frame[n % 512] = (uint8_t)n;
	return (n == ~0u ? 0 : deeper(n + 1)) + frame[n % 512];
}

NOINLINE static void recurse(void)
{
	zero = deeper(0);
}

/* as a frame that begins there would */
NOINLINE static void fill(void)
{
	*(volatile uint64_t *)(uintptr_t)(PE_STACK_TOP(me()) - reach) = 1;
}

NOINLINE static void trap(void)
{
	__builtin_trap();
}

NOINLINE static void halt(void)
{
#ifdef __aarch64__
	__asm__ volatile("udf #0");
#else
	__asm__ volatile("hlt");
#endif
}

/* to be looked at by a debugger, were there one; what lies behind it is not what it is */
NOINLINE static void stop(void)
{
#ifdef __aarch64__
	__asm__ volatile("brk #7\n\t"
			 "brk #1");
#else
	__asm__ volatile("int3\n\t"
			 "ud2");
#endif
}

NOINLINE static void tell(void)
{
	PE_SVC->fault(PE_FAULT_ASSERT, 7, "the text of an assertion\n");
}

NOINLINE static void system_call(void)
{
	pe_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

NOINLINE static void odd_text(void)
{
	PE_SVC->fault(PE_FAULT_HEAP, 0, (const char *)(uintptr_t)0xdead0000);
}

void pe_start(void)
{
	static void (*const acts[])(void) = {
		nothing, transfer, divide, null_pointer, into_text, past_mram,
		recurse, trap, halt, tell, system_call, odd_text,
		fill, stop,
	};

	if (!me()) {
		boot();
		return;
	}
	if (me() == 2)
		acts[act]();
}
