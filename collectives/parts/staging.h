/* SPDX-License-Identifier: MIT */
/*
 * Between MRAM and one host buffer a member, through the domain transfer: what
 * UPMEM's SDK does for dpu_push_xfer(). The rooted collectives move pieces of
 * the caller's buffers so, the conventional algorithms staging memory.
 */
#ifndef PC_STAGING_H
#define PC_STAGING_H

#include "collectives/call/call.h"

/* the host buffer of a member */
typedef uint8_t *(*pc_where)(const struct pc_call *call, uint32_t group,
			     uint32_t rank);

/*
 * `words` words at MRAM word `word` of every member, from and to its buffer, as
 * a phase of the call
 */
void pc_pull(struct pc_call *call, uint64_t word, uint64_t words,
	     pc_where where);
void pc_push(struct pc_call *call, uint64_t word, uint64_t words,
	     pc_where where);

/*
 * pc_pull() and pc_push() for a call that is nothing else: it has no phases, and a
 * small one no time to read the clock for them.
 */
void pc_gather_pieces(struct pc_call *call, pc_where where);
void pc_scatter_pieces(struct pc_call *call, pc_where where);

/*
 * Do items that work in host memory alone. share: of several hosts, whichever do those on
 * staging memory; those on groups' buffers are in the order of groups.
 */
void pc_in_host_memory(struct pc_call *call, enum pc_share share, uint64_t items,
		       uint64_t grain, pd_work_fn fn, void *ctx);

/*
 * Between the groups' buffers, `bytes` each, and memory where they are staged one after the
 * other: those of this host, where others have theirs.
 */
void pc_stage_buffers(struct pc_call *call, uint8_t *staged, uint64_t bytes, bool to_buffers);
/* Whether there are several hosts that do not reach each other's MRAM. */
bool pc_is_apart(const struct pc_call *call);

/* Make the hypercube's staging memory hold this much; 0 or -ENOMEM. */
int pc_staging(struct pc_call *call, uint64_t bytes);

/* the member's vector of call->req->bytes, group after group, from the start */
uint8_t *pc_staged_vector(const struct pc_call *call, uint32_t group,
			  uint32_t rank);
/* its group's vector of call->req->bytes behind all of those */
uint8_t *pc_staged_result(const struct pc_call *call, uint32_t group,
			  uint32_t rank);
/* bytes of all members' vectors together, and of one vector a group */
uint64_t pc_vectors_bytes(const struct pc_call *call);
uint64_t pc_results_bytes(const struct pc_call *call);

/* the group's buffer, as the caller gave it */
uint8_t *pc_group_buffer(const struct pc_call *call, uint32_t group,
			 uint32_t rank);

/*
 * Pull every member's vector from call->req->src into staging and fold those of each
 * group into the buffer that `result` names. Needs pc_vectors_bytes().
 */
void pc_reduce_staged(struct pc_call *call, pc_where result);

#endif /* PC_STAGING_H */
