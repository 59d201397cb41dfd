// SPDX-License-Identifier: MIT
/* Reading hostile text line by line, in bounded memory; gzip's, too. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/apps/common/graph/graph_lines.h"
#include "tools/tool.h"

static int open_file(const char *path)
{
	if (!strcmp(path, "-"))
		return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	return open(path, O_RDONLY | O_CLOEXEC);
}

int lines_open(struct lines *lines, const char *path)
{
	int fd = open_file(path), err = errno;

	lines->path = strcmp(path, "-") ? path : "standard input";
	lines->number = 0;
	lines->offset = 0;
	lines->end = 0;
	lines->text[0] = '\0';
	if (fd < 0) {
		tool_error("%s: %s", lines->path, strerror(err));
		return -err;
	}
	lines->file = gzdopen(fd, "rb");
	if (lines->file)
		return 0;
	close(fd);
	tool_error("no memory to read %s", lines->path);
	return -ENOMEM;
}

void lines_close(struct lines *lines)
{
	gzclose(lines->file);
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

/* A line of so many bytes, and with its newline so many in the file. */
static int lines_take(struct lines *lines, size_t length, size_t in_file)
{
	lines->end += in_file;
	/* files from Windows */
	if (length && lines->text[length - 1] == '\r')
		length--;
	lines->text[length] = '\0';
	return 1;
}

/* Why there was nothing more to read; 0 at the end. */
static int read_error(struct lines *lines)
{
	int err = errno, of_zlib;

	gzerror(lines->file, &of_zlib);
	if (of_zlib == Z_ERRNO) {
		tool_error("%s: %s", lines->path, strerror(err));
		return -err;
	}
	if (of_zlib == Z_BUF_ERROR)
		return lines_error(lines, "the compressed file is cut off");
	if (of_zlib == Z_MEM_ERROR) {
		tool_error("no memory to read %s", lines->path);
		return -ENOMEM;
	}
	if (of_zlib < 0)
		return lines_error(lines, "the compressed file is damaged");
	return 0;
}

/* Returns 1 with a last line that has no newline. */
static int lines_end(struct lines *lines, size_t length)
{
	int ret = read_error(lines);

	if (ret)
		return ret;
	if (length)
		return lines_take(lines, length, length);
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
	while ((c = gzgetc(lines->file)) != '\n') {
		if (c < 0)
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
	return lines_take(lines, length, length + 1);
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
