/* SPDX-License-Identifier: MIT */
/*
 * One PE leaves a secret wherever it can; the next looks for it wherever it can
 * look. Act 0 spills, act 1 looks.
 */
#include <cpuid.h>

#define TASKLETS 2
#include "pe.h"
#include "pe/shared.h"

#define PAGE_AT		(5 * PE_PAGE)	/* of MRAM */
#define DEEP		20000

HOST uint32_t act;
HOST uint64_t secret;
HOST uint32_t found_registers, found_stacks, found_shared, found_mram;
HOST uint64_t state[512] __attribute__((aligned(64)));
HOST uint64_t buffer[256];

static uint32_t xsave_there;

static uint32_t has_xsave(void)
{
	uint32_t a, b, c, d;

	__cpuid(1, a, b, c, d);
	return c >> 27 & 1;
}

/* x87, vectors, masks: all but protection keys */
NOINLINE static void save_registers(void)
{
	if (xsave_there)
		__asm__ volatile("xsave %0"
				 : "+m"(state)
				 : "a"(0xe7), "d"(0)
				 : "memory");
	else
		__asm__ volatile("fxsave %0" : "+m"(state) : : "memory");
}

/* all components but the first words of x87 and the header are the secret */
NOINLINE static void load_registers(void)
{
	for (unsigned int i = 20; i < 64; i++)
		state[i] = secret;
	for (unsigned int i = 72; i < 336; i++)
		state[i] = secret;
	state[64] = 0xe7;
	if (xsave_there)
		__asm__ volatile("xrstor %0" : : "m"(state), "a"(0xe7), "d"(0)
				 : "memory");
	else
		__asm__ volatile("fxrstor %0" : : "m"(state) : "memory");
}

NOINLINE static void fill_stack(void)
{
	volatile uint64_t deep[DEEP];

	for (unsigned int i = 0; i < DEEP; i++)
		deep[i] = secret;
}

static void spill(void)
{
	for (unsigned int i = 0; i < 256; i++)
		buffer[i] = secret;
	PE_SVC->mram_write(PAGE_AT, buffer, 2048);
	PE_SVC->mram_write(PAGE_AT + 2048, buffer, 2048);
	fill_stack();
	/* a fault's frame is on the handlers' stack */
	save_registers();
	load_registers();
	*(volatile uint64_t *)(uintptr_t)(PE_MRAM_BASE + 3 * PE_PAGE) = secret;
	load_registers();
	__asm__ volatile("mov %0, %%rbx; mov %0, %%r12; mov %0, %%r15;"
			 "mov %0, %%r8; mov %0, %%r11; call *%1"
			 : : "r"(secret), "r"(PE_SVC->exit)
			 : "rbx", "r12", "r15", "r8", "r11", "memory");
}

static uint32_t look_in(const void *p, uint64_t bytes)
{
	const volatile uint8_t *b = p;
	uint32_t found = 0;

	for (uint64_t i = 0; i + 8 <= bytes; i++) {
		uint64_t word = 0;

		for (unsigned int j = 0; j < 8; j++)
			word |= (uint64_t)b[i + j] << 8 * j;
		found += word == secret;
	}
	return found;
}

static uint32_t look_in_stack(uint32_t t)
{
	uint64_t slot = PE_STACK_BASE + (uint64_t)t * PE_STACK_SLOT;

	return look_in((void *)(uintptr_t)(slot + PE_PAGE),
		       PE_STACK_SLOT - PE_PAGE);
}

/* The secret is put together where it is looked for, and kept in WRAM alone. */
static void look(void)
{
	found_registers = look_in(state, sizeof(state));
	for (uint32_t t = 0; t < PE_MAX_TASKLETS; t++) {
		if (t != me())
			found_stacks += look_in_stack(t);
	}
	found_shared = look_in((void *)(uintptr_t)PE_SHARED,
			       PE_CONTROL_TOP - PE_SHARED + PE_SIGNAL_STACK);
	PE_SVC->mram_write(PAGE_AT, buffer, 1024);
	found_mram = look_in((void *)(uintptr_t)(PE_MRAM_DMA + PAGE_AT),
			     PE_PAGE);
}

void pe_start(void)
{
	if (!me()) {
		xsave_there = has_xsave();
		save_registers();
		if (act)
			look();
		boot();
	} else if (!act) {
		spill();
	}
}
