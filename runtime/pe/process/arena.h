/* SPDX-License-Identifier: MIT */
/*
 * The memory that a worker process shares with its broker: one file that holds
 * struct pe_shared, stacks, WRAM and, behind these, the MRAM window.
 *
 * A PE finds its stacks, its tasklets' and its fault handlers', as zero as if no
 * other had run in the arena, for the price of the pages that any PE has touched:
 * the others are holes of the file, and how many are not is what tells of new ones.
 * What is used of the worker's control stack is its own to keep clean.
 */
#ifndef PD_ARENA_H
#define PD_ARENA_H

#include <stdint.h>

#include "runtime/pe/process/window.h"
#include "runtime/pe/shared/shared.h"

/* bytes [begin, end) of the arena */
struct pd_stack_span {
	uint32_t begin, end;
};

/* more than the stacks of any program have that were used without a gap of a page */
#define PD_MAX_SPANS	96

struct pd_touched {
	uint64_t blocks;	/* of the file, when these were looked for */
	uint32_t nr_stacks;
	struct pd_stack_span stacks[PD_MAX_SPANS];
	uint32_t wram_bytes;	/* of WRAM up to the last page that is there */
};

struct pd_arena {
	int fd;
	uint8_t *base;			/* all of the file but the window */
	struct pe_shared *shared;
	uint8_t *wram;
	uint32_t wram_used;		/* from here on it is zero */
	struct pd_touched touched;
	/* by the PE that ran last: bytes of each tasklet's stack */
	uint32_t stack_used[PE_PLACES];
	struct pd_window window;
};

/* 0, or -ENOMEM and a sentence */
int pd_arena_create(struct pd_arena *arena, struct pimdimm *sys);
void pd_arena_destroy(struct pd_arena *arena);

/* what a worker has at an address, all of it in one piece and not in the window; or NULL */
uint8_t *pd_arena_at(const struct pd_arena *arena, uint64_t address, uint64_t bytes);

/* Another program follows: nothing of the last one is left, in the window neither. */
void pd_arena_empty(struct pd_arena *arena);
/*
 * After a PE's run; the worker is parked or gone. What stacks hold down to their
 * lowest byte that is not zero is how much of them was used: arena->stack_used.
 */
void pd_arena_wipe(struct pd_arena *arena);
/*
 * The same where the PE stays in the arena: of each stack so many bytes from its top are
 * left as they are. Only after pd_arena_look() has found all stacks; if that returns
 * false they are in more pieces than are remembered, and such a PE cannot stay.
 */
bool pd_arena_look(struct pd_arena *arena);
void pd_arena_wipe_but(struct pd_arena *arena, const uint32_t live[PE_PLACES]);

#endif /* PD_ARENA_H */
