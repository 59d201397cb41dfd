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
void mram_write_unaligned(const void *from, __mram_ptr void *dest,
			  unsigned int nb_of_bytes);

/**
 * mram_write_int_atomic() - store 4 bytes
 * @dest: destination, a multiple of 4
 * @val: the value
 */
void mram_write_int_atomic(__mram_ptr int *dest, int val);

/**
 * mram_update_int_atomic() - replace 4 bytes by a function of them
 * @dest: where they are, a multiple of 4
 * @update_func: gets a copy in WRAM to change
 * @args: passed on to it
 */
void mram_update_int_atomic(__mram_ptr int *dest,
			    void (*update_func)(int *, void *), void *args);

/**
 * mram_write_byte_atomic() - store a byte
 * @dest: destination
 * @val: the value
 */
void mram_write_byte_atomic(__mram_ptr uint8_t *dest, uint8_t val);

/**
 * mram_update_byte_atomic() - replace a byte by a function of it
 * @dest: where it is
 * @update_func: gets a copy in WRAM to change
 * @args: passed on to it
 */
void mram_update_byte_atomic(__mram_ptr uint8_t *dest,
			     void (*update_func)(uint8_t *, void *), void *args);

#endif /* MRAM_UNALIGNED_H */
