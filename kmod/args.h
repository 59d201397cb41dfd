/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the ioctls take for an argument: the checks that need to know of the rank
 * nothing but its sizes. Here, apart from the calls, they can be tested alone.
 *
 * A flag or value that is not known comes before all else, so that who asks for
 * something new is told so.
 */
#ifndef PIMDIMM_ARGS_H
#define PIMDIMM_ARGS_H

#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/types.h>

#include "uapi/pimdimm.h"
#include "uapi/pimdimm_layout.h"

static inline int pimdimm_check_query(const struct pimdimm_query *arg)
{
	return arg->flags ? -EOPNOTSUPP : 0;
}

/**
 * pimdimm_check_xfer() - check a transfer, but for its addresses
 * @arg: the call's arguments
 * @mram_size: bytes of MRAM of a PE
 *
 * Return: 0 or a negative errno.
 */
static inline int pimdimm_check_xfer(const struct pimdimm_xfer *arg,
				     u64 mram_size)
{
	if (arg->flags & ~(PIMDIMM_XFER_FROM_MRAM | PIMDIMM_XFER_STRIDED))
		return -EOPNOTSUPP;
	if (!(arg->flags & PIMDIMM_XFER_STRIDED) && arg->stride)
		return -EINVAL;
	if ((arg->offset | arg->bytes) % PIMDIMM_WORD_BYTES)
		return -EINVAL;
	if (arg->offset > mram_size || arg->bytes > mram_size - arg->offset)
		return -EINVAL;
	return 0;
}

static inline int pimdimm_check_reset(const struct pimdimm_reset *arg)
{
	return arg->flags ? -EOPNOTSUPP : 0;
}

/**
 * pimdimm_check_export() - check what is to become a dma-buf
 * @arg: the call's arguments
 * @window_size: bytes of the rank's window
 *
 * Return: 0 or a negative errno.
 */
static inline int pimdimm_check_export(const struct pimdimm_export *arg,
				       u64 window_size)
{
	if (arg->flags)
		return -EOPNOTSUPP;
	if (arg->reserved)
		return -EINVAL;
	if (!PAGE_ALIGNED(arg->offset) || !PAGE_ALIGNED(arg->bytes))
		return -EINVAL;
	if (!arg->bytes || arg->offset > window_size ||
	    arg->bytes > window_size - arg->offset)
		return -EINVAL;
	return 0;
}

static inline int pimdimm_check_mux(const struct pimdimm_mux *arg)
{
	if (arg->flags)
		return -EOPNOTSUPP;
	if (arg->reserved)
		return -EINVAL;
	if (arg->owner != PIMDIMM_MUX_HOST && arg->owner != PIMDIMM_MUX_PES)
		return -EOPNOTSUPP;
	return 0;
}

static inline int pimdimm_check_touch(const struct pimdimm_touch *arg)
{
	if (arg->flags)
		return -EOPNOTSUPP;
	if (arg->words > 1ULL * PIMDIMM_RANK_PES * PIMDIMM_MRAM_MAX /
				 PIMDIMM_WORD_BYTES)
		return -EINVAL;
	return 0;
}

#endif /* PIMDIMM_ARGS_H */
