/* SPDX-License-Identifier: MIT */
/* IDX files, as MNIST and its kin come: arrays of bytes behind a short header. */
#ifndef PIMDIMM_APPS_MLP_IDX_H
#define PIMDIMM_APPS_MLP_IDX_H

#include <stdint.h>

#define IDX_MAX_AXES 3

struct idx {
	uint32_t dims[IDX_MAX_AXES];
	uint8_t *data;		/* the last axis the fastest; free() it */
};

/*
 * Reads unsigned bytes along so many axes; the file may be compressed. TOOL_OK, or
 * TOOL_FAILED after a message: another magic number, type or number of axes, an empty
 * axis, too few bytes or too many.
 */
int idx_load(const char *path, unsigned int axes, struct idx *idx);

#endif /* PIMDIMM_APPS_MLP_IDX_H */
