/* SPDX-License-Identifier: MIT */
/* One call of a collective: everything that decides what it does. */
#ifndef TESTS_CALL_H
#define TESTS_CALL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <pimdimm/pidcomm.h>

#include "tests/conformance/grouping.h"
#include "tests/conformance/rng.h"

enum collective {
	ALLTOALL, REDUCE_SCATTER, ALLREDUCE, ALLGATHER,
	SCATTER, GATHER, REDUCE, BROADCAST,
	NR_COLLECTIVES,
};

struct collective_traits {
	const char *name;
	bool host_in, host_out;		/* bufs are read, are written */
	bool reduces;
	bool chunked;			/* bytes is a multiple of 8 n */
	bool in_place;			/* src == dst is allowed */
};

extern const struct collective_traits collectives[NR_COLLECTIVES];

/* What the elements are drawn from. */
enum data { DATA_BITS, DATA_SMALL, DATA_NORMAL, DATA_SPECIAL, NR_DATA };

/* Which floating-point mode the caller is in; bits. */
enum { MODE_FLUSH = 1, MODE_ROUND_UP = 2, MODE_ROUND_ZERO = 4 };

struct call {
	enum collective collective;
	const char *algorithm;
	char axes[PIDCOMM_MAX_DIMS + 1];
	uint64_t bytes, src, dst;
	enum pidcomm_type type;
	pidcomm_op op;
	enum data data;
	unsigned misalign;		/* of the host buffers, 0 to 63 */
	bool shared;			/* input buffers coincide */
	unsigned mode;
};

struct limits {
	uint64_t mram_size;
	uint64_t budget;		/* most bytes of all PEs together */
	bool tile_ends;			/* sizes about where tiles end alone */
};

/* Fills all but collective and algorithm. */
void call_random(struct rng *rng, const struct shape *shape,
		 const struct limits *limits, struct call *call);
void call_print(FILE *out, const struct shape *shape, const struct call *call);

/* Bytes that a call reads and writes in each PE's MRAM, and of each buffer. */
uint64_t call_reads(const struct call *call, uint32_t members);
uint64_t call_writes(const struct call *call, uint32_t members);
uint64_t call_host_bytes(const struct call *call, uint32_t members);

/* Runs it on the library as it is, with axes of their own. */
int call_start(struct pidcomm *hc, const char *axes, const struct call *call,
	       void *const bufs[]);

/* Runs it in the caller's floating-point mode that it names. */
int call_run(struct pidcomm *hc, const struct call *call, void *const bufs[],
	     bool *mode_kept);

void data_fill(struct rng *rng, enum data data, enum pidcomm_type type,
	       void *buf, size_t bytes);

#endif
