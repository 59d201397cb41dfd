/* SPDX-License-Identifier: MIT */
/*
 * The eight collectives on the hypercube of a run, with messages, and slices: an array
 * dealt out over PEs, padded to what collectives ask for.
 */
#ifndef PIMDIMM_APPS_EXCHANGE_H
#define PIMDIMM_APPS_EXCHANGE_H

#include "tools/apps/common/context.h"

/* All return TOOL_OK, or TOOL_FAILED after a message; arguments are pidcomm's. */

int app_alltoall(struct app_context *ctx, const char *axes, uint64_t bytes,
		 uint64_t src, uint64_t dst);
int app_reduce_scatter(struct app_context *ctx, const char *axes, uint64_t bytes,
		       uint64_t src, uint64_t dst, enum pidcomm_type type,
		       pidcomm_op op);
int app_allreduce(struct app_context *ctx, const char *axes, uint64_t bytes,
		  uint64_t src, uint64_t dst, enum pidcomm_type type, pidcomm_op op);
int app_allgather(struct app_context *ctx, const char *axes, uint64_t bytes,
		  uint64_t src, uint64_t dst);
int app_scatter(struct app_context *ctx, const char *axes, uint64_t bytes,
		const void *const bufs[], uint64_t dst);
int app_gather(struct app_context *ctx, const char *axes, uint64_t bytes,
	       uint64_t src, void *const bufs[]);
int app_reduce(struct app_context *ctx, const char *axes, uint64_t bytes,
	       uint64_t src, void *const bufs[], enum pidcomm_type type,
	       pidcomm_op op);
int app_broadcast(struct app_context *ctx, const char *axes, uint64_t bytes,
		  const void *const bufs[], uint64_t dst);

/* The same buffer for every group; broadcast over all axes. */
int app_broadcast_all(struct app_context *ctx, uint64_t bytes, const void *buf,
		      uint64_t dst);
/* Scatter and Gather over all axes: nr_pes pieces of bytes in one buffer. */
int app_scatter_all(struct app_context *ctx, uint64_t bytes, const void *buf,
		    uint64_t dst);
int app_gather_all(struct app_context *ctx, uint64_t bytes, uint64_t src, void *buf);
/* Reduce over all axes to one vector. */
int app_reduce_all(struct app_context *ctx, uint64_t bytes, uint64_t src, void *buf,
		   enum pidcomm_type type, pidcomm_op op);

/* bytes of a slice of so many elements, a multiple of 8 */
uint64_t app_slice_bytes(uint64_t elements, uint64_t element_bytes);

/*
 * An array of `count` elements, `slice` of them to each PE in turn: the last slices are
 * short or empty. Scatter fills them, and the rest of each slice's last 8 bytes, with
 * zeros; Gather leaves out what lies behind the array.
 */
int app_scatter_slices(struct app_context *ctx, const void *array, uint64_t count,
		       uint64_t slice, uint64_t element_bytes, uint64_t dst);
int app_gather_slices(struct app_context *ctx, void *array, uint64_t count,
		      uint64_t slice, uint64_t element_bytes, uint64_t src);

#endif /* PIMDIMM_APPS_EXCHANGE_H */
