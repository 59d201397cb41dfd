/* SPDX-License-Identifier: MIT */
/*
 * Which 64-bit values of a function have 64 bits on a DPU. Addresses have 32
 * there, and clang for x86-64 widens whatever feeds one: such values are told from
 * data by what they meet.
 */
#ifndef COUNT_WIDTH_H
#define COUNT_WIDTH_H

#include "tools/upmem/count/ir.h"

struct widths;

struct widths *widths_of(const struct function *f);
void widths_free(struct widths *w);

/* Whether the value that @i yields or, of a comparison, takes, is 64 bits of data. */
bool widths_is_wide(const struct widths *w, const struct instruction *i);

#endif /* COUNT_WIDTH_H */
