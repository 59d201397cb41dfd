/* SPDX-License-Identifier: MIT */
/* The formats of graphs: each a descriptor graph_NAME in a source of its own. */
#ifndef PIMDIMM_GRAPH_FORMAT_H
#define PIMDIMM_GRAPH_FORMAT_H

#include <stdbool.h>

#include "tools/apps/common/graph/graph.h"
#include "tools/apps/common/files/lines.h"

/* Readers fill a graph that is zeroed but for `directed`, and return 0 or -errno after a message. */
struct graph_format {
	/* the rest of a file whose first line `lines` holds; NULL: it is no file */
	int (*read)(struct lines *lines, struct graph *graph);
	/* does a file begin like this? NULL: it may begin in any way */
	bool (*begins)(const char *first_line);
	/* how its files' names end, before .gz and .zst; they are its alone then */
	const char *suffixes[2];
	/* a folder; NULL: it is none */
	int (*read_folder)(const char *path, struct graph *graph);
};

/* The formats, in the order in which a file's first line is shown to them. */
#define GRAPH_FORMATS(X) X(mtx) X(wordnet) X(metis) X(snap)

#define GRAPH_FORMAT_DECLARE(name) extern const struct graph_format graph_##name;
GRAPH_FORMATS(GRAPH_FORMAT_DECLARE)

#endif /* PIMDIMM_GRAPH_FORMAT_H */
