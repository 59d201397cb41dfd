/* SPDX-License-Identifier: MIT */
/* Loops that the compiler makes vectors of, for one instruction set: LOOPS_NAME, LOOPS_TARGET. */

/* Eight partial sums a row, which are added at the end. */
LOOPS_TARGET
static void LOOPS_NAME(dot_four)(const float *a, const float *rows, uint32_t n, float *to)
{
	const float *r0 = rows, *r1 = r0 + n, *r2 = r1 + n, *r3 = r2 + n;
	float s0[8] = { 0 }, s1[8] = { 0 }, s2[8] = { 0 }, s3[8] = { 0 };
	uint32_t i = 0;

	for (; i + 8 <= n; i += 8) {
		for (uint32_t k = 0; k < 8; k++) {
			s0[k] += a[i + k] * r0[i + k];
			s1[k] += a[i + k] * r1[i + k];
			s2[k] += a[i + k] * r2[i + k];
			s3[k] += a[i + k] * r3[i + k];
		}
	}
	for (; i < n; i++) {
		s0[0] += a[i] * r0[i];
		s1[0] += a[i] * r1[i];
		s2[0] += a[i] * r2[i];
		s3[0] += a[i] * r3[i];
	}
	for (uint32_t k = 1; k < 8; k++) {
		s0[0] += s0[k];
		s1[0] += s1[k];
		s2[0] += s2[k];
		s3[0] += s3[k];
	}
	to[0] = s0[0];
	to[1] = s1[0];
	to[2] = s2[0];
	to[3] = s3[0];
}

LOOPS_TARGET
static void LOOPS_NAME(add_four)(float *restrict to, const float *restrict rows,
				 uint32_t stride, const float *restrict factors,
				 uint32_t n)
{
	const float *r1 = rows + stride, *r2 = r1 + stride, *r3 = r2 + stride;
	float f0 = factors[0], f1 = factors[1], f2 = factors[2], f3 = factors[3];

	for (uint32_t i = 0; i < n; i++)
		to[i] += (f0 * rows[i] + f1 * r1[i]) + (f2 * r2[i] + f3 * r3[i]);
}

#undef LOOPS_TARGET
#undef LOOPS_NAME
