/* SPDX-License-Identifier: MIT */
/* Reductions of two vectors in memory of the host. */
#ifndef PIMDIMM_APPS_SDK_FOLD_H
#define PIMDIMM_APPS_SDK_FOLD_H

#include <stddef.h>

#include <pimdimm/pidcomm.h>

/* inout[i] = inout[i] op in[i], both of them aligned to their elements */
typedef void (*sdk_fold_fn)(void *restrict inout, const void *restrict in,
			    size_t count);

/* The loop for this CPU; NULL where the type or the operation is not served. */
sdk_fold_fn sdk_fold(enum pidcomm_type type, pidcomm_op op);
/* bytes of an element, 0 where the type is not served */
size_t sdk_element_bytes(enum pidcomm_type type);

#endif /* PIMDIMM_APPS_SDK_FOLD_H */
