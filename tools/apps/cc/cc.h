/* SPDX-License-Identifier: MIT */
/* Connected components of a graph: the application `cc`, and the state of a run. */
#ifndef PIMDIMM_APPS_CC_H
#define PIMDIMM_APPS_CC_H

#include <stdint.h>

#include "tools/apps/cc/args.h"
#include "tools/apps/cc/components.h"
#include "tools/apps/common/context.h"
#include "tools/apps/common/graph/graph.h"

/* How a graph lies in the MRAM of each PE. */
struct cc_layout {
	uint64_t label_bytes;
	uint64_t labels;	/* offsets */
	uint64_t status;	/* behind the labels, reduced with them */
	uint64_t edges;
	uint64_t slice;		/* edges of a PE */
	uint64_t vertices;	/* whose paths a PE shortens */
};

struct cc {
	struct graph graph;
	struct cc_layout layout;
	uint32_t *labels;	/* the PEs' result */
	unsigned int rounds;
	uint64_t host_ns;	/* of the reference */
	struct components_summary summary;
	uint32_t largest_name;	/* a vertex of the largest one, as in the file */
};

extern const struct app app_cc;

#endif /* PIMDIMM_APPS_CC_H */
