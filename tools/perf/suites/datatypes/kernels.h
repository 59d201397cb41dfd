/* SPDX-License-Identifier: MIT */
/*
 * What applications send in DDTBench (Schneider, Gerstenberger, Hoefler, 2012): which elements
 * of their arrays, as loops that a program would pack them by, and as derived datatypes.
 */
#ifndef PIMDIMM_PERF_DATATYPES_KERNELS_H
#define PIMDIMM_PERF_DATATYPES_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#define DDT_DEPTH	3
#define DDT_NESTS	9
#define DDT_PARAMETERS	9

enum { DDT_FROM, DDT_TO, DDT_SIDES };	/* what is sent, where it is received */

/* where the blocks of a nest lie: bytes of the array; with a list, list[i] of the last strides */
struct ddt_side {
	int64_t at, stride[DDT_DEPTH];
	const int *list;
};

/* blocks of elements of one size, in loops within each other, the outermost first */
struct ddt_nest {
	unsigned int element;		/* bytes: 4 or 8 */
	uint64_t block;			/* elements */
	uint64_t count[DDT_DEPTH];
	struct ddt_side side[DDT_SIDES];
};

/*
 * Makes types of one engine. Constructors take bytes and elements as MPI's do, and what
 * they are given belongs to them; NULL: it failed, and what is made of NULL is NULL.
 */
typedef void *ddt_type;
struct ddt_maker {
	ddt_type (*basic)(unsigned int element);
	ddt_type (*contiguous)(uint64_t count, ddt_type old);
	ddt_type (*vector)(uint64_t count, uint64_t block, int64_t stride, ddt_type old);
	ddt_type (*hvector)(uint64_t count, uint64_t block, int64_t stride, ddt_type old);
	/* list[i] * scale elements from the begin */
	ddt_type (*indexed)(uint64_t count, uint64_t block, const int *list, int scale,
			    ddt_type old);
	ddt_type (*structure)(unsigned int count, const int64_t places[], ddt_type olds[]);
	/* of an array in C's order */
	ddt_type (*subarray)(unsigned int dims, const uint64_t sizes[],
			     const uint64_t subsizes[], const uint64_t starts[], ddt_type old);
	ddt_type (*resized)(ddt_type old, int64_t extent);
};

struct ddt_kernel {
	const char *name;
	char set[40];			/* its parameters */
	long p[DDT_PARAMETERS];
	uint64_t bytes, blocks;		/* of a message; blocks of what is sent */
	uint64_t span;			/* bytes of the arrays, as large at both sides */
	/* of each so many bytes of an array the first that are filled, and compared: others are
	 * never touched, so that they take no memory; 0: all of it */
	uint64_t period, used;
	int64_t at[DDT_SIDES];		/* where the types are placed */
	unsigned int nr;
	struct ddt_nest nests[DDT_NESTS];	/* one after the other */
	int *list[2];			/* which elements, by a fixed seed */
	bool between;			/* of the paper's, for two processes alone */
	ddt_type (*make)(const struct ddt_kernel *k, int side, const struct ddt_maker *m);
};

/* The at-th of all kernels with each of its sets of parameters; NULL: there are no more. */
struct ddt_kernel *ddt_kernel_make(unsigned int at);
void ddt_kernel_free(struct ddt_kernel *k);
/* By definition, one at a time: which byte of the array element e of the message begins at. */
int64_t ddt_place(const struct ddt_nest *nest, int side, uint64_t e);
uint64_t ddt_elements(const struct ddt_nest *nest);

#endif /* PIMDIMM_PERF_DATATYPES_KERNELS_H */
