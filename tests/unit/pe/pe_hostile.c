// SPDX-License-Identifier: MIT
/*
 * Hostile programs: whatever a PE does, the seven others of its entangled group
 * run honestly in the same launch, before and behind it in the same worker, and
 * find and leave their memory as it should be. So does the PE itself afterwards.
 */
#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "runtime/base/clock.h"
#include "runtime/pe/process/image.h"
#include "runtime/pe/shared/shared.h"
#include "tests/unit/pe/pe_unit.h"

enum act { HONEST, WILD_READ, WILD_WRITE, SYSTEM_CALL, JUMP, FOR_EVER,
	   FILL_EVERYTHING, FILL_THEN_LOOP, FAKE_END, FAKE_PARK, FLOOD,
	   ODD_CALL, LIE, DEAF, LEAVE_DEAF, STORM, BAD_STACK, LOST_STACK,
	   OLD_CALL, BREAKPOINT, LOCKED, FORGE_RETURN, ODD_PARK, LEAVE_PARK,
	   TOUCH_STRANGE, HIDE, SEEK, PASS };

#define NR_PES	16
#define HOSTILE	3	/* the PE */
/* to stop after the next instruction, of EFLAGS or PSTATE; how far apart jumps go */
#ifdef __aarch64__
#define TRAP_FLAG	(1 << 21)
#define APART		260
#else
#define TRAP_FLAG	0x100
#define APART		257
#endif
#define ANY	~0u	/* or no fault at all */

/*
 * Milliseconds for what may run for ever, and for the honest PEs beside it: on a busy
 * machine these need more now and then, and all is tried anew. Everything else is waited
 * for as long as it takes.
 */
static const uint32_t short_limits[] = { 200, 4000, 80000 };
#define LONG_LIMIT	200000

struct hostile {
	struct pe_unit u;
	uint64_t runs[NR_PES];
	bool late;	/* an honest PE was, in the last run */
};

static void stamp(struct hostile *h, uint32_t pe)
{
	uint64_t words[256], value = (uint64_t)pe << 32 | h->runs[pe];

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = value;
	assert_ok(pimdimm_write(h->u.sys, pe, 0, words, sizeof(words)));
	assert_ok(pimdimm_write(h->u.sys, pe, 8192, &value, 8));
}

static void start(struct hostile *h)
{
	memset(h, 0, sizeof(*h));
	pe_unit_open(&h->u, "mem:ranks=1,mram=256K", "hostile", NR_PES);
	h->u.run.timeout_ms = LONG_LIMIT;
	for (uint32_t pe = 0; pe < NR_PES; pe++)
		stamp(h, pe);
}

static void check_honest(struct hostile *h, uint32_t pe)
{
	uint64_t words[256], value = (uint64_t)pe << 32 | ++h->runs[pe];

	if (h->u.faulted[pe])
		fail_msg("honest PE %u: PE %u: %s", pe, h->u.run.first.pe,
			 h->u.run.first.text);
	assert_int_equal(pe_get32(&h->u, pe, "spoilt"), 0);
	assert_ok(pimdimm_read(h->u.sys, pe, 0, words, sizeof(words)));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_int_equal(words[i], value);
	assert_ok(pimdimm_read(h->u.sys, pe, 8192, words, 8));
	assert_int_equal(words[0], value);
	assert_ok(pimdimm_read(h->u.sys, pe, 8192 + 8, words, 8));
	assert_int_equal(words[0], 0);
}

/* Start the hostile PE over, as a loader would. */
static void renew(struct hostile *h)
{
	const uint32_t pe = HOSTILE;
	uint8_t *zeros = calloc(1, 256 << 10);

	h->runs[pe] = 0;
	assert_ok(pimdimm_load(h->u.sys, &pe, 1, h->u.program));
	assert_ok(pimdimm_write(h->u.sys, pe, 0, zeros, 256 << 10));
	free(zeros);
	stamp(h, pe);
}

/* The hostile PE has not ended in time: those that it has kept from beginning. */
static void run_others(struct hostile *h)
{
	struct pimdimm_run run = { .size = sizeof(run) };
	uint32_t pes[NR_PES], n = 0;

	for (uint32_t pe = 0; pe < NR_PES; pe++) {
		if (pe == HOSTILE || !h->u.faulted[pe])
			continue;
		h->u.faulted[pe] = 0;
		pes[n++] = pe;
	}
	assert_ok(pimdimm_run(h->u.sys, pes, n, &run));
}

static bool honest_faulted(const struct hostile *h)
{
	for (uint32_t pe = 0; pe < NR_PES; pe++) {
		if (pe != HOSTILE && h->u.faulted[pe])
			return true;
	}
	return false;
}

/* Run all; once the hostile PE has used up its time, the others may not have begun. */
static int run_within(struct hostile *h, uint32_t limit_ms)
{
	const uint64_t start = pd_now_ns();
	bool looped;
	int ret;

	h->u.run.timeout_ms = limit_ms;
	ret = pe_unit_run(&h->u);
	h->u.run.timeout_ms = LONG_LIMIT;
	looped = h->u.run.first.kind == PE_FAULT_TIMEOUT && h->u.run.first.pe == HOSTILE;
	h->late = ret && !looped && honest_faulted(h) &&
		  (pd_now_ns() - start) / 1000000 >= limit_ms;
	return ret;
}

static void set_act(struct hostile *h, enum act what, const uint64_t args[6])
{
	pe_set32(&h->u, HOSTILE, "act", what);
	if (args)
		pe_set(&h->u, HOSTILE, "arg", args, 6 * sizeof(*args));
}

static int run_patiently(struct hostile *h, enum act what, bool may_loop,
			 const uint64_t args[6])
{
	int ret = 0;

	set_act(h, what, args);
	if (!may_loop)
		return run_within(h, LONG_LIMIT);
	for (size_t i = 0; i < ARRAY_SIZE(short_limits); i++) {
		if (i) {
			pe_unit_close(&h->u);
			start(h);
			set_act(h, what, args);
		}
		ret = run_within(h, short_limits[i]);
		if (!h->late)
			break;
	}
	return ret;
}

/* kind: the fault that is due */
static void act(struct hostile *h, enum act what, uint32_t kind,
		const uint64_t args[6])
{
	const bool may_loop = kind == ANY || kind == PE_FAULT_TIMEOUT;
	const int ret = run_patiently(h, what, may_loop, args);

	if (kind != ANY && kind) {
		assert_int_equal(ret, -EFAULT);
		if (kind != PE_FAULT_TIMEOUT)
			assert_int_equal(h->u.run.nr_faulted, 1);
		assert_int_equal(h->u.run.first.pe, HOSTILE);
		if (h->u.run.first.kind != kind)
			fail_msg("act %d: fault %u instead of %u: %s", what,
				 h->u.run.first.kind, kind,
				 h->u.run.first.text);
	} else if (!kind) {
		assert_ok(ret);
	}
	if (ret && h->u.run.first.kind == PE_FAULT_TIMEOUT)
		run_others(h);
	for (uint32_t pe = 0; pe < NR_PES; pe++) {
		if (pe != HOSTILE)
			check_honest(h, pe);
	}
	renew(h);
	assert_ok(pe_unit_run(&h->u));
	for (uint32_t pe = 0; pe < NR_PES; pe++)
		check_honest(h, pe);
}

static void act1(struct hostile *h, enum act what, uint32_t kind, uint64_t arg)
{
	const uint64_t args[6] = { arg };

	act(h, what, kind, args);
}

/* outside of what the memory map lists, and between its parts */
static const uint64_t wild[] = {
	0, 8, 0x1000, PE_WRAM_BASE - 1, PE_WRAM_BASE + PE_WRAM_BYTES,
	PE_MRAM_BASE - 1, PE_MRAM_BASE + (256 << 10),
	PE_MRAM_BASE + PE_MRAM_MAX, PE_TEXT_BASE - 1, PE_TEXT_BASE + 0x100000,
	PE_STACK_BASE - 1, PE_STACK_BASE + PE_STACKS_BYTES,
	PE_SERVICES + 0x10000, PE_SHARED - 1,
	PE_SHARED + PE_ARENA_WRAM, PE_MRAM_DMA - 1,
	PE_MRAM_DMA + (256 << 10), 0x7fffffff, 0x80000000, 0xffffffff,
	0x100000000, 0x555555554000, 0x7ffff7ff0000, 0x7fffffffe000,
	0x7fffffffffff, 0xffffffff80000000, 0xffffffffff600000,
};

static void test_wild(void **state)
{
	struct hostile h;

	(void)state;
	start(&h);
	for (size_t i = 0; i < ARRAY_SIZE(wild); i++) {
		act1(&h, WILD_READ, PE_FAULT_ACCESS, wild[i]);
		act1(&h, WILD_WRITE, PE_FAULT_ACCESS, wild[i]);
	}
	act1(&h, WILD_READ, PE_FAULT_STACK, PE_STACK_BASE + 8);
	act1(&h, WILD_WRITE, PE_FAULT_ACCESS, PE_TEXT_BASE);
	act1(&h, WILD_WRITE, PE_FAULT_ACCESS, PE_SERVICES);
	act1(&h, JUMP, PE_FAULT_ACCESS, PE_WRAM_BASE + 256);
	act1(&h, JUMP, PE_FAULT_ACCESS, PE_MRAM_DMA);
	act1(&h, JUMP, PE_FAULT_ACCESS, PE_STACK_TOP(0) - 64);
	pe_unit_close(&h.u);
}

#ifdef __x86_64__
/* whether the kernel serves calls as programs of 32 bits make them; one that does not faults */
static bool serves_old_calls(void)
{
	pid_t pid = fork();
	int status, getpid_of_old = 20;

	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		__asm__ volatile("int $0x80" : "+a"(getpid_of_old) : : "memory");
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return !status;
}
#endif

static void test_system_calls(void **state)
{
	static const uint64_t calls[][6] = {
		{ SYS_read, 0, PE_WRAM_BASE, 8 },
		{ SYS_write, 1, PE_WRAM_BASE, 8 },
#ifdef SYS_open
		{ SYS_open, PE_WRAM_BASE, O_RDWR },
#endif
		{ SYS_openat, (uint64_t)AT_FDCWD, PE_WRAM_BASE, O_RDWR },
		{ SYS_mmap, 0, 4096, 7, 0x22, ~0ull },
		{ SYS_munmap, PE_SHARED, 4096 },
		{ SYS_mremap, PE_SHARED, 4096, 8192, 1 },
		{ SYS_brk, 0 },
		{ SYS_mprotect, PE_TEXT_BASE, 4096, 7 },
		{ SYS_mprotect, PE_MRAM_BASE, 4096, 7 },
		{ SYS_mprotect, PE_SHARED, 4096, 3 },
		{ SYS_mprotect, PE_MRAM_BASE - 4096, 8192, 3 },
		{ SYS_mprotect, PE_MRAM_BASE, PE_MRAM_MAX + 4096, 3 },
		{ SYS_mprotect, PE_MRAM_BASE + 4096, PE_MRAM_MAX, 3 },
		{ SYS_mprotect, PE_MRAM_BASE + (1ull << 32), 4096, 3 },
		{ SYS_mprotect, PE_MRAM_BASE, (1ull << 32) + 4096, 3 },
#ifdef SYS_fork
		{ SYS_fork }, { SYS_vfork },
#endif
		{ SYS_clone, SIGCHLD },
		{ SYS_clone3, PE_WRAM_BASE, 88 },
		{ SYS_execve, PE_WRAM_BASE, 0, 0 },
		{ SYS_kill, 1, SIGKILL }, { SYS_kill, ~0ull, SIGKILL },
		{ SYS_tgkill, 1, 1, SIGKILL }, { SYS_ptrace, 0 },
		{ SYS_socket, 1, 1, 0 }, { SYS_prctl, 1, 0 },
		{ SYS_seccomp, 0, 0, 0 }, { SYS_prlimit64, 0, 0, 0, 0 },
		{ SYS_rt_sigaction, SIGSEGV, 0, 0, 8 },
		{ SYS_sigaltstack, 0, 0 }, { SYS_personality, ~0ull },
		{ SYS_setitimer, 1, PE_WRAM_BASE, 0 },
		{ SYS_futex, PE_WRAM_BASE, 0, 0, 0 },
		{ SYS_futex, PE_SHARED_IDLE, 0, 0, 0 },
		{ SYS_futex, PE_SHARED_GO, 0, 0, 0 },
		{ SYS_futex, PE_SHARED_GO, 1, 1, 0 },
		{ SYS_futex, PE_SHARED_CALL, 3, 1, 1, PE_SHARED_GO },
		{ SYS_futex, PE_SHARED_CALL + (1ull << 32), 1, 1, 0 },
		{ SYS_io_uring_setup, 8, PE_WRAM_BASE }, { SYS_bpf, 0 },
		{ SYS_process_vm_writev, 1 }, { SYS_memfd_create, 0 },
		{ SYS_getpid }, { SYS_sched_yield }, { 100000 },
		{ 0x40000000 | SYS_getpid },
	};
	struct hostile h;

	(void)state;
	start(&h);
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++)
		act(&h, SYSTEM_CALL, PE_FAULT_SYSCALL, calls[i]);
	act1(&h, SYSTEM_CALL, PE_FAULT_DIED, SYS_exit);
	act1(&h, SYSTEM_CALL, PE_FAULT_DIED, SYS_exit_group);
#ifdef __x86_64__
	act1(&h, OLD_CALL, serves_old_calls() ? PE_FAULT_DIED : PE_FAULT_ACCESS, 20);
#endif
	pe_unit_close(&h.u);
}

static void test_memory(void **state)
{
	struct hostile h;

	(void)state;
	start(&h);
	act1(&h, FILL_EVERYTHING, ANY, 0);
	act1(&h, FILL_EVERYTHING, ANY, ~0ull);
	act1(&h, FILL_EVERYTHING, ANY, 0x4141414141414141);
	act1(&h, FILL_THEN_LOOP, ANY, ~0ull);
	act1(&h, FILL_THEN_LOOP, ANY, 0x0101010101010101);
	act(&h, LIE, 0, NULL);
	pe_unit_close(&h.u);
}

static void test_broker(void **state)
{
	static const uint64_t odd[][6] = {
		{ 0, 0 }, { PE_CALL_READY, 0 }, { 77, 0 },
		{ PE_CALL_FILL, 64 }, { PE_CALL_FILL, 0xffffffff },
	};
	struct hostile h;

	(void)state;
	start(&h);
	act(&h, FAKE_END, PE_FAULT_RUNTIME, NULL);
	act(&h, FAKE_PARK, ANY, NULL);
	act(&h, FLOOD, PE_FAULT_TIMEOUT, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++)
		act(&h, ODD_CALL, PE_FAULT_RUNTIME, odd[i]);
	pe_unit_close(&h.u);
}

static void test_signals(void **state)
{
	static const uint64_t stacks[] = {
		0, 8, PE_STACK_BASE + 16, PE_TEXT_BASE + 4096, PE_MRAM_BASE,
		0x7fffffffe000, 0xffffffff80000000,
	};
	struct hostile h;

	(void)state;
	start(&h);
	act(&h, FOR_EVER, PE_FAULT_TIMEOUT, NULL);
	act(&h, DEAF, PE_FAULT_DIED, NULL);
	act(&h, LEAVE_DEAF, 0, NULL);
	act(&h, STORM, ANY, NULL);
	act(&h, BREAKPOINT, PE_FAULT_INSTRUCTION, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(stacks); i++) {
		act1(&h, BAD_STACK, ANY, stacks[i]);
		act1(&h, LOST_STACK, ANY, stacks[i]);
	}
	pe_unit_close(&h.u);
}

/* Bytes out of range, tasklets that are not there, places that are no cells. */
static void test_passes(void **state)
{
	static const uint64_t passes[][6] = {
		{ 0, 0 }, { 1, 1 }, { 8, 0xffffffff }, { 2047, 0 }, { 2049, 1 },
		{ PE_MRAM_MAX, 0 }, { 0x7fffffff, 1 }, { 0xfffffff8, 0 },
		{ 0xfffffff9, 1 }, { 0xffffffff, 0 }, { ~0ull, ~0ull },
		{ 8, 0, 0, 8 }, { 8, 0, 0, PE_PROFILE - 8 },
		{ 8, 0, 0, PE_PROFILE + 4 }, { 8, 0, 0, PE_SERVICES },
		{ 8, 0, 0, PE_PROFILE + PE_PROFILE_BYTES - 8 },
		{ 8, 0, 0, 0xfffffff8 },
	};
	static const uint64_t lies[] = {
		1, 23, 24, 255, 0x7fffffff, 0x80000000, 0xffffffff,
	};
	struct hostile h;

	(void)state;
	/* so that waits are added up, too */
	setenv("PIMDIMM_PROFILE_FILE", "/dev/null", 1);
	start(&h);
	for (size_t i = 0; i < ARRAY_SIZE(passes); i++)
		act(&h, PASS, 0, passes[i]);
	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		const uint64_t as_another[6] = { 2048, i % 2, lies[i] };

		act(&h, PASS, ANY, as_another);
	}
	unsetenv("PIMDIMM_PROFILE_FILE");
	pe_unit_close(&h.u);
}

/* What the kernel keeps of a worker can be spoilt for the PEs behind. */
static void test_alternate_stacks(void **state)
{
	static const uint64_t stacks[][6] = {
		{ 0x7fff00000000, 65536 },
		{ PE_TEXT_BASE, 65536 },
		{ 8, 0x7ffffffffff0 },
		{ PE_SERVICES, 0x100000 },
		{ PE_SHARED, PE_ARENA_CONTROL },
	};
	struct hostile h;

	(void)state;
	start(&h);
	for (size_t i = 0; i < ARRAY_SIZE(stacks); i++)
		act(&h, FORGE_RETURN, 0, stacks[i]);
	pe_unit_close(&h.u);
}

/* the last byte of what an honest PE has in its WRAM */
static uint64_t ballast_end(const struct hostile *h)
{
	struct pimdimm_symbol s = pe_symbol(&h->u, "ballast");

	return PE_WRAM_BASE + s.address + s.bytes;
}

/* One that is in WRAM has signals write to it, of every page that a PE opens. */
static void test_stack_in_wram(void **state)
{
	struct hostile h;
	uint64_t args[6] = { 0 };

	(void)state;
	start(&h);
	args[0] = ballast_end(&h) - 8192;
	args[1] = 8192;
	act(&h, FORGE_RETURN, 0, args);
	pe_unit_close(&h.u);
}

/* The kernel writes a signal's frame where the program left the stack pointer. */
static void test_stack_at_park(void **state)
{
	struct hostile h;

	(void)state;
	start(&h);
	for (uint64_t us = 1; us < 400; us += 3) {
		const uint64_t nowhere[6] = { 8, us };
		const uint64_t wram[6] = { ballast_end(&h), us };

		act(&h, ODD_PARK, ANY, nowhere);
		act(&h, ODD_PARK, ANY, wram);
	}
	pe_unit_close(&h.u);
}

/* ... and traps the instruction behind the one that it sleeps in */
static void test_trap_at_park(void **state)
{
	uint64_t args[6] = { PE_CONTROL_TOP, 0, TRAP_FLAG };
	struct hostile h;

	(void)state;
	start(&h);
	act(&h, ODD_PARK, ANY, args);
	args[3] = ballast_end(&h) - 8192;
	args[4] = 8192;
	act(&h, ODD_PARK, ANY, args);
	pe_unit_close(&h.u);
}

/* A parked worker has timers; what their handler reads was the program's to write. */
static void test_leave_park(void **state)
{
	struct hostile h;

	(void)state;
	start(&h);
	for (uint64_t us = 1; us < 400; us++)
		act1(&h, LEAVE_PARK, ANY, us);
	pe_unit_close(&h.u);
}

/*
 * New pages are noticed by their number: one PE makes as many in the window as the
 * next one, with a word in each, makes elsewhere.
 */
static void test_hidden_pages(void **state)
{
	const uint64_t args[6] = { 16, 0x5ec2e7 };
	const uint32_t end = PE_WRAM_BYTES - 64;
	struct hostile h;
	uint64_t word = 0;

	(void)state;
	start(&h);
	assert_ok(pe_unit_run(&h.u));
	for (uint32_t pe = HOSTILE; pe < HOSTILE + 3; pe++) {
		pe_set32(&h.u, pe, "act", TOUCH_STRANGE + pe - HOSTILE);
		pe_set(&h.u, pe, "arg", args, sizeof(args));
	}
	assert_ok(pe_unit_run(&h.u));
	assert_int_equal(pe_get32(&h.u, HOSTILE + 2, "spoilt"), 0);
	assert_ok(pimdimm_wram_read(h.u.sys, HOSTILE + 1, end, &word, 8));
	assert_int_equal(word, args[1]);
	pe_unit_close(&h.u);
}

static void test_protection_keys(void **state)
{
#ifdef __x86_64__
	uint32_t a, b, c, d;
	const uint64_t keys = __get_cpuid_count(7, 0, &a, &b, &c, &d) &&
			      c & bit_OSPKE ? 2 : 0;
#else
	const uint64_t keys = 0;
#endif
	struct hostile h;

	(void)state;
	start(&h);
	act1(&h, LOCKED, keys ? ANY : 0, keys | 1);
	act1(&h, LOCKED, ANY, keys);
	pe_unit_close(&h.u);
}

/* somewhere in the worker's own code, with whatever is in the registers */
static void test_jumps(void **state)
{
	struct hostile h;

	(void)state;
	start(&h);
	for (uint64_t at = PE_SERVICES; at < PE_SERVICES + 0x2000; at += APART)
		act1(&h, JUMP, ANY, at);
	pe_unit_close(&h.u);
}

/* Whoever comes by the worker's file changes nothing of later workers. */
static void test_image(void **state)
{
	const int fd = pd_image_fd();

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "x", 1, 0), -1);
	assert_int_equal(ftruncate(fd, 1), -1);
}

/* nothing of all this is left */
static void test_no_children(void **state)
{
	(void)state;
	assert_int_equal(waitpid(-1, NULL, __WALL | WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_wild),
	cmocka_unit_test(test_system_calls),
	cmocka_unit_test(test_memory),
	cmocka_unit_test(test_broker),
	cmocka_unit_test(test_signals),
	cmocka_unit_test(test_passes),
	cmocka_unit_test(test_alternate_stacks),
	cmocka_unit_test(test_stack_in_wram),
	cmocka_unit_test(test_leave_park),
	cmocka_unit_test(test_stack_at_park),
	cmocka_unit_test(test_trap_at_park),
	cmocka_unit_test(test_hidden_pages),
	cmocka_unit_test(test_protection_keys),
	cmocka_unit_test(test_jumps),
	cmocka_unit_test(test_image),
	cmocka_unit_test(test_no_children),
};

UNIT_MAIN(tests)
