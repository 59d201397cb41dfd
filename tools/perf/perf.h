/* SPDX-License-Identifier: MIT */
/* The benchmark of the collectives: what its parts share. */
#ifndef PIMDIMM_PERF_H
#define PIMDIMM_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pimdimm/pidcomm.h>

#include "tools/inside.h"

/* one call to measure */
struct perf_case {
	enum pc_collective id;
	unsigned int ndims;
	uint32_t dims[PIDCOMM_MAX_DIMS];
	char axes[PIDCOMM_MAX_DIMS + 1];
	uint64_t bytes;		/* of a PE, on the larger side */
	enum pidcomm_type type;
	pidcomm_op op;
	bool in_place;
};

/* how every case is measured */
struct perf_how {
	const char *uri;	/* NULL: a system sized for the cases */
	const char *layout;	/* of that system */
	uint64_t seed;
	unsigned int iters, warmup;
	bool check;
	bool baseline;		/* measure `conventional` where not asked for */
};

/* a system with a hypercube on it, and memory that calls need besides */
struct perf_rig {
	struct pimdimm *sys;
	struct pidcomm *hc;
	uint32_t nr_pes;
	uint8_t *host;		/* host buffers of the rooted collectives */
	uint64_t host_bytes;
	uint8_t *stage;		/* of the opponent `sdk` */
	uint64_t stage_bytes;
};

/* a case on a rig, ready to run */
struct perf_setup {
	struct perf_rig *rig;
	const struct perf_case *c;
	uint32_t groups, members;
	uint64_t chunk;		/* c->bytes / members */
	uint64_t src, dst;
	uint32_t *pe_at;	/* PE by group * members + rank */
	uint32_t *place;	/* and back */
	uint64_t seed;
	uint64_t table[16];	/* elements to draw from, where `tabled` */
	bool tabled;
	void **bufs;		/* host buffers by group */
	uint64_t buf_bytes;	/* of each; 0 for what is not rooted */
};

/* what runs in turn with others, repetition by repetition */
struct perf_runner {
	struct perf_setup *setup;
	const char *name;	/* of the algorithm */
	int (*run)(struct perf_setup *setup, const char *name);

	/* results: nanoseconds of a call */
	double median, min;
	uint64_t wrong;		/* elements, of both checks */
	uint64_t tried;		/* calls that tried ways to store: not in these */
};

/* a line of the report: an algorithm on a case */
struct perf_row {
	const struct perf_case *c;
	const char *algorithm;
	uint32_t groups, members;
	double median, min;		/* ns */
	double roofline, baseline;	/* ns, medians; 0: not measured */
	uint64_t wrong;
	uint64_t tried;			/* calls, in none of the times */
};

#define PERF_MAX_RUNNERS 16

/* case.c: what a case asks for */
bool perf_reduces(enum pc_collective id);
bool perf_rooted(enum pc_collective id);
bool perf_allows_in_place(enum pc_collective id);
bool perf_op_serves(enum pidcomm_type type, pidcomm_op op);
/* whether it is `auto`, `sdk` or of the table, and takes such a call */
bool perf_serves(const struct perf_case *c, const char *algorithm);
uint32_t perf_nr_pes(const struct perf_case *c);
void perf_groups(const struct perf_case *c, uint32_t *groups,
		 uint32_t *members);
/* c->bytes down to the next multiple that the collective takes; false: none */
bool perf_round(struct perf_case *c);
uint64_t perf_mram_bytes(const struct perf_case *c);	/* of a PE */
/* of the machine's memory, with `systems` rigs side by side */
uint64_t perf_memory_bytes(const struct perf_case *c, unsigned int systems);
uint64_t perf_memory_available(void);
/* bytes that count as the message's: nccl-tests' S, of all groups together */
uint64_t perf_total_bytes(const struct perf_case *c);
double perf_bus_factor(const struct perf_case *c);
const char *perf_shape(const struct perf_case *c, char text[128]);

/* rig.c; functions that return int do so after a message */
int perf_rig_open(struct perf_rig *rig, const struct perf_how *how,
		  const struct perf_case *c, uint64_t mram);
/* with a variable of the environment set, which the library then reads */
int perf_rig_open_as(struct perf_rig *rig, const struct perf_how *how,
		     const struct perf_case *c, uint64_t mram,
		     const char *variable, const char *value);
void perf_rig_close(struct perf_rig *rig);
int perf_setup_make(struct perf_setup *setup, struct perf_rig *rig,
		    const struct perf_case *c, uint64_t seed);
void perf_setup_free(struct perf_setup *setup);
int perf_stage(struct perf_rig *rig, uint64_t bytes);

/* check.c */
int perf_fill(struct perf_setup *setup);
int perf_wrong(struct perf_setup *setup, uint64_t *wrong);

/* inputs.c: the words from `word` on of PE `pe`; PEs that there are not
 * stand for host buffers */
void perf_inputs_init(struct perf_setup *setup);
void perf_inputs(const struct perf_setup *setup, uint64_t pe, uint64_t word,
		 uint64_t words, uint64_t *out);

/* fold.c: a left fold of vectors in plain loops; 16-bit floats fold in fp32
 * and the accumulator is then twice as long */
void perf_fold_first(enum pidcomm_type type, void *acc, const void *in,
		     uint64_t bytes);
void perf_fold_next(enum pidcomm_type type, pidcomm_op op, void *acc,
		    const void *in, uint64_t bytes);
void perf_fold_last(enum pidcomm_type type, void *out, const void *acc,
		    uint64_t bytes);
uint64_t perf_encode(enum pidcomm_type type, int value);

/* runners: the library, a program on UPMEM's SDK, and the roofline */
int perf_run_library(struct perf_setup *setup, const char *name);
int perf_run_sdk(struct perf_setup *setup, const char *name);
int perf_run_roofline(struct perf_setup *setup, const char *name);
#define PERF_TEMPORAL		"temporal"
#define PERF_NON_TEMPORAL	"non-temporal"

/*
 * counters.c: did the last call, by auto or any of the table, count what its
 * definition says? With more than one member a group.
 */
bool perf_counters_agree(const struct perf_setup *setup, const char *name);

/* measure.c: run all in turn; 0, or TOOL_FAILED after a message */
int perf_measure(struct perf_runner *runners, unsigned int count,
		 const struct perf_how *how);
/*
 * Measure these algorithms beside the roofline and `conventional`, and tell of
 * each as soon as the case is done.
 */
int perf_measure_case(struct perf_rig *rig, const struct perf_case *c,
		      const struct perf_how *how, const char *const names[],
		      unsigned int count, struct perf_row *rows);
void perf_interrupts(void);
bool perf_interrupted(void);

#endif /* PIMDIMM_PERF_H */
