/* SPDX-License-Identifier: MIT */
/* What must come of a kernel, told element by element from its definition. */
#ifndef PIMDIMM_PERF_DATATYPES_TRUTH_H
#define PIMDIMM_PERF_DATATYPES_TRUTH_H

#include "tools/perf/suites/datatypes/kernels.h"

#define DDT_GAP	0x5a	/* of bytes of arrays that must stay */

/* with 8 lanes each byte is a row of those of eight PEs, in the array as in the stream */
void ddt_truth_pack(const struct ddt_kernel *k, int side, unsigned int lanes, const void *array,
		    void *stream);
void ddt_truth_unpack(const struct ddt_kernel *k, int side, unsigned int lanes, void *array,
		      const void *stream);
void ddt_truth_fill(void *to, uint64_t bytes, uint64_t seed);
/* floats, or halves of doubles, that are not the same */
uint64_t ddt_truth_wrong(const void *is, const void *expected, uint64_t bytes);
/* the same of a kernel's array, as far as it is used; and all of it a gap */
void ddt_truth_fill_array(const struct ddt_kernel *k, void *array, uint64_t seed);
void ddt_truth_clear_array(const struct ddt_kernel *k, void *array);
uint64_t ddt_truth_wrong_array(const struct ddt_kernel *k, const void *is, const void *expected);

#endif /* PIMDIMM_PERF_DATATYPES_TRUTH_H */
