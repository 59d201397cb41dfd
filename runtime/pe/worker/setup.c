// SPDX-License-Identifier: MIT
/* From the start of the process to a sandbox that nothing can leave. */
#include <elf.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "runtime/pe/worker/worker.h"

/* exit status: the step that failed, for the host's sentence */
enum step {
	STEP_MAP = 1,
	STEP_UNMAP,
	STEP_LIMITS,
	STEP_SIGNALS,
	STEP_SECCOMP,
	STEP_PARENT,
};

static void need(int ok, enum step step)
{
	if (!ok)
		pe_syscall(SYS_exit_group, step, 0, 0, 0, 0, 0);
}

static void map(uint32_t at, uint32_t bytes, int prot, int fd, uint32_t off)
{
	long p = pe_syscall(SYS_mmap, at, bytes, prot, MAP_SHARED | MAP_FIXED,
			    fd, off);

	need(p == (long)at, STEP_MAP);
	/* so that the window's pages can be counted */
	pe_syscall(SYS_madvise, at, bytes, MADV_NOHUGEPAGE, 0, 0, 0);
}

static uint32_t stack_bottom(uint32_t t)
{
	return PE_STACK_BOTTOM(t, PE_STATE->stack_bytes[t]);
}

/* What a tasklet's stack may not grow into: more than a frame leaps over. */
static void guard(uint32_t t)
{
	uint32_t slot = PE_STACK_BASE + t * PE_STACK_SLOT;

	need(!pe_syscall(SYS_mprotect, slot, stack_bottom(t) - slot, PROT_NONE,
			 0, 0, 0), STEP_MAP);
}

/* Of the worker's own, so that it is zero only at its start: races.c in the PE library. */
static void map_check(void)
{
	long p;

	if (!PE_STATE->check)
		return;
	p = pe_syscall(SYS_mmap, PE_CHECK, PE_CHECK_BYTES, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	need(p == (long)PE_CHECK, STEP_MAP);
}

static void map_memory(void)
{
	const int rw = PROT_READ | PROT_WRITE;
	uint32_t mram;

	map(PE_SHARED, PE_ARENA_WRAM, rw, PE_FD_ARENA, 0);
	map(PE_WRAM_BASE, PE_WRAM_BYTES, rw, PE_FD_ARENA, PE_ARENA_WRAM);
	map(PE_STACK_BASE, PE_STACKS_BYTES, rw, PE_FD_ARENA, PE_ARENA_STACKS);
	mram = PE_STATE->mram_pages * PE_PAGE;
	map(PE_MRAM_BASE, mram, PROT_NONE, PE_FD_ARENA, PE_ARENA_WINDOW);
	map(PE_MRAM_DMA, mram, rw, PE_FD_ARENA, PE_ARENA_WINDOW);
	map(PE_TEXT_BASE, PE_STATE->text_bytes, PROT_READ | PROT_EXEC,
	    PE_FD_TEXT, 0);
	for (uint32_t t = 0; t < PE_PLACES; t++)
		guard(t);
	map_check();
}

#ifdef __x86_64__
#define OWN_ARCH	AUDIT_ARCH_X86_64
/* of addresses of programs; and what may not be mapped below the end of these */
#define MOST_BITS	47
#define LEAST_BITS	47
#define LEFT_OUT	PE_PAGE

/* Whether user code can take its own rights to memory: CPUID's OSPKE. */
static uint32_t has_pkeys(void)
{
	uint32_t a = 0, b, c = 0, d;

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	if (a < 7)
		return 0;
	a = 7;
	c = 0;
	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	return c >> 4 & 1;
}

/* Whether the system lets user code have XSAVE's states: CPUID's OSXSAVE. */
static uint32_t has_xsave(void)
{
	uint32_t a = 1, b, c = 0, d;

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	return c >> 27 & 1;
}

#define HAS_FSGSBASE	(1ull << 1)	/* in AT_HWCAP2 */

static uint32_t own_registers(uint64_t capabilities)
{
	(void)capabilities;
	return 0;
}
#else
#define OWN_ARCH	AUDIT_ARCH_AARCH64
/* 48, 47, 42, 39 or 36, unless somebody asks for more */
#define MOST_BITS	48
#define LEAST_BITS	36
#define LEFT_OUT	0
#define HAS_FSGSBASE	0ull
#define HAS_SME		23
#define HAS_FPMR	48
#define HAS_OVERLAYS	63

static uint32_t has_pkeys(void)
{
	return 0;
}

static uint32_t has_xsave(void)
{
	return 0;
}

static uint32_t own_registers(uint64_t capabilities)
{
	return (uint32_t)(capabilities >> HAS_SME & 1) << PE_OWN_SME |
	       (uint32_t)(capabilities >> HAS_FPMR & 1) << PE_OWN_FPMR |
	       (uint32_t)(capabilities >> HAS_OVERLAYS & 1) << PE_OWN_OVERLAYS;
}
#endif

/*
 * What the system lets user code have, AT_HWCAP2 of the auxiliary vector: behind a
 * process's arguments and environment, each of which 0 ends.
 */
static uint64_t capabilities(const uint64_t *start)
{
	const uint64_t *p = start + 1;

	for (int ends = 0; ends < 2; p++)
		ends += !*p;
	for (; *p != AT_NULL; p += 2) {
		if (*p == AT_HWCAP2)
			return p[1];
	}
	return 0;
}

static void make_constants(const uint64_t *start)
{
	long p = pe_syscall(SYS_mmap, PE_HAS_PKEYS, PE_PAGE,
			    PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	need(p == PE_HAS_PKEYS, STEP_MAP);
	*(volatile uint32_t *)PE_HAS_PKEYS = has_pkeys();
	*(volatile uint32_t *)PE_HAS_XSAVE = has_xsave();
	/* where segments' bases may be set, and which registers a park has to clear */
	*(volatile uint32_t *)PE_HAS_FSGSBASE = !!(capabilities(start) & HAS_FSGSBASE);
	*(volatile uint32_t *)PE_HAS_OWN = own_registers(capabilities(start));
	for (uint32_t t = 0; t < PE_PLACES; t++)
		((volatile uint32_t *)PE_STACK_BOTTOMS)[t] = stack_bottom(t);
	need(!pe_syscall(SYS_mprotect, p, PE_PAGE, PROT_READ, 0, 0, 0),
	     STEP_MAP);
}

/*
 * To end with who has started it. The kernel forgets that at the start of a program whose
 * user is not its real one, as a setuid host's workers are.
 */
static void end_with_parent(const uint64_t *start)
{
	const char *letters = (const char *)(uintptr_t)start[2];
	long parent = 0;

	for (int i = PE_PARENT_LETTERS; i--;)
		parent = parent << 4 | (letters[i] - 'a');
	pe_syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
	/* it may have ended before */
	need(pe_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0) == parent, STEP_PARENT);
}

static void limit(int resource)
{
	struct rlimit none = { 0, 0 };

	need(!pe_syscall(SYS_prlimit64, 0, resource, (long)&none, 0, 0, 0),
	     STEP_LIMITS);
}

void pe_setup(const uint64_t *start)
{
	end_with_parent(start);
	map_memory();
	make_constants(start);
	limit(RLIMIT_CORE);
	limit(RLIMIT_FSIZE);
	limit(RLIMIT_MEMLOCK);
	limit(RLIMIT_MSGQUEUE);
	limit(RLIMIT_NOFILE);
	need(!pe_syscall(SYS_close_range, 0, ~0u, 0, 0, 0, 0), STEP_LIMITS);
	need(!pe_syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0),
	     STEP_LIMITS);
	need(!pe_syscall(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0, 0),
	     STEP_LIMITS);
}

static long unmap(uint64_t from, uint64_t to)
{
	return pe_syscall(SYS_munmap, from, to - from, 0, 0, 0, 0);
}

/*
 * To the end of what programs may map: 2 to the power of one of these, and on x86-64 a
 * page less. What reaches behind it is refused as a whole, by an error that an unmapping
 * which failed in between does not have.
 */
static long unmap_end(uint64_t from)
{
	long err = -EINVAL;

	for (uint32_t bits = MOST_BITS; bits >= LEAST_BITS && err == -EINVAL; bits--)
		err = unmap(from, (1ull << bits) - LEFT_OUT);
	return err;
}

/* First stack, vDSO, heap: a program finds nothing but what the map says. */
static void unmap_rest(void)
{
	const uint64_t gaps[][2] = {
		{ 0, PE_WRAM_BASE },
		{ PE_WRAM_BASE + PE_WRAM_BYTES, PE_MRAM_BASE },
		{ PE_STACK_BASE + PE_STACKS_BYTES, PE_SERVICES },
		{ PE_SERVICES + 0x100000, PE_SHARED },
	};

	for (unsigned int i = 0; i < sizeof(gaps) / sizeof(*gaps); i++)
		need(!unmap(gaps[i][0], gaps[i][1]), STEP_UNMAP);
	need(!unmap_end(PE_CHECK + (PE_STATE->check ? PE_CHECK_BYTES : 0)), STEP_UNMAP);
}

#define DATA(field)	((uint32_t)offsetof(struct seccomp_data, field))
#define ARG(i)		(DATA(args) + 8 * (i))
#define LOAD(off)	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (off))
/* on to the next instruction if so, else refuse */
#define NEED(op, k)	BPF_JUMP(BPF_JMP | (op) | BPF_K, (k), 1, 0), REFUSE
#define NEED_NOT(op, k)	BPF_JUMP(BPF_JMP | (op) | BPF_K, (k), 0, 1), REFUSE
#define NEED_ZERO(off)	LOAD(off), NEED(BPF_JEQ, 0)
/* unless so, skip n instructions */
#define UNLESS(k, n)	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (k), 0, (n))
#define IF_ALLOW(k)	UNLESS(k, 1), ALLOW
#define ALLOW		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP)
#define KILL		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

/* protections of the window, never executable */
#define MPROTECT_RULES							\
	NEED_ZERO(ARG(0) + 4),						\
	NEED_ZERO(ARG(1) + 4),						\
	NEED_ZERO(ARG(2) + 4),						\
	LOAD(ARG(2)),							\
	NEED_NOT(BPF_JSET, ~(uint32_t)(PROT_READ | PROT_WRITE)),	\
	LOAD(ARG(0)),							\
	NEED(BPF_JGE, PE_MRAM_BASE),					\
	NEED_NOT(BPF_JGT, PE_MRAM_BASE + PE_MRAM_MAX),			\
	LOAD(ARG(1)),							\
	NEED_NOT(BPF_JGT, PE_MRAM_MAX),					\
	BPF_STMT(BPF_MISC | BPF_TAX, 0),				\
	LOAD(ARG(0)),							\
	BPF_STMT(BPF_ALU | BPF_ADD | BPF_X, 0),				\
	NEED_NOT(BPF_JGT, PE_MRAM_BASE + PE_MRAM_MAX),			\
	ALLOW

/* the one of real time, which every tick sets anew; not what the PE before left */
#define TIMER_RULES							\
	NEED_ZERO(ARG(0)),						\
	NEED_ZERO(ARG(2)),						\
	NEED_ZERO(ARG(2) + 4),						\
	ALLOW

/* the one stack for signals that there is */
#define SIGNAL_STACK_RULES						\
	NEED_ZERO(ARG(0) + 4),						\
	LOAD(ARG(0)),							\
	NEED(BPF_JEQ, signal_stack),					\
	NEED_ZERO(ARG(1)),						\
	NEED_ZERO(ARG(1) + 4),						\
	ALLOW

/* call the broker, wait for its answer, park */
#define FUTEX_WAKE_RULES						\
	LOAD(ARG(0)),							\
	NEED(BPF_JEQ, PE_SHARED_CALL),					\
	ALLOW

#define FUTEX_WAIT_RULES						\
	LOAD(ARG(0)),							\
	IF_ALLOW(PE_SHARED_REPLY),					\
	NEED(BPF_JEQ, PE_SHARED_IDLE),					\
	NEED_ZERO(DATA(instruction_pointer) + 4),			\
	LOAD(DATA(instruction_pointer)),				\
	NEED(BPF_JEQ, idle_ip),						\
	ALLOW

_Static_assert(ITIMER_REAL == 0, "TIMER_RULES");

#define COUNT(...) \
	(sizeof((struct sock_filter[]){ __VA_ARGS__ }) / \
	 sizeof(struct sock_filter))

static void filter_syscalls(void)
{
	const char *ip = *(const uint32_t *)(uintptr_t)PE_HAS_PKEYS ?
				 pe_idle_ip_pkeys : pe_idle_ip;
	const uint32_t idle_ip = (uint32_t)(uintptr_t)ip;
	const uint32_t signal_stack = (uint32_t)(uintptr_t)pe_signal_stack;
	struct sock_filter rules[] = {
		LOAD(DATA(arch)),
		UNLESS(OWN_ARCH, 1),
		BPF_JUMP(BPF_JMP | BPF_JA, 1, 0, 0),
		KILL,
		LOAD(DATA(nr)),
		IF_ALLOW(SYS_rt_sigreturn),
		IF_ALLOW(SYS_rt_sigprocmask),
		IF_ALLOW(SYS_exit),
		IF_ALLOW(SYS_exit_group),
		UNLESS(SYS_mprotect, COUNT(MPROTECT_RULES)),
		MPROTECT_RULES,
		UNLESS(SYS_setitimer, COUNT(TIMER_RULES)),
		TIMER_RULES,
		UNLESS(SYS_sigaltstack, COUNT(SIGNAL_STACK_RULES)),
		SIGNAL_STACK_RULES,
		NEED(BPF_JEQ, SYS_futex),
		NEED_ZERO(ARG(0) + 4),
		LOAD(ARG(1)),
		UNLESS(FUTEX_WAKE, COUNT(FUTEX_WAKE_RULES)),
		FUTEX_WAKE_RULES,
		NEED(BPF_JEQ, FUTEX_WAIT),
		FUTEX_WAIT_RULES,
	};
	struct sock_fprog program = {
		.len = sizeof(rules) / sizeof(*rules),
		.filter = rules,
	};

	/* a sandbox of this kind needs no slower stores on old kernels */
	need(!pe_syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			 SECCOMP_FILTER_FLAG_SPEC_ALLOW, (long)&program, 0, 0,
			 0), STEP_SECCOMP);
}

void pe_seal(void)
{
	unmap_rest();
	need(!pe_catch_signals(), STEP_SIGNALS);
	filter_syscalls();
	PE_STATE->what = PE_CALL_READY;
	PE_STATE->inside = 1;
	pe_call(PE_CALL_READY);
	pe_park();
}
