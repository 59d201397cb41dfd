// SPDX-License-Identifier: MIT
/*
 * Examples of the manual pages of PEs' <pimdimm.h>: a program for several PEs of two tasklets,
 * which hand words to each other, and parcels from each PE to the next one.
 *
 *     dpu-upmem-dpurte-clang -DNR_TASKLETS=2 pe.c -o pe && pimdimm mpirun -n 8 pe
 */
#include <assert.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <stdio.h>

#include <pimdimm.h>

#define PES	8
#define WORDS	10

BARRIER_INIT(all, NR_TASKLETS);

/* example of wide_write_ef, wide_read_fe: Tasklet 0 hands words to tasklet 1, which adds them */
static wide_word_t handed;
static uint64_t sum;

static void hand_over(void)
{
	wide_word_t mine = { { 0 } };

	for (uint64_t i = 0; i < WORDS; i++) {
		mine.word[0] = i;
		if (me() == 0) {
			wide_write_ef(&handed, &mine);
		} else {
			wide_read_fe(&handed, &mine);
			sum += mine.word[0];
		}
	}
}
/* end of example */

/* example of wide_write_xf, wide_read_ff, wide_is_full, wide_set_empty: A flag that one tasklet
 * raises and the other waits for, and takes down */
static wide_word_t raised;

static void flag(void)
{
	wide_word_t value = { { 7, 0, 0, 0 } };

	if (me() == 0) {
		wide_write_xf(&raised, &value);
		return;
	}
	wide_read_ff(&raised, &value);
	assert(value.word[0] == 7 && wide_is_full(&raised));
	wide_set_empty(&raised);
}
/* end of example */

/* example of parcel_send, parcel_frame, parcel_sender, pe_id: Each PE tells the next one its number,
 * and a pair of numbers, and waits for what the one before it tells */
struct pair {
	uint64_t from, square;
};

static wide_word_t told, paired;

static void tell(uint64_t from)
{
	wide_word_t value = { { from, 0, 0, 0 } };

	assert(parcel_sender() == from);
	wide_write_ef(&told, &value);
}

static void tell_pair(void *frame)
{
	const struct pair *pair = frame;
	wide_word_t value = { { pair->from, pair->square, 0, 0 } };

	wide_write_ef(&paired, &value);
}

static void to_the_next(void)
{
	const uint32_t next = (pe_id() + 1) % PES, before = (pe_id() + PES - 1) % PES;
	const struct pair pair = { pe_id(), (uint64_t)pe_id() * pe_id() };
	wide_word_t value;

	parcel_send(next, tell, pe_id());
	parcel_frame(next, tell_pair, &pair, sizeof(pair));
	wide_read_fe(&told, &value);
	assert(value.word[0] == before);
	wide_read_fe(&paired, &value);
	assert(value.word[0] == before && value.word[1] == before * before);
}
/* end of example */

/* example of parcel_bulk, parcel_aboard, parcel_unload: A block of data goes with a traveller, which
 * copies it to where it belongs */
static uint32_t block[64];
static __mram_noinit uint32_t there[64];
static wide_word_t arrived;

static void bring(void *frame)
{
	wide_word_t bytes = { { parcel_aboard(), 0, 0, 0 } };

	(void)frame;
	parcel_unload((void *)there, 0, parcel_aboard());
	wide_write_ef(&arrived, &bytes);
}

static void send_block(void)
{
	wide_word_t bytes;

	for (uint32_t i = 0; i < 64; i++)
		block[i] = 100 * pe_id() + i;
	parcel_bulk((pe_id() + 1) % PES, bring, NULL, 0, block, sizeof(block), PE_ABOARD);
	wide_read_fe(&arrived, &bytes);
	assert(bytes.word[0] == sizeof(block));
	mram_read(there, block, sizeof(block));
	assert(block[63] == 100 * ((pe_id() + PES - 1) % PES) + 63);
}
/* end of example */

int main(void)
{
	hand_over();
	flag();
	barrier_wait(&all);
	if (me())
		return 0;
	assert(sum == WORDS * (WORDS - 1) / 2);
	to_the_next();
	send_block();
	printf("PE %u is done\n", (unsigned int)pe_id());
	return 0;
}
