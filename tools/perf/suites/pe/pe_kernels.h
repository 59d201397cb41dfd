/* SPDX-License-Identifier: MIT */
/* PE kernels on vectors, measured and checked. */
#ifndef PIMDIMM_PERF_PE_KERNELS_H
#define PIMDIMM_PERF_PE_KERNELS_H

#include "tools/perf/suites/pe/pe_report.h"

/* Fill, measure, check. 0, or TOOL_FAILED after a message. */
int pe_measure_vectors(struct pe_rig *rig, enum pe_image image, uint32_t nr_pes,
		       uint64_t bytes, struct pe_row *row);

#endif /* PIMDIMM_PERF_PE_KERNELS_H */
