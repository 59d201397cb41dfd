// SPDX-License-Identifier: MIT
/*
 * Tasklets that a signal stops in the middle of their code. Signals have one stack
 * for all tasklets, so the frame from which the kernel lets a tasklet go on moves
 * to a place beside the tasklet's own stack, on which hardware puts nothing either.
 */
#include <signal.h>
#include <ucontext.h>

#include "runtime/pe/worker/operand.h"
#include "runtime/pe/worker/worker.h"

#ifdef __x86_64__

#define TRAP_FLAG	0x100
/* the kernel aligns its frame, and the FPU state in it, to this */
#define LINE		64u

/* what pe_switch() finds on a stack that it has not left itself */
struct first_frame {
	uint32_t mxcsr;
	uint16_t x87, pad;
	uint64_t registers[6];
	uint64_t pc;
};

uint64_t pe_first_frame(uint64_t top, void (*steps)(void))
{
	uint64_t sp = top - sizeof(struct first_frame);

	*(struct first_frame *)(uintptr_t)sp = (struct first_frame){
		.mxcsr = 0x1f80,
		.x87 = 0x037f,
		.pc = (uint64_t)(uintptr_t)steps,
	};
	return sp;
}

/*
 * Go on where a signal stopped the tasklet. If that was to be in the middle of an
 * instruction that reads WRAM and writes it, what it read is what lay there then.
 */
static void resume(void)
{
	struct pe_shared *s = PE_STATE;
	struct pe_tasklet *w = &s->tasklets[s->self.tasklet];
	ucontext_t *uc = (void *)(uintptr_t)w->context;

	uc->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
	if (s->steps)
		uc->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
	if (w->stale_bytes)
		pe_copy((void *)(uintptr_t)w->stale_at, &w->stale,
			w->stale_bytes);
	w->stale_bytes = 0;
	/* a tick from here on finds the worker's code, and leaves it alone */
	s->inside = 0;
	__asm__ volatile("movq	%0, %%rsp\n\t"
			 "jmp	pe_restorer"
			 : : "r"(uc) : "memory");
	__builtin_unreachable();
}

int pe_put_aside(void *context)
{
	struct pe_tasklet *w = &PE_STATE->tasklets[PE_STATE->self.tasklet];
	uint64_t from = (uint64_t)(uintptr_t)context;
	uint64_t bytes = PE_SHARED + PE_ARENA_SIGNAL + PE_SIGNAL_STACK - from;
	uint64_t to = PE_FRAME(PE_STATE->self.tasklet) + from % LINE;
	ucontext_t *uc = (void *)(uintptr_t)to;

	if (bytes > PE_FRAME_BYTES - PE_RESUME_BYTES - LINE)
		return 0;
	pe_copy(uc, context, bytes);
	if (uc->uc_mcontext.fpregs)
		uc->uc_mcontext.fpregs = (void *)(uintptr_t)
			((uint64_t)(uintptr_t)uc->uc_mcontext.fpregs - from + to);
	w->context = to;
	w->sp = pe_first_frame(to, resume);
	return 1;
}

void pe_keep_operand(const void *context)
{
	struct pe_tasklet *w = &PE_STATE->tasklets[PE_STATE->self.tasklet];
	struct pe_operand o;

	w->stale_bytes = 0;
	if (!pe_changed_operand(context, &o) || o.address < PE_WRAM_BASE ||
	    o.address > PE_WRAM_BASE + PE_WRAM_BYTES - o.bytes)
		return;
	w->stale_at = o.address;
	w->stale_bytes = o.bytes;
	pe_copy(&w->stale, (const void *)(uintptr_t)o.address, o.bytes);
}

#endif
