// SPDX-License-Identifier: MIT
/* Reads IDX files, whose data grows as it comes: a header may promise anything. */
#include <stdbool.h>
#include <stdlib.h>

#include "tools/apps/common/files/input.h"
#include "tools/apps/common/memory.h"
#include "tools/apps/mlp/idx.h"
#include "tools/tool.h"

#define TYPE_BYTES	8	/* unsigned */
#define MAX_BYTES	(UINT64_C(1) << 32)
#define FIRST_ROOM	(UINT64_C(1) << 20)

/* Reads so many bytes, or those that there are: *got. */
static int read_some(struct app_input *input, uint8_t *to, uint64_t bytes,
		     uint64_t *got)
{
	*got = 0;
	while (*got < bytes) {
		ssize_t n = app_input_read(input, to + *got, bytes - *got);

		if (n < 0)
			return tool_error("%s: %s", app_input_name(input),
					  app_input_error(input));
		if (!n)
			break;
		*got += (uint64_t)n;
	}
	return TOOL_OK;
}

static int cut_off(struct app_input *input, uint64_t at, uint64_t expected)
{
	return tool_error("%s: ends after %s bytes, expected %s",
			  app_input_name(input), tool_count(at),
			  tool_count(expected));
}

static uint32_t big_endian(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
	       (uint32_t)bytes[2] << 8 | bytes[3];
}

static int read_magic(struct app_input *input, unsigned int axes)
{
	uint8_t magic[4];
	uint64_t got;

	if (read_some(input, magic, sizeof(magic), &got))
		return TOOL_FAILED;
	if (got < sizeof(magic))
		return cut_off(input, got, 4 + 4 * axes);
	if (magic[0] || magic[1])
		return tool_error("%s: begins with bytes %02x %02x, IDX files with 00 00",
				  app_input_name(input), magic[0], magic[1]);
	if (magic[2] != TYPE_BYTES)
		return tool_error("%s: elements of IDX type %02x, expected 08, unsigned bytes",
				  app_input_name(input), magic[2]);
	if (magic[3] != axes)
		return tool_error("%s: %u axes, expected %u",
				  app_input_name(input), magic[3], axes);
	return TOOL_OK;
}

static int read_dims(struct app_input *input, unsigned int axes, struct idx *idx,
		     uint64_t *bytes)
{
	uint8_t dims[4 * IDX_MAX_AXES];
	uint64_t got;

	if (read_some(input, dims, 4 * axes, &got))
		return TOOL_FAILED;
	if (got < 4 * axes)
		return cut_off(input, 4 + got, 4 + 4 * axes);
	*bytes = 1;
	for (unsigned int i = 0; i < axes; i++) {
		idx->dims[i] = big_endian(dims + 4 * i);
		if (!idx->dims[i])
			return tool_error("%s: axis %u has no elements",
					  app_input_name(input), i);
		*bytes = *bytes > MAX_BYTES / idx->dims[i] ?
				 UINT64_MAX : *bytes * idx->dims[i];
		if (*bytes > MAX_BYTES)
			return tool_error("%s: promises more than %s",
					  app_input_name(input),
					  tool_size(MAX_BYTES));
	}
	return TOOL_OK;
}

/* Room for so many bytes, where memory is not exceeded by them. */
static int idx_room(struct app_input *input, struct idx *idx, uint64_t room)
{
	uint8_t *grown;

	if (room > app_memory_bound())
		return tool_error("%s: %s bytes and more exceed three quarters of the %s of memory available",
				  app_input_name(input), tool_count(room),
				  tool_count(app_memory_available()));
	grown = realloc(idx->data, room);
	if (!grown)
		return tool_error("%s: no memory for %s bytes",
				  app_input_name(input), tool_count(room));
	idx->data = grown;
	return TOOL_OK;
}

static int read_data(struct app_input *input, uint64_t bytes, uint64_t header,
		     struct idx *idx)
{
	uint64_t left = app_input_left(input), room = 0, at = 0, got;
	uint8_t more;

	/* of a file its size tells at once */
	if (left < bytes)
		return cut_off(input, header + left, header + bytes);
	while (at < bytes) {
		uint64_t next = room ? 2 * room : FIRST_ROOM;

		room = next < bytes ? next : bytes;
		if (idx_room(input, idx, room) ||
		    read_some(input, idx->data + at, room - at, &got))
			return TOOL_FAILED;
		at += got;
		if (at < room)
			return cut_off(input, header + at, header + bytes);
	}
	if (read_some(input, &more, 1, &got))
		return TOOL_FAILED;
	return !got ? TOOL_OK :
	       tool_error("%s: goes on behind the %s bytes that it promises",
			  app_input_name(input), tool_count(bytes));
}

int idx_load(const char *path, unsigned int axes, struct idx *idx)
{
	struct app_input *input;
	uint64_t bytes = 0;
	int ret;

	*idx = (struct idx){ .data = NULL };
	if (app_input_open(path, &input))
		return TOOL_FAILED;
	ret = read_magic(input, axes);
	if (!ret)
		ret = read_dims(input, axes, idx, &bytes);
	if (!ret)
		ret = read_data(input, bytes, 4 + 4 * axes, idx);
	app_input_close(input);
	if (ret) {
		free(idx->data);
		idx->data = NULL;
	}
	return ret;
}
