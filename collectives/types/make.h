/* SPDX-License-Identifier: MIT */
/* What all constructors check and how bounds come together. */
#ifndef PT_MAKE_H
#define PT_MAKE_H

#include "collectives/types/type.h"

int pt_check_made(struct pimtype **type);
/* bounds with those of `count` of a type from `at` on, where that has set ones; false
 * where a number reaches 2^63 */
bool pt_widen(struct pt_bounds *bounds, const struct pimtype *old, int64_t at,
	      uint64_t count);

#endif /* PT_MAKE_H */
