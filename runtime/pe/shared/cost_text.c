// SPDX-License-Identifier: MIT
/* Reads what PIMDIMM_COST says, wherever it stands, line by line or item by item. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/pe/shared/cost_text.h"

int pd_cost_complain(struct pd_cost_reader *r, const struct pd_cost_place *at,
		     const char *format, ...)
{
	size_t room = sizeof(r->why);
	int n;
	va_list args;

	n = at->file ? snprintf(r->why, room, "PIMDIMM_COST: %.256s:%u: ", at->file,
				at->number) :
		       snprintf(r->why, room, "PIMDIMM_COST: item %u: ", at->number);
	va_start(args, format);
	vsnprintf(r->why + n, room - (size_t)n, format, args);
	va_end(args);
	return EINVAL;
}

static char *trim(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return text;
}

/* "name = value"; of these "set = NAME", which an item may say by the name alone */
static int read_item(struct pd_cost_reader *r, const struct pd_cost_place *at, char *item)
{
	char *name = trim(item), *value = strchr(name, '=');

	if (!value && !at->file && at->number == 1)
		return r->set(r, at, name);
	if (!value)
		return pd_cost_complain(r, at, "\"%.64s\", expected name = value", name);
	*value++ = '\0';
	name = trim(name);
	value = trim(value);
	return strcmp(name, "set") ? r->parameter(r, at, name, value) :
				     r->set(r, at, value);
}

static int read_items(struct pd_cost_reader *r, const char *text)
{
	struct pd_cost_place at = { .number = 0 };
	char *copy = strdup(text), *rest = copy, *item;
	int err = copy ? 0 : ENOMEM;

	while (!err && (item = strsep(&rest, ","))) {
		at.number++;
		err = read_item(r, &at, item);
	}
	free(copy);
	return err;
}

/* "name = value", "# comment" or nothing */
static int read_line(struct pd_cost_reader *r, const struct pd_cost_place *at, char *line)
{
	line[strcspn(line, "#\n")] = '\0';
	return *trim(line) ? read_item(r, at, line) : 0;
}

static int read_lines(struct pd_cost_reader *r, const char *path, FILE *f)
{
	struct pd_cost_place at = { .file = path };
	char line[1024];
	int err = 0;

	while (!err && fgets(line, sizeof(line), f)) {
		at.number++;
		if (!strchr(line, '\n') && !feof(f))
			err = pd_cost_complain(r, &at, strlen(line) < sizeof(line) - 1 ?
					       "the line has a NUL byte" :
					       "the line is too long");
		else
			err = read_line(r, &at, line);
	}
	if (!err && ferror(f))
		err = pd_cost_complain(r, &at, "cannot be read");
	return err;
}

/* NULL, and errno tells why */
static FILE *open_regular(const char *path)
{
	/* O_NONBLOCK: no waiting for the other end of a FIFO */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), err;
	struct stat st;
	FILE *f = NULL;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st)) {
		if (S_ISREG(st.st_mode))
			f = fdopen(fd, "r");
		else
			errno = S_ISDIR(st.st_mode) ? EISDIR : ESPIPE;
	}
	err = errno;
	if (!f)
		close(fd);
	errno = err;
	return f;
}

static int read_cost_file(struct pd_cost_reader *r, const char *path)
{
	FILE *f = open_regular(path);
	int err = errno;

	if (!f) {
		snprintf(r->why, sizeof(r->why), "PIMDIMM_COST: %.256s: %s", path,
			 err == ESPIPE ? "not a regular file" : strerror(err));
		return err;
	}
	err = read_lines(r, path, f);
	fclose(f);
	return err;
}

/* A word alone is a set before it is a file of the same name. */
static bool is_file(const struct pd_cost_reader *r, const char *text)
{
	if (strchr(text, '/'))
		return true;
	return !strpbrk(text, ",=") && !r->is_set(text) && !access(text, F_OK);
}

int pd_cost_read_text(struct pd_cost_reader *r, const char *text)
{
	return is_file(r, text) ? read_cost_file(r, text) : read_items(r, text);
}
