/* SPDX-License-Identifier: MIT */
/* Small things that more than one folder wants and none owns. */
#ifndef PD_UTIL_H
#define PD_UTIL_H

#include <stddef.h>
#include <stdint.h>

/* the least multiple of `to` that is not below `n` */
static inline uint64_t pd_round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/*
 * The whole of a regular file of 1 to `most` bytes, in memory of the caller's to
 * free, so that nobody can cut it short under its reader. Returns 0 or an errno:
 * ENOEXEC where it is no such file, ENOMEM where there is no memory for so many
 * `bytes`, or what reading it said.
 */
int pd_read_file(int fd, size_t most, uint8_t **data, size_t *bytes);

/* 0 or an errno; EFBIG where it is more than RLIMIT_FSIZE lets the file have */
int pd_write_all(int fd, const char *text, size_t bytes);

/*
 * The path from the root, in memory of the caller's to free, for whoever uses it when
 * the process may be in another folder; NULL: there is no memory. It is as it was where
 * the folder has no name any more.
 */
char *pd_absolute_path(const char *path);

#endif /* PD_UTIL_H */
