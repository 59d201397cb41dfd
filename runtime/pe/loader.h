/* SPDX-License-Identifier: MIT */
/* The parts of the loader. */
#ifndef PD_LOADER_H
#define PD_LOADER_H

#include "pe/elf.h"
#include "pe/program.h"

/*
 * What a PE may hold of text. Native code is not hardware's: 4096 instructions
 * of it may be many more bytes of ours, and constants, which hardware has in
 * WRAM, lie here as well.
 */
#define PD_TEXT_LIMIT	0x80000u

/* 0, or -errno and a sentence; what was allocated is found in the program */
int pd_symbols_read(const struct pd_elf *elf, struct pimdimm_program *program);
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
