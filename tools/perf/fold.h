/* SPDX-License-Identifier: MIT */
/*
 * A left fold of vectors in plain loops. 16-bit floats fold in fp32: the accumulator
 * is then twice as long as the vectors.
 */
#ifndef PIMDIMM_PERF_FOLD_H
#define PIMDIMM_PERF_FOLD_H

#include <stdint.h>

#include <pimdimm/pidcomm.h>

void perf_fold_first(enum pidcomm_type type, void *acc, const void *in,
		     uint64_t bytes);
void perf_fold_next(enum pidcomm_type type, pidcomm_op op, void *acc,
		    const void *in, uint64_t bytes);
void perf_fold_last(enum pidcomm_type type, void *out, const void *acc,
		    uint64_t bytes);
/* the bits of a small whole number, zero above the type's */
uint64_t perf_encode(enum pidcomm_type type, int value);

#endif /* PIMDIMM_PERF_FOLD_H */
