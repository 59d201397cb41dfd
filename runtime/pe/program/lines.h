/* SPDX-License-Identifier: MIT */
/* Source lines of a program's addresses. */
#ifndef PD_LINES_H
#define PD_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/pe/program/elf.h"

struct pd_program_lines;

/* NULL without debug information, or where it is damaged; -ENOMEM in *err */
struct pd_program_lines *pd_lines_read(const struct pd_elf *elf, int *err);
void pd_lines_free(struct pd_program_lines *lines);

/* the file and the line of an address, its directory left out */
bool pd_lines_find(const struct pd_program_lines *lines, uint64_t address,
		   const char **file, uint32_t *line);

#endif /* PD_LINES_H */
