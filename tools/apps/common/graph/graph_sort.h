/* SPDX-License-Identifier: MIT */
/* Sorts edges as words, by several threads. */
#ifndef PIMDIMM_GRAPH_SORT_H
#define PIMDIMM_GRAPH_SORT_H

#include <stdint.h>

/*
 * Sorts `count` words of malloc()ed memory, and takes as much again while it does.
 * *words is then where they are. Returns 0 or -ENOMEM.
 */
int graph_sort_words(uint64_t **words, uint64_t count, unsigned int threads);

#endif /* PIMDIMM_GRAPH_SORT_H */
