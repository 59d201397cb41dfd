/* SPDX-License-Identifier: MIT */
/* A system of ranks from the inside: what transfers and collectives stand on. */
#ifndef PD_SYSTEM_H
#define PD_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pimdimm/pimdimm.h>

#include "runtime/base/env.h"
#include "runtime/base/fiber.h"
#include "runtime/machine/topology.h"
#include "runtime/machine/workers.h"
#include "runtime/ranks/geometry.h"
#include "runtime/simd/isa.h"
#include "runtime/simd/stores.h"
#include "runtime/watch/count.h"

struct pimdimm_status;

struct pd_rank {
	uint8_t *window;	/* mapped shared: the library's own */
	uint8_t *host;		/* these bytes for the caller; with strict=1 a
				 * mapping that is taken away during launches */
	size_t bytes;
	int fd;			/* its own, or -1: it is a part of the system's file */
	/* what the module may do to transfers; NULL where it cannot */
	const struct pimdimm_status *status;
};

struct pd_backend;
struct pd_file;
struct pd_owners;
struct pd_pe_state;
struct pd_resident_hooks;
struct pd_tracks;
struct pd_injector;

struct pimdimm {
	struct pimdimm_geometry geometry;
	const struct pd_backend *backend;
	struct pd_rank *ranks;
	struct pd_file *file;	/* that MRAM is kept in, or NULL */
	bool complete;		/* it was opened: a file that was made for it stays */
	uint32_t nr_ranks;
	struct pd_range *windows;	/* of the ranks, for counters */
	bool strict;
	struct pd_owners *owners;	/* NULL unless strict, or PIMDIMM_CHECK=host */
	/* whether ranks' memory is dealt out over the placement's nodes; an
	 * errno where the system does not let it */
	bool near;
	int near_err;
	enum pd_isa isa;
	bool asks_first;	/* see pd_isa_asks_first() */
	const struct pd_blocks *blocks;
	struct pd_placement *placement;	/* of the workers and of memory */
	struct pd_workers *workers;
	enum pd_nt nt;
	uint64_t cache_bytes;	/* what all workers' caches hold together */
	bool trace;
	struct pd_tracks *tracks;	/* of its PEs in the timeline, or NULL */
	struct pd_injector *injector;	/* NULL: no transfer can fail */
	struct pd_stack_pool stacks;	/* of PE kernels' tasklets */
	/* what layers above do in runs of resident kernels; NULL: nothing */
	const struct pd_resident_hooks *resident;
	struct pd_pe_state *pe;	/* NULL until a program is loaded */
};

/* where block `word` of an entangled group lies, eg counted over the system */
static inline uint8_t *pd_block(const struct pimdimm *sys, uint32_t eg,
				uint64_t word)
{
	const struct pimdimm_geometry *g = &sys->geometry;

	return sys->ranks[eg / PIMDIMM_BANKS].window +
	       pimdimm_layout_offset(g->layout, g->mram_size,
				     eg % PIMDIMM_BANKS, word);
}

/* distance of the blocks of a run */
static inline size_t pd_stride(const struct pimdimm *sys)
{
	return pimdimm_layout_stride(sys->geometry.layout);
}

/* how many blocks from `word` on lie in one run */
static inline uint64_t pd_run(const struct pimdimm *sys, uint64_t word)
{
	return pimdimm_layout_run(sys->geometry.layout,
				  sys->geometry.mram_size, word);
}

/*
 * How to store bytes that are not read again soon, of a call with this work set,
 * where nothing is known of its kind: around the caches where it exceeds them, and
 * through them with lines asked for before where most of these do not lie in a
 * core's own.
 */
static inline enum pd_stores pd_stores_for(const struct pimdimm *sys,
					   enum pd_nt nt, uint64_t work_set)
{
	if (nt == PD_NT_ALWAYS ||
	    (nt == PD_NT_AUTO && work_set > sys->cache_bytes))
		return PD_STORES_AROUND;
	return work_set > sys->cache_bytes / 4 ? PD_STORES_AHEAD :
						 PD_STORES_PLAIN;
}

#endif /* PD_SYSTEM_H */
