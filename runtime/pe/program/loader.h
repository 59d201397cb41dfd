/* SPDX-License-Identifier: MIT */
/* The parts of the loader. */
#ifndef PD_LOADER_H
#define PD_LOADER_H

#include "runtime/pe/program/elf.h"
#include "runtime/pe/program/program.h"

/*
 * What a PE may hold of text. Native code is not hardware's: 4096 instructions
 * of it may be many more bytes of ours, and constants, which hardware has in
 * WRAM, lie here as well.
 */
#define PD_TEXT_LIMIT	0x80000u

/* bytes of a name in the file, with its final 0: longer ones are none */
#define PD_MAX_NAME	4096

/* what no terminal would print, and much of what it would obey, becomes a '?' */
void pd_make_printable(char *text);

/* 0, or -errno and a sentence; what was allocated is found in the program */
int pd_symbols_read(const struct pd_elf *elf, struct pimdimm_program *program);

/* NULL where the program has none of that name, which may be as it should */
const struct pimdimm_symbol *
pd_symbols_find(const struct pimdimm_program *program, const char *name);
void pd_symbols_free(struct pimdimm_program *program);

/* the memory that an address of the map lies in, and its offset there */
bool pd_locate(uint64_t address, enum pimdimm_space *space, uint32_t *offset);

/* NULL without debug information, or where it is damaged; -ENOMEM in *err */
struct pd_program_lines *pd_lines_read(const struct pd_elf *elf, int *err);
void pd_lines_free(struct pd_program_lines *lines);

/* the file and the line of an address, its directory left out */
bool pd_lines_find(const struct pd_program_lines *lines, uint64_t address,
		   const char **file, uint32_t *line);

#endif /* PD_LOADER_H */
