/* SPDX-License-Identifier: MIT */
/* How many instructions a DPU executes for one of the IR. */
#ifndef COUNT_COST_H
#define COUNT_COST_H

#include <stdio.h>

#include "tools/upmem/count/inside.h"
#include "tools/upmem/count/ir.h"
#include "tools/upmem/count/width.h"

/* What an instruction costs besides its number by the values that it meets. */
enum cost_by {
	COST_FIXED,
	COST_MUL,	/* more by the bits of the smaller operand, one at least */
	COST_DIV,	/* by those of the quotient */
	COST_DIV64,	/* by those of one of 64 bits */
};

struct cost {
	unsigned int instructions;
	enum cost_by by;
	enum pe_class class;
	unsigned int stores;	/* of a copy: so many of them, the others load */
};

struct cost cost_of(const struct function *f, size_t block, size_t at,
		    const struct widths *w);

/* What an instruction reads or writes of MRAM, which it names as its own. */
struct mram_access {
	struct text type, pointer;	/* of the address */
	struct text bytes;		/* how many, or empty: as the accessed type has */
	struct text accessed;
	bool write;
};

#define MRAM_ACCESSES 2

/* Finds those of an instruction; returns how many there are. */
unsigned int cost_mram(const struct instruction *i, struct mram_access a[MRAM_ACCESSES]);

/* Of a function that calls others: saving and restoring registers. */
unsigned int cost_entry(void);

/* Of each bit of the value that an instruction costs more by. */
unsigned int cost_bit(enum cost_by by);

/* Whether a call leaves the code that is counted here. */
bool cost_leaves(const struct instruction *i);

/* Whether it reads or writes what other tasklets may write or read meanwhile. */
bool cost_paces(const struct instruction *i);

/*
 * What the table in use has that is not built in, for whoever loads the program: a line
 * NAME=VALUE each, in a section that is not loaded.
 */
void cost_write_table(FILE *out);

#endif /* COUNT_COST_H */
