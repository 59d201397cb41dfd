// SPDX-License-Identifier: MIT
/* Reads a graph from a file or folder by the first format that knows it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/apps/common/graph/generate.h"
#include "tools/apps/common/graph/graph_format.h"
#include "tools/apps/common/graph/graph_load.h"
#include "tools/tool.h"

#define FORMAT_ADDRESS(name) &graph_##name,

static const struct graph_format *const formats[] = {
	GRAPH_FORMATS(FORMAT_ADDRESS)
};

/* Does a file's name end so, packed or not? */
static bool has_suffix(const char *path, const char *suffix)
{
	size_t length = strlen(path), end = strlen(suffix);

	if (length > 3 && !strcmp(path + length - 3, ".gz"))
		length -= 3;
	else if (length > 4 && !strcmp(path + length - 4, ".zst"))
		length -= 4;
	return length > end && !strncmp(path + length - end, suffix, end);
}

static bool is_of_format(const struct graph_format *format, const struct lines *lines)
{
	if (!format->read)
		return false;
	if (!format->suffixes[0])
		return !format->begins || format->begins(lines->text);
	for (size_t i = 0; i < TOOL_COUNT(format->suffixes); i++) {
		if (format->suffixes[i] && has_suffix(lines->path, format->suffixes[i]))
			return true;
	}
	return false;
}

static int read_format(struct lines *lines, struct graph *graph)
{
	int ret = lines_next(lines);

	if (ret < 0)
		return ret;
	if (!ret)
		return lines_error(lines, "an empty file: this is no graph");
	for (size_t i = 0; i < TOOL_COUNT(formats); i++) {
		if (is_of_format(formats[i], lines))
			return formats[i]->read(lines, graph);
	}
	return lines_error(lines, "this is no graph");
}

static int read_graph_file(const char *path, struct graph *graph)
{
	struct lines *lines = malloc(sizeof(*lines));
	int ret;

	if (!lines) {
		tool_error("no memory to read %s", path);
		return -ENOMEM;
	}
	ret = lines_open(lines, path);
	if (!ret) {
		ret = read_format(lines, graph);
		lines_close(lines);
	}
	free(lines);
	return ret;
}

static int read_graph_folder(const char *path, struct graph *graph)
{
	size_t i = 0;

	/* there is one such format, which says what it misses in a folder */
	while (!formats[i]->read_folder)
		i++;
	return formats[i]->read_folder(path, graph);
}

int graph_load(const struct graph_wish *wish, struct graph *graph)
{
	const char *path = wish->path;
	struct stat status;
	bool known = strcmp(path, "-") && !stat(path, &status);
	int ret = 0;

	*graph = (struct graph){ .path = path, .directed = wish->directed,
				 .threads = wish->threads };
	if (graph_is_generated(path))
		ret = graph_generate(path, wish->seed, graph);
	else if (known && S_ISDIR(status.st_mode))
		ret = read_graph_folder(path, graph);
	else
		ret = read_graph_file(path, graph);
	if (ret)
		graph_free(graph);
	return ret;
}
