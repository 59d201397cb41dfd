// SPDX-License-Identifier: MIT
/*
 * Registers of tasklets: of the one that runs, as a signal has found them or as it gave
 * up; of the others, as they were put aside. From inside the worker it is a few frames
 * to the program, by the worker's own table. All of this the program can have written
 * over, and every address is checked.
 */
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "runtime/pe/process/image.h"
#include "runtime/pe/process/registers.h"

/* frames of the worker between a service and where it waits */
#define MAX_INSIDE	16
#define WORKER_BYTES	0x00100000u

/* what pe_switch() and pe_first_frame() leave at a tasklet's stack pointer */
struct switch_frame {
#ifdef __aarch64__
	uint64_t control, pad, vectors[8], registers[11], pc;
#else
	uint64_t control, registers[6], pc;
#endif
};

/* what functions keep for their callers, as they lie there */
#ifdef __aarch64__
static const uint8_t kept[] = {
	PD_X19, PD_X19 + 1, PD_X19 + 2, PD_X19 + 3, PD_X19 + 4, PD_X19 + 5, PD_X19 + 6,
	PD_X19 + 7, PD_X19 + 8, PD_X19 + 9, PD_X29,
};
/* between the begin of a signal's frame and its context */
#define SIGNAL_INFO	sizeof(siginfo_t)
#else
static const uint8_t kept[] = { PD_R15, PD_R14, PD_R13, PD_R12, PD_RBX, PD_RBP };
#define SIGNAL_INFO	0
#endif

struct pd_frames_at pd_tasklet_stack(const struct pd_arena *arena, uint32_t tasklet)
{
	return (struct pd_frames_at){
		.base = PE_STACK_BASE + tasklet * PE_STACK_SLOT,
		.bytes = arena->base + PE_ARENA_STACKS + tasklet * PE_STACK_SLOT,
		.nr_bytes = PE_STACK_SLOT,
	};
}

static void set_register(struct pd_registers *r, uint32_t which, uint64_t value)
{
	r->value[which] = value;
	r->known |= 1ull << which;
}

#ifdef __x86_64__
static bool context_at(const struct pd_arena *arena, uint64_t address, struct pd_context *c)
{
	static const uint8_t places[PD_NR_REGISTERS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
		REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
		REG_RIP,
	};
	mcontext_t *m;

	if (!address || address % sizeof(int64_t))
		return false;
	m = (void *)pd_arena_at(arena, address + offsetof(ucontext_t, uc_mcontext),
				sizeof(*m));
	for (uint32_t i = 0; m && i < PD_NR_REGISTERS; i++)
		c->registers[i] = (int64_t *)&m->gregs[places[i]];
	if (!m)
		return false;
	c->flags = (int64_t *)&m->gregs[REG_EFL];
	c->trap = m->gregs[REG_TRAPNO];
	c->fp = pd_arena_at(arena, (uintptr_t)m->fpregs, sizeof(struct _libc_fpstate));
	return true;
}
#elif defined(__aarch64__)
static bool context_at(const struct pd_arena *arena, uint64_t address, struct pd_context *c)
{
	mcontext_t *m;

	if (!address || address % 16)
		return false;
	m = (void *)pd_arena_at(arena, address + offsetof(ucontext_t, uc_mcontext),
				sizeof(*m));
	if (!m)
		return false;
	for (uint32_t i = 0; i < PD_SP; i++)
		c->registers[i] = (int64_t *)&m->regs[i];
	c->registers[PD_SP] = (int64_t *)&m->sp;
	c->registers[PD_PC] = (int64_t *)&m->pc;
	c->flags = (int64_t *)&m->pstate;
	c->trap = 0;
	c->fp = NULL;
	return true;
}
#else
/* no worker is started on other machines */
static bool context_at(const struct pd_arena *arena, uint64_t address, struct pd_context *c)
{
	(void)arena;
	(void)address;
	(void)c;
	return false;
}
#endif

static bool from_context(const struct pd_arena *arena, uint64_t address,
			 struct pd_registers *r)
{
	struct pd_context c;

	if (!context_at(arena, address, &c))
		return false;
	for (uint32_t i = 0; i < PD_NR_REGISTERS; i++)
		set_register(r, i, (uint64_t)*c.registers[i]);
	return true;
}

bool pd_stopped_context(const struct pd_arena *arena, struct pd_context *c)
{
	return context_at(arena, arena->shared->context, c);
}

static void from_saved(const struct pe_shared *s, struct pd_registers *r)
{
	static const uint8_t places[PE_NR_SAVED] = {
#ifdef __aarch64__
		PD_X19, PD_X19 + 1, PD_X19 + 2, PD_X19 + 3, PD_X19 + 4, PD_X19 + 5,
		PD_X19 + 6, PD_X19 + 7, PD_X19 + 8, PD_X19 + 9, PD_X29, PD_SP, PD_PC,
#else
		PD_RBX, PD_RBP, PD_R12, PD_R13, PD_R14, PD_R15, PD_RSP, PD_PC,
#endif
	};

	for (uint32_t i = 0; i < PE_NR_SAVED; i++)
		set_register(r, places[i], s->saved[i]);
	r->called = true;
}

static bool from_switch(const struct pd_arena *arena, uint64_t sp, struct pd_registers *r)
{
	const uint8_t *at = pd_arena_at(arena, sp, sizeof(struct switch_frame));
	struct switch_frame f;

	if (!at)
		return false;
	memcpy(&f, at, sizeof(f));
	for (uint32_t i = 0; i < sizeof(kept); i++)
		set_register(r, kept[i], f.registers[i]);
	set_register(r, PD_SP, sp + sizeof(f));
	set_register(r, PD_PC, f.pc);
	r->called = true;
	return true;
}

/* Wherever it is, in the worker perhaps. */
static bool first_registers(const struct pd_arena *arena, uint32_t tasklet,
			    struct pd_registers *r)
{
	const struct pe_shared *s = arena->shared;
	const struct pe_tasklet *w = &s->tasklets[tasklet];

	*r = (struct pd_registers){ 0 };
	if (tasklet == s->self.tasklet) {
		if (s->context)
			return from_context(arena, s->context, r);
		from_saved(s, r);
		return true;
	}
	if (w->context && w->context == w->sp + sizeof(struct switch_frame) + SIGNAL_INFO)
		return from_context(arena, w->context, r);
	return from_switch(arena, w->sp, r);
}

static bool in_text(const struct pimdimm_program *program, const struct pd_registers *r)
{
	return r->known & 1ull << PD_PC &&
	       pd_pc_of(r) - PE_TEXT_BASE < program->text_bytes;
}

bool pd_tasklet_registers(const struct pd_arena *arena,
			  const struct pimdimm_program *program, uint32_t tasklet,
			  struct pd_registers *r)
{
	const struct pd_frames_at stack = pd_tasklet_stack(arena, tasklet);

	if (!first_registers(arena, tasklet, r))
		return false;
	for (uint32_t i = 0; i < MAX_INSIDE && !in_text(program, r); i++) {
		if (r->value[PD_PC] - PE_SERVICES >= WORKER_BYTES ||
		    !pd_unwind(pd_image_frames(), &stack, r))
			return false;
	}
	return in_text(program, r);
}

bool pd_tasklet_caller(const struct pd_arena *arena,
		       const struct pimdimm_program *program, uint32_t tasklet,
		       struct pd_registers *r)
{
	const struct pd_frames_at stack = pd_tasklet_stack(arena, tasklet);

	return pd_unwind(&program->dwarf.frame, &stack, r) && in_text(program, r);
}
