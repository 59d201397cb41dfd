/* SPDX-License-Identifier: MIT */
/* `--suite pe`: what programs on PEs reach; what its parts share. */
#ifndef PIMDIMM_PERF_PE_H
#define PIMDIMM_PERF_PE_H

#include <pimdimm/program.h>

#include "tools/perf/suites/targets.h"
#include "tools/perf/pe/args.h"

enum pe_image {
	PE_EMPTY,
	PE_DMA,
	PE_SWITCH,
	PE_VA,
	PE_RED,
	PE_GEMV,
	PE_NR_IMAGES,
};

/* a system, with a program loaded on its first PEs */
struct pe_rig {
	struct perf_suite *suite;
	struct pimdimm *sys;
	uint32_t *pes;			/* all of them */
	struct pimdimm_program *program;
	uint32_t nr_pes;		/* that have it loaded */
};

/* one measurement: times in nanoseconds, of the repetition in the middle */
struct pe_row {
	const char *name;
	uint32_t nr_pes;
	uint64_t work;		/* of all PEs together */
	const char *work_unit;
	double measured;
	double emulation;	/* the part of it that hardware has not */
	double modelled;	/* the cost model's; NAN: it has none */
	double figure;
	const char *figure_unit;
	uint64_t wrong;
};

/* pe_images.c */
int pe_image_open(enum pe_image image, struct pimdimm_program **program);

/* pe_rig.c; functions return 0, or TOOL_FAILED after a message */
int pe_rig_open(struct pe_rig *rig, struct perf_suite *suite, uint32_t nr_pes,
		uint64_t operand);
void pe_rig_close(struct pe_rig *rig);
/* open and load; *ns, where not NULL, is what that took */
int pe_rig_load(struct pe_rig *rig, enum pe_image image, uint32_t nr_pes,
		double *ns);
/* the same object of every PE; `values` has one after another of each */
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
int pe_compare(const void *a, const void *b);

/* pe_kernels.c: fill, measure, check */
int pe_measure_vectors(struct pe_rig *rig, enum pe_image image, uint32_t nr_pes,
		       uint64_t bytes, struct pe_row *row);
/* pe_basics.c */
int pe_measure_dma(struct pe_rig *rig, bool write, uint64_t bytes,
		   struct pe_row *cold, struct pe_row *resident);
int pe_measure_switch(struct pe_rig *rig, struct pe_row *row);
int pe_measure_launch(struct pe_rig *rig, uint32_t nr_pes,
		      struct pe_row *load, struct pe_row *launch);

/* pe_report.c */
void pe_report_begin(struct perf_suite *suite, struct pe_rig *rig);
void pe_report_row(struct perf_suite *suite, const struct pe_row *row);

#endif /* PIMDIMM_PERF_PE_H */
