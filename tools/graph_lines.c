// SPDX-License-Identifier: MIT
/* Reading hostile text line by line, in bounded memory. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "graph_parts.h"
#include "tool.h"

int lines_open(struct lines *lines, const char *path)
{
	int err;

	lines->path = path;
	lines->number = 0;
	lines->offset = 0;
	lines->end = 0;
	lines->text[0] = '\0';
	lines->file = fopen(path, "re");
	if (lines->file)
		return 0;
	err = errno;
	tool_error("%s: %s", path, strerror(err));
	return -err;
}

void lines_close(struct lines *lines)
{
	fclose(lines->file);
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

static int lines_end(struct lines *lines, size_t length)
{
	int err = errno;

	if (ferror(lines->file)) {
		tool_error("%s: %s", lines->path, strerror(err));
		return -err;
	}
	if (length)
		return lines_error(lines,
				   "the last line has no newline, so the file seems cut off");
	/* complaints about the end name the last line */
	if (lines->number > 1)
		lines->number--;
	return 0;
}

int lines_next(struct lines *lines)
{
	size_t length = 0;
	int c;

	lines->offset = lines->end;
	lines->number++;
	while ((c = getc_unlocked(lines->file)) != '\n') {
		if (c == EOF)
			return lines_end(lines, length);
		if (!c)
			return lines_error(lines,
					   "a NUL byte: this is no text file");
		if (length == LINES_MAX_BYTES - 1)
			return lines_error(lines,
					   "longer than %d bytes: this is no graph",
					   LINES_MAX_BYTES - 1);
		lines->text[length++] = (char)c;
	}
	lines->end += length + 1;
	/* files from Windows */
	if (length && lines->text[length - 1] == '\r')
		length--;
	lines->text[length] = '\0';
	return 1;
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
