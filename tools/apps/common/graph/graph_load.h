/* SPDX-License-Identifier: MIT */
/* Graphs from files, whatever their format. */
#ifndef PIMDIMM_GRAPH_LOAD_H
#define PIMDIMM_GRAPH_LOAD_H

#include "tools/apps/common/graph/graph.h"

/*
 * Read a Matrix Market file or a SNAP edge list, compressed by gzip or not, of
 * standard input where path is "-", or a folder with WordNet's four data files.
 * Returns 0 and a graph for graph_free(); else it has said on
 * standard error what is wrong in which file and line, and returns -errno.
 */
int graph_load(const char *path, struct graph *graph);

#endif /* PIMDIMM_GRAPH_LOAD_H */
