/* SPDX-License-Identifier: MIT */
/* Loops that the compiler makes vectors of, for one instruction set: DOT_NAME, DOT_TARGET. */

DOT_TARGET
static uint32_t DOT_NAME(i8)(const void *a, const void *b, uint32_t n)
{
	const int8_t *x = a, *y = b;
	uint32_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += (uint32_t)((int16_t)x[i] * (int16_t)y[i]);
	return sum;
}

DOT_TARGET
static uint32_t DOT_NAME(i16)(const void *a, const void *b, uint32_t n)
{
	const int16_t *x = a, *y = b;
	uint32_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += (uint32_t)(x[i] * y[i]);
	return sum;
}

DOT_TARGET
static uint32_t DOT_NAME(i32)(const void *a, const void *b, uint32_t n)
{
	const uint32_t *x = a, *y = b;
	uint32_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += x[i] * y[i];
	return sum;
}

/* Eight partial sums, for vectors of doubles: in which order does not matter here. */
DOT_TARGET
static void DOT_NAME(f32)(const void *weights, const double *inputs,
			  const double *slack, uint32_t n, double *sum,
			  double *bound)
{
	double sums[8] = { 0 }, bounds[8] = { 0 };
	const float *w = weights;
	uint32_t i = 0;

	for (; i + 8 <= n; i += 8) {
		for (uint32_t k = 0; k < 8; k++) {
			sums[k] += (double)w[i + k] * inputs[i + k];
			bounds[k] += (double)fabsf(w[i + k]) * slack[i + k];
		}
	}
	for (; i < n; i++) {
		sums[0] += (double)w[i] * inputs[i];
		bounds[0] += (double)fabsf(w[i]) * slack[i];
	}
	for (uint32_t k = 1; k < 8; k++) {
		sums[0] += sums[k];
		bounds[0] += bounds[k];
	}
	*sum = sums[0];
	*bound = bounds[0];
}

#undef DOT_TARGET
#undef DOT_NAME
