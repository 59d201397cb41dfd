/* SPDX-License-Identifier: MIT */
/* Graphs that are made, by a name and numbers instead of a file. */
#ifndef PIMDIMM_GRAPH_GENERATE_H
#define PIMDIMM_GRAPH_GENERATE_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/apps/common/graph/graph.h"

/* Does it begin with a generator's name and a colon? */
bool graph_is_generated(const char *text);

/*
 * Makes what "NAME:KEY=VALUE,..." asks for, directed and by as many threads as the
 * zeroed graph says; seed is that of one that names none. The same text and seed make the
 * same graph anywhere. Returns 0, or -errno after a message.
 */
int graph_generate(const char *text, uint64_t seed, struct graph *graph);

#endif /* PIMDIMM_GRAPH_GENERATE_H */
