/* SPDX-License-Identifier: MIT */
/*
 * A left fold over pieces of host-domain elements: first(), next() for every
 * further member in rank order, last(). The accumulator is wider than the
 * pieces where elements are folded in a wider type.
 */
#ifndef PC_FOLD_H
#define PC_FOLD_H

#include "collectives/loops/loops.h"
#include "collectives/call/ops.h"

/* the largest piece, and what an accumulator for it takes */
#define PC_FOLD_BYTES		8192
#define PC_FOLD_ACC_BYTES	(2 * PC_FOLD_BYTES)

struct pc_fold {
	enum pidcomm_type type;
	const struct pc_user_op *user;	/* else a built-in one */
	pc_fold_fn fn;
	pc_reduce_fn reduce;	/* all at once, without a tile; or NULL */
	void (*widen)(float *dst, const uint16_t *src, size_t n);
	void (*narrow)(uint16_t *dst, const float *src, size_t n);
	/* elements straddle the bytes of a PIM-domain word: fold in the host
	 * domain. False where bytes are elements, in either domain */
	bool host_domain;
	bool exact;		/* every order of folding gives the same bits */
};

/* members: with one there is nothing to fold, and its data stays unchanged */
void pc_fold_init(struct pc_fold *fold, const struct pc_folds *folds,
		  enum pidcomm_type type, pidcomm_op op, uint32_t members);

void pc_fold_first(const struct pc_fold *fold, void *acc, const void *in,
		   size_t bytes);
void pc_fold_next(const struct pc_fold *fold, void *acc, const void *in,
		  size_t bytes);
/* `rows` pieces that lie one after the other, the very first ones or not */
void pc_fold_tile(const struct pc_fold *fold, void *acc, const uint8_t *tile,
		  unsigned int rows, size_t bytes, bool first);
/* the result as elements; out may be acc */
void pc_fold_last(const struct pc_fold *fold, void *out, const void *acc,
		  size_t bytes);

#endif /* PC_FOLD_H */
