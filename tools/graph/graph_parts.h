/* SPDX-License-Identifier: MIT */
/* What the readers of graph files share. */
#ifndef PIMDIMM_GRAPH_PARTS_H
#define PIMDIMM_GRAPH_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "tools/graph/graph.h"

/* --- a text file, line by line: graph_lines.c --- */

/* WordNet's longest line has 12,972 bytes */
#define LINES_MAX_BYTES 65536

struct lines {
	const char *path;
	gzFile file;
	uint64_t number;	/* of the line in text, from 1 */
	uint64_t offset;	/* of its first byte in the file */
	uint64_t end;		/* of the byte after it */
	char text[LINES_MAX_BYTES];	/* without its newline */
};

/*
 * A file that may be compressed by gzip, "-" for standard input. Returns 0;
 * -errno after a message.
 */
int lines_open(struct lines *lines, const char *path);
void lines_close(struct lines *lines);
/*
 * Returns 1, 0 at the end, or -errno after a message: a line too long, a NUL
 * byte, I/O errors, compressed data that is damaged or cut off. The last line may
 * lack its newline.
 */
int lines_next(struct lines *lines);
/* "pimdimm: FILE:LINE: ..." on standard error; returns -EINVAL */
__attribute__((format(printf, 2, 3)))
int lines_error(const struct lines *lines, const char *format, ...);

/* --- the blank-separated fields of a line --- */

struct field {
	const char *text;
	size_t length;
};

/* The next field, of length 0 at the end; *at moves behind it. */
struct field field_next(const char **at);
/* a decimal number of digits alone */
bool field_number(struct field field, uint64_t *value);
bool field_is(struct field field, const char *text);

/* --- edges being collected: graph.c --- */

struct pairs {
	uint64_t *words;
	size_t count;
	size_t room;
};

/* Returns 0 or -ENOMEM, after a message. */
int pairs_add(struct pairs *pairs, uint32_t a, uint32_t b);
void pairs_free(struct pairs *pairs);

/*
 * Sort, drop loops and repetitions; graph takes over the memory. Returns 0 or
 * -ENOMEM, after a message.
 */
int graph_take_pairs(struct graph *graph, struct pairs *pairs);

/* --- a set of numbers that ranks them: graph_ids.c --- */

struct ids;

struct ids *ids_create(void);
void ids_free(struct ids *ids);
/* Returns 0 or -ENOMEM. */
int ids_add(struct ids *ids, uint32_t id);
/* Count the members up; after it ids_rank() works and ids_add() does not. */
uint64_t ids_seal(struct ids *ids);
/* how many members are smaller than this one */
uint32_t ids_rank(const struct ids *ids, uint32_t id);
/* write all members, in ascending order */
void ids_list(const struct ids *ids, uint32_t *out);

/* --- the formats; each fills a zeroed graph --- */

/* lines holds the first line */
int graph_read_mtx(struct lines *lines, struct graph *graph);
/* lines holds the first line */
int graph_read_snap(struct lines *lines, struct graph *graph);
int graph_read_wordnet(const char *folder, struct graph *graph);

#endif /* PIMDIMM_GRAPH_PARTS_H */
