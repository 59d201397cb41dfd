// SPDX-License-Identifier: MIT
/*
 * What preempt.c is on x86-64, on aarch64: a signal's frame begins with what it told, and
 * the kernel takes it back where the stack pointer is. No instruction here reads memory
 * and writes it but in one go.
 */
#include <signal.h>
#include <ucontext.h>

#include "runtime/pe/worker/worker.h"

#ifdef __aarch64__

/* the kernel aligns its frame to 16; lines are kept as they are */
#define LINE		64u

/* what pe_switch() finds on a stack */
struct switched {
	uint64_t fpcr, pad;
	uint64_t vectors[8];
	uint64_t registers[11];
	uint64_t pc;
};

struct signal_frame {
	siginfo_t info;
	ucontext_t context;
};

/* see PE_RECORD_EXTRA */
struct extra {
	struct pe_record head;
	uint64_t at;
};

_Static_assert(sizeof(struct switched) == 176, "pe_switch()");
_Static_assert(sizeof(siginfo_t) % 16 == 0, "the kernel's frame");

uint64_t pe_first_frame(uint64_t top, void (*steps)(void))
{
	uint64_t sp = (top & ~(uint64_t)15) - sizeof(struct switched);
	struct switched *first = (void *)(uintptr_t)sp;

	*first = (struct switched){ .pc = (uint64_t)(uintptr_t)steps };
	return sp;
}

/* Go on where a signal stopped the tasklet. */
static void resume(void)
{
	struct pe_shared *s = PE_STATE;
	const struct pe_tasklet *w = &s->tasklets[s->self.tasklet];
	uint64_t frame = w->context - offsetof(struct signal_frame, context);

	/* a tick from here on finds the worker's code, and leaves it alone */
	s->inside = 0;
	__asm__ volatile("mov	sp, %0\n\t"
			 "b	pe_restorer"
			 : : "r"(frame) : "memory");
	__builtin_unreachable();
}

int pe_put_aside(void *context)
{
	struct pe_tasklet *w = &PE_STATE->tasklets[PE_STATE->self.tasklet];
	uint64_t from = (uint64_t)(uintptr_t)context - offsetof(struct signal_frame, context);
	uint64_t bytes = PE_SHARED + PE_ARENA_SIGNAL + PE_SIGNAL_STACK - from;
	uint64_t to = PE_FRAME(PE_STATE->self.tasklet) + from % LINE;
	struct signal_frame *f = (void *)(uintptr_t)to;
	struct extra *extra;

	if (bytes > PE_FRAME_BYTES - PE_RESUME_BYTES - LINE)
		return 0;
	pe_copy(f, (const void *)(uintptr_t)from, bytes);
	extra = pe_find_record(&f->context, PE_RECORD_EXTRA);
	if (extra)
		extra->at += to - from;
	w->stale_bytes = 0;
	w->context = (uint64_t)(uintptr_t)&f->context;
	w->sp = pe_first_frame(to, resume);
	return 1;
}

#endif
