/* SPDX-License-Identifier: MIT */
/* DMA, switches of tasklets, loads and launches, measured and checked. */
#ifndef PIMDIMM_PERF_PE_BASICS_H
#define PIMDIMM_PERF_PE_BASICS_H

#include "tools/perf/suites/pe/pe_report.h"

/* All return 0, or TOOL_FAILED after a message. */
int pe_measure_dma(struct pe_rig *rig, bool write, uint64_t bytes,
		   struct pe_row *cold, struct pe_row *resident);
int pe_measure_switch(struct pe_rig *rig, struct pe_row *row);
int pe_measure_launch(struct pe_rig *rig, uint32_t nr_pes,
		      struct pe_row *load, struct pe_row *launch);

#endif /* PIMDIMM_PERF_PE_BASICS_H */
