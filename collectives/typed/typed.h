/* SPDX-License-Identifier: MIT */
/*
 * Collectives on derived datatypes: a checked call, with all that it was made of, which
 * runs once or often.
 */
#ifndef PC_TYPED_H
#define PC_TYPED_H

#include <stdatomic.h>

#include <pimdimm/pidcomm.h>

#include "collectives/call/args.h"
#include "collectives/types/mram/groups.h"
#include "collectives/types/type.h"
#include "runtime/ranks/inject.h"

enum pc_typed_id {
	PC_ALLTOALLW,
	PC_ALLTOALLV,
	PC_ALLGATHERV,
	PC_HALO,
};

/* a call as its caller made it */
struct pc_typed_args {
	enum pc_typed_id id;
	const char *axes;
	const struct pimtype_part *send, *recv;		/* alltoallw */
	const struct pidcomm_face *faces;		/* halo */
	uint32_t periodic;
	const struct pimtype *type;			/* those of counts */
	const uint64_t *counts;
	uint64_t counts_at, src, dst;
};

/* one part of MRAM, whose type lives as long as it does */
struct pc_part {
	struct pimtype *type;	/* NULL: no bytes */
	struct pimtype_part part;
	struct pt_whole whole;
};

/* of calls whose pieces have counts: what of each PE goes where in staging memory */
struct pc_counts {
	struct pimtype *type;
	bool in_mram;
	uint64_t counts_at, src, dst;
	uint32_t each;		/* counts of a PE */
	uint64_t *counts;	/* [pe * each + i], elements */
	uint64_t *at;		/* [pe * each + i], bytes, where the piece is staged */
	uint64_t *sent;		/* [pe], elements */
	uint64_t *received;	/* [pe], elements */
	uint64_t *staged;	/* [pe], bytes: where what it receives begins */
	uint64_t bytes;		/* of staging */
	struct pt_whole from, to;	/* of those that send and receive most */
};

/* bytes of windows and host memory, of all threads */
struct pc_tally {
	_Atomic uint64_t read, written;
	_Atomic uint64_t transposed;
	_Atomic uint64_t host_read, host_written;
};

struct pc_typed {
	enum pc_typed_id id;
	struct pidcomm *hc;
	char axes[PIDCOMM_MAX_DIMS + 1];
	struct pc_shape shape;
	uint32_t *tables;		/* of the shape */
	struct pc_ranges ranges;	/* that it may read and write */
	struct pc_part *parts;		/* sends, then as many receives */
	uint32_t nr;			/* sends */
	uint32_t periodic;
	struct pt_node **merged;	/* halo: of each receive, or NULL */
	struct pc_counts counts;
	/* of the run */
	uint64_t bytes;			/* that all PEs receive, data alone */
	enum pd_stores stores;
	struct pc_tally tally;
};

const char *pc_typed_name(enum pc_typed_id id);

/* 0, or -EINVAL, -EMSGSIZE, -EPROTO or -ENOMEM and a sentence */
int pc_typed_make(struct pidcomm *hc, const struct pc_typed_args *args,
		  struct pc_typed **typed);
void pc_typed_free(struct pc_typed *typed);
int pc_typed_run(struct pc_typed *typed, struct pidcomm_stats *stats);

/* what each kind of call adds to that */
int pc_parts_prepare(struct pc_typed *t, const struct pc_typed_args *args);
void pc_parts_free(struct pc_typed *t);
void pc_exchange_run(struct pc_typed *t);
int pc_halo_prepare(struct pc_typed *t);
void pc_halo_run(struct pc_typed *t);
int pc_counts_prepare(struct pc_typed *t, const struct pc_typed_args *args);
void pc_counts_free(struct pc_typed *t);
/* before each run, where they lie in MRAM; and the room that they ask for */
int pc_counts_read(struct pc_typed *t);
int pc_counts_room(struct pc_typed *t);
void pc_counts_run(struct pc_typed *t);

/*
 * Where the hypercube's e-th entangled group is in the system, and which PE a node is.
 * What is counted, staged and said by node becomes a PE where MRAM is reached.
 */
static inline uint32_t pc_typed_eg(const struct pc_typed *t, uint32_t eg)
{
	return t->hc->cube.places[eg];
}

static inline uint32_t pc_typed_pe(const struct pc_typed *t, uint32_t node)
{
	return PIMDIMM_CHIPS * pc_typed_eg(t, pd_eg_of(node)) + pd_lane_of(node);
}

/* what injected faults befall: so many bytes of each of the hypercube's PEs */
static inline struct pd_touch pc_typed_touch(const struct pc_typed *t, uint64_t off,
					     uint64_t bytes)
{
	const struct pidcomm *hc = t->hc;

	return (struct pd_touch){
		.first_pe = hc->first_pe,
		.nr_pes = hc->range_pes,
		.bufs = hc->members,
		.ranks = hc->members ? &hc->ranks : NULL,
		.off = off,
		.bytes = bytes,
		.call = pc_typed_name(t->id),
	};
}

/* items that a worker takes at a time, where each moves so many bytes of a PE */
static inline uint64_t pc_typed_grain(uint64_t bytes)
{
	uint64_t grain = (UINT64_C(8) << 10) / (bytes + 1);

	return grain ? grain : 1;
}

static inline void pc_tally_add(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

#endif /* PC_TYPED_H */
