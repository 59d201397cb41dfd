/* SPDX-License-Identifier: MIT */
/* What a collective is: the one table that all others ask. */
#ifndef PC_COLLECTIVE_H
#define PC_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

/* how much of something there is, for a call of `bytes` bytes */
enum pc_amount {
	PC_NOTHING,
	PC_CHUNK,	/* bytes / n of a group of n members */
	PC_VECTOR,	/* bytes */
	PC_VECTORS,	/* bytes of each member */
};

/*
 * Each collective's name; what it reads in the MRAM of each member, what it writes
 * there, and what each group's host buffer holds; whether a vector is made of n
 * chunks, so that bytes is a multiple of 8n; whether it has a type and an operation.
 */
#define PC_COLLECTIVES(c)						       \
	c(ALLTOALL, "alltoall", VECTOR, VECTOR, NOTHING, true, false)	       \
	c(REDUCE_SCATTER, "reduce_scatter", VECTOR, CHUNK, NOTHING, true, true)\
	c(ALLREDUCE, "allreduce", VECTOR, VECTOR, NOTHING, false, true)	       \
	c(ALLGATHER, "allgather", CHUNK, VECTOR, NOTHING, true, false)	       \
	c(SCATTER, "scatter", NOTHING, VECTOR, VECTORS, false, false)	       \
	c(GATHER, "gather", VECTOR, NOTHING, VECTORS, false, false)	       \
	c(REDUCE, "reduce", VECTOR, NOTHING, VECTOR, false, true)	       \
	c(BROADCAST, "broadcast", NOTHING, VECTOR, VECTOR, false, false)

#define PC_COLLECTIVE_ID(id, ...)	PC_##id,
enum pc_collective {
	PC_COLLECTIVES(PC_COLLECTIVE_ID)
	PC_NR_COLLECTIVES,
};

struct pc_traits {
	const char *name;
	enum pc_amount src, dst;
	enum pc_amount host;
	bool chunked;
	bool reduces;
};

extern const struct pc_traits pc_traits[PC_NR_COLLECTIVES];

const char *pc_collective_name(enum pc_collective id);

/* between MRAM and a host buffer a group */
static inline bool pc_is_rooted(enum pc_collective id)
{
	return pc_traits[id].host;
}

static inline bool pc_reads_host(enum pc_collective id)
{
	return pc_is_rooted(id) && !pc_traits[id].src;
}

static inline bool pc_writes_host(enum pc_collective id)
{
	return pc_is_rooted(id) && pc_traits[id].src;
}

/* src may be dst: all of it is in MRAM */
static inline bool pc_allows_in_place(enum pc_collective id)
{
	return !pc_is_rooted(id);
}

static inline uint64_t pc_amount_bytes(enum pc_amount amount, uint64_t bytes,
				       uint32_t members)
{
	switch (amount) {
	case PC_NOTHING:
		return 0;
	case PC_CHUNK:
		return bytes / members;
	case PC_VECTORS:
		return bytes * members;
	default:
		return bytes;
	}
}

#endif /* PC_COLLECTIVE_H */
