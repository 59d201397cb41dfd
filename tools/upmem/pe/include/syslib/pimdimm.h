/* SPDX-License-Identifier: MIT */
/*
 * What PEs here have beyond the vendor's: full/empty bits on wide words of WRAM,
 * parcels, which start threads on other PEs, and what the vendor's <stdlib.h> does
 * not declare, so that programs have functions of their own by these names.
 */
#ifndef PIMDIMM_PE_H
#define PIMDIMM_PE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pe_abi.h>

/* 32 bytes that are full or empty; all are empty when a program is loaded */
typedef struct {
	uint64_t word[4];
} __attribute__((aligned(32))) wide_word_t;

/**
 * wide_write_ef() - wait until a word is empty, store it, leave it full
 * @wide: the word
 * @value: what to store
 */
void wide_write_ef(wide_word_t *wide, const wide_word_t *value);

/**
 * wide_write_xf() - store a word, empty or not, and leave it full
 * @wide: the word
 * @value: what to store
 */
void wide_write_xf(wide_word_t *wide, const wide_word_t *value);

/**
 * wide_read_fe() - wait until a word is full, load it, leave it empty
 * @wide: the word
 * @value: receives it
 */
void wide_read_fe(wide_word_t *wide, wide_word_t *value);

/**
 * wide_read_ff() - wait until a word is full, load it, leave it full
 * @wide: the word
 * @value: receives it
 */
void wide_read_ff(wide_word_t *wide, wide_word_t *value);

/**
 * wide_set_empty() - make a word empty, whatever it is
 * @wide: the word
 */
void wide_set_empty(wide_word_t *wide);

/**
 * wide_is_full() - look at a word's bit
 * @wide: the word
 *
 * Return: whether it is full at this moment.
 */
bool wide_is_full(const wide_word_t *wide);

/**
 * pe_id() - the number of this PE in the system
 *
 * Return: 0 to the number of PEs - 1.
 */
static inline uint32_t pe_id(void)
{
	return PE_SELF->pe;
}

/*
 * A parcel becomes a thread on the PE that it is sent to, a traveller. A PE has places for
 * PE_TRAVELLERS of them beside its tasklets, each with a stack of PE_TRAVELLER_STACK
 * bytes; me() is PE_MAX_TASKLETS and more in them, below PE_PLACES. They may do what
 * tasklets may, but are none of NR_TASKLETS. Travellers begin in the order in which their
 * parcels have come, and parcels from one PE to one PE come in the order in which they were
 * sent; those that find no place free wait for one. They come when the PE is entered: not
 * before all threads of the sender's wait, or have ended, or have sent as many as it has
 * room for.
 */

/**
 * parcel_bulk() - start a traveller that brings a payload along
 * @pe: its number; it runs the same program in the same launch
 * @entry: where the traveller begins; it ends by returning
 * @frame: what it is given: copied now, its copy lies on the traveller's stack, at a
 *	multiple of 32; with no bytes the traveller is given NULL
 * @bytes: of it, up to PE_FRAME_MAX
 * @from: the payload, in WRAM or MRAM, at any address; copied now
 * @payload: bytes of it, up to PE_PAYLOAD_MAX; or 0
 * @to_mram: where it goes in the other PE's MRAM, any address; or PE_ABOARD: it stays with
 *	the traveller, and parcel_unload() copies it
 *
 * Waits where too many parcels are on their way: 1,024 to one PE. A payload is in the
 * other PE's MRAM before its traveller begins, and maybe before others begin that were sent
 * earlier: two for one place need an answer in between.
 */
static inline void parcel_bulk(uint32_t pe, void (*entry)(void *), const void *frame,
			       uint32_t bytes, const void *from, uint32_t payload,
			       uint32_t to_mram)
{
	struct pe_sending what = {
		.entry = (uint64_t)(uintptr_t)entry,
		.frame = (uint64_t)(uintptr_t)frame,
		.bytes = bytes,
		.pe = pe,
		.from = (uint64_t)(uintptr_t)from,
		.payload = payload,
		.to_mram = to_mram,
	};

	PE_SVC->send(&what);
}

/**
 * parcel_frame() - start a traveller on a PE
 * @pe: its number; it runs the same program in the same launch
 * @entry: where the traveller begins; it ends by returning
 * @frame: what it is given, as parcel_bulk() says
 * @bytes: of it, up to PE_FRAME_MAX
 */
static inline void parcel_frame(uint32_t pe, void (*entry)(void *), const void *frame,
				uint32_t bytes)
{
	parcel_bulk(pe, entry, frame, bytes, NULL, 0, PE_ABOARD);
}

/**
 * parcel_send() - start a traveller on a PE, with a number
 * @pe: its number; it runs the same program in the same launch
 * @entry: where the traveller begins; it ends by returning
 * @arg: what it is given
 */
static inline void parcel_send(uint32_t pe, void (*entry)(uint64_t), uint64_t arg)
{
	PE_SVC->parcel(pe, entry, arg);
}

/**
 * parcel_aboard() - the payload that the running traveller has with it
 *
 * Return: bytes of it; 0 in tasklets, and where it went to MRAM.
 */
static inline uint32_t parcel_aboard(void)
{
	uint32_t me = PE_SELF->tasklet;

	return me < PE_MAX_TASKLETS ? 0 : PE_SELF->aboard[me % PE_TRAVELLERS];
}

/**
 * parcel_sender() - the PE that sent the running traveller
 *
 * Return: its number, which nothing that it sends can change; PE_HOST where the host did;
 * PE_NOBODY in tasklets.
 */
static inline uint32_t parcel_sender(void)
{
	uint32_t me = PE_SELF->tasklet;

	return me < PE_MAX_TASKLETS ? PE_NOBODY : PE_SELF->sender[me % PE_TRAVELLERS];
}

/* a program that is checked says what it gets */
#ifdef __PE_CHECKED
void pe_check_unload(const void *to, uint32_t bytes);
#else
#define pe_check_unload(to, bytes)	((void)0)
#endif

/**
 * parcel_unload() - copy some of the payload that the running traveller has with it
 * @to: where to, in WRAM or MRAM, at any address
 * @at: where in the payload it begins
 * @bytes: how much; a fault where the payload ends before
 *
 * The payload stays with the traveller until it ends.
 */
static inline void parcel_unload(void *to, uint32_t at, uint32_t bytes)
{
	PE_SVC->unload(to, at, bytes);
	pe_check_unload(to, bytes);
}

#define RAND_MAX	2147483647

/* as in C; one sequence for all tasklets */
int rand(void);
void srand(unsigned int seed);

/* as in C; without recursion, and without memory of its own */
void qsort(void *base, size_t nr, size_t bytes,
	   int (*compare)(const void *, const void *));
void *bsearch(const void *key, const void *base, size_t nr, size_t bytes,
	      int (*compare)(const void *, const void *));

#endif /* PIMDIMM_PE_H */
