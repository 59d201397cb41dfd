/* SPDX-License-Identifier: MIT */
/* What the program of `pimdimm perf --suite messages` shares with it. */
#ifndef PERF_PE_EXCHANGE_H
#define PERF_PE_EXCHANGE_H

#include <stdint.h>

/* of a round, each way; and the longest of them */
#define MESSAGES	10
#define MESSAGE_MAX	81920

/* whose instructions are counted: R03's routines, each with what it waits for */
enum exchange_routine {
	ROUTINE_ALL,
	ROUTINE_PROBE,
	ROUTINE_SEND,	/* and its traveller, wherever that is */
	ROUTINE_RECV,	/* posted or not, and Waitall */
	ROUTINES,
};

/* symbol `args` */
struct exchange_args {
	uint32_t bytes;		/* of a message */
	uint32_t posted;	/* receives that are there before their messages */
	uint32_t rounds;
	uint32_t routine;	/* ... of the last round are counted */
	uint32_t keep;		/* 1: and told of */
	uint32_t eager;		/* from so many bytes on: rendezvous */
};

/*
 * Symbols, uint64_t: `wrong`, messages that were not what had been sent; `rendezvous`, those
 * sent whose data did not come along.
 */

#endif /* PERF_PE_EXCHANGE_H */
