/* SPDX-License-Identifier: MIT */
/* Generators of graphs whose communities are known. */
#ifndef PIMDIMM_GRAPH_PLANTED_H
#define PIMDIMM_GRAPH_PLANTED_H

#include "tools/apps/common/graph/generator.h"

/* A stochastic block model, and a graph as large as that of the Reddit data set. */
extern const struct generator graph_sbm, graph_reddit;

#endif /* PIMDIMM_GRAPH_PLANTED_H */
