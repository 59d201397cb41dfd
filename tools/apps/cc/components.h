/* SPDX-License-Identifier: MIT */
/*
 * Connected components on the host. Here as on PEs each vertex is labelled with the
 * smallest vertex of its component, so that results can be compared as they are.
 */
#ifndef PIMDIMM_APPS_CC_COMPONENTS_H
#define PIMDIMM_APPS_CC_COMPONENTS_H

#include <stdint.h>

#include "tools/apps/common/graph/graph.h"

/* Labels the vertices by union-find; labels has nr_vertices elements. */
void components_on_host(const struct graph *graph, uint32_t *labels);

struct components_summary {
	uint32_t count;
	uint32_t largest;	/* vertices of the largest one */
	uint32_t largest_label;
};

/* Returns 0 or -ENOMEM. */
int components_summarise(const uint32_t *labels, uint32_t nr_vertices,
			 struct components_summary *summary);

#endif /* PIMDIMM_APPS_CC_COMPONENTS_H */
