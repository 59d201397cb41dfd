// SPDX-License-Identifier: MIT
/* A left fold over pieces: by a loop, in a wider type, or by a user's operation. */
#include "runtime/watch/count.h"
#include "collectives/call/fold.h"

static bool is_exact(enum pidcomm_type type, pidcomm_op op)
{
	unsigned int index;

	if (!pc_op_builtin(op, &index))
		return false;
	return type < PIDCOMM_F16 || (type >= PIDCOMM_F32 &&
				      (op == PIDCOMM_LAND || op == PIDCOMM_LOR ||
				       op == PIDCOMM_LXOR));
}

void pc_fold_init(struct pc_fold *fold, const struct pc_folds *folds,
		  enum pidcomm_type type, pidcomm_op op, uint32_t members)
{
	unsigned int index;

	*fold = (struct pc_fold){ .type = type, .exact = is_exact(type, op) };
	if (members == 1)
		return;
	if (!pc_op_builtin(op, &index)) {
		fold->user = pc_op_user(op);
		fold->host_domain = true;
		return;
	}
	fold->fn = folds->fold[type][index];
	fold->reduce = folds->reduces->reduce[type][index];
	fold->host_domain = pc_type_size(type) > 1;
	if (type == PIDCOMM_F16) {
		fold->widen = folds->widen_f16;
		fold->narrow = folds->narrow_f16;
	} else if (type == PIDCOMM_BF16) {
		fold->widen = folds->widen_bf16;
		fold->narrow = folds->narrow_bf16;
	}
}

void pc_fold_first(const struct pc_fold *fold, void *acc, const void *in,
		   size_t bytes)
{
	if (fold->widen)
		fold->widen(acc, in, bytes / 2);
	else
		pd_copy(acc, in, bytes);
}

/* what the function does besides is its own affair and not counted */
static void call_user(const struct pc_fold *fold, void *acc, const void *in,
		      size_t bytes)
{
	struct pd_counting before;

	pd_touch_read(in, bytes);
	before = pd_counting_enter(NULL, NULL);
	fold->user->fn(acc, in, bytes / pc_type_size(fold->type), fold->type,
		       fold->user->ctx);
	pd_counting_leave(before);
}

void pc_fold_next(const struct pc_fold *fold, void *acc, const void *in,
		  size_t bytes)
{
	if (fold->user) {
		call_user(fold, acc, in, bytes);
	} else if (fold->widen) {
		float wide[PC_FOLD_BYTES / 2];

		fold->widen(wide, in, bytes / 2);
		fold->fn(acc, wide, 2 * bytes);
	} else {
		fold->fn(acc, in, bytes);
	}
}

void pc_fold_tile(const struct pc_fold *fold, void *acc, const uint8_t *tile,
		  unsigned int rows, size_t bytes, bool first)
{
	for (unsigned int j = 0; j < rows; j++) {
		if (first && !j)
			pc_fold_first(fold, acc, tile, bytes);
		else
			pc_fold_next(fold, acc, tile + bytes * j, bytes);
	}
}

void pc_fold_last(const struct pc_fold *fold, void *out, const void *acc,
		  size_t bytes)
{
	if (fold->narrow)
		fold->narrow(out, acc, bytes / 2);
	else if (out != acc)
		pd_copy(out, acc, bytes);
}
