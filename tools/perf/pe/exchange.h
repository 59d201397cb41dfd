/* SPDX-License-Identifier: MIT */
/* What the program of `pimdimm perf --suite messages` shares with it. */
#ifndef PERF_PE_EXCHANGE_H
#define PERF_PE_EXCHANGE_H

#include <stdint.h>

/* of a round, each way; and the longest of them */
#define MESSAGES	10
#define MESSAGE_MAX	81920

/* symbol `args` */
struct exchange_args {
	uint32_t bytes;		/* of a message */
	uint32_t posted;	/* receives that are there before their messages */
	uint32_t rounds;
	uint32_t reserved;
};

/* Symbol `wrong`, uint64_t: messages that were not what had been sent. */

#endif /* PERF_PE_EXCHANGE_H */
