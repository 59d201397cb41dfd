/* SPDX-License-Identifier: MIT */
/* What the host's part and the DPUs' part of this program share. */
#ifndef COMMON_H
#define COMMON_H

#include <stdint.h>

#define ROUND_UP_TO_MULTIPLE_OF_8(x) ((((x) + 7) / 8) * 8)

/* at offset 0 of the heap; the rest says where things are, from there */
struct DPUParams {
	uint32_t numNodes;		/* of the graph */
	uint32_t dpuNumNodes;
	uint32_t dpuStartNode;
	uint32_t level;
	uint32_t nodePtrs_m;
	uint32_t neighbors_m;
	uint32_t nodeLevel_m;
	uint32_t frontier_m;
	uint32_t next_m;
	uint32_t unused;
};

#endif
