// SPDX-License-Identifier: MIT
/*
 * Tasklets in an order that a seed makes: where they wait and at DMAs the next one
 * is any of those that can run, and in between it goes on for so many instructions
 * as the processor is told to stop after each. Nothing of it depends on time but where a
 * tasklet neither waits nor transfers for long (STALLED), so the same seed gives the same
 * run.
 *
 * A step costs more than a system call. So a PE has a number of them: from half of
 * them on, the more it has used the rarer they get, which spreads them over its run,
 * however long. None is spent on code that is not to be preempted, of which there may be
 * more with every PE of the launch: they go on at its end.
 *
 * Where a processor cannot be told so, tasklets are switched where they wait and at DMAs
 * alone.
 */
#include <signal.h>
#include <ucontext.h>

#include "runtime/pe/worker/worker.h"

#define TRAP_FLAG	0x100
#define LONGEST		10	/* bursts have less than 2^10 steps */
/*
 * Ticks without a switch until a tasklet without steps must spin: for what another
 * one is to write. What follows depends on time for a tasklet that computes so long.
 * Without steps it takes as many ticks to end each spin.
 */
#define STALLED		(PE_CAN_STEP ? 50 : 2)

/* splitmix64 */
static uint64_t random(void)
{
	uint64_t z = PE_STATE->random += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

uint32_t pe_random_tasklet(uint32_t tasklets)
{
	uint32_t n = 0;

	for (uint32_t left = tasklets; left; left &= left - 1)
		n++;
	for (n = (uint32_t)(random() % n); n; n--)
		tasklets &= tasklets - 1;
	return (uint32_t)__builtin_ctz(tasklets);
}

void pe_random_burst(void)
{
	struct pe_shared *s = PE_STATE;

	s->steps = 0;
	s->stalled = 0;
	if (!PE_CAN_STEP || !(s->runnable & ~(1u << s->self.tasklet)) || s->stops & PE_STOPS_TRAPS ||
	    random() % (PE_STEPS / 2) >= s->budget)
		return;
	s->steps = 1 + (uint32_t)random() % (1u << random() % LONGEST);
}

#if PE_CAN_STEP
void pe_random_step(void *context)
{
	struct pe_shared *s = PE_STATE;
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	/* the service's end begins anew */
	if (s->inside || !s->running) {
		regs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
		return;
	}
	if (s->self.critical) {
		s->self.critical |= PE_PUT_OFF;
		regs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
		return;
	}
	s->budget -= !!s->budget;
	if (!pe_in_program((uint64_t)regs[REG_RIP]))
		return;
	if (--s->steps && s->budget)
		return;
	s->steps = 0;
	regs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
	pe_keep_operand(context);
	pe_preempt(context);
}

/* Steps that are put off may never go on. */
static int is_stepped(const void *context)
{
	const greg_t *regs = ((const ucontext_t *)context)->uc_mcontext.gregs;

	return PE_STATE->steps && regs[REG_EFL] & TRAP_FLAG;
}
#else
void pe_random_step(void *context)
{
	(void)context;
}

static int is_stepped(const void *context)
{
	(void)context;
	return 0;
}
#endif

void pe_random_tick(void *context)
{
	struct pe_shared *s = PE_STATE;

	if (is_stepped(context) || ++s->stalled < STALLED || s->inside ||
	    s->self.critical || !pe_in_program(pe_context_pc(context)))
		return;
	s->budget = PE_STEPS;
	pe_preempt(context);
}
