/* SPDX-License-Identifier: MIT */
/* What the library has written to PIMDIMM_PROFILE_FILE, summed up. */
#ifndef CMD_PROFILE_READ_H
#define CMD_PROFILE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* what tasklets waited for */
enum profile_wait {
	PROFILE_DMA,
	PROFILE_BARRIER,
	PROFILE_MUTEX,
	PROFILE_SEMAPHORE,
	PROFILE_HANDSHAKE,
	PROFILE_WORD,
	PROFILE_PIPELINE,
	PROFILE_NR_WAITS,
};

extern const char *const profile_waits[PROFILE_NR_WAITS];

struct profile_line {
	char *functions;	/* by ";", the outermost first */
	char *function;		/* the innermost of them */
	char *file;
	uint32_t line;
	int64_t instructions;
	/* cycles that tasklets waited here, and all of them */
	uint64_t waits[PROFILE_NR_WAITS], waited;
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
	struct profile_line *merged;	/* room for what is made of the lines */
	struct profile_pe *pes;		/* the slowest first */
	size_t nr_pes;
	uint64_t plain;			/* PEs that ran what is not compiled for it */
	uint64_t cycles, instructions;	/* of all PEs */
	int64_t attributed;		/* instructions of the lines */
	uint64_t waited;		/* cycles of the lines */
	uint32_t issue_cycles;		/* from one instruction of a tasklet to its next */
};

/* 0, or an exit status when it has told why not. */
int profile_read(struct profile *p, const char *path);
void profile_free(struct profile *p);

enum profile_key {
	PROFILE_FUNCTION,
	PROFILE_LINE,	/* and function */
	PROFILE_STACK,	/* line, function and what it was inlined into */
};

enum profile_order {
	PROFILE_BY_INSTRUCTIONS,
	PROFILE_BY_WAITS,
};

/*
 * Lines that are alike are added up, in an array of the profile's that lasts until the
 * next call; in the order of what they have most of.
 */
void profile_merge(const struct profile *p, enum profile_key by, enum profile_order order,
		   struct profile_line **merged, size_t *nr);

#endif /* CMD_PROFILE_READ_H */
