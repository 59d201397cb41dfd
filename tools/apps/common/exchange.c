// SPDX-License-Identifier: MIT
/* Calls collectives for applications, and says which failed. */
#include <stdlib.h>
#include <string.h>

#include "tools/apps/common/exchange.h"

static int exchanged(struct app_context *ctx, const char *name, int ret)
{
	if (ret)
		return app_failed(name);
	if (ctx->exchanged)
		ctx->exchanged(ctx, ctx->exchanged_arg);
	return TOOL_OK;
}

/* What the library sees as two transfers becomes a row as its own collectives have. */
static int report_sdk(const struct app_context *ctx, const struct sdk_call *call)
{
	struct pimdimm_report_row row = {
		.size = sizeof(row),
		.kind = PIMDIMM_REPORT_COLLECTIVE,
		.calls = 1,
		.mram_bytes = ctx->sdk.mram_bytes,
		.host_bytes = ctx->sdk.host_bytes,
		/* whole entangled groups have whole words: bursts carry nothing else */
		.bus_bytes = ctx->sdk.mram_bytes,
	};

	snprintf(row.name, sizeof(row.name), "%s", sdk_name(call->collective));
	snprintf(row.axes, sizeof(row.axes), "%s", call->axes);
	snprintf(row.algorithm, sizeof(row.algorithm), "%s", APP_SDK);
	return pimdimm_report_add(&row);
}

/* By the opponent: staging memory, which it keeps, is had before time is taken. */
static int exchange_sdk(struct app_context *ctx, const struct sdk_call *call)
{
	const char *name = sdk_name(call->collective);
	int ret = sdk_prepare(&ctx->sdk, call);

	if (!ret) {
		/* its transfers are how it is done, and no rows of their own */
		pimdimm_report_enter(PIMDIMM_REPORT_COLLECTIVE);
		ret = sdk_run(&ctx->sdk, call);
		if (!ret)
			ret = report_sdk(ctx, call);
		pimdimm_report_leave();
	}
	if (ret && ctx->sdk.reason)
		return tool_error("%s: %s", name, ctx->sdk.reason);
	return exchanged(ctx, name, ret);
}

int app_alltoall(struct app_context *ctx, const char *axes, uint64_t bytes,
		 uint64_t src, uint64_t dst)
{
	const struct sdk_call call = {
		SDK_ALLTOALL, axes, bytes, .src = src, .dst = dst,
	};

	return ctx->by_sdk ? exchange_sdk(ctx, &call) :
	       exchanged(ctx, "alltoall", pidcomm_alltoall(ctx->cube, axes, bytes, src, dst));
}

int app_reduce_scatter(struct app_context *ctx, const char *axes, uint64_t bytes,
		       uint64_t src, uint64_t dst, enum pidcomm_type type,
		       pidcomm_op op)
{
	const struct sdk_call call = {
		SDK_REDUCE_SCATTER, axes, bytes, .src = src, .dst = dst, .type = type, .op = op,
	};

	return ctx->by_sdk ? exchange_sdk(ctx, &call) :
	       exchanged(ctx, "reduce_scatter", pidcomm_reduce_scatter(ctx->cube, axes, bytes, src, dst,
							type, op));
}

int app_allreduce(struct app_context *ctx, const char *axes, uint64_t bytes,
		  uint64_t src, uint64_t dst, enum pidcomm_type type, pidcomm_op op)
{
	const struct sdk_call call = {
		SDK_ALLREDUCE, axes, bytes, .src = src, .dst = dst, .type = type, .op = op,
	};

	return ctx->by_sdk ? exchange_sdk(ctx, &call) :
	       exchanged(ctx, "allreduce", pidcomm_allreduce(ctx->cube, axes, bytes, src, dst,
						   type, op));
}

int app_allgather(struct app_context *ctx, const char *axes, uint64_t bytes,
		  uint64_t src, uint64_t dst)
{
	const struct sdk_call call = {
		SDK_ALLGATHER, axes, bytes, .src = src, .dst = dst,
	};

	return ctx->by_sdk ? exchange_sdk(ctx, &call) :
	       exchanged(ctx, "allgather", pidcomm_allgather(ctx->cube, axes, bytes, src, dst));
}

int app_scatter(struct app_context *ctx, const char *axes, uint64_t bytes,
		const void *const bufs[], uint64_t dst)
{
	const struct sdk_call call = {
		SDK_SCATTER, axes, bytes, .dst = dst, .from = bufs,
	};

	return ctx->by_sdk ? exchange_sdk(ctx, &call) :
	       exchanged(ctx, "scatter", pidcomm_scatter(ctx->cube, axes, bytes, bufs, dst));
}

int app_gather(struct app_context *ctx, const char *axes, uint64_t bytes,
	       uint64_t src, void *const bufs[])
{
	const struct sdk_call call = {
		SDK_GATHER, axes, bytes, .src = src, .to = bufs,
	};

	return ctx->by_sdk ? exchange_sdk(ctx, &call) :
	       exchanged(ctx, "gather", pidcomm_gather(ctx->cube, axes, bytes, src, bufs));
}

int app_reduce(struct app_context *ctx, const char *axes, uint64_t bytes,
	       uint64_t src, void *const bufs[], enum pidcomm_type type,
	       pidcomm_op op)
{
	const struct sdk_call call = {
		SDK_REDUCE, axes, bytes, .src = src, .to = bufs, .type = type, .op = op,
	};

	return ctx->by_sdk ? exchange_sdk(ctx, &call) :
	       exchanged(ctx, "reduce", pidcomm_reduce(ctx->cube, axes, bytes, src, bufs,
						type, op));
}

int app_broadcast(struct app_context *ctx, const char *axes, uint64_t bytes,
		  const void *const bufs[], uint64_t dst)
{
	const struct sdk_call call = {
		SDK_BROADCAST, axes, bytes, .dst = dst, .from = bufs,
	};

	return ctx->by_sdk ? exchange_sdk(ctx, &call) :
	       exchanged(ctx, "broadcast", pidcomm_broadcast(ctx->cube, axes, bytes, bufs, dst));
}

/* a '1' for every axis */
static const char *all_axes(const struct app_context *ctx)
{
	static const char ones[] = "111";

	return ones + (APP_MAX_AXES - ctx->plan.ndims);
}

int app_broadcast_all(struct app_context *ctx, uint64_t bytes, const void *buf,
		      uint64_t dst)
{
	return app_broadcast(ctx, all_axes(ctx), bytes, &buf, dst);
}

int app_scatter_all(struct app_context *ctx, uint64_t bytes, const void *buf,
		    uint64_t dst)
{
	return app_scatter(ctx, all_axes(ctx), bytes, &buf, dst);
}

int app_gather_all(struct app_context *ctx, uint64_t bytes, uint64_t src, void *buf)
{
	return app_gather(ctx, all_axes(ctx), bytes, src, &buf);
}

int app_reduce_all(struct app_context *ctx, uint64_t bytes, uint64_t src, void *buf,
		   enum pidcomm_type type, pidcomm_op op)
{
	return app_reduce(ctx, all_axes(ctx), bytes, src, &buf, type, op);
}

uint64_t app_slice_bytes(uint64_t elements, uint64_t element_bytes)
{
	return app_round_up(app_times(elements, element_bytes), 8);
}

/* The array's elements of one PE, where they begin and how many. */
static uint64_t slice_of(uint64_t count, uint64_t slice, uint32_t pe,
			 uint64_t *first)
{
	*first = slice * pe < count ? slice * pe : count;
	return count - *first < slice ? count - *first : slice;
}

int app_scatter_slices(struct app_context *ctx, const void *array, uint64_t count,
		       uint64_t slice, uint64_t element_bytes, uint64_t dst)
{
	uint64_t bytes = app_slice_bytes(slice, element_bytes), first, n;
	uint8_t *padded = calloc(ctx->nr_pes, bytes ? bytes : 8);
	int ret;

	if (!padded)
		return app_no_memory("scatter");
	for (uint32_t pe = 0; pe < ctx->nr_pes; pe++) {
		n = slice_of(count, slice, pe, &first);
		if (n)
			memcpy(padded + pe * bytes,
			       (const uint8_t *)array + first * element_bytes,
			       n * element_bytes);
	}
	ret = app_scatter_all(ctx, bytes, padded, dst);
	free(padded);
	return ret;
}

int app_gather_slices(struct app_context *ctx, void *array, uint64_t count,
		      uint64_t slice, uint64_t element_bytes, uint64_t src)
{
	uint64_t bytes = app_slice_bytes(slice, element_bytes), first, n;
	uint8_t *padded = calloc(ctx->nr_pes, bytes ? bytes : 8);
	int ret;

	if (!padded)
		return app_no_memory("gather");
	ret = app_gather_all(ctx, bytes, src, padded);
	for (uint32_t pe = 0; !ret && pe < ctx->nr_pes; pe++) {
		n = slice_of(count, slice, pe, &first);
		if (n)
			memcpy((uint8_t *)array + first * element_bytes,
			       padded + pe * bytes, n * element_bytes);
	}
	free(padded);
	return ret;
}
