/* SPDX-License-Identifier: MIT */
/* The symbols of a program, and which memory an address lies in. */
#ifndef PD_SYMBOLS_H
#define PD_SYMBOLS_H

#include <stdbool.h>

#include "runtime/pe/program/elf.h"
#include "runtime/pe/program/program.h"

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

#endif /* PD_SYMBOLS_H */
