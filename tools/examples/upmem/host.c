// SPDX-License-Identifier: MIT
/*
 * The host's part of a UPMEM program, as it is written for hardware: dot products,
 * one a DPU, of vectors that lie in MRAM.
 *
 *     eval "$(pimdimm compat --env)"	# dpu-upmem-dpurte-clang, dpu-pkg-config
 *     make upmem/host upmem/dpu && ./upmem/host
 *
 * DPU_ASSERT() ends the program with a line that says which call failed, and why.
 */
#include <dpu.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#define DPUS 64
#define LENGTH 1024	/* as in dpu.c */

static int32_t a[DPUS][LENGTH], b[DPUS][LENGTH];

/* Moves an array's part of each DPU to its MRAM. */
static void push(struct dpu_set_t set, const char *symbol,
		 int32_t parts[DPUS][LENGTH])
{
	struct dpu_set_t dpu;
	uint32_t i;

	DPU_FOREACH(set, dpu, i)
		DPU_ASSERT(dpu_prepare_xfer(dpu, parts[i]));
	DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_TO_DPU, symbol, 0,
				 sizeof(parts[0]), DPU_XFER_DEFAULT));
}

static int64_t expected(int dpu)
{
	int64_t product = 0;

	for (int i = 0; i < LENGTH; i++)
		product += (int64_t)a[dpu][i] * b[dpu][i];
	return product;
}

int main(int argc, char **argv)
{
	struct dpu_set_t set, dpu;
	int64_t products[DPUS];
	int wrong = 0;
	uint32_t i;

	for (int d = 0; d < DPUS; d++)
		for (int n = 0; n < LENGTH; n++) {
			a[d][n] = d + n;
			b[d][n] = d - n;
		}
	DPU_ASSERT(dpu_alloc(DPUS, NULL, &set));
	DPU_ASSERT(dpu_load(set, argc > 1 ? argv[1] : "upmem/dpu", NULL));
	push(set, "a", a);
	push(set, "b", b);
	DPU_ASSERT(dpu_launch(set, DPU_SYNCHRONOUS));
	DPU_FOREACH(set, dpu, i)
		DPU_ASSERT(dpu_prepare_xfer(dpu, &products[i]));
	DPU_ASSERT(dpu_push_xfer(set, DPU_XFER_FROM_DPU, "product", 0,
				 sizeof(products[0]), DPU_XFER_DEFAULT));
	DPU_ASSERT(dpu_free(set));

	for (int d = 0; d < DPUS; d++)
		wrong += products[d] != expected(d);
	if (wrong)
		fprintf(stderr, "host: %d of %d dot products are wrong\n", wrong,
			DPUS);
	else
		printf("host: %d dot products, the first is %" PRId64 "\n", DPUS,
		       products[0]);
	return wrong != 0;
}
