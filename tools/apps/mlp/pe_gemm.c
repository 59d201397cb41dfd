// SPDX-License-Identifier: MIT
/*
 * A layer's partial sums: the PE's columns of the weights times its inputs. A tile of
 * samples is brought to WRAM, with the activation that belongs behind the reduction of
 * the layer before; then tasklets take rows of the weights in turns. Where a PE's
 * columns do not fit into WRAM, they are worked off in stripes, and the sums of the
 * stripes before are read back.
 */
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <stdint.h>

#include "tools/apps/mlp/args.h"

#define INPUT_BYTES	16384	/* a tile of inputs, shared */
#define WEIGHT_BYTES	1024	/* weights of a tasklet */
#define SUM_BYTES	512	/* sums of a tasklet; raw inputs on their way */

BARRIER_INIT(together, NR_TASKLETS)

__host struct mlp_args args;
static __dma_aligned uint8_t inputs[INPUT_BYTES];
static __dma_aligned uint8_t weights[NR_TASKLETS][WEIGHT_BYTES];
static __dma_aligned uint8_t sums[NR_TASKLETS][SUM_BYTES];

/* a tile of samples and a stripe of columns */
struct work {
	uint32_t sample;	/* the first one */
	uint32_t samples;
	uint32_t column;	/* the first one */
	uint32_t columns;
	uint32_t stride;	/* elements from one sample's inputs to the next one's */
};

static __mram_ptr void *at(uint32_t offset)
{
	return (__mram_ptr void *)(uintptr_t)offset;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* what DMA moves to have so many bytes */
static uint32_t whole_words(uint32_t bytes)
{
	return (bytes + 7) & ~7u;
}

#define MLP_ELEMENT	int8_t
#define MLP_SUM		int8_t
#define MLP_WIDE	uint32_t
#define MLP_NAME(name)	name##_i8
#include "tools/apps/mlp/pe_gemm_tmpl.h"

#define MLP_ELEMENT	int16_t
#define MLP_SUM		int16_t
#define MLP_WIDE	uint32_t
#define MLP_NAME(name)	name##_i16
#include "tools/apps/mlp/pe_gemm_tmpl.h"

#define MLP_ELEMENT	int32_t
#define MLP_SUM		int32_t
#define MLP_WIDE	uint32_t
#define MLP_NAME(name)	name##_i32
#include "tools/apps/mlp/pe_gemm_tmpl.h"

#define MLP_ELEMENT	float
#define MLP_SUM		float
#define MLP_WIDE	float
#define MLP_NAME(name)	name##_f32
#include "tools/apps/mlp/pe_gemm_tmpl.h"

#define MLP_ELEMENT	int8_t
#define MLP_SUM		int32_t
#define MLP_WIDE	uint32_t
#define MLP_SCALED
#define MLP_NAME(name)	name##_i8_i32
#include "tools/apps/mlp/pe_gemm_tmpl.h"

int main(void)
{
	switch (args.type) {
	case MLP_I8:
		layer_i8();
		break;
	case MLP_I16:
		layer_i16();
		break;
	case MLP_I32:
		layer_i32();
		break;
	case MLP_F32:
		layer_f32();
		break;
	case MLP_I8_I32:
		layer_i8_i32();
		break;
	}
	return 0;
}
