// SPDX-License-Identifier: MIT
/*
 * Full/empty bits: producers and consumers meet in a word of 32 bytes.
 * quirk: tasklets=16
 */
#include <barrier.h>
#include <pimdimm.h>

#include "quirk.h"

BARRIER_INIT(barrier, NR_TASKLETS);
static wide_word_t mailbox[3], value[NR_TASKLETS], published;
static uint64_t sent, received;

int main(void)
{
	wide_word_t *mine = &value[me()];

	CHECK(!wide_is_full(&mailbox[2]));
	barrier_wait(&barrier);
	for (uint64_t i = 0; i < 100; i++) {
		if (me() & 1) {
			mine->word[0] = me() * 1000 + i;
			mine->word[3] = ~mine->word[0];
			wide_write_ef(&mailbox[i % 3], mine);
			__atomic_fetch_add(&sent, mine->word[0],
					   __ATOMIC_RELAXED);
		} else {
			wide_read_fe(&mailbox[i % 3], mine);
			CHECK(mine->word[3] == ~mine->word[0]);
			__atomic_fetch_add(&received, mine->word[0],
					   __ATOMIC_RELAXED);
		}
	}
	barrier_wait(&barrier);
	CHECK(sent == received);
	CHECK(!wide_is_full(&mailbox[0]) && !wide_is_full(&mailbox[1]));
	barrier_wait(&barrier);
	if (me() == 3) {
		mine->word[1] = 77;
		wide_write_xf(&published, mine);
		wide_write_xf(&published, mine);
	} else {
		wide_read_ff(&published, mine);
		CHECK(mine->word[1] == 77);
	}
	barrier_wait(&barrier);
	CHECK(wide_is_full(&published));
	barrier_wait(&barrier);
	wide_set_empty(&published);
	quirk_end();
	return 0;
}
