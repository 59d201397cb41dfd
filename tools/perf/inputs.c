// SPDX-License-Identifier: MIT
/*
 * Inputs of the benchmark, made of (seed, PE, index) alone, so that results are
 * known without a reference run. Integers are random bits; floats are small
 * whole numbers, factors of a product 1 and -1, so that every order of folding
 * gives the same sum, rounded in between or not: no tolerance is needed.
 */
#include "tools/inside.h"
#include "tools/perf/fold.h"
#include "tools/perf/inputs.h"

static bool logical(pidcomm_op op)
{
	return op == PIDCOMM_LAND || op == PIDCOMM_LOR || op == PIDCOMM_LXOR;
}

/*
 * Could a sum of numbers up to 8 leave the whole numbers that its type has all
 * of? Then most are made zero, and such a sum is none that will be met: ten
 * standard deviations with 4,096 members in bf16.
 */
static bool sparse(const struct perf_case *c)
{
	uint32_t groups, members;

	perf_groups(c, &groups, &members);
	return c->op == PIDCOMM_SUM &&
	       ((c->type == PIDCOMM_BF16 && members > 256 / 8) ||
		(c->type == PIDCOMM_F16 && members > 2048 / 8));
}

void perf_inputs_init(struct perf_inputs *inputs, const struct perf_case *c,
		      uint64_t seed)
{
	inputs->seed = seed;
	inputs->type = c->type;
	inputs->tabled = pc_traits[c->id].reduces &&
			 (c->type >= PIDCOMM_F16 || logical(c->op));
	for (int i = 0; i < 16; i++) {
		int value = c->op == PIDCOMM_PROD ? (i & 1 ? 1 : -1) : i - 8;

		if (sparse(c))
			value = i < 2 ? 2 * i - 1 : 0;
		inputs->table[i] = perf_encode(c->type, value);
	}
}

/* the finalizer of splitmix64 */
static inline uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static uint64_t inputs_drawn(const struct perf_inputs *inputs, uint64_t random)
{
	unsigned int bits = 8 * pc_type_size(inputs->type);
	uint64_t word = 0;

	for (unsigned int at = 0; at < 64; at += bits)
		word |= inputs->table[random >> at & 15] << at;
	return word;
}

void perf_inputs(const struct perf_inputs *inputs, uint64_t pe, uint64_t at,
		 uint64_t bytes, uint64_t *out)
{
	uint64_t base = mix(inputs->seed + pe * UINT64_C(0x9e3779b97f4a7c15));
	uint64_t word = at / PIMDIMM_WORD_BYTES;

	for (uint64_t i = 0; i < bytes / PIMDIMM_WORD_BYTES; i++) {
		uint64_t random = mix(base + (word + i) *
					     UINT64_C(0xd1342543de82ef95));

		out[i] = inputs->tabled ? inputs_drawn(inputs, random) : random;
	}
}
