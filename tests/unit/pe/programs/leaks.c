// SPDX-License-Identifier: MIT
/*
 * One PE leaves a secret wherever it can; the next looks for it wherever it can
 * look. Act 0 spills, act 1 looks, act 2 asks the kernel.
 */
#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <stddef.h>

#define TASKLETS 2
#define STACK_BYTES 16384
#include "tests/unit/pe/programs/pe.h"
#include "runtime/pe/shared/shared.h"
#include "runtime/pe/shared/syscall.h"

#define PAGE_AT		(5 * PE_PAGE)	/* of MRAM */
#define DEEP		4000

HOST uint32_t act;
HOST uint64_t secret;
HOST uint32_t bases;		/* FS's and GS's can be set by user code */
HOST uint32_t found_registers, found_segments, found_stacks, found_shared;
HOST uint32_t found_mram, found_timer;
HOST uint64_t state[1536] __attribute__((aligned(64)));
HOST uint64_t buffer[256];

#ifdef __aarch64__
/* vectors of SVE, of so many bytes, or 0 */
static uint64_t sve_bytes;

#define SVE ".arch_extension sve\n\t"

/* By what the kernel answers where this is read. */
static void find_vectors(void)
{
	uint64_t features;

	__asm__ volatile("mrs %0, id_aa64pfr0_el1" : "=r"(features));
	if (features >> 32 & 15)
		__asm__ volatile(SVE "rdvl %0, #1" : "=r"(sve_bytes));
}

#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) \
	X(14) X(15)
#define EACH_UPPER(X) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) \
	X(27) X(28) X(29) X(30) X(31)
#define STORE_Q(n) "str q" #n ", [%0, #16*" #n "]\n\t"
#define LOAD_Q(n) "ldr q" #n ", [%0, #16*" #n "]\n\t"
#define STORE_Z(n) "str z" #n ", [%0, #" #n ", mul vl]\n\t"
#define LOAD_Z(n) "ldr z" #n ", [%0, #" #n ", mul vl]\n\t"
#define STORE_P(n) "str p" #n ", [%0, #" #n ", mul vl]\n\t"
#define LOAD_P(n) "ldr p" #n ", [%0, #" #n ", mul vl]\n\t"

/* vectors, predicates, the states of floating point */
NOINLINE static void save_registers(void)
{
	uint64_t *more = state + 1200;

	if (sve_bytes) {
		__asm__ volatile(SVE EACH(STORE_Z) EACH_UPPER(STORE_Z) : : "r"(state) : "memory");
		__asm__ volatile(SVE EACH(STORE_P) : : "r"(state + 1024) : "memory");
	} else {
		__asm__ volatile(EACH(STORE_Q) EACH_UPPER(STORE_Q) : : "r"(state) : "memory");
	}
	__asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(more[0]), "=r"(more[1]));
}

NOINLINE static void load_registers(void)
{
	for (unsigned int i = 0; i < 1200; i++)
		state[i] = secret;
	__asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %0" : : "r"(secret & 0xf8000000u));
	if (sve_bytes) {
		__asm__ volatile(SVE EACH(LOAD_Z) EACH_UPPER(LOAD_Z) : : "r"(state));
		__asm__ volatile(SVE EACH(LOAD_P) : : "r"(state + 1024));
	} else {
		__asm__ volatile(EACH(LOAD_Q) EACH_UPPER(LOAD_Q) : : "r"(state));
	}
}

static void load_segments(void)
{
	__asm__ volatile("msr tpidr_el0, %0" : : "r"(secret));
}

static uint64_t segments(void)
{
	uint64_t base;

	__asm__ volatile("mrs %0, tpidr_el0" : "=r"(base));
	return base;
}
#else
/* x87, vectors, masks, as far as this machine has them: all but protection keys; 0: no XSAVE */
static uint32_t components;

static void find_vectors(void)
{
	uint32_t a, b, c, d;

	__cpuid(1, a, b, c, d);
	if (!(c >> 27 & 1))
		return;
	__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
	components = a & 0xe7;
}

NOINLINE static void save_registers(void)
{
	if (components)
		__asm__ volatile("xsave %0"
				 : "+m"(state)
				 : "a"(components), "d"(0)
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
	state[64] = components;
	if (components)
		__asm__ volatile("xrstor %0" : : "m"(state), "a"(components), "d"(0)
				 : "memory");
	else
		__asm__ volatile("fxrstor %0" : : "m"(state) : "memory");
}

/* Null selectors are the program's to choose, as are bases where it can set them. */
static void load_segments(void)
{
	__asm__ volatile("mov %0, %%ds; mov %0, %%es; mov %0, %%fs; mov %0, %%gs"
			 : : "r"(3));
	if (bases)
		__asm__ volatile("wrfsbase %0; wrgsbase %0"
				 : : "r"(secret >> 20));
}

static uint64_t segments(void)
{
	uint64_t ds, es, fs, gs, f = 0, g = 0;

	__asm__ volatile("mov %%ds, %0; mov %%es, %1; mov %%fs, %2; mov %%gs, %3"
			 : "=r"(ds), "=r"(es), "=r"(fs), "=r"(gs));
	if (bases)
		__asm__ volatile("rdfsbase %0; rdgsbase %1"
				 : "=r"(f), "=r"(g));
	return ds | es | fs | gs | f | g;
}
#endif

static long set_timer(uint64_t seconds, uint64_t *old)
{
	uint64_t timer[4] = { 0, 0, seconds, 0 };

	return pe_syscall(SYS_setitimer, 0, (long)(uintptr_t)timer, (long)(uintptr_t)old, 0, 0, 0);
}

static void fill(uint64_t at, uint64_t bytes)
{
	for (uint64_t b = 0; b < bytes; b += 8)
		*(volatile uint64_t *)(uintptr_t)(at + b) = secret;
}

/*
 * Where a program has no business: between the fields of struct pe_shared and
 * behind them, on the worker's own stack, in pages of MRAM that it has not asked
 * for. What its worker needs to get along is left alone.
 */
static void fill_strange_places(void)
{
	fill(PE_SHARED + sizeof(struct pe_self), 0x1000 - sizeof(struct pe_self));
	fill(PE_SHARED_IDLE + 8, 0x30);
	fill(PE_SHARED_GO + 8, 0x30);
	fill(PE_SHARED_CALL + 8, 0x30);
	fill(PE_SHARED_REPLY + 8, 0x30);
	fill(PE_MAIL, PE_MAIL_BYTES + PE_OUT_BYTES + PE_HOLD_BYTES);
	fill(PE_SHARED + offsetof(struct pe_shared, pages) + 1024,
	     PE_CONTROL_TOP - PE_SHARED - 1024 -
	     offsetof(struct pe_shared, pages));
	fill(PE_MRAM_DMA + 9 * PE_PAGE, 2 * PE_PAGE);
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
	fill_strange_places();
	load_segments();
	set_timer(secret >> 40, NULL);
	/* a fault's frame is on the handlers' stack */
	save_registers();
	load_registers();
	*(volatile uint64_t *)(uintptr_t)(PE_MRAM_BASE + 3 * PE_PAGE) = secret;
	load_registers();
#ifdef __aarch64__
	__asm__ volatile("mov x19, %0; mov x28, %0; mov x9, %0; mov x15, %0; mov x18, %0;"
			 "blr %1"
			 : : "r"(secret), "r"(PE_SVC->exit)
			 : "x19", "x28", "x9", "x15", "x18", "x30", "memory");
#else
	__asm__ volatile("mov %0, %%rbx; mov %0, %%r12; mov %0, %%r15;"
			 "mov %0, %%r8; mov %0, %%r11; call *%1"
			 : : "r"(secret), "r"(PE_SVC->exit)
			 : "rbx", "r12", "r15", "r8", "r11", "memory");
#endif
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
	uint64_t from = PE_STACK_BOTTOM(t, t < TASKLETS ? STACK_BYTES : 0u);

	return look_in((void *)(uintptr_t)from,
		       PE_STACK_BASE + (t + 1) * PE_STACK_SLOT - from);
}

/* Ticks have frames, with registers in which is what is looked for. */
static void block_ticks(void)
{
	uint64_t ticks = 1 << 13 | 1 << 25;

	pe_syscall(SYS_rt_sigprocmask, 0, (long)(uintptr_t)&ticks, 0, 8, 0, 0);
}

/* The secret is put together where it is looked for, and kept in WRAM alone. */
static void look(void)
{
	block_ticks();
	found_registers = look_in(state, sizeof(state));
	for (uint32_t t = 0; t < PE_PLACES; t++) {
		if (t != me())
			found_stacks += look_in_stack(t);
	}
	found_shared = look_in((void *)(uintptr_t)PE_SHARED,
			       PE_CONTROL_TOP - PE_SHARED + PE_SIGNAL_STACK);
	found_shared += look_in((void *)(uintptr_t)PE_MAIL,
				PE_MAIL_BYTES + PE_OUT_BYTES + PE_HOLD_BYTES);
	PE_SVC->mram_write(PAGE_AT, buffer, 1024);
	found_mram = look_in((void *)(uintptr_t)PE_MRAM_DMA,
			     PE_SELF->mram_bytes);
}

/* The last to be done: the system call is refused, and ends the run. */
static void look_at_timer(void)
{
	uint64_t old[4] = { 0 };

	set_timer(0, old);
	found_timer = old[2] > 1000;
}

void pe_start(void)
{
	if (!me() && act == 2) {
		look_at_timer();
		return;
	}
	if (!me()) {
		found_segments = segments() != 0;
		find_vectors();
		save_registers();
		if (act)
			look();
		boot();
	} else if (!act) {
		spill();
	}
}
