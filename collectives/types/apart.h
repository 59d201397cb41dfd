/* SPDX-License-Identifier: MIT */
/* Whether a layout has any byte twice, and so may not receive. */
#ifndef PT_APART_H
#define PT_APART_H

#include "collectives/types/walk.h"

/* 0; -EINVAL and a sentence that calls the part `name`, or -ENOMEM */
int pt_check_apart(const struct pt_whole *whole, const char *name);

#endif /* PT_APART_H */
