/* SPDX-License-Identifier: MIT */
/*
 * The table of a program that is compiled to be profiled: which cells its code counts
 * in, and what each of their counts is worth, by place in the source. A cell is an
 * object of 8 bytes that host and worker share; the table is a section of the program's
 * file that is not loaded.
 *
 * Of a module: the address of its first cell and how many there are, 8 bytes each, then
 * lines, the last one ended by 0. "b" begins a cell that counts how often a block ran,
 * "d" one that holds what instructions took that depends on values; behind it are lines
 * "INSTRUCTIONS\tLINE\tFILE\tFUNCTIONS" for each count of the cell. "w" begins
 * PE_NR_WAITED cells of what tasklets wait for at a call, and behind it is one such line.
 */
#ifndef COUNT_PROFILE_H
#define COUNT_PROFILE_H

#include <stdio.h>

#include "tools/upmem/count/places.h"

struct profile;

struct profile *profile_begin(const char *text);

/* A new cell, of which the number is returned, of kind 'b' or 'd'. */
unsigned long profile_cell(struct profile *p, char kind);

/* The cells of a call, the first of which is returned. */
unsigned long profile_site(struct profile *p, const struct instruction *i,
			   struct text function);

/* Each count of @cell is worth so many instructions, besides, where @i is. */
void profile_add(struct profile *p, unsigned long cell, const struct instruction *i,
		 struct text function, unsigned long instructions);

/* Writes cells and table at the module's end. */
void profile_end(struct profile *p, FILE *out);

#endif /* COUNT_PROFILE_H */
