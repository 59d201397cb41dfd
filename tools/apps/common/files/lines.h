/* SPDX-License-Identifier: MIT */
/* A text file, compressed or not, line by line; and the fields of a line. */
#ifndef PIMDIMM_APPS_LINES_H
#define PIMDIMM_APPS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/apps/common/files/input.h"

/* what a line may have unless its reader sets lines->limit; WordNet's longest is 12,972 */
#define LINES_MAX_BYTES 65535

struct lines {
	const char *path;	/* for people: "standard input" where it is that */
	const char *file;	/* to be opened again; NULL: it cannot be */
	struct app_input *input;
	uint64_t number;	/* of the line in text, from 1 */
	uint64_t offset;	/* of its first byte in the file */
	uint64_t end;		/* of the byte after it */
	size_t limit;		/* bytes of the longest line allowed */
	char *text;		/* without its newline */
	size_t room;
	char *block;		/* read and not yet in a line: from `at` to `filled` */
	size_t at, filled;
};

/*
 * A file that may be compressed by gzip or zstd, "-" for standard input. Returns 0;
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

/* one of the blank-separated fields of a line */
struct field {
	const char *text;
	size_t length;
};

/* The next field, of length 0 at the end; *at moves behind it. */
struct field field_next(const char **at);
/* a decimal number of digits alone */
bool field_number(struct field field, uint64_t *value);
bool field_is(struct field field, const char *text);

#endif /* PIMDIMM_APPS_LINES_H */
