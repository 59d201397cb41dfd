/* SPDX-License-Identifier: MIT */
/* What the library has written to PIMDIMM_PROFILE_FILE, summed up. */
#ifndef CMD_PROFILE_READ_H
#define CMD_PROFILE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile_line {
	char *functions;	/* by ";", the outermost first */
	char *function;		/* the innermost of them */
	char *file;
	uint32_t line;
	int64_t instructions;
};

struct profile_pe {
	uint32_t pe;
	uint64_t cycles, instructions;
	/* of the cycles, those that issued nothing, and why */
	uint64_t idle_dma, idle_stop, idle_few;
};

struct profile {
	struct profile_line *lines;
	size_t nr_lines;
	struct profile_pe *pes;		/* the slowest first */
	size_t nr_pes;
	uint64_t plain;			/* PEs that ran what is not compiled for it */
	uint64_t cycles, instructions;	/* of all PEs */
	int64_t attributed;		/* instructions of the lines */
};

/* 0, or an exit status when it has told why not. */
int profile_read(struct profile *p, const char *path);
void profile_free(struct profile *p);

enum profile_key {
	PROFILE_FUNCTION,
	PROFILE_LINE,	/* and function */
	PROFILE_STACK,	/* line, function and what it was inlined into */
};

/* Lines that are alike are added up, in an array to free, or NULL. */
void profile_merge(const struct profile *p, enum profile_key by,
		   struct profile_line **merged, size_t *nr);

#endif /* CMD_PROFILE_READ_H */
