// SPDX-License-Identifier: MIT
/*
 * Edge lists as SNAP publishes them (snap.stanford.edu/data): two vertex numbers
 * a line, comments after '#'. Numbers need not be dense; a vertex is what occurs
 * in a pair. Columns after the second hold weights, signs or times, which do not
 * matter here.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/graph/graph_format.h"
#include "tools/apps/common/graph/graph_ids.h"
#include "tools/apps/common/graph/snap_parallel.h"
#include "tools/apps/common/parallel.h"
#include "tools/tool.h"

struct snap {
	struct lines *lines;
	struct pairs pairs;
	struct ids *ids;
	uint64_t promised;	/* edges that a comment announces, 0 none */
};

/* "# Nodes: 7115 Edges: 103689": the only hint that a list was cut off */
static void read_comment(struct snap *snap)
{
	const char *at = strstr(snap->lines->text, "Edges:");
	uint64_t n;

	if (!at)
		return;
	at += strlen("Edges:");
	if (field_number(field_next(&at), &n))
		snap->promised = n;
}

static int read_vertex(struct snap *snap, const char **at, uint32_t *id)
{
	struct field field = field_next(at);
	int shown = field.length > 40 ? 40 : (int)field.length;
	uint64_t n;

	if (!field.length)
		return lines_error(snap->lines,
				   "one vertex number, expected two");
	if (!field_number(field, &n))
		return lines_error(snap->lines,
				   "\"%.*s\" is no vertex number; expected two of them, or a first line %%%%MatrixMarket",
				   shown, field.text);
	if (n > SNAP_MAX_ID)
		return lines_error(snap->lines,
				   "vertex %.*s is out of range, expected 0 to %u",
				   shown, field.text, SNAP_MAX_ID);
	*id = (uint32_t)n;
	return 0;
}

static int check_rest(struct snap *snap, const char *at)
{
	struct field field;
	char *end;

	while ((field = field_next(&at)).length) {
		strtod(field.text, &end);
		if (end != field.text + field.length)
			return lines_error(snap->lines,
					   "\"%.*s\" after a pair is no number",
					   field.length > 40 ?
						   40 : (int)field.length,
					   field.text);
	}
	return 0;
}

static int read_pair(struct snap *snap)
{
	const char *at = snap->lines->text;
	uint32_t a, b;
	int ret;

	ret = read_vertex(snap, &at, &a);
	if (!ret)
		ret = read_vertex(snap, &at, &b);
	if (!ret)
		ret = check_rest(snap, at);
	if (ret)
		return ret;
	if (ids_add(snap->ids, a) || ids_add(snap->ids, b)) {
		tool_error("no memory for the vertices of %s",
			   snap->lines->path);
		return -ENOMEM;
	}
	return pairs_add(&snap->pairs, a, b);
}

static int read_line(struct snap *snap)
{
	const char *at = snap->lines->text;
	struct field first = field_next(&at);

	if (!first.length)
		return 0;
	if (*first.text == '#') {
		read_comment(snap);
		return 0;
	}
	return read_pair(snap);
}

/* By threads, if all is usual; what is not is told line by line. */
static bool snap_read_quickly(struct snap *snap, unsigned int threads)
{
	if (snap->lines->file &&
	    snap_read_parallel(snap->lines->file, threads, &snap->pairs, snap->ids,
			       &snap->promised) &&
	    snap->pairs.count && snap->pairs.count >= snap->promised)
		return true;
	pairs_free(&snap->pairs);
	snap->promised = 0;
	return false;
}

static int snap_read_all(struct snap *snap)
{
	int more = 1, ret = 0;

	while (more > 0 && !ret) {
		ret = read_line(snap);
		if (!ret)
			more = lines_next(snap->lines);
	}
	if (ret || more < 0)
		return ret ? ret : more;
	if (!snap->pairs.count)
		return lines_error(snap->lines,
				   "the file ends without any edge: this is no graph");
	if (snap->pairs.count < snap->promised)
		return lines_error(snap->lines,
				   "the file ends after %s edges where its comment announces %s, so it seems cut off",
				   tool_count(snap->pairs.count),
				   tool_count(snap->promised));
	return 0;
}

struct ranking {
	const struct ids *ids;
	struct pairs *pairs;
};

static void rank_part(unsigned int part, unsigned int parts, void *arg)
{
	struct ranking *ranking = arg;
	uint64_t count = ranking->pairs->count;
	uint64_t end = app_part_first(count, part + 1, parts);

	for (uint64_t i = app_part_first(count, part, parts); i < end; i++) {
		uint64_t *pair = &ranking->pairs->words[i];

		*pair = (uint64_t)ids_rank(ranking->ids, graph_edge_low(*pair))
				<< 32 |
			ids_rank(ranking->ids, graph_edge_high(*pair));
	}
}

/* Give the vertices that occur the numbers 0, 1, ... in the order of their ids. */
static int number_vertices(struct snap *snap, struct graph *graph)
{
	uint64_t count = ids_seal(snap->ids);

	graph->names = reallocarray(NULL, count, sizeof(*graph->names));
	if (!graph->names) {
		tool_error("no memory for %s vertices", tool_count(count));
		return -ENOMEM;
	}
	ids_list(snap->ids, graph->names);
	/* ids reach 2^32 - 2 at most, so that their count fits */
	graph->nr_vertices = (uint32_t)count;
	app_parallel(graph->threads, rank_part, &(struct ranking){
		.ids = snap->ids, .pairs = &snap->pairs });
	/* what sorts the edges wants memory */
	ids_free(snap->ids);
	snap->ids = NULL;
	return 0;
}

static int read_snap(struct lines *lines, struct graph *graph)
{
	struct snap snap = { .lines = lines, .ids = ids_create(),
			     .pairs = { .path = lines->path,
				      .directed = graph->directed } };
	int ret;

	graph->kind = "edge list";
	graph->pairs_are = "pairs";
	if (!snap.ids) {
		tool_error("no memory to read %s", lines->path);
		return -ENOMEM;
	}
	ret = snap_read_quickly(&snap, graph->threads) ? 0 : snap_read_all(&snap);
	if (!ret)
		ret = number_vertices(&snap, graph);
	if (!ret)
		ret = graph_take_pairs(graph, &snap.pairs);
	pairs_free(&snap.pairs);
	ids_free(snap.ids);
	return ret;
}

const struct graph_format graph_snap = { .read = read_snap };
