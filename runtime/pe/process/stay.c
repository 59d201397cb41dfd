// SPDX-License-Identifier: MIT
/* Saving and restoring the state of a PE that waits for parcels. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/pe/process/stay.h"

/* the most that all stacks of a PE may hold: a program could claim to fill its 8 MiB */
#define MAX_STACKS	(512u << 10)
/* the most for all PEs of the process that wait: 100 KiB of each of 2,560 */
#define MAX_KEPT	(256u << 20)

static _Atomic size_t kept;

struct pd_stay {
	size_t bytes;		/* of it all */
	bool in_place;		/* its stacks are in the arena still */
	uint32_t alive;
	uint64_t waits;
	uint32_t budget;
	struct pe_tasklet tasklets[PE_PLACES];
	struct pe_clock clock;
	uint64_t instructions[PE_PLACES];
	struct pe_noted noted[PE_PLACES];
	uint32_t site[PE_PLACES];
	uint64_t classes[PE_PLACES][PE_NR_CLASSES];
	uint32_t stack_bytes[PE_PLACES];
	uint32_t aboard[PE_TRAVELLERS];	/* bytes of payload */
	uint32_t sender[PE_TRAVELLERS];
	uint32_t held;		/* of PE_HOLD, all of them */
	uint8_t stacks[];	/* one after the other, then the payloads */
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

/* Payloads are kept at multiples of this. */
static uint32_t round_held(uint32_t bytes)
{
	return (bytes + 63) & ~63u;
}

/* What its travellers have aboard, as far as it can be believed; returns their sum. */
static uint32_t copy_aboard(struct pd_stay *stay, const struct pe_shared *s)
{
	for (uint32_t i = 0; i < PE_TRAVELLERS; i++) {
		uint32_t t = PE_MAX_TASKLETS + i, bytes = s->self.aboard[i];

		if (!(stay->alive & 1u << t) || bytes > PE_PAYLOAD_MAX ||
		    stay->tasklets[t].hold > PE_HOLD_BYTES - bytes)
			bytes = 0;
		stay->aboard[i] = bytes;
		stay->sender[i] = s->self.sender[i];
		stay->held += round_held(bytes);
	}
	return stay->held;
}

/* Copy the state; returns the sum of the stacks, or 0 for none that can be. */
static uint32_t copy_state(struct pd_stay *stay, const struct pe_shared *s)
{
	uint32_t sum = 0;

	*stay = (struct pd_stay){ .alive = s->alive, .waits = s->waits, .budget = s->budget };
	memcpy(stay->tasklets, s->tasklets, sizeof(stay->tasklets));
	memcpy(&stay->clock, &s->clock, sizeof(stay->clock));
	memcpy(stay->classes, (const void *)s->self.classes, sizeof(stay->classes));
	for (uint32_t t = 0; t < PE_PLACES; t++) {
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
	return sum && sum <= MAX_STACKS ? sum + copy_aboard(stay, s) : 0;
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

static struct pd_stay *save(const struct pd_arena *arena, bool in_place)
{
	struct pd_stay state, *stay;
	uint32_t bytes = copy_state(&state, arena->shared);
	uint8_t *at;

	if (!bytes)
		return NULL;
	state.in_place = in_place;
	state.bytes = sizeof(*stay) + (in_place ? state.held : bytes);
	stay = take_room(state.bytes);
	if (!stay)
		return NULL;
	*stay = state;
	at = stay->stacks;
	for (uint32_t t = 0; t < PE_PLACES && !in_place; t++) {
		memcpy(at, stack_top(arena, t) - stay->stack_bytes[t],
		       stay->stack_bytes[t]);
		at += stay->stack_bytes[t];
	}
	for (uint32_t i = 0; i < PE_TRAVELLERS; i++) {
		memcpy(at, arena->base + PE_ARENA_HOLD +
		       stay->tasklets[PE_MAX_TASKLETS + i].hold % PE_HOLD_BYTES,
		       stay->aboard[i]);
		at += round_held(stay->aboard[i]);
	}
	return stay;
}

struct pd_stay *pd_stay_save(const struct pd_arena *arena)
{
	return save(arena, false);
}

struct pd_stay *pd_stay_leave(const struct pd_arena *arena)
{
	return save(arena, true);
}

/* They lie one behind the other now, as they were kept. */
static void restore_aboard(struct pd_arena *arena, const struct pd_stay *stay,
			   const uint8_t *from)
{
	struct pe_shared *s = arena->shared;
	uint32_t at = 0;

	for (uint32_t i = 0; i < PE_TRAVELLERS; i++) {
		s->self.aboard[i] = stay->aboard[i];
		s->self.sender[i] = stay->sender[i];
		s->tasklets[PE_MAX_TASKLETS + i].hold = at;
		memcpy(arena->base + PE_ARENA_HOLD + at, from + at, stay->aboard[i]);
		at += round_held(stay->aboard[i]);
	}
}

void pd_stay_restore(struct pd_arena *arena, const struct pd_stay *stay)
{
	struct pe_shared *s = arena->shared;
	const uint8_t *at = stay->stacks;

	s->alive = stay->alive;
	s->waits = stay->waits;
	s->budget = stay->budget;
	memcpy(s->tasklets, stay->tasklets, sizeof(s->tasklets));
	memcpy(&s->clock, &stay->clock, sizeof(s->clock));
	memcpy((void *)s->self.classes, stay->classes, sizeof(stay->classes));
	for (uint32_t t = 0; t < PE_PLACES; t++) {
		s->self.instructions[t] = stay->instructions[t];
		s->noted[t] = stay->noted[t];
		s->self.site[t] = stay->site[t];
		if (stay->in_place)
			continue;
		memcpy(stack_top(arena, t) - stay->stack_bytes[t], at,
		       stay->stack_bytes[t]);
		at += stay->stack_bytes[t];
	}
	restore_aboard(arena, stay, at);
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

const uint32_t *pd_stay_stacks(const struct pd_stay *stay)
{
	return stay->stack_bytes;
}

uint32_t pd_stay_held(const struct pd_stay *stay)
{
	return stay->held;
}

uint32_t pd_stay_travellers(const struct pd_stay *stay)
{
	return (uint32_t)__builtin_popcount(stay->alive >> PE_MAX_TASKLETS);
}

bool pd_stay_wants_room(const struct pd_stay *stay)
{
	for (uint32_t t = 0; t < PE_PLACES; t++) {
		if (stay->alive & 1u << t && stay->tasklets[t].wait == PE_WAIT_ROOM)
			return true;
	}
	return false;
}
