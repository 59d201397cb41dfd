/* SPDX-License-Identifier: MIT */
/* Vectors of floats, for training on the host. */
#ifndef PIMDIMM_APPS_MLP_LOOPS_H
#define PIMDIMM_APPS_MLP_LOOPS_H

#include <stdint.h>

/* The order of additions is fixed: each CPU gets the same bits. */
struct mlp_loops {
	/* to[i] = the product of a and row i of four, n elements apart */
	void (*dot_four)(const float *a, const float *rows, uint32_t n, float *to);
	/* to += the sum of factors[i] times row i of four, stride elements apart */
	void (*add_four)(float *to, const float *rows, uint32_t stride,
			 const float *factors, uint32_t n);
};

/* the loops for this CPU */
const struct mlp_loops *mlp_loops_fastest(void);

#endif /* PIMDIMM_APPS_MLP_LOOPS_H */
