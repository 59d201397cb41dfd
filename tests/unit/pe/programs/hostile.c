// SPDX-License-Identifier: MIT
/*
 * Everything that a program can do wrong on purpose. Act 0 is honest: it checks
 * that its own memory is as it left it, and works.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <ucontext.h>

#include "tests/unit/pe/programs/pe.h"
#include "runtime/pe/shared/shared.h"
#include "runtime/pe/shared/syscall.h"

#define SHARED	((volatile struct pe_shared *)(uintptr_t)PE_SHARED)

HOST uint32_t act;
HOST uint64_t arg[6];
HOST uint64_t runs;
HOST uint32_t spoilt;
HOST uint64_t buffer[256];
uint64_t ballast[1024];

/* MRAM word 0 and all of the ballast say which PE this is, and how often. */
static void honest(void)
{
	uint64_t stamp = (uint64_t)PE_SELF->pe << 32 | runs;

	PE_SVC->mram_read(0, buffer, 2048);
	for (unsigned int i = 0; i < 256; i++)
		spoilt += buffer[i] != stamp;
	for (unsigned int i = 0; i < 1024; i++)
		spoilt += runs && ballast[i] != stamp;
	spoilt += *(volatile uint64_t *)(MRAM + 8192) != stamp;
	runs++;
	stamp++;
	for (unsigned int i = 0; i < 256; i++)
		buffer[i] = stamp;
	for (unsigned int i = 0; i < 1024; i++)
		ballast[i] = stamp;
	PE_SVC->mram_write(0, buffer, 2048);
	*(volatile uint64_t *)(MRAM + 8192) = stamp;
}

static void wild_read(void)
{
	spoilt = *(volatile uint8_t *)(uintptr_t)arg[0];
}

static void wild_write(void)
{
	*(volatile uint8_t *)(uintptr_t)arg[0] = 0x5a;
}

static void system_call(void)
{
	pe_syscall((long)arg[0], (long)arg[1], (long)arg[2], (long)arg[3],
		   (long)arg[4], (long)arg[5], 0);
}

static void jump(void)
{
	((void (*)(void))(uintptr_t)arg[0])();
}

static void for_ever(void)
{
	PE_SELF->critical = 1;
	for (;;)
		__asm__ volatile("");
}

/* all that can be written: shared memory, stacks, WRAM, both windows */
static void fill_everything(void)
{
	const struct {
		uint64_t at, bytes;
	} all[] = {
		{ PE_MRAM_DMA, PE_SELF->mram_bytes },
		{ PE_MRAM_BASE, PE_SELF->mram_bytes },
		{ PE_SHARED, PE_ARENA_WRAM },
	};
	uint64_t value = arg[0];

	for (unsigned int i = 0; i < 3; i++) {
		for (uint64_t b = 0; b < all[i].bytes; b += 8)
			*(volatile uint64_t *)(uintptr_t)(all[i].at + b) =
				value;
	}
}

static void fill_then_loop(void)
{
	fill_everything();
	for_ever();
}

static void say(uint32_t what)
{
	SHARED->what = what;
	SHARED->call++;
	pe_syscall(SYS_futex, PE_SHARED_CALL, 1, 1, 0, 0, 0);
}

/* go on in the next PE's memory, for ever */
static void spoil(void)
{
	for (;;) {
		for (unsigned int i = 0; i < 1024; i++)
			((volatile uint64_t *)ballast)[i] = 0xbad;
		for (unsigned int i = 0; i < 4096; i += 8)
			*(volatile uint64_t *)(uintptr_t)(PE_MRAM_DMA + i) =
				0xbad;
	}
}

/* pretend to have ended, and go on in the next PE's memory */
static void fake_end(void)
{
	say(PE_CALL_END);
	spoil();
}

/* pretend to have ended, asleep where the broker looks for a parked worker */
static void fake_park(void)
{
	SHARED->idle = 0;
	say(PE_CALL_END);
	pe_syscall(SYS_futex, PE_SHARED_IDLE, 0, 0, 0, 0, 0);
	fake_end();
}

static void flood(void)
{
	for (uint32_t page = 0;; page += 7) {
		SHARED->page = page % SHARED->mram_pages;
		SHARED->pages[SHARED->page] = 0;
		say(PE_CALL_FILL);
	}
}

static void odd_call(void)
{
	SHARED->page = (uint32_t)arg[1];
	say((uint32_t)arg[0]);
	for_ever();
}

/* every page is said to be here, and changed */
static void lie(void)
{
	for (uint32_t i = 0; i < SHARED->mram_pages; i++)
		SHARED->pages[i] = 0xff;
	for (uint32_t at = 0; at < PE_SELF->mram_bytes; at += 2048)
		PE_SVC->mram_write(at, buffer, 2048);
}

/* no signal reaches the worker; then it needs one */
static void deaf(void)
{
	uint64_t all = ~0ull;

	pe_syscall(SYS_rt_sigprocmask, 2, (long)(uintptr_t)&all, 0, 8, 0, 0);
	arg[0] = 0;
	wild_write();
}

/* no signal reaches the worker, which then ends as if nothing had been */
static void leave_deaf(void)
{
	uint64_t all = ~0ull;

	pe_syscall(SYS_rt_sigprocmask, 2, (long)(uintptr_t)&all, 0, 8, 0, 0);
	pe_syscall(SYS_mprotect, PE_MRAM_BASE, PE_SELF->mram_bytes, 3, 0, 0, 0);
#ifdef __aarch64__
	__asm__ volatile("msr fpcr, %0; msr tpidr_el0, %0; msr nzcv, %0" : : "r"(0xf3c00000ul));
#else
	__asm__ volatile("std; push %%rax; popf; fninit; fldz"
			 : : "a"(0x40202ul) : "memory");
#endif
	PE_SVC->exit();
}

static void storm(void)
{
	uint64_t tick[4] = { 0, 1, 0, 1 };

	pe_syscall(SYS_setitimer, 0, (long)(uintptr_t)tick, 0, 0, 0, 0);
	for_ever();
}

static void bad_stack(void)
{
#ifdef __aarch64__
	__asm__ volatile("mov sp, %0; str x0, [sp, #-16]!" : : "r"(arg[0]));
#else
	__asm__ volatile("mov %0, %%rsp; push %%rax" : : "r"(arg[0]));
#endif
	for (;;)
		;
}

static void lost_stack(void)
{
#ifdef __aarch64__
	__asm__ volatile("mov sp, %0" : : "r"(arg[0]));
#else
	__asm__ volatile("mov %0, %%rsp" : : "r"(arg[0]));
#endif
	for (;;)
		;
}

/* as programs of 32 bits call, where these are of another kind */
static void old_call(void)
{
#ifdef __x86_64__
	long ret = (long)arg[0];

	__asm__ volatile("int $0x80" : "+a"(ret) : : "memory");
#endif
	for_ever();
}

static void breakpoint(void)
{
#ifdef __aarch64__
	__asm__ volatile("brk #0");
#else
	__asm__ volatile("int3");
#endif
}

/* rights to all memory taken away, where the processor has keys; leave or loop */
static void locked(void)
{
#ifdef __aarch64__
	if (arg[0] & 1)
		__asm__ volatile("br %0" : : "r"(PE_SVC->exit));
#else
	if (arg[0] & 2)
		__asm__ volatile("wrpkru" : : "a"(~0u), "c"(0), "d"(0));
	if (arg[0] & 1)
		__asm__ volatile("jmp *%0" : : "r"(PE_SVC->exit));
#endif
	for (;;)
		__asm__ volatile("");
}

#ifdef __aarch64__
struct frame {
	siginfo_t info;
	ucontext_t context;
};

static struct frame forged __attribute__((aligned(16)));

/* Return from a signal that never came: all that a handler's frame says is then so. */
static void forged_return(uint64_t pc, uint64_t sp, uint64_t flags,
			  uint64_t stack, uint64_t stack_bytes)
{
	/* a frame without vectors is none */
	static const uint32_t vectors[] = { 0x46508001, 528 };
	ucontext_t *uc = &forged.context;
	mcontext_t *m = &uc->uc_mcontext;

	uc->uc_stack.ss_sp = (void *)(uintptr_t)stack;
	uc->uc_stack.ss_size = stack_bytes;
	m->pc = pc;
	m->sp = sp;
	m->pstate = flags;
	for (unsigned int i = 0; i < 2; i++)
		((volatile uint32_t *)m->__reserved)[i] = vectors[i];
	__asm__ volatile("mov sp, %0; mov x8, #139; svc #0"
			 : : "r"(&forged) : "memory");
}

static void set_argument(unsigned int number, uint64_t value)
{
	forged.context.uc_mcontext.regs[number] = value;
}

static void set_call(uint64_t number)
{
	forged.context.uc_mcontext.regs[8] = number;
}
#else
struct frame {
	ucontext_t context;
	siginfo_t info;
};

static struct frame forged;

/* Return from a signal that never came: all that a handler's frame says is then so. */
static void forged_return(uint64_t pc, uint64_t sp, uint64_t flags,
			  uint64_t stack, uint64_t stack_bytes)
{
	ucontext_t *uc = &forged.context;
	greg_t *regs = uc->uc_mcontext.gregs;

	uc->uc_flags = 6;	/* SS is as it is here */
	uc->uc_stack.ss_sp = (void *)(uintptr_t)stack;
	uc->uc_stack.ss_size = stack_bytes;
	regs[REG_RIP] = (greg_t)pc;
	regs[REG_RSP] = (greg_t)sp;
	regs[REG_CSGSFS] = 0x2bull << 48 | 0x33;
	regs[REG_EFL] = (greg_t)(0x202 | flags);
	__asm__ volatile("mov %0, %%rsp; mov $15, %%eax; syscall"
			 : : "r"(uc) : "memory");
}

static void set_argument(unsigned int number, uint64_t value)
{
	static const uint8_t which[] = { REG_RDI, REG_RSI, REG_RDX, REG_R10 };

	forged.context.uc_mcontext.gregs[which[number]] = (greg_t)value;
}

static void set_call(uint64_t number)
{
	forged.context.uc_mcontext.gregs[REG_RAX] = (greg_t)number;
}
#endif

/* of a stack pointer where a function begins */
#ifdef __aarch64__
#define SKEW	0
#else
#define SKEW	8
#endif

/* to the end of the run, with another alternate stack */
static void forge_return(void)
{
	forged_return((uintptr_t)PE_SVC->exit,
		      PE_STACK_BASE + PE_STACK_SLOT - 1024 - SKEW, 0, arg[0],
		      arg[1]);
}

static void alarm_in(uint64_t us)
{
	const uint64_t tick[4] = { 0, 0, 0, us };

	pe_syscall(SYS_setitimer, 0, (long)(uintptr_t)tick, 0, 0, 0, 0);
}

#ifdef __aarch64__
/* from where the worker begins to sleep to the instruction that does */
#define PARK_BYTES	24

/* The worker's instruction that sleeps until there is another PE. */
static uint64_t find_park(void)
{
	/* mov x8, #SYS_futex; PE_SHARED_IDLE to x0 */
	static const uint32_t code[] = { 0xd2800c48, 0xd2820000, 0xf2a70000 };
	const uint32_t *p = (const uint32_t *)(uintptr_t)PE_SERVICES;

	while (p[0] != code[0] || p[1] != code[1] || p[2] != code[2])
		p++;
	while (*p != 0xd4000001)
		p++;
	return (uint64_t)(uintptr_t)p;
}
#else
#define PARK_BYTES	17

/* The worker's instruction that sleeps until there is another PE. */
static uint64_t find_park(void)
{
	/* mov $SYS_futex, %eax; mov $PE_SHARED_IDLE, %edi */
	static const uint8_t code[] = {
		0xb8, 0xca, 0, 0, 0, 0xbf, 0, 0x10, 0, 0x38,
	};
	const uint8_t *p = (const uint8_t *)(uintptr_t)PE_SERVICES;
	/* the second is for processors with protection keys */
	uint32_t skip = *(volatile uint32_t *)(uintptr_t)PE_HAS_PKEYS;
	unsigned int i = 0;

	for (;; p++) {
		for (i = 0; i < sizeof(code) && p[i] == code[i]; i++)
			;
		if (i == sizeof(code) && !skip--)
			break;
	}
	while (p[i] != 0x0f || p[i + 1] != 0x05)
		i++;
	return (uint64_t)(uintptr_t)(p + i);
}
#endif

/* End, and sleep as a parked worker, with a stack pointer, flags, an alarm due. */
static void odd_park(void)
{
	uint64_t park = find_park();

	set_call(SYS_futex);
	set_argument(0, PE_SHARED_IDLE);
	for (unsigned int i = 1; i < 4; i++)
		set_argument(i, 0);
	if (arg[1])
		alarm_in(arg[1]);
	say(PE_CALL_END);
	forged_return(park, arg[0], arg[2], arg[3], arg[4]);
}

/*
 * End as is right, with an alarm due, whose handler believes what is here: that a
 * PE runs, and another of its tasklets may.
 */
static void leave_park(void)
{
	static uint64_t stack[64] __attribute__((aligned(16)));
	uint64_t *sp = &stack[32];

#ifdef __aarch64__
	sp[21] = (uint64_t)(uintptr_t)spoil;
#else
	sp[0] = 0x037full << 32 | 0x1f80;	/* x87, mxcsr */
	sp[7] = (uint64_t)(uintptr_t)spoil;
#endif
	alarm_in(arg[0]);
	SHARED->tasklets[1].sp = (uint64_t)(uintptr_t)sp;
	SHARED->runnable = 2;
	SHARED->self.critical = 0;
	SHARED->running = 1;
	SHARED->inside = 0;
	say(PE_CALL_END);
	forged_return(find_park() - PARK_BYTES, PE_CONTROL_TOP, 0, 0, 0);
}

/* pages of the window that nobody asked for */
static void touch_strange(void)
{
	for (uint64_t i = 1; i <= arg[0]; i++)
		*(volatile uint64_t *)(uintptr_t)
			(PE_MRAM_DMA + PE_SELF->mram_bytes - i * PE_PAGE) = 1;
}

/* where a PE has nothing: the end of the WRAM, then stacks of tasklets not there */
static volatile uint64_t *unused_page(uint64_t i)
{
	return (volatile uint64_t *)(uintptr_t)
		(i ? PE_STACK_TOP(i) - 64 : PE_WRAM_BASE + PE_WRAM_BYTES - 64);
}

static void hide(void)
{
	for (uint64_t i = 0; i < arg[0]; i++)
		*unused_page(i) = arg[1];
}

static void seek(void)
{
	for (uint64_t i = 0; i < arg[0]; i++)
		spoilt += *unused_page(i) != 0;
}

/*
 * The time of a transfer that there is none of: so many bytes, whether it writes, as
 * which tasklet, waits to be added up where. It takes no longer than the longest one
 * does, and nothing is written where a program's counts do not lie.
 */
static void pass(void)
{
	uint64_t begin = PE_SVC->count(0);

	for (unsigned int i = 0; i < 256; i++)
		buffer[i] = 0;
	PE_SELF->site[0] = arg[3] ? (uint32_t)arg[3] : (uint32_t)(uintptr_t)buffer;
	if (arg[2])
		PE_SELF->tasklet = (uint32_t)arg[2];
	PE_SVC->mram_pass((uint32_t)arg[0], (uint32_t)arg[1]);
	for (unsigned int i = 0; i < 256; i++)
		spoilt += buffer[i] != 0;
	if (spoilt || PE_SVC->count(0) - begin > 2000)
		PE_SVC->fault(PE_FAULT_ASSERT, 0, "a transfer of too many bytes");
}

void pe_start(void)
{
	static void (*const acts[])(void) = {
		honest, wild_read, wild_write, system_call, jump, for_ever,
		fill_everything, fill_then_loop, fake_end, fake_park, flood,
		odd_call, lie, deaf, leave_deaf, storm, bad_stack, lost_stack,
		old_call, breakpoint, locked, forge_return, odd_park, leave_park,
		touch_strange, hide, seek, pass,
	};

	boot();
	acts[act]();
}
