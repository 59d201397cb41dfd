// SPDX-License-Identifier: MIT
/*
 * In a chain of handshakes the notifier goes on before the one that waits for it,
 * whichever of them comes first: what it writes past its own is written over.
 * quirk: tasklets=16
 */
#include <barrier.h>
#include <defs.h>
#include <handshake.h>
#include <mram.h>

#include "quirk.h"

#define NR_ROUNDS 24

BARRIER_INIT(barrier, NR_TASKLETS);
__mram_noinit uint64_t words[NR_TASKLETS + 1];
__dma_aligned uint64_t read_back[NR_TASKLETS + 1];

/* gives way, so that tasklets come to the handshake in another order each round */
static void delay(uint32_t round)
{
	__dma_aligned uint64_t word;

	for (uint32_t i = 0; i < (me() * 7 + round) % NR_TASKLETS; i++)
		mram_read(&words[me()], &word, sizeof(word));
}

static void chain(uint32_t round)
{
	__dma_aligned uint64_t mine[2] = { round * 100 + me(), ~0ul };

	delay(round);
	if (me())
		handshake_wait_for(me() - 1);
	if (me() < NR_TASKLETS - 1)
		handshake_notify();
	mram_write(mine, &words[me()], sizeof(mine));
}

int main(void)
{
	for (uint32_t round = 0; round < NR_ROUNDS; round++) {
		chain(round);
		barrier_wait(&barrier);
		if (!me()) {
			mram_read(words, read_back, sizeof(read_back));
			for (uint32_t i = 0; i < NR_TASKLETS; i++)
				CHECK(read_back[i] == round * 100 + i);
			CHECK(read_back[NR_TASKLETS] == ~0ul);
		}
		barrier_wait(&barrier);
	}
	quirk_end();
	return 0;
}
