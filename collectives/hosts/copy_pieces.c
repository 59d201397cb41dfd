// SPDX-License-Identifier: MIT
/* Whether long pieces of a copy are as fast as short ones, wherever in their pages they lie. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "collectives/hosts/copy_pieces.h"

#define PAGE	4096
/* of as many copies the shortest tells: others disturb, and make them longer */
#define TURNS	8
/* long pieces are to take less than so many times what short ones do */
#define SLOW	2

static const uint16_t places[][2] = {
	{ 0, 0 }, { 0, 16 }, { 16, 0 }, { 0, 48 }, { 48, 0 }, { 0, 64 }, { 64, 0 },
};

uint64_t pc_pieces_choose(pc_pieces_ns ns, void *ctx)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		uint64_t in_short = ns(ctx, places[i][0], places[i][1], PC_PIECE_SHORT);

		if (ns(ctx, places[i][0], places[i][1], PC_PIECE_LONG) >= SLOW * in_short)
			return PC_PIECE_SHORT;
	}
	return PC_PIECE_LONG;
}

/* ctx: room for a source and a destination */
static uint64_t copy_ns(void *ctx, unsigned int from, unsigned int to, uint64_t piece)
{
	uint8_t *source = (uint8_t *)ctx + from;
	uint8_t *destination = (uint8_t *)ctx + PC_PIECE_LONG + PAGE + to;
	uint64_t least = UINT64_MAX;

	for (unsigned int i = 0; i < TURNS; i++) {
		uint64_t begin = pd_now_ns(), ns;

		for (uint64_t at = 0; at < PC_PIECE_LONG; at += piece)
			memcpy(destination + at, source + at, piece);
		/* for the compiler not to leave out what nobody reads */
		__asm__ volatile("" : : "r"(destination) : "memory");
		ns = pd_now_ns() - begin;
		least = ns < least ? ns : least;
	}
	return least;
}

uint64_t pc_pieces_measured(void)
{
	static _Atomic uint64_t measured;
	uint64_t piece = atomic_load_explicit(&measured, memory_order_relaxed);
	const size_t bytes = 2 * (PC_PIECE_LONG + PAGE);
	uint8_t *room;

	if (piece)
		return piece;
	room = aligned_alloc(PAGE, bytes);
	if (!room)
		return PC_PIECE_SHORT;
	memset(room, 1, bytes);
	piece = pc_pieces_choose(copy_ns, room);
	free(room);
	atomic_store_explicit(&measured, piece, memory_order_relaxed);
	return piece;
}
