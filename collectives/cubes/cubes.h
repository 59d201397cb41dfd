/* SPDX-License-Identifier: MIT */
/* A hypercube of several hosts, as one of them sees it: made, mapped, and its calls begun. */
#ifndef PC_CUBES_H
#define PC_CUBES_H

#include "collectives/call/args.h"
#include "collectives/cubes/state.h"

/* What a host brings; the others see it before anything is made. */
struct pc_cubes_offer {
	uint32_t ndims, dims[PIDCOMM_MAX_DIMS];
	uint32_t ranks, layout, threads, isa;
	uint64_t mram_size;
};

/*
 * All hosts say what they bring, or that this one refuses: see pc_hosts_arrive(). 0: it fits
 * together, and c has what all bring. Nothing has been made.
 */
int pc_cubes_agree(struct pc_cubes *c, struct pimdimm_hosts *hosts,
		   const struct pc_cubes_offer *mine, int refused);
/*
 * The hosts of the hypercube and all that they share; of its PEs, nr_pes are used. refused:
 * this host has failed since.
 */
int pc_cubes_join(struct pc_cubes *c, struct pimdimm_hosts *hosts, uint32_t nr_pes, int refused);
/* Everything that it holds, not itself. It never waits. */
void pc_cubes_leave(struct pc_cubes *c);

static inline struct pc_cubes *pc_cubes_of(const struct pidcomm *hc)
{
	return (struct pc_cubes *)hc->crew;
}

/*
 * All hosts arrive at a call, or refuse it with a sentence: 0, the host's own refusal, -EPROTO
 * for another's, or what broke. shape: of a call that is not refused; algorithm: the name of
 * what is set; way: how this host would have `auto` go, which counts of host 0.
 */
int pc_cubes_begin(struct pidcomm *hc, const struct pc_args *args, const struct pc_shape *shape,
		   const char *algorithm, struct pc_way way, int refused);
/* A call that has begun ends, when it does for all; ret as pc_hosts_leave_call(). */
int pc_cubes_end(struct pidcomm *hc, int ret);

#endif /* PC_CUBES_H */
