// SPDX-License-Identifier: MIT
/* Samples of a TSV file, or of a seed. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/files/lines.h"
#include "tools/apps/common/memory.h"
#include "tools/apps/common/parallel.h"
#include "tools/apps/common/progress.h"
#include "tools/apps/common/random.h"
#include "tools/apps/dlrm/samples.h"
#include "tools/tool.h"

/* of a line: a label, dense numbers, categories */
#define FIELDS (1 + DLRM_DENSE + DLRM_MAX_TABLES)

/* streams of random numbers */
#define STREAM_DENSE	0x637269u
#define STREAM_CATEGORY	(STREAM_DENSE + DLRM_DENSE)

static uint64_t categories_of_sample(const struct dlrm_samples *samples)
{
	return (uint64_t)DLRM_MAX_TABLES * samples->pooling;
}

static int samples_room(struct dlrm_samples *samples, uint64_t room)
{
	uint64_t bytes = 4 * (DLRM_DENSE + categories_of_sample(samples));
	uint32_t *categories;
	int32_t *dense;

	/* a packed file of some bytes may have samples beyond memory */
	if (room > app_memory_bound() / bytes)
		return -ENOMEM;
	dense = reallocarray(samples->dense, room, DLRM_DENSE * sizeof(*dense));
	if (!dense)
		return -ENOMEM;
	samples->dense = dense;
	categories = reallocarray(samples->categories, room,
				  categories_of_sample(samples) *
					  sizeof(*categories));
	if (!categories)
		return -ENOMEM;
	samples->categories = categories;
	samples->room = room;
	return 0;
}

int dlrm_samples_grow(struct dlrm_samples *samples)
{
	if (samples->count < samples->room)
		return 0;
	return samples_room(samples, samples->room ? 2 * samples->room : 4096);
}

void dlrm_samples_free(struct dlrm_samples *samples)
{
	free(samples->dense);
	free(samples->categories);
	*samples = (struct dlrm_samples){ 0 };
}

/* A field up to a tab or the end of the line. */
static struct field tab_field(const char **at)
{
	struct field field = { *at, strcspn(*at, "\t") };

	*at += field.length;
	return field;
}

static int wrong_field(const struct lines *lines, unsigned int column,
		       struct field field, const char *expected)
{
	lines_error(lines, "column %u: \"%.*s\", expected %s", column,
		    (int)(field.length < 40 ? field.length : 40), field.text,
		    expected);
	return TOOL_FAILED;
}

static bool read_whole(struct field field, int32_t *value)
{
	bool negative = field.length && *field.text == '-';
	uint64_t n;

	if (negative) {
		field.text++;
		field.length--;
	}
	if (!field_number(field, &n) || n > INT32_MAX)
		return false;
	*value = negative ? -(int32_t)n : (int32_t)n;
	return true;
}

static bool read_hexadecimal(struct field field, uint32_t *value)
{
	*value = 0;
	for (size_t i = 0; i < field.length; i++) {
		char c = field.text[i];
		uint32_t digit;

		if (c >= '0' && c <= '9')
			digit = (uint32_t)(c - '0');
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			digit = (uint32_t)((c | 32) - 'a') + 10;
		else
			return false;
		*value = *value << 4 | digit;
	}
	return field.length <= 8;
}

/* One field, column from 1. */
static int take_field(const struct lines *lines, unsigned int column,
		      struct field field, const uint32_t *rows,
		      struct dlrm_samples *samples)
{
	int32_t *dense = samples->dense + samples->count * DLRM_DENSE;
	uint32_t *categories = samples->categories +
			       samples->count * categories_of_sample(samples);
	unsigned int number = column - 2;
	uint32_t category;

	if (column == 1)
		return field.length == 1 && (*field.text == '0' || *field.text == '1') ?
			       TOOL_OK :
			       wrong_field(lines, column, field, "a label, 0 or 1");
	if (number < DLRM_DENSE) {
		dense[number] = DLRM_MISSING;
		return !field.length || read_whole(field, &dense[number]) ?
			       TOOL_OK :
			       wrong_field(lines, column, field,
					   "a whole number below 2^31, or nothing");
	}
	number -= DLRM_DENSE;
	if (!read_hexadecimal(field, &category))
		return wrong_field(lines, column, field,
				   "up to 8 hexadecimal digits, or nothing");
	categories[number] = category % rows[number];
	return TOOL_OK;
}

static int take_line(const struct lines *lines, const uint32_t *rows,
		     struct dlrm_samples *samples)
{
	const char *at = lines->text;
	unsigned int column = 1;

	for (;; column++, at++) {
		struct field field = tab_field(&at);

		if (column <= FIELDS &&
		    take_field(lines, column, field, rows, samples))
			return TOOL_FAILED;
		if (!*at)
			break;
	}
	if (column == FIELDS) {
		samples->count++;
		return TOOL_OK;
	}
	lines_error(lines, "column %u: the line has %u fields, expected %u",
		    column < FIELDS ? column : FIELDS + 1, column, FIELDS);
	return TOOL_FAILED;
}

static int read_lines(struct lines *lines, const uint32_t *rows, uint64_t most,
		      struct dlrm_samples *samples)
{
	int ret;

	while ((ret = lines_next(lines)) != 0) {
		if (ret < 0)
			return TOOL_FAILED;
		if (samples->count == most) {
			lines_error(lines, "more than %s samples",
				    tool_count(most));
			return TOOL_FAILED;
		}
		if (dlrm_samples_grow(samples))
			return tool_error("%s: no memory for more than %s samples",
					  lines->path,
					  tool_count(samples->count));
		if (take_line(lines, rows, samples))
			return TOOL_FAILED;
		app_progress(lines->path, samples->count, 0);
	}
	if (!samples->count)
		return tool_error("%s: has no samples", lines->path);
	return TOOL_OK;
}

int dlrm_read_tsv(const char *path, const uint32_t *rows, uint64_t most,
		  struct dlrm_samples *samples)
{
	struct lines *lines = calloc(1, sizeof(*lines));
	int ret = TOOL_FAILED;

	*samples = (struct dlrm_samples){ .pooling = 1 };
	if (!lines)
		return tool_error("%s: no memory", path);
	if (!lines_open(lines, path)) {
		ret = read_lines(lines, rows, most, samples);
		lines_close(lines);
	}
	free(lines);
	return ret;
}

struct make_job {
	struct dlrm_samples *samples;
	const uint32_t *rows;
	uint64_t seed;
};

/* Missing one time in eight, negative one time in 32, else mostly small. */
static int32_t random_dense(uint64_t bits)
{
	double u = app_random_unit(bits);

	if ((bits & 7) == 0)
		return DLRM_MISSING;
	if ((bits & 31) == 1)
		return -1;
	return (int32_t)(u * u * u * u * 10000);
}

/* The share of rows below i is that of u below (i / rows)^(1/4). */
static uint32_t random_category(uint64_t bits, uint32_t rows)
{
	double u = app_random_unit(bits);
	uint32_t row = (uint32_t)(u * u * u * u * rows);

	return row < rows ? row : rows - 1;
}

static void make_part(unsigned int part, unsigned int parts, void *arg)
{
	const struct make_job *job = arg;
	struct dlrm_samples *samples = job->samples;
	uint64_t end = app_part_first(samples->count, part + 1, parts);
	uint32_t pooling = samples->pooling;

	for (uint64_t i = app_part_first(samples->count, part, parts); i < end; i++) {
		uint32_t *to = samples->categories +
			       i * categories_of_sample(samples);

		for (uint32_t k = 0; k < DLRM_DENSE; k++)
			samples->dense[i * DLRM_DENSE + k] = random_dense(
				app_random(job->seed, STREAM_DENSE + k, i));
		for (uint32_t k = 0; k < DLRM_MAX_TABLES * pooling; k++)
			to[k] = random_category(
				app_random(job->seed,
					   STREAM_CATEGORY + k / pooling,
					   i * pooling + k % pooling),
				job->rows[k / pooling]);
	}
}

int dlrm_make_samples(uint64_t count, uint32_t pooling, const uint32_t *rows,
		      uint64_t seed, unsigned int threads,
		      struct dlrm_samples *samples)
{
	struct make_job job = { samples, rows, seed };

	*samples = (struct dlrm_samples){ .pooling = pooling };
	if (samples_room(samples, count))
		return -ENOMEM;
	samples->count = count;
	app_parallel(threads, make_part, &job);
	return 0;
}
