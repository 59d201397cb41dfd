// SPDX-License-Identifier: MIT
/*
 * Graphs as METIS and the DIMACS challenges have them: vertices and edges in the first
 * line, then a line a vertex with those that it is joined to, numbered from 1. Sizes and
 * weights may stand among them, which do not matter here.
 */
#include <errno.h>
#include <inttypes.h>

#include "tools/apps/common/graph/graph_format.h"
#include "tools/apps/common/memory.h"
#include "tools/apps/common/progress.h"
#include "tools/tool.h"

/* bytes of a vertex and a weight in a list, with blanks */
#define ENTRY_BYTES 32

struct metis {
	struct lines *lines;
	struct pairs pairs;
	uint64_t size, edges;	/* announced */
	unsigned int skipped;	/* numbers in front of each list */
	bool weights;		/* behind each of its vertices */
};

/* Three digits: vertices have sizes, vertices have weights, edges have weights. */
static int read_kinds(struct metis *metis, const char **at)
{
	struct field field = field_next(at);
	uint64_t kinds = 0, weights = 1;

	if (!field.length)
		return 0;
	if (!field_number(field, &kinds) || kinds > 111 || kinds % 10 > 1 ||
	    kinds / 10 % 10 > 1)
		return lines_error(metis->lines,
				   "the third number says what has sizes and weights, expected digits 0 or 1, at most 111");
	metis->weights = kinds % 10;
	field = field_next(at);
	if (field.length && (!field_number(field, &weights) || weights > 1000))
		return lines_error(metis->lines,
				   "the fourth number says how many weights a vertex has, expected 0 to 1000");
	metis->skipped = (kinds >= 100) +
			 (kinds / 10 % 10 ? (unsigned int)weights : 0);
	return 0;
}

static int read_header(struct metis *metis)
{
	const char *at = metis->lines->text;
	int ret;

	if (!field_number(field_next(&at), &metis->size) ||
	    !field_number(field_next(&at), &metis->edges))
		return lines_error(metis->lines,
				   "expected two numbers: vertices and edges");
	if (!metis->size || metis->size > GRAPH_MAX_VERTICES)
		return lines_error(metis->lines,
				   "%" PRIu64 " vertices, expected 1 to %" PRIu32,
				   metis->size, GRAPH_MAX_VERTICES);
	/* twice as many are counted */
	if (metis->edges > UINT64_MAX / 2)
		return lines_error(metis->lines,
				   "%" PRIu64 " edges, expected fewer than 2^63",
				   metis->edges);
	ret = read_kinds(metis, &at);
	if (ret)
		return ret;
	if (field_next(&at).length)
		return lines_error(metis->lines,
				   "more than the four numbers of a first line");
	return 0;
}

/* A vertex may be joined to all others; what is longer than memory is no list. */
static size_t list_limit(const struct metis *metis)
{
	uint64_t bytes = (metis->size + metis->skipped) * ENTRY_BYTES;
	uint64_t most = app_memory_bound() / 4;

	return LINES_MAX_BYTES + (size_t)(bytes < most ? bytes : most);
}

static int read_neighbour(struct metis *metis, struct field field, uint32_t vertex)
{
	int shown = field.length > 40 ? 40 : (int)field.length;
	uint64_t n;

	if (!field_number(field, &n))
		return lines_error(metis->lines,
				   "\"%.*s\" is no vertex number", shown,
				   field.text);
	if (!n || n > metis->size)
		return lines_error(metis->lines,
				   "vertex %.*s is out of range, expected 1 to %" PRIu64,
				   shown, field.text, metis->size);
	return pairs_add(&metis->pairs, vertex, (uint32_t)(n - 1));
}

static int skip_numbers(struct metis *metis, const char **at, unsigned int count)
{
	uint64_t n;

	for (unsigned int i = 0; i < count; i++) {
		if (!field_number(field_next(at), &n))
			return lines_error(metis->lines,
					   "a size or weight is missing or no number");
	}
	return 0;
}

static int read_list(struct metis *metis, uint32_t vertex)
{
	const char *at = metis->lines->text;
	int ret = skip_numbers(metis, &at, metis->skipped);
	struct field field;

	while (!ret && (field = field_next(&at)).length) {
		ret = read_neighbour(metis, field, vertex);
		if (!ret)
			ret = skip_numbers(metis, &at, metis->weights);
		if (!ret && metis->pairs.count / 2 > metis->edges)
			ret = lines_error(metis->lines,
					  "more in the lists than twice the %s edges announced",
					  tool_count(metis->edges));
	}
	return ret;
}

/* The next line that is no comment: as lines_next(). */
static int next_list(struct metis *metis)
{
	int more;

	do {
		more = lines_next(metis->lines);
	} while (more > 0 && *metis->lines->text == '%');
	return more;
}

static int read_lists(struct metis *metis)
{
	int more = 1, ret = 0;

	for (uint64_t v = 0; v < metis->size && !ret; v++) {
		more = next_list(metis);
		if (more < 0)
			return more;
		if (!more)
			return lines_error(metis->lines,
					   "the file ends after %s of %s vertices",
					   tool_count(v), tool_count(metis->size));
		ret = read_list(metis, (uint32_t)v);
		app_progress("reading vertices", v, metis->size);
	}
	while (!ret && (more = next_list(metis)) > 0) {
		const char *at = metis->lines->text;

		if (field_next(&at).length)
			ret = lines_error(metis->lines,
					  "more vertices than the %s announced",
					  tool_count(metis->size));
	}
	return ret ? ret : more;
}

static int check_edges(const struct metis *metis, const struct graph *graph)
{
	uint64_t expected = metis->edges * (graph->directed ? 2 : 1);

	if (graph->nr_pairs == 2 * metis->edges && graph->nr_edges == expected)
		return 0;
	return lines_error(metis->lines,
			   "the lists have %s entries of %s different edges, expected each of %s edges at both its vertices",
			   tool_count(graph->nr_pairs),
			   tool_count(graph->nr_edges),
			   tool_count(metis->edges));
}

static int read_metis(struct lines *lines, struct graph *graph)
{
	struct metis metis = { .lines = lines,
			       .pairs = { .path = lines->path,
				      .directed = graph->directed } };
	int more = 1, ret;

	graph->kind = "METIS";
	graph->pairs_are = "entries";
	graph->first_name = 1;
	/* comments may stand in front of everything */
	if (*lines->text == '%')
		more = next_list(&metis);
	if (more > 0)
		ret = read_header(&metis);
	else
		ret = more ? more : lines_error(lines, "the file ends without a graph");
	lines->limit = list_limit(&metis);
	if (!ret)
		ret = read_lists(&metis);
	if (!ret)
		ret = graph_take_pairs(graph, &metis.pairs);
	graph->nr_vertices = (uint32_t)metis.size;
	pairs_free(&metis.pairs);
	return ret ? ret : check_edges(&metis, graph);
}

const struct graph_format graph_metis = {
	.read = read_metis,
	.suffixes = { ".graph", ".metis" },
};
