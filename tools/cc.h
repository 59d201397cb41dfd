/* SPDX-License-Identifier: MIT */
/* Connected components of a graph file from end to end: `cc`, part of `demo`. */
#ifndef PIMDIMM_CC_H
#define PIMDIMM_CC_H

#include <stdbool.h>
#include <stdint.h>

#include "components.h"
#include "graph.h"

/* Debian's wordnet-base */
#define CC_WORDNET "/usr/share/wordnet"

struct cc {
	const char *path;
	const char *uri;	/* NULL: PIMDIMM_URI, else one sized for the graph */

	/* results; the graph's arrays are gone by then */
	struct graph graph;
	struct components_layout layout;
	uint64_t mram_size;
	struct components_run run;
	struct components_summary summary;
	uint32_t largest_name;	/* a vertex of the largest one, as in the file */
	uint64_t host_ns;	/* union-find */
	uint64_t wrong;		/* labels that differ from it */
};

/* Returns 0, also when the results are wrong; -errno after a message. */
int cc_run(struct cc *cc);
/* Print the results; TOOL_FAILED, and a message, when they are wrong. */
int cc_print(const struct cc *cc);
struct json_object *cc_json(const struct cc *cc);

#endif /* PIMDIMM_CC_H */
