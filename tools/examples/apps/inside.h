/* SPDX-License-Identifier: MIT */
/* What the applications have of the library's sources: the nearest of some words, quotas. */
#ifndef PIMDIMM_INSIDE_H
#define PIMDIMM_INSIDE_H

#include "runtime/base/nearest.h"
#include "runtime/base/quota.h"

#endif /* PIMDIMM_INSIDE_H */
