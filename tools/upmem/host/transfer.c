// SPDX-License-Identifier: MIT
/*
 * Transfers: one buffer for all DPUs, or a prepared one for each. Buffers are
 * kept by place, which is how libpimdimm wants them.
 */
#include <stdlib.h>
#include <string.h>

#include <dpu_memory.h>
#include <pimdimm/report.h>

#include "tools/upmem/host/core/program.h"
#include "tools/upmem/host/core/queue.h"
#include "tools/upmem/host/core/range.h"

struct xfer_op {
	struct op op;
	dpu_xfer_t xfer;
	struct range range;
	const void *all;	/* the one buffer, or NULL */
	/* NULL: the ranks' prepared buffers; else those of its one rank */
	void **bufs;
	void *kept[];		/* the buffers of an asynchronous one */
};

static void **prepared(struct dpu_rank_t *rank)
{
	return op_owned(rank) ? rank->state->callback_matrix :
				rank->state->matrix;
}

static void *buffer_of(const struct xfer_op *x, struct dpu_rank_t *rank,
		       unsigned int place)
{
	if (!(rank->state->enabled >> place & 1))
		return NULL;
	if (x->op.on.dpu && place != dpu_place(x->op.on.dpu))
		return NULL;
	if (x->all)
		return (void *)(uintptr_t)x->all;
	return (x->bufs ? x->bufs : prepared(rank))[place];
}

static int move_mram(const struct xfer_op *x, uint32_t pe, uint32_t nr,
		     void *const bufs[])
{
	struct pimdimm *sys = members_system(&x->op.on);
	const struct range *range = &x->range;

	if (x->xfer == DPU_XFER_TO_DPU)
		return pimdimm_push(sys, pe, nr, range->offset,
				    (const void *const *)bufs, range->bytes);
	return pimdimm_pull(sys, pe, nr, range->offset, bufs, range->bytes);
}

/* ranks that follow each other in the system go in one call */
static int run_mram(const struct xfer_op *x)
{
	const struct members *on = &x->op.on;
	void **bufs = malloc(on->nr_ranks * RANK_DPUS * sizeof(*bufs));
	uint32_t first = 0;
	int ret = bufs ? 0 : -12;

	for (uint32_t r = 0; r < on->nr_ranks && !ret; r++) {
		uint32_t pe = on->ranks[r]->state->first_pe;

		for (unsigned int p = 0; p < RANK_DPUS; p++)
			bufs[(r - first) * RANK_DPUS + p] =
				buffer_of(x, on->ranks[r], p);
		if (r + 1 < on->nr_ranks &&
		    on->ranks[r + 1]->state->first_pe == pe + RANK_DPUS)
			continue;
		ret = move_mram(x, on->ranks[first]->state->first_pe,
				(r + 1 - first) * RANK_DPUS, bufs);
		first = r + 1;
	}
	free(bufs);
	return ret;
}

static int move_wram(const struct xfer_op *x, uint32_t pe, void *buf)
{
	struct pimdimm *sys = members_system(&x->op.on);
	const struct range *range = &x->range;

	if (x->xfer == DPU_XFER_TO_DPU)
		return pimdimm_wram_write(sys, pe, range->offset, buf,
					  range->bytes);
	return pimdimm_wram_read(sys, pe, range->offset, buf, range->bytes);
}

static int run_wram(const struct xfer_op *x)
{
	int ret = 0;

	for (uint32_t r = 0; r < x->op.on.nr_ranks; r++) {
		struct dpu_rank_t *rank = x->op.on.ranks[r];

		for (unsigned int p = 0; p < RANK_DPUS && !ret; p++) {
			void *buf = buffer_of(x, rank, p);

			if (buf)
				ret = move_wram(x, rank->state->first_pe + p,
						buf);
		}
	}
	return ret;
}

static dpu_error_t run_xfer(struct op *op)
{
	const struct xfer_op *x = (struct xfer_op *)op;
	dpu_error_t status;
	int ret;

	if (x->range.memory == MEMORY_IRAM)
		return host_fail(DPU_ERR_INVALID_IRAM_ACCESS,
				 "code cannot be transferred: it is not that of a DPU");
	status = x->range.memory == MEMORY_MRAM ? range_check_mram(&x->range, members_system(&x->op.on)) :
						  DPU_OK;
	if (status != DPU_OK)
		return status;
	pimdimm_report_enter(x->xfer == DPU_XFER_TO_DPU ?
				     PIMDIMM_REPORT_TO_PES :
				     PIMDIMM_REPORT_FROM_PES);
	if (!x->range.bytes)
		ret = 0;
	else
		ret = x->range.memory == MEMORY_WRAM ? run_wram(x) : run_mram(x);
	pimdimm_report_leave();
	return ret ? host_fail_errno(ret, "transfer") : DPU_OK;
}

static void free_xfer(struct op *op)
{
	free(op);
}

static enum job_type job_of(const struct xfer_op *x)
{
	static const enum job_type types[3][3] = {
		[MEMORY_WRAM] = { JOB_COPY_WRAM_TO_MATRIX,
				  JOB_COPY_WRAM_FROM_MATRIX,
				  JOB_COPY_WRAM_TO_RANK },
		[MEMORY_MRAM] = { JOB_COPY_MRAM_TO_MATRIX,
				  JOB_COPY_MRAM_FROM_MATRIX,
				  JOB_COPY_MRAM_TO_RANK },
		[MEMORY_IRAM] = { JOB_COPY_IRAM_TO_MATRIX,
				  JOB_COPY_IRAM_FROM_MATRIX,
				  JOB_COPY_IRAM_TO_RANK },
	};

	if (x->all && !x->op.on.dpu)
		return types[x->range.memory][2];
	return types[x->range.memory][x->xfer];
}

/* the part of a transfer that is for one rank, to be left to the queue */
static struct xfer_op *part_of(const struct xfer_op *x, struct dpu_rank_t *rank)
{
	struct xfer_op *part = calloc(1, sizeof(*part) +
						 RANK_DPUS * sizeof(void *));

	if (!part)
		return NULL;
	*part = *x;
	part->op.async = true;
	part->op.free = free_xfer;
	part->op.on.nr_ranks = 1;
	part->op.on.one = rank;
	part->op.on.ranks = &part->op.on.one;
	part->bufs = part->kept;
	for (unsigned int p = 0; p < RANK_DPUS; p++)
		part->kept[p] = buffer_of(x, rank, p);
	return part;
}

static dpu_error_t queue_parts(const struct xfer_op *x)
{
	dpu_error_t status = DPU_OK;

	for (uint32_t r = 0; r < x->op.on.nr_ranks && status == DPU_OK; r++) {
		struct xfer_op *part = part_of(x, x->op.on.ranks[r]);

		status = part ? op_queue(&part->op) :
				host_fail(DPU_ERR_SYSTEM,
					  "no memory for a transfer");
	}
	return status;
}

static dpu_error_t do_xfer(struct xfer_op *x, unsigned int flags)
{
	if (flags & DPU_XFER_PARALLEL && x->range.memory != MEMORY_WRAM)
		return host_fail(DPU_ERR_INVALID_PARALLEL_MEMORY_TRANSFER,
				 "DPU_XFER_PARALLEL of a symbol that is not in WRAM");
	x->op.run = run_xfer;
	x->op.type = job_of(x);
	if (x->op.on.dpu && !x->op.on.dpu->enabled)
		return host_fail(DPU_ERR_DPU_DISABLED, "DPU %#x is disabled",
				 dpu_get_id(x->op.on.dpu));
	return flags & DPU_XFER_ASYNC ? queue_parts(x) : op_do(&x->op);
}

DPU_API dpu_error_t dpu_prepare_xfer(struct dpu_set_t dpu_set, void *buffer)
{
	struct members on;
	dpu_error_t status = members_of(&dpu_set, &on);

	if (status != DPU_OK)
		return status;
	if (on.dpu && !on.dpu->enabled)
		return host_fail(DPU_ERR_DPU_DISABLED, "DPU %#x is disabled",
				 dpu_get_id(on.dpu));
	if (on.dpu) {
		prepared(on.one)[dpu_place(on.dpu)] = buffer;
		return DPU_OK;
	}
	for (uint32_t r = 0; r < on.nr_ranks; r++)
		for (unsigned int p = 0; p < RANK_DPUS; p++)
			if (on.ranks[r]->state->enabled >> p & 1)
				prepared(on.ranks[r])[p] = buffer;
	return DPU_OK;
}

static void forget_prepared(const struct members *on)
{
	for (uint32_t r = 0; r < on->nr_ranks; r++) {
		void **bufs = prepared(on->ranks[r]);

		if (on->dpu)
			bufs[dpu_place(on->dpu)] = NULL;
		else
			memset(bufs, 0, RANK_DPUS * sizeof(*bufs));
	}
}

static dpu_error_t push_prepared(struct xfer_op *x, struct dpu_symbol_t symbol,
				 uint32_t offset, size_t length, dpu_xfer_flags_t flags)
{
	dpu_error_t status;

	if (x->xfer != DPU_XFER_TO_DPU && x->xfer != DPU_XFER_FROM_DPU)
		return host_fail(DPU_ERR_INVALID_MEMORY_TRANSFER,
				 "xfer=%d: expected DPU_XFER_TO_DPU or DPU_XFER_FROM_DPU",
				 (int)x->xfer);
	status = range_of(symbol, offset, length, &x->range);
	if (status != DPU_OK)
		return status;
	status = do_xfer(x, flags);
	/* as UPMEM's does: NO_RESET together with ASYNC forgets them too */
	if (flags != DPU_XFER_NO_RESET)
		forget_prepared(&x->op.on);
	return status;
}

DPU_API dpu_error_t dpu_push_xfer_symbol(struct dpu_set_t dpu_set,
					 dpu_xfer_t xfer,
					 struct dpu_symbol_t symbol,
					 uint32_t symbol_offset, size_t length,
					 dpu_xfer_flags_t flags)
{
	struct xfer_op x = { .xfer = xfer };
	dpu_error_t status = members_of(&dpu_set, &x.op.on);

	if (status != DPU_OK)
		return status;
	return push_prepared(&x, symbol, symbol_offset, length, flags);
}

DPU_API dpu_error_t dpu_push_xfer(struct dpu_set_t dpu_set, dpu_xfer_t xfer,
				  const char *symbol_name,
				  uint32_t symbol_offset, size_t length,
				  dpu_xfer_flags_t flags)
{
	struct xfer_op x = { .xfer = xfer };
	struct dpu_symbol_t symbol;
	dpu_error_t status = members_of(&dpu_set, &x.op.on);

	if (status == DPU_OK)
		status = program_symbol(&x.op.on, symbol_name, &symbol);
	if (status != DPU_OK)
		return status;
	return push_prepared(&x, symbol, symbol_offset, length, flags);
}

static dpu_error_t one_buffer(struct xfer_op *x, struct dpu_symbol_t symbol,
			      uint32_t offset, const void *buf, size_t length,
			      unsigned int flags)
{
	dpu_error_t status = range_of(symbol, offset, length, &x->range);

	if (status != DPU_OK)
		return status;
	if (!buf && length)
		return host_fail(DPU_ERR_INVALID_MEMORY_TRANSFER,
				 "the buffer is NULL: expected %zu bytes", length);
	/* nothing is read of a buffer that has no bytes, but one there must be */
	x->all = buf ? buf : "";
	return do_xfer(x, flags);
}

DPU_API dpu_error_t dpu_broadcast_to_symbol(struct dpu_set_t dpu_set,
					    struct dpu_symbol_t symbol,
					    uint32_t symbol_offset,
					    const void *src, size_t length,
					    dpu_xfer_flags_t flags)
{
	struct xfer_op x = { .xfer = DPU_XFER_TO_DPU };
	dpu_error_t status = members_of(&dpu_set, &x.op.on);

	if (status != DPU_OK)
		return status;
	return one_buffer(&x, symbol, symbol_offset, src, length, flags);
}

DPU_API dpu_error_t dpu_broadcast_to(struct dpu_set_t dpu_set,
				     const char *symbol_name,
				     uint32_t symbol_offset, const void *src,
				     size_t length, dpu_xfer_flags_t flags)
{
	struct xfer_op x = { .xfer = DPU_XFER_TO_DPU };
	struct dpu_symbol_t symbol;
	dpu_error_t status = members_of(&dpu_set, &x.op.on);

	if (status == DPU_OK)
		status = program_symbol(&x.op.on, symbol_name, &symbol);
	if (status != DPU_OK)
		return status;
	return one_buffer(&x, symbol, symbol_offset, src, length, flags);
}

DPU_API dpu_error_t dpu_copy_to(struct dpu_set_t dpu_set,
				const char *symbol_name, uint32_t symbol_offset,
				const void *src, size_t length)
{
	return dpu_broadcast_to(dpu_set, symbol_name, symbol_offset, src,
				length, DPU_XFER_DEFAULT);
}

DPU_API dpu_error_t dpu_copy_to_symbol(struct dpu_set_t dpu_set,
				       struct dpu_symbol_t symbol,
				       uint32_t symbol_offset, const void *src,
				       size_t length)
{
	return dpu_broadcast_to_symbol(dpu_set, symbol, symbol_offset, src,
				       length, DPU_XFER_DEFAULT);
}

static dpu_error_t from_one(const struct dpu_set_t *set, struct xfer_op *x)
{
	dpu_error_t status = members_of(set, &x->op.on);

	if (status == DPU_OK && !x->op.on.dpu)
		return host_fail(DPU_ERR_INVALID_DPU_SET,
				 "a set of %u ranks: expected a single DPU",
				 x->op.on.nr_ranks);
	return status;
}

DPU_API dpu_error_t dpu_copy_from_symbol(struct dpu_set_t dpu_set,
					 struct dpu_symbol_t symbol,
					 uint32_t symbol_offset, void *dst,
					 size_t length)
{
	struct xfer_op x = { .xfer = DPU_XFER_FROM_DPU };
	dpu_error_t status = from_one(&dpu_set, &x);

	if (status != DPU_OK)
		return status;
	return one_buffer(&x, symbol, symbol_offset, dst, length, 0);
}

DPU_API dpu_error_t dpu_copy_from(struct dpu_set_t dpu_set,
				  const char *symbol_name,
				  uint32_t symbol_offset, void *dst,
				  size_t length)
{
	struct xfer_op x = { .xfer = DPU_XFER_FROM_DPU };
	struct dpu_symbol_t symbol;
	dpu_error_t status = from_one(&dpu_set, &x);

	if (status == DPU_OK)
		status = program_symbol(&x.op.on, symbol_name, &symbol);
	if (status != DPU_OK)
		return status;
	return one_buffer(&x, symbol, symbol_offset, dst, length, 0);
}
