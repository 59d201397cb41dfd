/* SPDX-License-Identifier: MIT */
/* MRAM at any address and in small pieces. */
#ifndef MRAM_UNALIGNED_H
#define MRAM_UNALIGNED_H

#include <stdint.h>

#include <attributes.h>

/**
 * mram_read_unaligned() - copy from any address of MRAM
 * @from: source
 * @buffer: WRAM of @nb_of_bytes + 16 bytes, 8-byte aligned
 * @nb_of_bytes: from 1 to 2048
 *
 * Return: where in @buffer the bytes lie.
 */
void *mram_read_unaligned(const __mram_ptr void *from, void *buffer,
			  unsigned int nb_of_bytes);

/**
 * mram_write_unaligned() - copy to any address of MRAM
 * @from: source, whose address modulo 8 is that of @dest, else the PE faults
 * @dest: destination
 * @nb_of_bytes: up to 2048
 *
 * Bytes around the destination are safe from other tasklets' writes by these
 * functions, not from their mram_write().
 */
__pe_keeps_caller
void mram_write_unaligned(const void *from, __mram_ptr void *dest,
			  unsigned int nb_of_bytes);

/* the tasklet's copy of the 8 bytes around dest, which are its own until put */
uint8_t *pe_mram_take_word(uintptr_t dest);
void pe_mram_put_word(uintptr_t dest);

/*
 * Stores and changes of less than 8 bytes, safe from other tasklets' by these
 * macros: update_func(pointer to a copy in WRAM, args) makes the change.
 */
#define mram_update_int_atomic(dest, update_func, args)			\
	do {								\
		uintptr_t pe_dest_ = (uintptr_t)(dest);			\
		uint8_t *pe_word_ = pe_mram_take_word(pe_dest_);	\
									\
		(*update_func)((int *)(void *)&pe_word_[pe_dest_ & 4], args); \
		pe_mram_put_word(pe_dest_);				\
	} while (0)

#define mram_write_int_atomic(dest, val)				\
	do {								\
		uintptr_t pe_dest_ = (uintptr_t)(dest);			\
		int pe_val_ = (val);					\
		uint8_t *pe_word_ = pe_mram_take_word(pe_dest_);	\
									\
		*(int *)(void *)&pe_word_[pe_dest_ & 4] = pe_val_;	\
		pe_mram_put_word(pe_dest_);				\
	} while (0)

#define mram_update_byte_atomic(dest, update_func, args)		\
	do {								\
		uintptr_t pe_dest_ = (uintptr_t)(dest);			\
		uint8_t *pe_word_ = pe_mram_take_word(pe_dest_);	\
									\
		(*update_func)(&pe_word_[pe_dest_ & 7], args);		\
		pe_mram_put_word(pe_dest_);				\
	} while (0)

#define mram_write_byte_atomic(dest, val)				\
	do {								\
		uintptr_t pe_dest_ = (uintptr_t)(dest);			\
		uint8_t pe_val_ = (val);				\
		uint8_t *pe_word_ = pe_mram_take_word(pe_dest_);	\
									\
		pe_word_[pe_dest_ & 7] = pe_val_;			\
		pe_mram_put_word(pe_dest_);				\
	} while (0)

#endif /* MRAM_UNALIGNED_H */
