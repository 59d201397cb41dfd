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

/**
 * parcel_send() - start a thread on a PE
 * @pe: its number; it runs the same program in the same launch
 * @entry: where the thread begins; it ends by returning
 * @arg: what it is given
 *
 * It runs before the launch ends, once the PE has a tasklet that has ended.
 */
static inline void parcel_send(uint32_t pe, void (*entry)(uint64_t), uint64_t arg)
{
	PE_SVC->parcel(pe, entry, arg);
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
