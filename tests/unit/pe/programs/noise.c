// SPDX-License-Identifier: MIT
/*
 * Writes numbers at random to the memory between a PE and its host, and calls the
 * host by them, which reads there meanwhile. seed 0: an honest PE.
 */
#include <linux/futex.h>

#include "tests/unit/pe/programs/pe.h"
#include "runtime/pe/shared/shared.h"
#include "runtime/pe/shared/syscall.h"

HOST uint64_t seed;
HOST uint32_t answer;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static uint64_t number(void)
{
	static const uint64_t odd[] = {
		0, 1, 2, 3, 4, 5, 16, 63, 64, 65, 0x7fffffff, 0xffffffff, ~0ull,
		PE_WRAM_BASE, PE_TEXT_BASE, PE_STACK_TOP(0) - 64, PE_SERVICES,
	};

	switch (next_random() % 3) {
	case 0:
		return odd[next_random() % (sizeof(odd) / sizeof(*odd))];
	case 1:
		return next_random() % PE_MRAM_PAGES;
	default:
		return next_random();
	}
}

/* Most of it where calls are, or the flags of pages. */
static void write_noise(uint64_t times)
{
	volatile uint64_t *words = (void *)(uintptr_t)PE_SHARED;
	const uint64_t calls = (PE_SHARED_CALL - PE_SHARED) / 8;

	while (times--) {
		uint64_t at = next_random() % (PE_SHARED_BYTES / 8);

		words[next_random() % 2 ? calls + at % 64 : at] = number();
	}
}

static void call_for(uint32_t what, uint32_t page)
{
	volatile struct pe_shared *s = (void *)(uintptr_t)PE_SHARED;

	s->what = what;
	s->page = page;
	s->call++;
	pe_syscall(SYS_futex, PE_SHARED_CALL, FUTEX_WAKE, 1, 0, 0, 0);
}

static void call_any(void)
{
	uint32_t what = next_random() % 2 ? PE_CALL_FILL : PE_CALL_PARCELS;

	/* others end the PE's run at once */
	if (!(next_random() % 16))
		what = (uint32_t)(next_random() % 8);
	call_for(what, (uint32_t)(next_random() % 4 ? next_random() % 16 : number()));
}

NOINLINE static void disturb(void)
{
	for (uint64_t calls = 1 + next_random() % 64; calls; calls--) {
		write_noise(next_random() % 16);
		call_any();
		write_noise(next_random() % 256);
	}
	switch (next_random() % 16) {
	case 0:
		for (;;)
			write_noise(1000);
	case 1:
		for (;;)
			call_for(PE_CALL_FILL, 0);
	case 2:
		pe_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
		break;
	case 3:
		PE_SVC->fault((uint32_t)number(), number(),
			      (const char *)(uintptr_t)number());
	}
}

void pe_start(void)
{
	boot();
	if (seed)
		disturb();
	answer = PE_SELF->pe + 42;
}
