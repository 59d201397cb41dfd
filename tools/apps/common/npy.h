/* SPDX-License-Identifier: MIT */
/* NumPy's .npy files: matrices of numbers, which are read whole. */
#ifndef PIMDIMM_APPS_NPY_H
#define PIMDIMM_APPS_NPY_H

#include <stdint.h>

/* an extent that may be anything */
#define NPY_ANY	UINT64_MAX

struct npy {
	void *data;		/* rows one behind another; free() it */
	uint64_t rows, columns;
};

/*
 * Reads a matrix of elements of a type, as NumPy names it: "|i1", "<i2", "<i4" or "<f4".
 * Rows and columns are those expected, NPY_ANY, or UINT32_MAX at most. Returns TOOL_OK,
 * or TOOL_FAILED after a message with what was found and expected: another type, order
 * or shape, too few bytes or too many, a number that is none or infinite.
 */
int npy_load(const char *path, const char *type, uint64_t rows, uint64_t columns,
	     struct npy *npy);

#endif /* PIMDIMM_APPS_NPY_H */
