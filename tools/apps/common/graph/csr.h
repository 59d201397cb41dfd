/* SPDX-License-Identifier: MIT */
/* A graph's edges by the vertex that they leave from. */
#ifndef PIMDIMM_GRAPH_CSR_H
#define PIMDIMM_GRAPH_CSR_H

#include <stdint.h>

#include "tools/apps/common/graph/graph.h"

/* The edges of vertex v are first[v] to first[v + 1] - 1; what they lead to ascends. */
struct csr {
	uint32_t nr_vertices;
	uint64_t nr_edges;
	uint64_t *first;
	uint32_t *targets;
};

enum csr_way {
	CSR_OUT,	/* edges as they are */
	CSR_IN,		/* turned round: by the vertex that they lead to */
};

/*
 * An undirected graph's edges stand at both ends, whatever the way. Returns 0, or
 * -ENOMEM after a message; for csr_free() either way.
 */
int csr_make(struct csr *csr, const struct graph *graph, enum csr_way way);
void csr_free(struct csr *csr);

static inline uint64_t csr_degree(const struct csr *csr, uint32_t vertex)
{
	return csr->first[vertex + UINT64_C(1)] - csr->first[vertex];
}

#endif /* PIMDIMM_GRAPH_CSR_H */
