// SPDX-License-Identifier: MIT
/*
 * Who waits for a wide word is served by whoever fills or empties it, first come first
 * served, and before anybody who comes later.
 * quirk: tasklets=8
 */
#include <barrier.h>
#include <pimdimm.h>

#include "quirk.h"

BARRIER_INIT(barrier, NR_TASKLETS);
static wide_word_t word, values[NR_TASKLETS];

/* Tasklets of higher numbers come earlier. */
static void come_late(void)
{
	for (uint32_t i = 0; i < 200 * (NR_TASKLETS - me()); i++)
		PE_SVC->yield();
}

/* Readers that empty it: each gets what was filled in when its turn had come. */
static void fill(void)
{
	for (uint64_t i = NR_TASKLETS - 1; i; i--) {
		values[0].word[0] = i;
		wide_write_ef(&word, &values[0]);
		CHECK(!wide_is_full(&word));
	}
}

/* Writers: their words come in the order in which they came. */
static void drain(void)
{
	for (uint64_t i = NR_TASKLETS - 1; i; i--) {
		wide_read_fe(&word, &values[0]);
		CHECK(values[0].word[0] == i);
		CHECK(wide_is_full(&word) == (i > 1));
	}
}

/* All who leave it full are served at one fill, then one who empties it. */
static void share(void)
{
	values[0].word[0] = 77;
	wide_write_ef(&word, &values[0]);
	CHECK(!wide_is_full(&word));
}

int main(void)
{
	wide_word_t *mine = &values[me()];

	come_late();
	if (me()) {
		wide_read_fe(&word, mine);
		CHECK(mine->word[0] == me());
	} else {
		fill();
	}
	barrier_wait(&barrier);
	if (!me())
		wide_write_xf(&word, mine);
	barrier_wait(&barrier);
	come_late();
	if (me()) {
		mine->word[0] = me();
		wide_write_ef(&word, mine);
	} else {
		wide_read_fe(&word, mine);
		CHECK(wide_is_full(&word));
		drain();
	}
	barrier_wait(&barrier);
	come_late();
	if (!me()) {
		share();
	} else {
		if (me() == NR_TASKLETS - 1)
			wide_read_fe(&word, mine);
		else
			wide_read_ff(&word, mine);
		CHECK(mine->word[0] == 77);
	}
	quirk_end();
	return 0;
}
