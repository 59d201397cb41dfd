/* SPDX-License-Identifier: MIT */
/* A case: one call to measure, and what it asks for. */
#ifndef PIMDIMM_PERF_CASE_H
#define PIMDIMM_PERF_CASE_H

#include <stdbool.h>
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

/* whether it is `auto`, `sdk`, `staged` or of the table, and takes such a call */
bool perf_serves(const struct perf_case *c, const char *algorithm);
uint32_t perf_nr_pes(const struct perf_case *c);
void perf_groups(const struct perf_case *c, uint32_t *groups,
		 uint32_t *members);
/* c->bytes down to the next multiple that the collective takes; false: none */
bool perf_round(struct perf_case *c);
/* How many messages the larger side of a PE is: one for each member where it has chunks. */
uint32_t perf_messages(const struct perf_case *c);
uint64_t perf_mram_bytes(const struct perf_case *c);	/* of a PE */
/* What it takes of the machine's memory, with `systems` rigs side by side. */
uint64_t perf_memory_bytes(const struct perf_case *c, unsigned int systems);
uint64_t perf_memory_available(void);
/* bytes that count as the message's: nccl-tests' S, of all groups together */
uint64_t perf_total_bytes(const struct perf_case *c);
double perf_bus_factor(const struct perf_case *c);
const char *perf_shape(const struct perf_case *c, char text[128]);

#endif /* PIMDIMM_PERF_CASE_H */
