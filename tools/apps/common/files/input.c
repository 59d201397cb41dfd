// SPDX-License-Identifier: MIT
/*
 * Reads a file, and unpacks it where its first bytes say that it is packed. Nothing is
 * read twice or sought, so that pipes serve as well; pieces that were packed apart and
 * put one behind another are one file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "tools/apps/common/files/input.h"
#include "tools/tool.h"

#define RAW_BYTES 65536
/* the first byte of each of gzip's pieces, and how many inflate() looks at before all else */
#define GZIP_MAGIC 0x1f
#define GZIP_MAGIC_BYTES 2

struct app_input {
	const char *name;
	int fd;
	/* what unpacks, NULL: nothing is packed */
	ssize_t (*unpack)(struct app_input *input, void *to, size_t bytes);
	size_t at, end;		/* of what was read of the file and not yet used */
	bool at_end;		/* nothing more is in the file */
	bool inside;		/* a packed piece has begun and not ended */
	bool unpacked;		/* one has ended */
	bool padded;		/* zeros have followed the last packed piece */
	z_stream gzip;
	ZSTD_DStream *zstd;
	char error[128];
	uint8_t raw[RAW_BYTES];
};

const char *app_input_error(const struct app_input *input)
{
	return input->error;
}

const char *app_input_name(const struct app_input *input)
{
	return input->name;
}

static int input_failed(struct app_input *input, int err, const char *sentence)
{
	snprintf(input->error, sizeof(input->error), "%s", sentence);
	return -err;
}

/* Makes sure that there is something to use, unless the file has ended. */
static int input_fill(struct app_input *input)
{
	ssize_t got;

	if (input->at < input->end || input->at_end)
		return 0;
	do {
		got = read(input->fd, input->raw, sizeof(input->raw));
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return input_failed(input, errno, strerror(errno));
	input->at = 0;
	input->end = (size_t)got;
	input->at_end = !got;
	return 0;
}

static ssize_t read_plain(struct app_input *input, void *to, size_t bytes)
{
	size_t there = input->end - input->at;

	bytes = bytes < there ? bytes : there;
	memcpy(to, input->raw + input->at, bytes);
	input->at += bytes;
	return (ssize_t)bytes;
}

static int cut_off(struct app_input *input)
{
	return input_failed(input, EINVAL, "the compressed file is cut off");
}

static int damaged(struct app_input *input)
{
	return input_failed(input, EINVAL, "the compressed file is damaged");
}

static int garbage(struct app_input *input)
{
	return input_failed(input, EINVAL,
			    "garbage follows the compressed data, which ends before it");
}

/*
 * Behind a piece of gzip's another one may begin. Zeros are what fills the last block of a
 * tape, which gzip passes over; anything else was never packed. True where a piece begins.
 */
static bool next_gzip(struct app_input *input)
{
	while (input->at < input->end && !input->raw[input->at]) {
		input->padded = true;
		input->at++;
	}
	return input->at < input->end && !input->padded &&
	       input->raw[input->at] == GZIP_MAGIC;
}

/* Some bytes of gzip's pieces, or 0 where more of the file is wanted first. */
static ssize_t unpack_gzip(struct app_input *input, void *to, size_t bytes)
{
	z_stream *z = &input->gzip;
	int ret;

	if (!input->inside && input->unpacked && !next_gzip(input))
		return input->at == input->end ? 0 : garbage(input);
	z->next_in = input->raw + input->at;
	z->avail_in = (unsigned int)(input->end - input->at);
	z->next_out = to;
	z->avail_out = bytes > UINT32_MAX ? UINT32_MAX : (unsigned int)bytes;
	bytes = z->avail_out;
	input->inside = true;
	ret = inflate(z, Z_NO_FLUSH);
	input->at = input->end - z->avail_in;
	if (ret == Z_MEM_ERROR)
		return input_failed(input, ENOMEM, "no memory to unpack it");
	if (ret == Z_STREAM_END) {
		input->inside = false;
		input->unpacked = true;
		inflateReset(z);
	} else if (ret != Z_OK && ret != Z_BUF_ERROR) {
		return input->unpacked && z->total_in <= GZIP_MAGIC_BYTES ?
			       garbage(input) : damaged(input);
	}
	return (ssize_t)(bytes - z->avail_out);
}

static ssize_t unpack_zstd(struct app_input *input, void *to, size_t bytes)
{
	ZSTD_inBuffer in = { input->raw, input->end, input->at };
	ZSTD_outBuffer out = { to, bytes, 0 };
	size_t ret = ZSTD_decompressStream(input->zstd, &out, &in);

	input->at = in.pos;
	if (ZSTD_getErrorCode(ret) == ZSTD_error_frameParameter_windowTooLarge)
		return input_failed(input, EINVAL,
				    "packed with zstd's --long: unpack it first, or pack it without");
	if (ZSTD_isError(ret))
		return damaged(input);
	/* 0: a piece has ended, and all of it was handed out */
	input->inside = ret;
	return (ssize_t)out.pos;
}

ssize_t app_input_read(struct app_input *input, void *to, size_t bytes)
{
	ssize_t got = 0;

	while (!got && bytes) {
		int ret = input_fill(input);

		if (ret)
			return ret;
		if (!input->unpack)
			return read_plain(input, to, bytes);
		if (input->at_end && !input->inside)
			return 0;
		got = input->unpack(input, to, bytes);
		if (!got && input->at_end && input->inside)
			return cut_off(input);
	}
	return got;
}

uint64_t app_input_left(const struct app_input *input)
{
	uint64_t buffered = input->end - input->at;
	struct stat st;
	off_t at;

	if (input->unpack || fstat(input->fd, &st) || !S_ISREG(st.st_mode))
		return UINT64_MAX;
	at = lseek(input->fd, 0, SEEK_CUR);
	if (at < 0)
		return UINT64_MAX;
	return buffered + (st.st_size > at ? (uint64_t)(st.st_size - at) : 0);
}

static int begin_gzip(struct app_input *input)
{
	/* 15 bits of window, 16 for gzip's header */
	if (inflateInit2(&input->gzip, 15 + 16) != Z_OK)
		return input_failed(input, ENOMEM, "no memory to unpack it");
	input->unpack = unpack_gzip;
	return 0;
}

static int begin_zstd(struct app_input *input)
{
	input->zstd = ZSTD_createDStream();
	if (!input->zstd || ZSTD_isError(ZSTD_initDStream(input->zstd)))
		return input_failed(input, ENOMEM, "no memory to unpack it");
	input->unpack = unpack_zstd;
	return 0;
}

/* By the first bytes; packers that are not read here get a word of their own. */
static int begin_unpacking(struct app_input *input)
{
	static const struct {
		const char *magic, *name;
		int (*begin)(struct app_input *input);
	} packers[] = {
		{ "\x1f\x8b", "gzip", begin_gzip },
		{ "\x28\xb5\x2f\xfd", "zstd", begin_zstd },
		{ "\xfd" "7zXZ", "xz", NULL },
		{ "BZh", "bzip2", NULL },
		{ "PK\x03\x04", "zip", NULL },
	};

	for (size_t i = 0; i < TOOL_COUNT(packers); i++) {
		size_t length = strlen(packers[i].magic);

		if (input->end < length ||
		    memcmp(input->raw, packers[i].magic, length))
			continue;
		if (packers[i].begin)
			return packers[i].begin(input);
		snprintf(input->error, sizeof(input->error),
			 "compressed with %s: unpack it first, or pack it with gzip or zstd",
			 packers[i].name);
		return -EINVAL;
	}
	return 0;
}

/* A pipe may hand out its first bytes one by one, so they are collected. */
static int read_first(struct app_input *input)
{
	ssize_t got = 1;

	while (input->end < 8 && got > 0) {
		got = read(input->fd, input->raw + input->end,
			   sizeof(input->raw) - input->end);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got < 0)
			return input_failed(input, errno, strerror(errno));
		else
			input->end += (size_t)got;
	}
	return begin_unpacking(input);
}

static int open_named(const char *path)
{
	if (!strcmp(path, "-"))
		return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	return open(path, O_RDONLY | O_CLOEXEC);
}

int app_input_open(const char *path, struct app_input **input)
{
	struct app_input *made = calloc(1, sizeof(*made));
	int err;

	if (!made) {
		tool_error("%s: no memory", path);
		return -ENOMEM;
	}
	made->name = strcmp(path, "-") ? path : "standard input";
	made->fd = open_named(path);
	if (made->fd >= 0)
		err = read_first(made);
	else
		err = input_failed(made, errno, strerror(errno));
	if (!err) {
		*input = made;
		return 0;
	}
	/* what is in a file has a line, the file itself has none */
	tool_error("%s%s %s", made->name, err == -EINVAL ? ":1:" : ":",
		   made->error);
	app_input_close(made);
	return err;
}

void app_input_close(struct app_input *input)
{
	if (!input)
		return;
	if (input->unpack == unpack_gzip)
		inflateEnd(&input->gzip);
	ZSTD_freeDStream(input->zstd);
	if (input->fd >= 0)
		close(input->fd);
	free(input);
}
