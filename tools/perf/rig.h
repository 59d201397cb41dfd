/* SPDX-License-Identifier: MIT */
/* A system to measure on, and a case laid out on it. */
#ifndef PIMDIMM_PERF_RIG_H
#define PIMDIMM_PERF_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include <pimdimm/pidcomm.h>

#include "tools/perf/case.h"
#include "tools/perf/inputs.h"
#include "tools/hosts/team.h"

/* how every case is measured */
struct perf_how {
	const char *uri;	/* NULL: a system sized for the cases */
	const char *layout;	/* of that system */
	uint64_t seed;
	unsigned int iters, warmup;
	bool check;
	bool baseline;		/* measure `conventional` where not asked for */
	struct tool_team *team;	/* several hosts, or NULL */
	bool mapped;		/* their host buffers lie in memory that all map */
};

/* a system with a hypercube on it, and memory that calls need besides */
struct perf_rig {
	struct pimdimm *sys;
	struct pidcomm *hc;
	uint32_t nr_pes;
	/* of several hosts this one's PEs, the first ones of its system; else all */
	uint32_t first_pe, own_pes;
	struct tool_team *team;
	bool mapped;		/* by all hosts: `host` */
	uint8_t *host;		/* host buffers of the rooted collectives */
	uint64_t host_bytes;
	uint8_t *stage;		/* of the opponent `sdk` */
	uint64_t stage_bytes;
	bool lent;		/* the system is the caller's */
};

/* a case on a rig, ready to run */
struct perf_setup {
	struct perf_rig *rig;
	const struct perf_case *c;
	uint32_t groups, members;
	uint64_t chunk;		/* c->bytes / members */
	uint64_t src, dst;
	uint32_t *pe_at;	/* PE by group * members + rank */
	uint32_t *place;	/* group * members + rank by PE */
	struct perf_inputs inputs;
	unsigned int element;	/* bytes of what wrong ones are counted in */
	void **bufs;		/* host buffers by group; NULL: another host's */
	uint32_t own_groups;	/* that have one here */
	uint64_t buf_bytes;	/* of each; 0 for what is not rooted */
};

/* Functions that return int return an exit status, but for 0 after a message. */
int perf_rig_open(struct perf_rig *rig, const struct perf_how *how,
		  const struct perf_case *c, uint64_t mram);
/* Opens it while a variable of the environment is set, which the library reads. */
int perf_rig_open_as(struct perf_rig *rig, const struct perf_how *how,
		     const struct perf_case *c, uint64_t mram,
		     const char *variable, const char *value);
/*
 * Takes a system that the caller closes, of several hosts this one's; 0, or -errno without a
 * message.
 */
int perf_rig_on(struct perf_rig *rig, struct pimdimm *sys,
		const struct perf_case *c, struct tool_team *team);
void perf_rig_close(struct perf_rig *rig);
int perf_setup_make(struct perf_setup *setup, struct perf_rig *rig,
		    const struct perf_case *c, uint64_t seed);
void perf_setup_free(struct perf_setup *setup);
int perf_stage(struct perf_rig *rig, uint64_t bytes);

#endif /* PIMDIMM_PERF_RIG_H */
