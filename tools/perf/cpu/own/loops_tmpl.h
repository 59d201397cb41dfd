/* SPDX-License-Identifier: MIT */
/*
 * The loops for one instruction set: LOOPS(name) makes their names, LOOPS_TARGET is the
 * attribute that they are compiled with. Vectors are of 64 bytes everywhere; where
 * registers are shorter, the compiler takes several.
 */

/* how many rows ahead of the sum lines are fetched */
#define LOOPS_AHEAD 12

#define LOOPS_INLINE LOOPS_TARGET static inline __attribute__((always_inline))

/* `lines` vectors of each row, which stay in registers. */
#define LOOPS_SUM(name, vector)							\
LOOPS_INLINE void LOOPS(name)(const unsigned int lines, const uint8_t *rows,	\
			      size_t bytes, const uint32_t *which,		\
			      uint64_t count, uint8_t *to)			\
{										\
	vector sums[4] = { 0 };							\
										\
	for (uint64_t i = 0; i < count; i++) {					\
		const vector *row = (const vector *)(rows + which[i] * bytes);	\
										\
		if (i + LOOPS_AHEAD < count)					\
			for (unsigned int l = 0; l < lines; l++)		\
				__builtin_prefetch(rows + l * OWN_LINE +	\
					which[i + LOOPS_AHEAD] * bytes);	\
		for (unsigned int l = 0; l < lines; l++)			\
			sums[l] += row[l];					\
	}									\
	for (unsigned int l = 0; l < lines; l++)				\
		((vector *)to)[l] = sums[l];					\
}										\
										\
LOOPS_TARGET static void LOOPS(name##_rows)(const uint8_t *rows, size_t bytes,	\
					    const uint32_t *which,		\
					    uint64_t count, uint8_t *to)	\
{										\
	size_t at = 0;								\
										\
	for (; at + 4 * OWN_LINE <= bytes; at += 4 * OWN_LINE)			\
		LOOPS(name)(4, rows + at, bytes, which, count, to + at);	\
	for (; at + 2 * OWN_LINE <= bytes; at += 2 * OWN_LINE)			\
		LOOPS(name)(2, rows + at, bytes, which, count, to + at);	\
	for (; at < bytes; at += OWN_LINE)					\
		LOOPS(name)(1, rows + at, bytes, which, count, to + at);	\
}

LOOPS_SUM(sum_i8, line_i8)
LOOPS_SUM(sum_i16, line_i16)
LOOPS_SUM(sum_i32, line_i32)
LOOPS_SUM(sum_f32, line_f32)

static void LOOPS(sum_rows)(enum cpu_type type, const uint8_t *rows, size_t bytes,
			    const uint32_t *which, uint64_t count, uint8_t *to)
{
	switch (type) {
	case CPU_I16:
		LOOPS(sum_i16_rows)(rows, bytes, which, count, to);
		break;
	case CPU_I32:
		LOOPS(sum_i32_rows)(rows, bytes, which, count, to);
		break;
	case CPU_F32:
		LOOPS(sum_f32_rows)(rows, bytes, which, count, to);
		break;
	default:
		LOOPS(sum_i8_rows)(rows, bytes, which, count, to);
		break;
	}
}

/* Integers as one type and another: the lower bits, the smallest number of the former. */
#define LOOPS_NARROW(name, type)						\
LOOPS_TARGET static void LOOPS(name)(bool relu, const uint32_t *sums, size_t n,	\
				     type *to)					\
{										\
	if (relu)								\
		for (size_t i = 0; i < n; i++)					\
			to[i] = (type)sums[i] > 0 ? (type)sums[i] : 0;		\
	else									\
		for (size_t i = 0; i < n; i++)					\
			to[i] = (type)sums[i];					\
}

LOOPS_NARROW(narrow_i8, int8_t)
LOOPS_NARROW(narrow_i16, int16_t)
LOOPS_NARROW(narrow_i32, int32_t)

LOOPS_TARGET static void LOOPS(finish_f32)(bool relu, const float *sums, size_t n,
					   float *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = relu && !(sums[i] > 0) ? 0 : sums[i];
}

/* Rounded half up, in bytes as far as they reach. */
LOOPS_TARGET static void LOOPS(scale)(const struct own_finish *finish,
				      const int32_t *sums, size_t n, int8_t *to)
{
	uint32_t shift = finish->shift, half = shift ? shift - 1 : 0;
	int32_t low = finish->relu ? 0 : -128, round = shift ? 1 : 0;

	for (size_t i = 0; i < n; i++) {
		int32_t value = (sums[i] >> shift) + (sums[i] >> half & round);

		value = value < low ? low : value;
		to[i] = (int8_t)(value > 127 ? 127 : value);
	}
}

static void LOOPS(finish)(const struct own_finish *finish, const uint32_t *sums,
			  size_t n, void *to)
{
	switch (finish->type) {
	case CPU_I8:
		LOOPS(narrow_i8)(finish->relu, sums, n, to);
		break;
	case CPU_I16:
		LOOPS(narrow_i16)(finish->relu, sums, n, to);
		break;
	case CPU_F32:
		LOOPS(finish_f32)(finish->relu, (const float *)sums, n, to);
		break;
	default:
		if (finish->scale)
			LOOPS(scale)(finish, (const int32_t *)sums, n, to);
		else
			LOOPS(narrow_i32)(finish->relu, sums, n, to);
		break;
	}
}

/* The vectors' elements side by side, for one vector's products with all others. */
#define LOOPS_PAIRS(name, type)							\
LOOPS_TARGET static void LOOPS(name)(const type *vectors, uint32_t count,	\
				     uint32_t dim, type *to)			\
{										\
	type across[CPU_MAX_DIM][PAIRS_ROOM] __attribute__((aligned(64))) = { 0 };	\
										\
	for (uint32_t v = 0; v < count; v++)					\
		for (uint32_t k = 0; k < dim; k++)				\
			across[k][v] = vectors[v * dim + k];			\
	for (uint32_t a = 1; a < count; a++) {					\
		type sums[PAIRS_ROOM] __attribute__((aligned(64))) = { 0 };	\
										\
		for (uint32_t k = 0; k < dim; k++)				\
			for (uint32_t b = 0; b < PAIRS_ROOM; b++)		\
				sums[b] += vectors[a * dim + k] * across[k][b];	\
		memcpy(to, sums, a * sizeof(type));				\
		to += a;							\
	}									\
}

LOOPS_PAIRS(pairs_f32, float)
LOOPS_PAIRS(pairs_i32, uint32_t)

static void LOOPS(pairs)(enum cpu_type type, const uint32_t *vectors, uint32_t count,
			 uint32_t dim, uint32_t *to)
{
	if (type == CPU_F32)
		LOOPS(pairs_f32)((const float *)vectors, count, dim, (float *)to);
	else
		LOOPS(pairs_i32)(vectors, count, dim, to);
}

/*
 * Products: LOOPS_ROWS rows by two registers of outputs, which stay in registers while
 * k passes by.
 */
#define LOOPS_PRODUCT(name, multiply_add)					\
LOOPS_INLINE void LOOPS(name##_block)(const uint32_t rows, uint32_t k,		\
				      const uint32_t *in, size_t in_words,	\
				      const uint32_t *weights, uint32_t *out,	\
				      size_t out_words)				\
{										\
	LOOPS_REGISTER sums[LOOPS_ROWS][2];					\
										\
	for (uint32_t r = 0; r < rows; r++)					\
		for (uint32_t c = 0; c < 2; c++)				\
			sums[r][c] = LOOPS_LOAD(out + r * out_words +		\
						c * LOOPS_WORDS);		\
	for (uint32_t i = 0; i < k; i++, weights += 2 * LOOPS_WORDS) {		\
		LOOPS_REGISTER w0 = LOOPS_LOAD(weights);			\
		LOOPS_REGISTER w1 = LOOPS_LOAD(weights + LOOPS_WORDS);		\
										\
		for (uint32_t r = 0; r < rows; r++) {				\
			LOOPS_REGISTER x = LOOPS_ALL(in[r * in_words + i]);	\
										\
			sums[r][0] = multiply_add(sums[r][0], x, w0);		\
			sums[r][1] = multiply_add(sums[r][1], x, w1);		\
		}								\
	}									\
	for (uint32_t r = 0; r < rows; r++)					\
		for (uint32_t c = 0; c < 2; c++)				\
			LOOPS_STORE(out + r * out_words + c * LOOPS_WORDS,	\
				    sums[r][c]);				\
}										\
										\
LOOPS_TARGET static void LOOPS(name)(uint32_t rows, uint32_t k,			\
				     const uint32_t *in, size_t in_words,	\
				     const uint32_t *weights, uint32_t *out,	\
				     size_t out_words)				\
{										\
	for (; rows >= LOOPS_ROWS; rows -= LOOPS_ROWS) {			\
		LOOPS(name##_block)(LOOPS_ROWS, k, in, in_words, weights, out,	\
				    out_words);					\
		in += LOOPS_ROWS * in_words;					\
		out += LOOPS_ROWS * out_words;					\
	}									\
	for (; rows >= 2; rows -= 2) {						\
		LOOPS(name##_block)(2, k, in, in_words, weights, out,		\
				    out_words);					\
		in += 2 * in_words;						\
		out += 2 * out_words;						\
	}									\
	if (rows)								\
		LOOPS(name##_block)(1, k, in, in_words, weights, out,		\
				    out_words);					\
}

LOOPS_PRODUCT(product_f32, LOOPS_MADD_F32)
LOOPS_PRODUCT(product_i32, LOOPS_MADD_I32)
LOOPS_PRODUCT(product_i16, LOOPS_MADD_I16)
#ifdef LOOPS_MADD_I8
LOOPS_PRODUCT(product_i8, LOOPS_MADD_I8)
#endif

static const struct own_loops LOOPS(loops) = {
	.name = LOOPS_NAME,
	.panel = 2 * LOOPS_WORDS,
	.products = {
		[OWN_FLOAT] = { LOOPS(product_f32) },
		[OWN_INTEGER] = { LOOPS(product_i32) },
		[OWN_PAIR] = { LOOPS(product_i16) },
#ifdef LOOPS_MADD_I8
		[OWN_QUAD] = { LOOPS(product_i8) },
#endif
	},
	.sum_rows = LOOPS(sum_rows),
	.finish = LOOPS(finish),
	.pairs = LOOPS(pairs),
};

#undef LOOPS
#undef LOOPS_TARGET
#undef LOOPS_NAME
#undef LOOPS_AHEAD
#undef LOOPS_INLINE
#undef LOOPS_SUM
#undef LOOPS_NARROW
#undef LOOPS_PAIRS
#undef LOOPS_PRODUCT
#undef LOOPS_REGISTER
#undef LOOPS_WORDS
#undef LOOPS_ROWS
#undef LOOPS_LOAD
#undef LOOPS_STORE
#undef LOOPS_ALL
#undef LOOPS_MADD_F32
#undef LOOPS_MADD_I32
#undef LOOPS_MADD_I16
#undef LOOPS_MADD_I8
