/* SPDX-License-Identifier: MIT */
/* Types and operations by name and by number. */
#ifndef PC_OPS_H
#define PC_OPS_H

#include <pimdimm/pidcomm.h>

#include "collectives/loops/loops.h"

/* a user-defined operation */
struct pc_user_op {
	pidcomm_op handle;
	pidcomm_op_fn fn;
	void *ctx;
};

/* bytes of an element */
unsigned int pc_type_size(enum pidcomm_type type);
/* "i8", ..., "f64" */
const char *pc_type_name(enum pidcomm_type type);
/* "sum", ..., or "user" */
const char *pc_op_name(pidcomm_op op);

/* whether it is a built-in one; index is then its row of pc_folds.fold */
bool pc_op_builtin(pidcomm_op op, unsigned int *index);
/* the user-defined one of this handle; NULL: none lives */
const struct pc_user_op *pc_op_user(pidcomm_op op);
/* -EINVAL and a sentence for an unknown type or operation, or both together */
int pc_op_check(enum pidcomm_type type, pidcomm_op op);

#endif /* PC_OPS_H */
