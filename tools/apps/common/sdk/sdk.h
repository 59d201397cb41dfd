/* SPDX-License-Identifier: MIT */
/*
 * The eight collectives as a program on UPMEM's SDK does them: whole vectors to memory
 * of the host, an exchange or a reduction there, and back.
 */
#ifndef PIMDIMM_APPS_SDK_H
#define PIMDIMM_APPS_SDK_H

#include <stddef.h>
#include <stdint.h>

#include <pimdimm/pidcomm.h>

enum sdk_collective {
	SDK_ALLTOALL,
	SDK_REDUCE_SCATTER,
	SDK_ALLREDUCE,
	SDK_ALLGATHER,
	SDK_SCATTER,
	SDK_GATHER,
	SDK_REDUCE,
	SDK_BROADCAST,
};

/* A call: what pidcomm's functions take, as far as the collective does. */
struct sdk_call {
	enum sdk_collective collective;
	const char *axes;
	uint64_t bytes, src, dst;
	const void *const *from;	/* the groups' buffers that are read */
	void *const *to;		/* and that are written */
	enum pidcomm_type type;
	pidcomm_op op;
};

typedef void (*sdk_part_fn)(unsigned int part, unsigned int parts, void *arg);

struct sdk {
	struct pimdimm *sys;
	struct pidcomm *cube;	/* who is in which group; no collective of it runs */
	uint32_t nr_pes;	/* of the cube */
	unsigned int threads;
	/* runs all parts, each on a thread of its own, and waits */
	void (*parallel)(unsigned int parts, sdk_part_fn fn, void *arg);

	/* its own, all zero in the beginning */
	uint8_t *staging;
	size_t staging_bytes;
	uint32_t groups, members;	/* of the call that was prepared */
	uint32_t *pe_at, *place;	/* PE by group and rank; group and rank by PE */
	void **bufs;			/* by PE, of a transfer */
	uint64_t mram_bytes, host_bytes;	/* read and written by the last call */
	uint64_t host_ns;	/* of it: exchange or reduction in memory of the host */
	const char *reason;		/* of a refusal that is not the library's */
};

/* "alltoall" and so on */
const char *sdk_name(enum sdk_collective collective);

/*
 * Bytes of staging memory that a call on so many PEs in so many groups needs, `bytes`
 * as pidcomm's functions have them; UINT64_MAX where that is more. The library's
 * algorithm "conventional" goes the same way and needs as many.
 */
uint64_t sdk_staging(enum sdk_collective collective, uint32_t pes, uint32_t groups,
		     uint64_t bytes);

/*
 * Checks a call, sorts its groups and has the memory that it needs. 0; -EINVAL,
 * -EOPNOTSUPP, -ENOMEM, with the reason where it is set, else in pimdimm_errmsg().
 */
int sdk_prepare(struct sdk *sdk, const struct sdk_call *call);
/* The call itself, of which only this is to be timed: 0 or a negative errno. */
int sdk_run(struct sdk *sdk, const struct sdk_call *call);
/* Gives the memory back; what the caller has set stays. */
void sdk_free(struct sdk *sdk);

#endif /* PIMDIMM_APPS_SDK_H */
