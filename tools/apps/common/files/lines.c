// SPDX-License-Identifier: MIT
/* Reading hostile text line by line, in bounded memory, compressed or not. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/files/lines.h"
#include "tools/tool.h"

#define BLOCK_BYTES 65536

int lines_open(struct lines *lines, const char *path)
{
	int ret;

	memset(lines, 0, sizeof(*lines));
	lines->limit = LINES_MAX_BYTES;
	lines->room = LINES_MAX_BYTES + 1;
	lines->text = malloc(lines->room);
	lines->block = malloc(BLOCK_BYTES);
	if (!lines->text || !lines->block) {
		tool_error("no memory to read %s", path);
		ret = -ENOMEM;
	} else {
		*lines->text = '\0';
		ret = app_input_open(path, &lines->input);
	}
	if (ret)
		lines_close(lines);
	else
		lines->path = app_input_name(lines->input);
	lines->file = strcmp(path, "-") ? path : NULL;
	return ret;
}

void lines_close(struct lines *lines)
{
	app_input_close(lines->input);
	free(lines->text);
	free(lines->block);
	lines->input = NULL;
	lines->text = lines->block = NULL;
}

int lines_error(const struct lines *lines, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	/* what the file holds must not reach a terminal as it is */
	for (char *c = text; *c; c++) {
		if (*c < ' ' || *c > '~')
			*c = '?';
	}
	tool_error("%s:%" PRIu64 ": %s", lines->path, lines->number, text);
	return -EINVAL;
}

/* The line has so many bytes now, and ends in front of a newline or the file's end. */
static int lines_take(struct lines *lines, size_t length)
{
	if (memchr(lines->text, 0, length))
		return lines_error(lines, "a NUL byte: this is no text file");
	/* files from Windows */
	if (length && lines->text[length - 1] == '\r')
		length--;
	lines->text[length] = '\0';
	return 1;
}

static int lines_fill(struct lines *lines)
{
	ssize_t got = app_input_read(lines->input, lines->block, BLOCK_BYTES);

	if (got == -EINVAL)
		return lines_error(lines, "%s", app_input_error(lines->input));
	if (got < 0) {
		tool_error("%s: %s", lines->path, app_input_error(lines->input));
		return (int)got;
	}
	lines->at = 0;
	lines->filled = (size_t)got;
	return 0;
}

/* Room for so many bytes and a NUL. */
static int lines_room(struct lines *lines, size_t length)
{
	size_t room = lines->room;
	char *text;

	while (room <= length)
		room *= 2;
	if (room == lines->room)
		return 0;
	text = realloc(lines->text, room);
	if (!text) {
		tool_error("no memory for a line of %s", lines->path);
		return -ENOMEM;
	}
	lines->text = text;
	lines->room = room;
	return 0;
}

/* Moves what is left of the block, up to a newline, behind `length` bytes of the line. */
static int lines_append(struct lines *lines, size_t *length, bool *ended)
{
	const char *from = lines->block + lines->at;
	size_t there = lines->filled - lines->at;
	const char *newline = memchr(from, '\n', there);
	size_t bytes = newline ? (size_t)(newline - from) : there;
	int ret;

	if (*length + bytes > lines->limit) {
		/* what a NUL byte stands in was never meant to be lines */
		if (memchr(lines->text, 0, *length) || memchr(from, 0, bytes))
			return lines_error(lines, "a NUL byte: this is no text file");
		return lines_error(lines, "longer than %zu bytes: these are no lines of text",
				   lines->limit);
	}
	ret = lines_room(lines, *length + bytes);
	if (ret)
		return ret;
	memcpy(lines->text + *length, from, bytes);
	*length += bytes;
	*ended = newline;
	lines->at += bytes + (newline != NULL);
	lines->end += bytes + (newline != NULL);
	return 0;
}

/* The file has ended behind so many bytes of a line. */
static int lines_last(struct lines *lines, size_t length)
{
	if (length)
		return lines_take(lines, length);
	/* complaints about the end name the last line */
	if (lines->number > 1)
		lines->number--;
	*lines->text = '\0';
	return 0;
}

int lines_next(struct lines *lines)
{
	bool ended = false;
	size_t length = 0;
	int ret = 0;

	lines->offset = lines->end;
	lines->number++;
	while (!ended && !ret) {
		if (lines->at == lines->filled)
			ret = lines_fill(lines);
		if (!ret && lines->at == lines->filled)
			return lines_last(lines, length);
		if (!ret)
			ret = lines_append(lines, &length, &ended);
	}
	return ret ? ret : lines_take(lines, length);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

struct field field_next(const char **at)
{
	struct field field;

	while (is_blank(**at))
		(*at)++;
	field.text = *at;
	while (**at && !is_blank(**at))
		(*at)++;
	field.length = (size_t)(*at - field.text);
	return field;
}

bool field_number(struct field field, uint64_t *value)
{
	uint64_t n = 0;

	if (!field.length)
		return false;
	for (size_t i = 0; i < field.length; i++) {
		unsigned int digit = (unsigned char)field.text[i] -
				     (unsigned int)'0';

		if (digit > 9)
			return false;
		/* what is too large stays too large for every caller */
		if (n > (UINT64_MAX - digit) / 10)
			n = UINT64_MAX;
		else
			n = 10 * n + digit;
	}
	*value = n;
	return true;
}

bool field_is(struct field field, const char *text)
{
	return field.length == strlen(text) &&
	       !strncasecmp(field.text, text, field.length);
}
