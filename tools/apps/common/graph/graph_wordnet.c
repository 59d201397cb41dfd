// SPDX-License-Identifier: MIT
/*
 * WordNet's synset graph, from the data files that wndb(5WN) describes: every
 * synset is a vertex, every pointer an edge, whatever its kind.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/apps/common/graph/graph_format.h"
#include "tools/tool.h"

/* satellite adjectives, part of speech s, lie in data.adj among the others */
enum {
	NOUN,
	VERB,
	ADJ,
	ADV,
	NR_FILES,
};

static const char *const file_names[NR_FILES] = {
	[NOUN] = "data.noun",
	[VERB] = "data.verb",
	[ADJ] = "data.adj",
	[ADV] = "data.adv",
};

/* synsets are named by the file they lie in and their byte offset in it */
struct name {
	uint32_t file;
	uint32_t offset;
};

struct pointer {
	uint32_t from;		/* vertex */
	struct name to;
	uint64_t line;		/* for complaints, in the file of `from` */
};

struct list {
	void *items;
	size_t count, room;
};

struct wordnet {
	struct lines lines;
	uint32_t file;			/* being read */
	struct list synsets;		/* struct name, ascending */
	struct list pointers;		/* struct pointer */
	size_t first[NR_FILES + 1];	/* each file's first synset */
};

static int list_add(struct list *list, const void *item, size_t bytes)
{
	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 4096;
		void *items = reallocarray(list->items, room, bytes);

		if (!items) {
			tool_error("no memory for WordNet");
			return -ENOMEM;
		}
		list->items = items;
		list->room = room;
	}
	memcpy((char *)list->items + list->count++ * bytes, item, bytes);
	return 0;
}

/* a field of exactly so many digits of the base */
static bool read_digits(const char **at, size_t digits, int base, uint32_t *out)
{
	struct field field = field_next(at);
	const char *allowed = base == 16 ? "0123456789abcdefABCDEF" :
					   "0123456789";

	if (field.length != digits || strspn(field.text, allowed) < digits)
		return false;
	*out = (uint32_t)strtoul(field.text, NULL, base);
	return true;
}

static int file_of(char pos)
{
	switch (pos) {
	case 'n':
		return NOUN;
	case 'v':
		return VERB;
	case 'a':
	case 's':
		return ADJ;
	case 'r':
		return ADV;
	default:
		return -1;
	}
}

static int read_pos(const char **at)
{
	struct field field = field_next(at);

	return field.length == 1 ? file_of(*field.text) : -1;
}

static bool skip_words(const char **at, uint32_t count)
{
	uint32_t lex_id;

	while (count--) {
		if (!field_next(at).length || !read_digits(at, 1, 16, &lex_id))
			return false;
	}
	return true;
}

static int read_pointer(struct wordnet *wn, const char **at)
{
	struct pointer pointer = {
		.from = (uint32_t)wn->synsets.count - 1,
		.line = wn->lines.number,
	};
	uint32_t words;
	int file;

	if (!field_next(at).length ||
	    !read_digits(at, 8, 10, &pointer.to.offset))
		return lines_error(&wn->lines, "a pointer without its target");
	file = read_pos(at);
	if (file < 0 || !read_digits(at, 4, 16, &words))
		return lines_error(&wn->lines,
				   "a pointer without part of speech or words");
	pointer.to.file = (uint32_t)file;
	return list_add(&wn->pointers, &pointer, sizeof(pointer));
}

static int read_pointers(struct wordnet *wn, const char *at)
{
	uint32_t count;
	int ret = 0;

	if (!read_digits(&at, 3, 10, &count))
		return lines_error(&wn->lines, "no pointer count of 3 digits");
	while (count-- && !ret)
		ret = read_pointer(wn, &at);
	/* verbs have their sentence frames here, which link nothing */
	if (!ret && !strchr(at, '|'))
		ret = lines_error(&wn->lines, "a synset without its gloss");
	return ret;
}

static int read_synset(struct wordnet *wn)
{
	struct name name = { .file = wn->file };
	const char *at = wn->lines.text;
	uint32_t lex_file, words;
	int ret;

	if (!read_digits(&at, 8, 10, &name.offset) ||
	    name.offset != wn->lines.offset)
		return lines_error(&wn->lines,
				   "expected a synset that begins with its offset, %08" PRIu64,
				   wn->lines.offset);
	if (!read_digits(&at, 2, 10, &lex_file) ||
	    read_pos(&at) != (int)wn->file)
		return lines_error(&wn->lines,
				   "no lexicographer file, or a part of speech of another data file");
	if (!read_digits(&at, 2, 16, &words) || !skip_words(&at, words))
		return lines_error(&wn->lines,
				   "words that do not match their count");
	ret = list_add(&wn->synsets, &name, sizeof(name));
	return ret ? ret : read_pointers(wn, at);
}

static int read_lines(struct wordnet *wn)
{
	int more, ret;

	while ((more = lines_next(&wn->lines)) > 0) {
		/* the licence stands first, indented */
		if (!strncmp(wn->lines.text, "  ", 2))
			continue;
		ret = read_synset(wn);
		if (ret)
			return ret;
	}
	if (!more && wn->synsets.count == wn->first[wn->file])
		return lines_error(&wn->lines, "the file ends without a synset");
	return more;
}

static char *file_path(const char *folder, uint32_t file)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, file_names[file]) >= 0)
		return path;
	tool_error("no memory for a file name");
	return NULL;
}

/* Its first file tells; any folder may have been named by mistake. */
static int is_wordnet(const char *folder, const char *first)
{
	if (!access(first, F_OK) || errno != ENOENT)
		return 0;
	tool_error("%s: a folder without WordNet's %s; expected a graph's file, or the folder of WordNet's four",
		   folder, file_names[0]);
	return -ENOENT;
}

static int read_data_file(struct wordnet *wn, const char *folder, uint32_t file)
{
	char *path = file_path(folder, file);
	int ret;

	if (!path)
		return -ENOMEM;
	wn->file = file;
	wn->first[file] = wn->synsets.count;
	ret = file ? 0 : is_wordnet(folder, path);
	if (!ret)
		ret = lines_open(&wn->lines, path);
	if (!ret) {
		ret = read_lines(wn);
		lines_close(&wn->lines);
	}
	wn->first[file + 1] = wn->synsets.count;
	free(path);
	return ret;
}

static int compare_offsets(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* A complaint about a line read long ago. */
static int dangling(const struct wordnet *wn, const char *folder,
		    const struct pointer *pointer)
{
	const struct name *synsets = wn->synsets.items;
	const char *from = file_names[synsets[pointer->from].file];

	tool_error("%s/%s:%" PRIu64 ": a pointer to offset %08" PRIu32 " of %s, where no synset begins",
		   folder, from, pointer->line, pointer->to.offset,
		   file_names[pointer->to.file]);
	return -EINVAL;
}

static int link_pointers(const struct wordnet *wn, const char *folder,
			 struct pairs *pairs)
{
	const struct pointer *pointers = wn->pointers.items;
	const struct name *synsets = wn->synsets.items;
	int ret = 0;

	for (size_t i = 0; i < wn->pointers.count && !ret; i++) {
		const struct name *to = &pointers[i].to, *found;
		size_t first = wn->first[to->file];

		found = bsearch(to, synsets + first,
				wn->first[to->file + 1] - first,
				sizeof(*found), compare_offsets);
		ret = found ? pairs_add(pairs, pointers[i].from,
					(uint32_t)(found - synsets)) :
			      dangling(wn, folder, &pointers[i]);
	}
	return ret;
}

static int read_files(struct wordnet *wn, const char *folder,
		       struct graph *graph)
{
	struct pairs pairs = { .path = folder, .directed = graph->directed };
	int ret = 0;

	for (uint32_t file = 0; file < NR_FILES && !ret; file++)
		ret = read_data_file(wn, folder, file);
	if (!ret)
		ret = link_pointers(wn, folder, &pairs);
	if (!ret)
		ret = graph_take_pairs(graph, &pairs);
	/* offsets have 8 digits, so that the four files hold fewer than 2^32 */
	graph->nr_vertices = (uint32_t)wn->synsets.count;
	pairs_free(&pairs);
	return ret;
}

static int read_wordnet(const char *folder, struct graph *graph)
{
	struct wordnet *wn = calloc(1, sizeof(*wn));
	int ret;

	graph->kind = "WordNet synsets";
	graph->pairs_are = "pointers";
	if (!wn) {
		tool_error("no memory for WordNet");
		return -ENOMEM;
	}
	ret = read_files(wn, folder, graph);
	free(wn->synsets.items);
	free(wn->pointers.items);
	free(wn);
	return ret;
}

const struct graph_format graph_wordnet = { .read_folder = read_wordnet };
