/* SPDX-License-Identifier: MIT */
/*
 * A system with a program on its PEs. Functions return 0, or TOOL_FAILED after a
 * message.
 */
#ifndef PIMDIMM_PERF_PE_RIG_H
#define PIMDIMM_PERF_PE_RIG_H

#include "tools/perf/pe/args.h"
#include "tools/perf/suites/pe/pe_images.h"
#include "tools/perf/suites/suite.h"

/* a system, with a program loaded on its first PEs */
struct pe_rig {
	struct perf_suite *suite;
	struct pimdimm *sys;
	uint32_t *pes;			/* all of them */
	struct pimdimm_program *program;
	uint32_t nr_pes;		/* that have it loaded */
};

int pe_rig_open(struct pe_rig *rig, struct perf_suite *suite, uint32_t nr_pes,
		uint64_t operand);
void pe_rig_close(struct pe_rig *rig);
/* open and load; *ns, where not NULL, is what that took */
int pe_rig_load(struct pe_rig *rig, enum pe_image image, uint32_t nr_pes,
		double *ns);
/* Write one value to an object of every PE; read all PEs' values, one after another. */
int pe_rig_write(struct pe_rig *rig, const char *symbol, const void *value,
		 size_t bytes);
int pe_rig_read(struct pe_rig *rig, const char *symbol, void *values,
		size_t bytes);
/* an operand of each PE; `words` has them one after another */
int pe_rig_push(struct pe_rig *rig, uint64_t off, const uint64_t *words,
		uint64_t bytes);
int pe_rig_pull(struct pe_rig *rig, uint64_t off, uint64_t *words,
		uint64_t bytes);
/* launch until the middle repetition is known; *launches: how often */
int pe_rig_run(struct pe_rig *rig, struct pimdimm_run *middle,
	       unsigned int *launches);

#endif /* PIMDIMM_PERF_PE_RIG_H */
