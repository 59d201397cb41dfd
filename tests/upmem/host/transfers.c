// SPDX-License-Identifier: MIT
/* Prepared buffers: when they are kept, who has none, what lengths do. */
#include <string.h>

#include "check.h"

#define NR	20
#define HEAP	DPU_MRAM_HEAP_POINTER_NAME

static struct dpu_set_t set;

static void prepare(uint64_t bufs[])
{
	struct dpu_set_t dpu;
	uint32_t i;

	DPU_FOREACH(set, dpu, i)
		OK(dpu_prepare_xfer(dpu, &bufs[i]));
}

static void pull(uint64_t bufs[], uint32_t offset)
{
	prepare(bufs);
	OK(dpu_push_xfer(set, DPU_XFER_FROM_DPU, HEAP, offset, 8,
			 DPU_XFER_DEFAULT));
}

/* DPU_XFER_NO_RESET keeps them, everything else forgets them */
static void kept(dpu_xfer_flags_t flags, bool expected)
{
	uint64_t in[NR], out[NR], zero = 0;

	OK(dpu_broadcast_to(set, HEAP, 0, &zero, 8, DPU_XFER_DEFAULT));
	for (int i = 0; i < NR; i++)
		in[i] = 1000 + i;
	prepare(in);
	OK(dpu_push_xfer(set, DPU_XFER_TO_DPU, HEAP, 8, 8, flags));
	OK(dpu_push_xfer(set, DPU_XFER_TO_DPU, HEAP, 0, 8, DPU_XFER_DEFAULT));
	OK(dpu_sync(set));
	pull(out, 0);
	for (int i = 0; i < NR; i++)
		CHECK(out[i] == (expected ? in[i] : 0));
	pull(out, 8);
	CHECK(!memcmp(in, out, sizeof(in)));
}

/* without a buffer a DPU is left out; a second prepare wins and is no error */
static void left_out(void)
{
	uint64_t mark = 77, in[NR], out[NR];
	struct dpu_set_t dpu;
	uint32_t i;

	OK(dpu_broadcast_to(set, HEAP, 0, &mark, 8, DPU_XFER_DEFAULT));
	OK(dpu_prepare_xfer(set, &mark));
	DPU_FOREACH(set, dpu, i) {
		in[i] = i;
		OK(dpu_prepare_xfer(dpu, i % 3 ? &in[i] : NULL));
	}
	OK(dpu_push_xfer(set, DPU_XFER_TO_DPU, HEAP, 0, 8, DPU_XFER_DEFAULT));
	pull(out, 0);
	for (i = 0; i < NR; i++)
		CHECK(out[i] == (i % 3 ? i : mark));
}

/* the slot of a single DPU only */
static void one_slot(void)
{
	uint64_t in[NR], out[NR], zero = 0;
	struct dpu_set_t dpu;
	uint32_t i;

	OK(dpu_copy_to(set, HEAP, 0, &zero, 8));
	for (i = 0; i < NR; i++)
		in[i] = i + 1;
	prepare(in);
	DPU_FOREACH(set, dpu, i)
		if (i == 4)
			OK(dpu_push_xfer(dpu, DPU_XFER_TO_DPU, HEAP, 0, 8,
					 DPU_XFER_DEFAULT));
	DPU_FOREACH(set, dpu, i) {
		OK(dpu_copy_from(dpu, HEAP, 0, &out[0], 8));
		CHECK(out[0] == (i == 4 ? in[4] : 0));
	}
}

/* buffers of any alignment, shared ones, bytes of neighbours untouched */
static void odd_buffers(void)
{
	static char in[NR * 4099 + 16], out[NR * 4099 + 16], shared[4096];
	struct dpu_set_t dpu;
	uint32_t i;

	for (size_t b = 0; b < sizeof(in); b++)
		in[b] = (char)(b * 37);
	DPU_FOREACH(set, dpu, i)
		OK(dpu_prepare_xfer(dpu, in + 4099 * i));
	OK(dpu_push_xfer(set, DPU_XFER_TO_DPU, HEAP, 4096, 4096,
			 DPU_XFER_DEFAULT));
	DPU_FOREACH(set, dpu, i)
		OK(dpu_prepare_xfer(dpu, out + 4099 * i));
	OK(dpu_push_xfer(set, DPU_XFER_FROM_DPU, HEAP, 4096, 4096,
			 DPU_XFER_DEFAULT));
	for (i = 0; i < NR; i++) {
		CHECK(!memcmp(in + 4099 * i, out + 4099 * i, 4096));
		CHECK(!out[4099 * i + 4096] && !out[4099 * i + 4098]);
	}
	OK(dpu_prepare_xfer(set, shared));
	OK(dpu_push_xfer(set, DPU_XFER_FROM_DPU, HEAP, 4096, 4096,
			 DPU_XFER_DEFAULT));
}

static void wram(void)
{
	uint64_t in[NR], out[NR], all = 5;
	struct dpu_set_t dpu;
	uint32_t i;

	OK(dpu_broadcast_to(set, "word", 0, &all, 8, DPU_XFER_DEFAULT));
	for (i = 0; i < NR; i++)
		in[i] = (uint64_t)i << 40 | 3;
	prepare(in);
	OK(dpu_push_xfer(set, DPU_XFER_TO_DPU, "word", 4, 4, DPU_XFER_DEFAULT));
	prepare(out);
	OK(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "word", 0, 8,
			 DPU_XFER_DEFAULT));
	for (i = 0; i < NR; i++)
		CHECK(out[i] == (5 | (in[i] & 0xffffffff) << 32));
	DPU_FOREACH(set, dpu, i) {
		OK(dpu_copy_from(dpu, "word", 0, &out[0], 8));
		CHECK(out[0] == out[i] || i == 0);
	}
}

static void parallel(void)
{
	uint64_t in = 77, out = 0;

	OK(dpu_prepare_xfer(set, &in));
	OK(dpu_push_xfer(set, DPU_XFER_TO_DPU, "word", 0, 8, DPU_XFER_PARALLEL));
	OK(dpu_prepare_xfer(set, &out));
	OK(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "word", 0, 8,
			 DPU_XFER_PARALLEL));
	CHECK(out == 77);
	OK(dpu_prepare_xfer(set, &in));
	FAILS(DPU_ERR_INVALID_PARALLEL_MEMORY_TRANSFER,
	      dpu_push_xfer(set, DPU_XFER_TO_DPU, HEAP, 0, 8,
			    DPU_XFER_PARALLEL));
	OK(dpu_prepare_xfer(set, NULL));
}

int main(void)
{
	OK(dpu_alloc(NR, NULL, &set));
	OK(dpu_load(set, "errors.dpu", NULL));
	kept(DPU_XFER_DEFAULT, false);
	kept(DPU_XFER_NO_RESET, true);
	kept(DPU_XFER_ASYNC, false);
	parallel();
	kept((dpu_xfer_flags_t)(DPU_XFER_NO_RESET | DPU_XFER_ASYNC), false);
	left_out();
	one_slot();
	odd_buffers();
	wram();
	OK(dpu_free(set));
	return check_result();
}
