// SPDX-License-Identifier: MIT
/* Reads .npy files, whose header is a Python dictionary as text. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/apps/common/npy.h"
#include "tools/tool.h"

#define MAX_HEADER	4096
#define MAX_DIMS	8

/* what the header says */
struct header {
	char type[16];
	bool fortran;
	unsigned int nr_dims;
	uint64_t dims[MAX_DIMS];
};

struct reader {
	const char *path;
	FILE *file;
	uint64_t at;		/* bytes read */
	const char *text;	/* of the header, from where it is looked at */
};

static int cut_off(const struct reader *reader, const char *what)
{
	if (ferror(reader->file))
		return tool_error("%s: %s", reader->path, strerror(errno));
	return tool_error("%s: ends after %s bytes, in %s", reader->path,
			  tool_count(reader->at), what);
}

static int read_bytes(struct reader *reader, void *to, uint64_t bytes,
		      const char *what)
{
	uint64_t got;

	errno = EIO;
	got = fread(to, 1, bytes, reader->file);
	reader->at += got;
	return got == bytes ? TOOL_OK : cut_off(reader, what);
}

static int malformed(const struct reader *reader, const char *expected)
{
	return tool_error("%s: the header of a .npy file has %s, found \"%.20s\"",
			  reader->path, expected, reader->text);
}

static void skip_blanks(struct reader *reader)
{
	reader->text += strspn(reader->text, " \t\n");
}

/* Steps over this, behind blanks. */
static bool accept_word(struct reader *reader, const char *word)
{
	size_t length = strlen(word);

	skip_blanks(reader);
	if (strncmp(reader->text, word, length))
		return false;
	reader->text += length;
	return true;
}

static int read_type(struct reader *reader, struct header *header)
{
	size_t length;

	if (!accept_word(reader, "'"))
		return malformed(reader, "a plain type such as '<f4'");
	length = strcspn(reader->text, "'");
	if (reader->text[length] != '\'' || length >= sizeof(header->type))
		return malformed(reader, "a plain type such as '<f4'");
	memcpy(header->type, reader->text, length);
	reader->text += length + 1;
	return TOOL_OK;
}

static int read_order(struct reader *reader, struct header *header)
{
	header->fortran = accept_word(reader, "True");
	if (header->fortran || accept_word(reader, "False"))
		return TOOL_OK;
	return malformed(reader, "True or False for fortran_order");
}

static int read_extent(struct reader *reader, uint64_t *extent)
{
	char *end;

	skip_blanks(reader);
	if (*reader->text < '0' || *reader->text > '9')
		return malformed(reader, "a tuple of numbers for shape");
	errno = 0;
	*extent = strtoull(reader->text, &end, 10);
	if (errno)
		return malformed(reader, "a shape below 2^64");
	reader->text = end;
	return TOOL_OK;
}

static int read_shape(struct reader *reader, struct header *header)
{
	if (!accept_word(reader, "("))
		return malformed(reader, "a tuple of numbers for shape");
	while (!accept_word(reader, ")")) {
		if (header->nr_dims == MAX_DIMS)
			return malformed(reader, "at most 8 axes");
		if (read_extent(reader, &header->dims[header->nr_dims++]))
			return TOOL_FAILED;
		if (!accept_word(reader, ",") && *reader->text != ')')
			return malformed(reader, "commas in shape");
	}
	return TOOL_OK;
}

static int read_dictionary(struct reader *reader, struct header *header)
{
	bool type = false, order = false, shape = false;
	int ret = TOOL_OK;

	if (!accept_word(reader, "{"))
		return malformed(reader, "a dictionary");
	while (!ret && !accept_word(reader, "}")) {
		if (!type && accept_word(reader, "'descr':")) {
			type = true;
			ret = read_type(reader, header);
		} else if (!order && accept_word(reader, "'fortran_order':")) {
			order = true;
			ret = read_order(reader, header);
		} else if (!shape && accept_word(reader, "'shape':")) {
			shape = true;
			ret = read_shape(reader, header);
		} else {
			return malformed(reader, "descr, fortran_order and shape, each once");
		}
		skip_blanks(reader);
		if (!ret && !accept_word(reader, ",") && *reader->text != '}')
			return malformed(reader, "a comma behind each entry");
	}
	if (ret || (type && order && shape))
		return ret;
	return malformed(reader, "descr, fortran_order and shape, each once");
}

static int read_header(struct reader *reader, struct header *header)
{
	uint8_t magic[8], length[4] = { 0 };
	static char text[MAX_HEADER + 1];
	uint32_t bytes;

	if (read_bytes(reader, magic, sizeof(magic), "the magic number"))
		return TOOL_FAILED;
	if (memcmp(magic, "\x93NUMPY", 6))
		return tool_error("%s: does not begin as a .npy file does, with 93 'NUMPY'",
				  reader->path);
	if (magic[6] < 1 || magic[6] > 3)
		return tool_error("%s: .npy version %u, expected 1, 2 or 3",
				  reader->path, magic[6]);
	if (read_bytes(reader, length, magic[6] == 1 ? 2 : 4, "the header"))
		return TOOL_FAILED;
	bytes = (uint32_t)length[0] | (uint32_t)length[1] << 8 |
		(uint32_t)length[2] << 16 | (uint32_t)length[3] << 24;
	if (bytes > MAX_HEADER)
		return tool_error("%s: a header of %s bytes, expected %u at most",
				  reader->path, tool_count(bytes), MAX_HEADER);
	if (read_bytes(reader, text, bytes, "the header"))
		return TOOL_FAILED;
	text[bytes] = '\0';
	/* what the file holds must not reach a terminal as it is */
	for (uint32_t i = 0; i < bytes; i++) {
		if (text[i] == '\t' || text[i] == '\n')
			text[i] = ' ';
		else if (text[i] && (text[i] < ' ' || text[i] > '~'))
			text[i] = '?';
	}
	reader->text = text;
	return read_dictionary(reader, header);
}

/* "(3, 4)", static */
static const char *shape_text(const uint64_t *dims, unsigned int nr_dims)
{
	static char texts[2][200], *text;
	static unsigned int turn;
	size_t at = 1;

	text = texts[turn++ % 2];
	strcpy(text, "(");
	for (unsigned int i = 0; i < nr_dims; i++) {
		if (dims[i] == NPY_ANY)
			at += (size_t)sprintf(text + at, "%sN", i ? ", " : "");
		else
			at += (size_t)sprintf(text + at, "%s%" PRIu64,
					      i ? ", " : "", dims[i]);
	}
	strcpy(text + at, ")");
	return text;
}

static int check_header(const struct reader *reader, const struct header *header,
			const char *type, const uint64_t expected[2])
{
	if (strcmp(header->type, type))
		return tool_error("%s: elements of type '%s', expected '%s'",
				  reader->path, header->type, type);
	if (header->fortran)
		return tool_error("%s: in Fortran's order, expected C's, rows one behind another",
				  reader->path);
	for (unsigned int i = 0; i < 2; i++) {
		if (header->nr_dims != 2 || !header->dims[i] ||
		    header->dims[i] > UINT32_MAX ||
		    (expected[i] != NPY_ANY && header->dims[i] != expected[i]))
			return tool_error("%s: of shape %s, expected %s",
					  reader->path,
					  shape_text(header->dims, header->nr_dims),
					  shape_text(expected, 2));
	}
	return TOOL_OK;
}

static int check_floats(const struct reader *reader, const struct npy *npy)
{
	const float *values = npy->data;

	for (uint64_t i = 0; i < npy->rows * npy->columns; i++) {
		if (isfinite(values[i]))
			continue;
		return tool_error("%s: row %s, column %s is %s, expected a finite number",
				  reader->path, tool_count(i / npy->columns),
				  tool_count(i % npy->columns),
				  isnan(values[i]) ? "NaN" : "infinite");
	}
	return TOOL_OK;
}

/* Of a file its size must be right before there is memory for what it promises. */
static int check_size(const struct reader *reader, uint64_t bytes)
{
	struct stat st;

	if (fstat(fileno(reader->file), &st) || !S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size == reader->at + bytes)
		return TOOL_OK;
	return tool_error("%s: %s bytes behind the header, expected %s",
			  reader->path,
			  tool_count((uint64_t)st.st_size - reader->at),
			  tool_count(bytes));
}

static int read_matrix(struct reader *reader, const char *type,
		       const uint64_t expected[2], struct npy *npy)
{
	struct header header = { 0 };
	uint64_t bytes;

	if (read_header(reader, &header) ||
	    check_header(reader, &header, type, expected))
		return TOOL_FAILED;
	npy->rows = header.dims[0];
	npy->columns = header.dims[1];
	/* both are below 2^32, and an element has 4 bytes at most */
	if (__builtin_mul_overflow(npy->rows * npy->columns,
				   (uint64_t)(type[2] - '0'), &bytes))
		return tool_error("%s: %s elements are more than there is memory for",
				  reader->path,
				  tool_count(npy->rows * npy->columns));
	if (check_size(reader, bytes))
		return TOOL_FAILED;
	npy->data = malloc(bytes);
	if (!npy->data)
		return tool_error("%s: no memory for %s bytes", reader->path,
				  tool_count(bytes));
	if (read_bytes(reader, npy->data, bytes, "the elements"))
		return TOOL_FAILED;
	if (getc(reader->file) != EOF)
		return tool_error("%s: goes on behind its %s elements",
				  reader->path,
				  tool_count(npy->rows * npy->columns));
	return type[1] == 'f' ? check_floats(reader, npy) : TOOL_OK;
}

int npy_load(const char *path, const char *type, uint64_t rows, uint64_t columns,
	     struct npy *npy)
{
	struct reader reader = { .path = path, .file = fopen(path, "re") };
	uint64_t expected[2] = { rows, columns };
	int ret;

	*npy = (struct npy){ 0 };
	if (!reader.file)
		return tool_error("%s: %s", path, strerror(errno));
	ret = read_matrix(&reader, type, expected, npy);
	fclose(reader.file);
	if (ret) {
		free(npy->data);
		npy->data = NULL;
	}
	return ret;
}
