// SPDX-License-Identifier: MIT
/*
 * Signals: faults of the program end the PE's run, a page of the window that is
 * not there is brought in, the timer switches tasklets.
 *
 * Handlers have one stack for all tasklets. The timer has to wait for the end of
 * the others, or a tasklet would be left there and the next fault overwrite it.
 */
#include <signal.h>
#include <ucontext.h>

#include "runtime/pe/worker/worker.h"

/* exit status of a worker that does not start a PE */
#define STATUS_SPOILT		16

/* of the timer, without an event in between */
#define STUCK_TICKS	250

#define TIMERS	(1ull << (SIGALRM - 1) | 1ull << (SIGVTALRM - 1))

struct kernel_sigaction {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

/* where the program was: services are called from it */
static uint64_t program_pc(const void *context)
{
	uint64_t pc = pe_context_pc(context);

	return pe_in_program(pc) || !PE_STATE->inside ? pc : PE_STATE->caller;
}

static int in_guard(uint64_t address)
{
	const uint32_t *bottoms = (const uint32_t *)PE_STACK_BOTTOMS;
	uint64_t t = (address - PE_STACK_BASE) / PE_STACK_SLOT;

	return t < PE_PLACES && address < bottoms[t];
}

/*
 * Whether the worker is parked or on its way to a PE. What reaches it there is
 * the last program's doing, by what it left in a register or a timer that was due,
 * but for a late tick that has its frame on the stack for signals.
 */
static int at_park(const void *context)
{
	uint64_t pc = pe_context_pc(context);

	return pc >= (uintptr_t)pe_parking && pc < (uintptr_t)pe_started;
}

/*
 * The kernel may have written a frame into the memory of the PE that is next:
 * this worker does not start it.
 */
static void give_up_pe(void)
{
	pe_syscall(SYS_exit_group, STATUS_SPOILT, 0, 0, 0, 0, 0);
}

static void on_segv(siginfo_t *info, const void *context)
{
	uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
	uint64_t page = (address - PE_MRAM_BASE) / PE_PAGE;
	uint32_t inside = PE_STATE->inside;
	enum pe_touch touch = pe_touched(context);

	if (touch != PE_TOUCH_NONE && address >= PE_MRAM_BASE &&
	    page < PE_STATE->mram_pages) {
		PE_STATE->inside = 1;
		pe_open_page((uint32_t)page, touch == PE_TOUCH_WRITE);
		PE_STATE->inside = inside;
		return;
	}
	/* a push there; else what a frame holds that began there */
	if (in_guard(address))
		pe_fail(PE_FAULT_STACK, address, program_pc(context));
	if (in_guard(pe_context_sp(context)))
		pe_fail(PE_FAULT_STACK, pe_context_sp(context),
			program_pc(context));
	pe_fail(PE_FAULT_ACCESS, address, program_pc(context));
}

static void on_fpe(void *context)
{
	uint32_t fault = pe_divide(context);

	if (fault)
		pe_fail(fault, 0, program_pc(context));
}

/* An instruction that is none, or one to stop at, perhaps what a compiler makes of an end. */
static void on_trap(int sig, const void *context)
{
	uint64_t pc = pe_context_pc(context);
	int there = sig == PE_TRAP_SIGNAL && pe_in_program(pc) &&
		    pe_in_program(pc + PE_TRAP_BYTES - 1);

	pe_fail(there ? pe_trap_kind(pc) : PE_FAULT_INSTRUCTION, 0, program_pc(context));
}

/* A trap that a debugger has set, who has had a look. */
static int is_debuggers(void)
{
	struct pe_shared *s = PE_STATE;

	if (!(s->stops & PE_STOPS_TRAPS))
		return 0;
	s->ours = 0;
	pe_stop(PE_STOPPED_TRAP);
	return s->ours;
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	uint64_t outer = PE_STATE->context;

	if (at_park(context))
		give_up_pe();
	if (sig == SIGTRAP && PE_STATE->steps && pe_is_step(context)) {
		pe_random_step(context);
		return;
	}
	PE_STATE->context = (uint64_t)(uintptr_t)context;
	switch (sig) {
	case SIGSEGV:
		on_segv(info, context);
		break;
	case SIGBUS:
		pe_fail(PE_FAULT_ACCESS, (uint64_t)(uintptr_t)info->si_addr,
			program_pc(context));
		break;
	case SIGFPE:
		on_fpe(context);
		break;
	case SIGILL:
		on_trap(sig, context);
		break;
	case SIGTRAP:
		if (is_debuggers())
			break;
		on_trap(sig, context);
		break;
	default:
		pe_fail(PE_FAULT_SYSCALL, (uint64_t)info->si_syscall,
			program_pc(context));
	}
	PE_STATE->context = outer;
}

static void on_tick_at_park(const void *context)
{
	uint64_t frame = (uint64_t)(uintptr_t)context;

	if (frame - PE_SIGNAL_BOTTOM >= PE_SIGNAL_STACK)
		give_up_pe();
	pe_next_tick(0);
}

/*
 * Whether a tick stops the tasklet that runs. One that counts comes to an event soon,
 * unless it spins in assembly code; what depends on when it is stopped is no clock's.
 */
static int is_stuck(void)
{
	struct pe_shared *s = PE_STATE;

	return !s->self.instructions[s->self.tasklet] || ++s->stalled >= STUCK_TICKS;
}

static void stop_where_asked(void *context)
{
	struct pe_shared *s = PE_STATE;

	if (!s->ask || !s->running || s->inside || !pe_in_program(pe_context_pc(context)))
		return;
	s->ask = 0;
	s->context = (uint64_t)(uintptr_t)context;
	pe_stop(PE_STOPPED_ASKED);
	s->context = 0;
}

/*
 * Comes with ticks blocked, until the timer is set anew: a program can have set
 * it to come faster than its signal is delivered. The first of a PE's run may come
 * when the PE has hardly begun, from the timer that never stops or from one that
 * the PE before has left: it sets the one whose ticks switch.
 */
static void on_tick(int sig, siginfo_t *info, void *context)
{
	struct pe_shared *s = PE_STATE;
	uint32_t first = !s->ticks;

	(void)info;
	if (at_park(context)) {
		on_tick_at_park(context);
		return;
	}
	stop_where_asked(context);
	if (sig == SIGVTALRM && !first && s->running && !s->shuffle)
		return;
	pe_next_tick(s->running && !s->shuffle);
	if (!s->running)
		return;
	s->ticks++;
	if (s->inside || !pe_in_program(pe_context_pc(context)))
		return;
	s->ticked = pe_context_pc(context);
	if (s->hold)
		return;
	if (s->shuffle)
		pe_random_tick(context);
	else if (!first && !s->self.critical && is_stuck())
		pe_preempt(context);
}

static int catch(int sig, void (*handler)(int, siginfo_t *, void *),
		 unsigned long flags)
{
	struct kernel_sigaction action = {
		.handler = handler,
		.flags = SA_SIGINFO | SA_NODEFER | 0x04000000 /* SA_RESTORER */ |
			 flags,
		.restorer = pe_restorer,
		.mask = TIMERS,
	};

	return (int)pe_syscall(SYS_rt_sigaction, sig, (long)&action, 0, 8, 0, 0);
}

int pe_catch_signals(void)
{
	int ret = 0;

	ret |= catch(SIGSEGV, on_fault, SA_ONSTACK);
	ret |= catch(SIGBUS, on_fault, SA_ONSTACK);
	ret |= catch(SIGFPE, on_fault, SA_ONSTACK);
	ret |= catch(SIGILL, on_fault, SA_ONSTACK);
	ret |= catch(SIGTRAP, on_fault, SA_ONSTACK);
	ret |= catch(SIGSYS, on_fault, SA_ONSTACK);
	ret |= catch(SIGALRM, on_tick, SA_ONSTACK | SA_RESTART);
	ret |= catch(SIGVTALRM, on_tick, SA_ONSTACK | SA_RESTART);
	ret |= pe_start_timer();
	return ret;
}
