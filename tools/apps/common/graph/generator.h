/* SPDX-License-Identifier: MIT */
/* What a generator is: what it is told, and its edges one by one. */
#ifndef PIMDIMM_GRAPH_GENERATOR_H
#define PIMDIMM_GRAPH_GENERATOR_H

#include <stdint.h>

#define GENERATOR_KEYS 6

struct generator {
	const char *name;
	const char *kind;	/* of the graph, for people */
	/* numbers that it takes, in an order of its own; and what they are unless told */
	struct generator_key {
		const char *name;
		uint64_t value, min, max;
	} keys[GENERATOR_KEYS];
	/* What is wrong with numbers that are each in range, or NULL. NULL: nothing can be. */
	const char *(*wrong)(const uint64_t *keys);
	uint64_t (*vertices)(const uint64_t *keys);
	uint64_t (*communities)(const uint64_t *keys);	/* NULL: it plants none */
	uint64_t (*edges)(const uint64_t *keys);	/* to draw */
	/* Edge number `at`: its ends, in the two halves of a word. */
	uint64_t (*edge)(const uint64_t *keys, uint64_t seed, uint64_t at);
};

#endif /* PIMDIMM_GRAPH_GENERATOR_H */
