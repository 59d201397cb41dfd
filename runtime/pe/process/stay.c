// SPDX-License-Identifier: MIT
/* Saving and restoring the state of a PE that waits for parcels. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/pe/process/stay.h"

/* the most that all stacks of a PE may hold: a program could claim to fill its 6 MiB */
#define MAX_STACKS	(512u << 10)
/* the most for all PEs of the process that wait: 100 KiB of each of 2,560 */
#define MAX_KEPT	(256u << 20)

static _Atomic size_t kept;

struct pd_stay {
	size_t bytes;		/* of it all */
	uint32_t alive;
	uint64_t waits;
	struct pe_tasklet tasklets[PE_MAX_TASKLETS];
	struct pe_clock clock;
	uint64_t instructions[PE_MAX_TASKLETS];
	struct pe_noted noted[PE_MAX_TASKLETS];
	uint32_t site[PE_MAX_TASKLETS];
	uint64_t classes[PE_MAX_TASKLETS][PE_NR_CLASSES];
	uint32_t stack_bytes[PE_MAX_TASKLETS];
	uint8_t stacks[];	/* one after the other */
};

static uint8_t *stack_top(const struct pd_arena *arena, uint32_t t)
{
	return arena->base + PE_ARENA_STACKS + (PE_STACK_TOP(t) - PE_STACK_BASE);
}

/* Bytes on a tasklet's stack; 0 for a stack pointer that points elsewhere. */
static uint32_t stack_used(uint32_t t, uint64_t sp)
{
	uint64_t top = PE_STACK_TOP(t);

	if (sp >= top || top - sp > PE_STACK_SLOT - PE_PAGE)
		return 0;
	return (uint32_t)(top - sp);
}

/* Copy the state; returns the sum of the stacks, or 0 for none that can be. */
static uint32_t copy_state(struct pd_stay *stay, const struct pe_shared *s)
{
	uint32_t sum = 0;

	*stay = (struct pd_stay){ .alive = s->alive, .waits = s->waits };
	memcpy(stay->tasklets, s->tasklets, sizeof(stay->tasklets));
	memcpy(&stay->clock, &s->clock, sizeof(stay->clock));
	memcpy(stay->classes, (const void *)s->self.classes, sizeof(stay->classes));
	for (uint32_t t = 0; t < PE_MAX_TASKLETS; t++) {
		stay->instructions[t] = s->self.instructions[t];
		stay->noted[t] = s->noted[t];
		stay->site[t] = s->self.site[t];
		if (!(stay->alive & 1u << t))
			continue;
		stay->stack_bytes[t] = stack_used(t, stay->tasklets[t].sp);
		if (!stay->stack_bytes[t])
			return 0;
		sum += stay->stack_bytes[t];
	}
	return sum <= MAX_STACKS ? sum : 0;
}

static void *take_room(size_t bytes)
{
	void *room = NULL;

	if (atomic_fetch_add(&kept, bytes) + bytes <= MAX_KEPT)
		room = malloc(bytes);
	if (!room)
		atomic_fetch_sub(&kept, bytes);
	return room;
}

struct pd_stay *pd_stay_save(const struct pd_arena *arena)
{
	struct pd_stay state, *stay;
	uint32_t bytes = copy_state(&state, arena->shared);
	uint8_t *at;

	if (!bytes)
		return NULL;
	state.bytes = sizeof(*stay) + bytes;
	stay = take_room(state.bytes);
	if (!stay)
		return NULL;
	*stay = state;
	at = stay->stacks;
	for (uint32_t t = 0; t < PE_MAX_TASKLETS; t++) {
		memcpy(at, stack_top(arena, t) - stay->stack_bytes[t],
		       stay->stack_bytes[t]);
		at += stay->stack_bytes[t];
	}
	return stay;
}

void pd_stay_restore(struct pd_arena *arena, const struct pd_stay *stay)
{
	struct pe_shared *s = arena->shared;
	const uint8_t *at = stay->stacks;

	s->alive = stay->alive;
	s->waits = stay->waits;
	memcpy(s->tasklets, stay->tasklets, sizeof(s->tasklets));
	memcpy(&s->clock, &stay->clock, sizeof(s->clock));
	memcpy((void *)s->self.classes, stay->classes, sizeof(stay->classes));
	for (uint32_t t = 0; t < PE_MAX_TASKLETS; t++) {
		s->self.instructions[t] = stay->instructions[t];
		s->noted[t] = stay->noted[t];
		s->self.site[t] = stay->site[t];
		memcpy(stack_top(arena, t) - stay->stack_bytes[t], at,
		       stay->stack_bytes[t]);
		at += stay->stack_bytes[t];
	}
}

void pd_stay_free(struct pd_stay *stay)
{
	if (stay)
		atomic_fetch_sub(&kept, stay->bytes);
	free(stay);
}

const struct pe_tasklet *pd_stay_tasklets(const struct pd_stay *stay)
{
	return stay->tasklets;
}
