/* SPDX-License-Identifier: MIT */
/*
 * Printing: into a log in MRAM, which the host formats when it reads it. Only
 * programs that print have the log. A boot empties it.
 */
#ifndef STDIO_H
#define STDIO_H

#include <attributes.h>
#include <pe_abi.h>
#include <stddef.h>

/*
 * A log of `size` bytes, a multiple of 8, instead of the 1 MiB that a program has
 * without this. It lies at offset 0 of MRAM.
 */
#define STDOUT_BUFFER_INIT(size)					\
	_Static_assert((size) >= 8 && (size) % 8 == 0,			\
		       "a log is a multiple of 8 bytes");		\
	__mram_ptr unsigned char __stdout_buffer[size]			\
		__section(".bss.mram.log") __dma_aligned;		\
	struct pe_log __sys_log __section(".pe.log") = { .bytes = (size) };

extern __mram_ptr unsigned char __stdout_buffer[];
extern struct pe_log __sys_log;

/**
 * printf() - print
 * @format: of d i u x X o p c s e E f g G, with flags, width, precision and `l`
 *	for 64 bits; neither `*` nor `%n`
 *
 * Return: how many arguments were printed.
 */
__pe_keeps_caller
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
__pe_keeps_caller
int puts(const char *s);
__pe_keeps_caller
int putchar(int c);

#endif /* STDIO_H */
