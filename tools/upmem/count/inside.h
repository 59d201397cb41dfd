/* SPDX-License-Identifier: MIT */
/* The door to what pe-count takes of the library: the cost model's table. */
#ifndef COUNT_INSIDE_H
#define COUNT_INSIDE_H

#include <pimdimm/pimdimm.h>

#include "runtime/pe/shared/abi.h"
#include "runtime/pe/shared/cost.h"

#endif /* COUNT_INSIDE_H */
