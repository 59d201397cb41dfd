/* SPDX-License-Identifier: MIT */
/*
 * Elements and their reductions, written to be obviously right and nothing
 * else. Must run in the default floating-point environment.
 */
#ifndef TESTS_NUMERIC_H
#define TESTS_NUMERIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pimdimm/pidcomm.h>

#define NUM_TYPES	12
#define NUM_OPS		10

size_t num_size(enum pidcomm_type type);
bool num_is_float(enum pidcomm_type type);
bool num_is_signed(enum pidcomm_type type);
bool num_is_bitwise(pidcomm_op op);
const char *num_type_name(enum pidcomm_type type);
const char *num_op_name(pidcomm_op op);
pidcomm_op num_op(unsigned index);

/* PIDCOMM_F16 and PIDCOMM_BF16 from and to fp32, rounding to nearest even. */
float num_widen(enum pidcomm_type type, uint16_t code);
uint16_t num_narrow(enum pidcomm_type type, float value);

/* Whether the element at @p, of any alignment, is a NaN of a float type. */
bool num_is_nan(enum pidcomm_type type, const void *p);

/*
 * Whether both arrays hold the same elements, any NaN being as good as another;
 * those that differ are copied to @want.
 */
bool num_settle(enum pidcomm_type type, uint8_t *want, const uint8_t *got,
		size_t bytes);

/*
 * The left fold of element @index over n vectors, for the ten built-in
 * operations; n is at least 2.
 */
void num_fold(enum pidcomm_type type, pidcomm_op op,
	      const uint8_t *const in[], size_t n, size_t index, void *out);

#endif
