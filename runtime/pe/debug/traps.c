// SPDX-License-Identifier: MIT
/*
 * Breakpoints are INT3 in the text that the debugged PE's worker executes, which is a
 * copy of the program's; steps are taken with the processor's trap flag. One tasklet runs
 * at a time, and while it steps over a breakpoint that is lifted no other does.
 *
 * A service is one instruction of the program: a step into one goes on to where it
 * returns, and what other tasklets do meanwhile they do. So does a step of a tasklet
 * that waits in one.
 */
#include "runtime/pe/debug/traps.h"

#define TRAP_FLAG	0x100
#define INT3		0xcc
#define TRAP_STEP	1
#define TRAP_INT3	3

static bool in_text(const struct pd_traps *t, uint64_t at)
{
	return at - PE_TEXT_BASE < t->text_bytes;
}

static void put_int3(struct pd_traps *t, uint64_t at)
{
	t->text[at - PE_TEXT_BASE] = INT3;
}

static void put_back(struct pd_traps *t, uint64_t at)
{
	t->text[at - PE_TEXT_BASE] = t->original[at - PE_TEXT_BASE];
}

/* its place in the table, or how many there are */
static uint32_t find_breakpoint(const struct pd_traps *t, uint64_t at)
{
	uint32_t i = 0;

	while (i < t->nr_breakpoints && t->breakpoints[i] != at)
		i++;
	return i;
}

static bool has_breakpoint(const struct pd_traps *t, uint64_t at)
{
	return find_breakpoint(t, at) < t->nr_breakpoints;
}

bool pd_traps_set(struct pd_traps *t, uint64_t at)
{
	if (!in_text(t, at))
		return false;
	if (has_breakpoint(t, at))
		return true;
	if (t->nr_breakpoints == PD_MAX_BREAKPOINTS)
		return false;
	t->breakpoints[t->nr_breakpoints++] = at;
	put_int3(t, at);
	return true;
}

void pd_traps_clear(struct pd_traps *t, uint64_t at)
{
	uint32_t i = find_breakpoint(t, at);

	if (i == t->nr_breakpoints)
		return;
	t->breakpoints[i] = t->breakpoints[--t->nr_breakpoints];
	if (t->back != at)
		put_back(t, at);
}

void pd_traps_clear_all(struct pd_traps *t)
{
	t->back = 0;
	while (t->nr_breakpoints)
		pd_traps_clear(t, *t->breakpoints);
}

static void drop_back(struct pd_traps *t)
{
	if (t->back && !has_breakpoint(t, t->back))
		put_back(t, t->back);
	t->back = 0;
}

static void set_back(struct pd_traps *t, uint64_t at)
{
	drop_back(t);
	if (!in_text(t, at))
		return;
	t->back = at;
	put_int3(t, at);
}

/* One instruction, though there be a breakpoint at it. */
static void arm(struct pd_traps *t, const struct pd_scene *scene, struct pd_context *c,
		bool quietly)
{
	uint64_t pc = (uint64_t)*c->registers[PD_PC];

	*c->flags |= TRAP_FLAG;
	scene->slot->arena.shared->hold = 1;
	t->stepping = true;
	t->quietly = quietly;
	if (in_text(t, pc) && t->text[pc - PE_TEXT_BASE] !=
			      t->original[pc - PE_TEXT_BASE]) {
		t->lifted = pc;
		put_back(t, pc);
	}
}

static void disarm(struct pd_traps *t, const struct pd_scene *scene)
{
	scene->slot->arena.shared->hold = 0;
	t->stepping = false;
	if (t->lifted && (has_breakpoint(t, t->lifted) || t->lifted == t->back))
		put_int3(t, t->lifted);
	t->lifted = 0;
}

void pd_traps_go(struct pd_traps *t, const struct pd_scene *scene)
{
	struct pd_registers r;
	struct pd_context c;
	bool stopped = scene->begun && pd_stopped_context(&scene->slot->arena, &c) &&
		       in_text(t, (uint64_t)*c.registers[PD_PC]);

	if (t->step == PD_NO_TASKLET) {
		if (stopped && has_breakpoint(t, (uint64_t)*c.registers[PD_PC]))
			arm(t, scene, &c, true);
	} else if (stopped && t->step == pd_scene_current(scene)) {
		arm(t, scene, &c, false);
	} else {
		pd_scene_registers(scene, t->step, &r);
		set_back(t, r.value[PD_PC]);
	}
}

static enum pd_trap stepped(struct pd_traps *t, const struct pd_scene *scene,
			    struct pd_context *c)
{
	const uint32_t me = pd_scene_current(scene);
	const struct pd_frames_at stack = pd_tasklet_stack(&scene->slot->arena, me);
	uint64_t back = 0;

	if (!t->stepping)
		return PD_TRAP_FOREIGN;
	disarm(t, scene);
	*c->flags &= ~(int64_t)TRAP_FLAG;
	if (in_text(t, (uint64_t)*c->registers[PD_PC]))
		return t->quietly ? PD_TRAP_GO_ON : PD_TRAP_STEP;
	if (!t->quietly &&
	    pd_stack_word(&stack, (uint64_t)*c->registers[PD_SP], &back))
		set_back(t, back);
	return PD_TRAP_GO_ON;
}

static enum pd_trap came_to(struct pd_traps *t, const struct pd_scene *scene,
			    struct pd_context *c)
{
	uint64_t at = (uint64_t)*c->registers[PD_PC] - 1;
	bool set = has_breakpoint(t, at);

	if (!set && t->back != at)
		return PD_TRAP_FOREIGN;
	*c->registers[PD_PC] = (int64_t)at;
	if (set)
		return PD_TRAP_BREAKPOINT;
	if (pd_scene_current(scene) == t->step)
		return PD_TRAP_STEP;
	/* it is for another one */
	arm(t, scene, c, true);
	return PD_TRAP_GO_ON;
}

enum pd_trap pd_traps_hit(struct pd_traps *t, const struct pd_scene *scene)
{
	enum pd_trap trap = PD_TRAP_FOREIGN;
	struct pd_context c;

	if (!pd_stopped_context(&scene->slot->arena, &c))
		return PD_TRAP_FOREIGN;
	if (c.trap == TRAP_STEP)
		trap = stepped(t, scene, &c);
	else if (c.trap == TRAP_INT3)
		trap = came_to(t, scene, &c);
	if (trap == PD_TRAP_BREAKPOINT || trap == PD_TRAP_STEP)
		pd_traps_stop(t, scene);
	return trap;
}

void pd_traps_stop(struct pd_traps *t, const struct pd_scene *scene)
{
	struct pd_context c;

	if (t->stepping && scene->begun && pd_stopped_context(&scene->slot->arena, &c))
		*c.flags &= ~(int64_t)TRAP_FLAG;
	disarm(t, scene);
	drop_back(t);
	t->step = PD_NO_TASKLET;
}
