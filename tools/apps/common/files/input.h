/* SPDX-License-Identifier: MIT */
/* The bytes of a file, whatever it is compressed with: gzip, zstd or nothing. */
#ifndef PIMDIMM_APPS_INPUT_H
#define PIMDIMM_APPS_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct app_input;

/*
 * A file, "-" for standard input. Returns 0; -errno after a message. Then, as
 * app_input_name() tells for messages, it is "standard input" or the path.
 */
int app_input_open(const char *path, struct app_input **input);
void app_input_close(struct app_input *input);

/*
 * The next bytes, at most `bytes` of them. Returns how many, 0 at the end, or -errno, for
 * which app_input_error() has a sentence.
 */
ssize_t app_input_read(struct app_input *input, void *to, size_t bytes);
/* How many bytes there are still, UINT64_MAX where that shows when they come. */
uint64_t app_input_left(const struct app_input *input);
const char *app_input_error(const struct app_input *input);
const char *app_input_name(const struct app_input *input);

#endif /* PIMDIMM_APPS_INPUT_H */
