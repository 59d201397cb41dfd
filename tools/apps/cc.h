/* SPDX-License-Identifier: MIT */
/* Connected components of a graph file from end to end: `cc`, part of `demo`. */
#ifndef PIMDIMM_CC_H
#define PIMDIMM_CC_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/apps/components_host.h"
#include "tools/apps/components_pe.h"
#include "tools/graph/graph.h"

/* Debian's wordnet-base */
#define CC_WORDNET "/usr/share/wordnet"

struct cc {
	const char *path;
	const char *labels;	/* a file to write them to, or NULL */
	const char *uri;	/* NULL: PIMDIMM_URI, else one sized for the graph */

	/* results */
	struct graph graph;
	struct components_layout layout;
	uint64_t mram_size;
	struct components_run run;
	struct components_summary summary;
	uint32_t largest_name;	/* a vertex of the largest one, as in the file */
	uint64_t host_ns;	/* union-find */
	uint64_t wrong;		/* labels that differ from it */
};

/*
 * The steps, in this order; cc_free() whatever they return. Each returns 0, or
 * -errno after a message. Wrong results are no failure here.
 */
int cc_load(struct cc *cc);
/* Opens a system that holds the graph. */
int cc_open(struct cc *cc, struct pimdimm **sys);
int cc_run(struct cc *cc, struct pimdimm *sys);
void cc_free(struct cc *cc);

/* What the caller or the environment names, or NULL. */
const char *cc_uri_given(const struct cc *cc);

/* Print the results; TOOL_FAILED, and a message, when they are wrong. */
int cc_print(const struct cc *cc);
struct json_object *cc_json(const struct cc *cc);

#endif /* PIMDIMM_CC_H */
