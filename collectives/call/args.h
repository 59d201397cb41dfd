/* SPDX-License-Identifier: MIT */
/* A call as its caller made it, and what is asked of it. */
#ifndef PC_ARGS_H
#define PC_ARGS_H

#include <pimdimm/pidcomm.h>

#include "collectives/call/comm.h"

/* the axes string as bits; -EINVAL */
int pc_axes_parse(const struct pidcomm *hc, const char *axes, uint32_t *bits);

struct pc_args {
	enum pc_collective id;
	const char *axes;
	uint64_t bytes, src, dst;
	void *const *bufs;
	enum pidcomm_type type;
	pidcomm_op op;
};

/* the parts of each PE's MRAM that a call reads and writes; empty: 0 bytes */
struct pc_ranges {
	uint64_t read, read_bytes;
	uint64_t written, written_bytes;
};

void pc_args_ranges(const struct pc_args *args, uint32_t members,
		    struct pc_ranges *ranges);

/*
 * Check everything: 0, or -EINVAL and a sentence, or -EOPNOTSUPP where the
 * algorithm that is set does not serve the call. The shape is the hypercube's
 * own, valid until it is asked for another.
 */
int pc_args_check(struct pidcomm *hc, const struct pc_args *args,
		  const struct pc_shape **shape);

/* -EINVAL and a sentence if it reduces and its type and operation do not live or do
 * not go together */
int pc_args_check_op(const struct pc_args *args);

static inline struct pc_args pc_args_move(enum pc_collective id,
					  const char *axes, uint64_t bytes,
					  uint64_t src, uint64_t dst)
{
	return (struct pc_args){ .id = id, .axes = axes, .bytes = bytes,
				 .src = src, .dst = dst };
}

static inline struct pc_args pc_args_reduce(enum pc_collective id,
					    const char *axes, uint64_t bytes,
					    uint64_t src, uint64_t dst,
					    enum pidcomm_type type,
					    pidcomm_op op)
{
	return (struct pc_args){ .id = id, .axes = axes, .bytes = bytes,
				 .src = src, .dst = dst, .type = type,
				 .op = op };
}

/* `at` is the one MRAM offset of a rooted collective */
static inline struct pc_args pc_args_rooted(enum pc_collective id,
					    const char *axes, uint64_t bytes,
					    uint64_t at, const void *bufs)
{
	return (struct pc_args){ .id = id, .axes = axes, .bytes = bytes,
				 .src = at, .dst = at, .bufs = bufs };
}

static inline struct pc_args pc_args_reduce_rooted(const char *axes,
						   uint64_t bytes, uint64_t src,
						   const void *bufs,
						   enum pidcomm_type type,
						   pidcomm_op op)
{
	return (struct pc_args){ .id = PC_REDUCE, .axes = axes, .bytes = bytes,
				 .src = src, .bufs = bufs, .type = type,
				 .op = op };
}

#endif /* PC_ARGS_H */
