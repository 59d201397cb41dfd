/* SPDX-License-Identifier: MIT */
/* Which calls a compiler has put in the place of calls, at an address. */
#ifndef PD_INLINED_H
#define PD_INLINED_H

#include "runtime/pe/program/dwarf.h"

/* deeper ones count as the last of these */
#define PD_MAX_INLINED	6

struct pd_inlined {
	const char *name;	/* of what is called, or NULL */
	uint64_t file;		/* where: its number in the line table, */
	uint32_t line;
};

struct pd_chain {
	const char *function;	/* whose code it is, or NULL */
	uint64_t line_table;	/* its offset */
	uint32_t nr;
	struct pd_inlined calls[PD_MAX_INLINED];	/* the outermost first */
};

/* false: debug information does not know the address */
bool pd_inlined_find(const struct pd_dwarf *dwarf, uint64_t address,
		     struct pd_chain *chain);

#endif /* PD_INLINED_H */
