// SPDX-License-Identifier: MIT
/*
 * Matrix Market coordinate files (math.nist.gov/MatrixMarket/formats.html): a
 * square matrix is the graph with an edge for each entry, whatever its value.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/graph/graph_format.h"
#include "tools/tool.h"

struct mtx {
	struct lines *lines;
	struct pairs pairs;
	unsigned int values;	/* numbers after each pair of indices */
	uint64_t size;
	uint64_t entries;	/* announced */
	uint64_t seen;
	bool symmetric;		/* each entry stands for its mirror image, too */
};

static int read_banner(struct mtx *mtx)
{
	static const struct {
		const char *name;
		unsigned int values;
	} fields[] = {
		{ "pattern", 0 }, { "real", 1 }, { "double", 1 },
		{ "integer", 1 }, { "complex", 2 },
	};
	static const char *const symmetries[] = {
		"general", "symmetric", "skew-symmetric", "hermitian",
	};
	const char *at = mtx->lines->text;
	struct field field;
	size_t i;

	field_next(&at);
	if (!field_is(field_next(&at), "matrix") ||
	    !field_is(field_next(&at), "coordinate"))
		return lines_error(mtx->lines,
				   "expected \"%%%%MatrixMarket matrix coordinate\": only sparse matrices are graphs");
	field = field_next(&at);
	for (i = 0; i < TOOL_COUNT(fields); i++) {
		if (field_is(field, fields[i].name))
			break;
	}
	if (i == TOOL_COUNT(fields))
		return lines_error(mtx->lines,
				   "the fourth word is none of pattern, real, integer, complex");
	mtx->values = fields[i].values;
	field = field_next(&at);
	for (i = 0; i < TOOL_COUNT(symmetries); i++) {
		if (field_is(field, symmetries[i])) {
			mtx->symmetric = i;
			return 0;
		}
	}
	return lines_error(mtx->lines,
			   "the fifth word is none of general, symmetric, skew-symmetric, hermitian");
}

/* The next line that is neither empty nor a comment: as lines_next(). */
static int next_data(struct mtx *mtx)
{
	int ret;

	do {
		const char *at = mtx->lines->text;

		ret = lines_next(mtx->lines);
		if (ret > 0 && *at != '%' && field_next(&at).length)
			return ret;
	} while (ret > 0);
	return ret;
}

static int read_sizes(struct mtx *mtx)
{
	const char *at = mtx->lines->text;
	uint64_t rows, columns;
	int ret = next_data(mtx);

	if (ret < 0)
		return ret;
	if (!ret || !field_number(field_next(&at), &rows) ||
	    !field_number(field_next(&at), &columns) ||
	    !field_number(field_next(&at), &mtx->entries) ||
	    field_next(&at).length)
		return lines_error(mtx->lines,
				   "expected three numbers: rows, columns, entries");
	if (rows != columns)
		return lines_error(mtx->lines,
				   "%" PRIu64 " rows and %" PRIu64 " columns: the matrix of a graph is square",
				   rows, columns);
	if (!rows || rows > GRAPH_MAX_VERTICES)
		return lines_error(mtx->lines,
				   "%" PRIu64 " rows, expected 1 to %" PRIu32,
				   rows, GRAPH_MAX_VERTICES);
	mtx->size = rows;
	return 0;
}

static int read_index(struct mtx *mtx, const char **at, uint32_t *vertex)
{
	struct field field = field_next(at);
	int shown = field.length > 40 ? 40 : (int)field.length;
	uint64_t n;

	if (!field_number(field, &n))
		return lines_error(mtx->lines,
				   "\"%.*s\" is no index; expected a row and a column",
				   shown, field.text);
	if (!n || n > mtx->size)
		return lines_error(mtx->lines,
				   "index %.*s is out of range, expected 1 to %" PRIu64,
				   shown, field.text, mtx->size);
	*vertex = (uint32_t)(n - 1);
	return 0;
}

static int check_values(struct mtx *mtx, const char *at)
{
	struct field field;
	char *end;

	for (unsigned int i = 0; i < mtx->values; i++) {
		field = field_next(&at);
		strtod(field.text, &end);
		if (!field.length || end != field.text + field.length)
			return lines_error(mtx->lines,
					   "expected %u value%s after row and column",
					   mtx->values,
					   mtx->values > 1 ? "s" : "");
	}
	if (field_next(&at).length)
		return lines_error(mtx->lines, "more fields than an entry has");
	return 0;
}

static int read_entry(struct mtx *mtx)
{
	const char *at = mtx->lines->text;
	uint32_t row = 0, column = 0;
	int ret;

	ret = read_index(mtx, &at, &row);
	if (!ret)
		ret = read_index(mtx, &at, &column);
	if (!ret)
		ret = check_values(mtx, at);
	if (!ret)
		ret = pairs_add(&mtx->pairs, row, column);
	if (!ret && mtx->pairs.directed && mtx->symmetric)
		ret = pairs_add(&mtx->pairs, column, row);
	mtx->seen++;
	return ret;
}

static int read_entries(struct mtx *mtx)
{
	int more, ret;

	while ((more = next_data(mtx)) > 0) {
		if (mtx->seen == mtx->entries)
			return lines_error(mtx->lines,
					   "more entries than the %s announced",
					   tool_count(mtx->entries));
		ret = read_entry(mtx);
		if (ret)
			return ret;
	}
	if (!more && mtx->seen < mtx->entries)
		return lines_error(mtx->lines,
				   "the file ends after %s of %s entries",
				   tool_count(mtx->seen),
				   tool_count(mtx->entries));
	return more;
}

static bool begins_mtx(const char *first_line)
{
	return field_is(field_next(&first_line), "%%MatrixMarket");
}

static int read_mtx(struct lines *lines, struct graph *graph)
{
	struct mtx mtx = { .lines = lines,
			   .pairs = { .path = lines->path,
				      .directed = graph->directed } };
	int ret;

	graph->kind = "Matrix Market";
	graph->pairs_are = "entries";
	graph->first_name = 1;
	ret = read_banner(&mtx);
	if (!ret)
		ret = read_sizes(&mtx);
	if (!ret)
		ret = read_entries(&mtx);
	if (!ret)
		ret = graph_take_pairs(graph, &mtx.pairs);
	graph->nr_pairs = mtx.seen;
	graph->nr_vertices = (uint32_t)mtx.size;
	pairs_free(&mtx.pairs);
	return ret;
}

const struct graph_format graph_mtx = {
	.read = read_mtx,
	.begins = begins_mtx,
};
