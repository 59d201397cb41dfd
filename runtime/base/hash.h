/* SPDX-License-Identifier: MIT */
/* A checksum of files' contents: XXH64, which tells damage, but no forgery. */
#ifndef PD_HASH_H
#define PD_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t pd_hash(const void *data, size_t bytes, uint64_t seed);

#endif /* PD_HASH_H */
