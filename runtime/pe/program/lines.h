/* SPDX-License-Identifier: MIT */
/* Source lines of a program's addresses. */
#ifndef PD_LINES_H
#define PD_LINES_H

#include "runtime/pe/program/dwarf.h"

/* the file and the line of an address, its directory left out */
bool pd_lines_find(const struct pd_dwarf *dwarf, uint64_t address,
		   const char **file, uint32_t *line);
/* a file by its number in the line table at an offset, or NULL */
const char *pd_lines_file(const struct pd_dwarf *dwarf, uint64_t off, uint64_t file);

#endif /* PD_LINES_H */
