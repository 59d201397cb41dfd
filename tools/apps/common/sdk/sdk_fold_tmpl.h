/* SPDX-License-Identifier: MIT */
/*
 * Loops that the compiler makes vectors of, for one instruction set: FOLD_NAME,
 * FOLD_TARGET, FOLD_TABLE. `a` is the fold so far, `b` the next element; WIDE is an
 * unsigned type whose arithmetic wraps.
 */

#define FOLD_LOOP(name, type, result)					\
	FOLD_TARGET							\
	static void FOLD_NAME(name)(void *restrict inout,		\
				    const void *restrict in, size_t count) \
	{								\
		type *into = inout;					\
		const type *from = in;					\
									\
		for (size_t i = 0; i < count; i++) {			\
			type a = into[i], b = from[i];			\
									\
			into[i] = (type)(result);			\
		}							\
	}

#define FOLD_ANY(name, type)						\
	FOLD_LOOP(name##_min, type, b < a ? b : a)			\
	FOLD_LOOP(name##_max, type, b > a ? b : a)			\
	FOLD_LOOP(name##_land, type, (a != 0) & (b != 0))		\
	FOLD_LOOP(name##_lor, type, (a != 0) | (b != 0))		\
	FOLD_LOOP(name##_lxor, type, (a != 0) ^ (b != 0))

#define FOLD_INTEGER(name, type, WIDE)					\
	FOLD_ANY(name, type)						\
	FOLD_LOOP(name##_sum, type, (WIDE)a + (WIDE)b)			\
	FOLD_LOOP(name##_prod, type, (WIDE)a * (WIDE)b)			\
	FOLD_LOOP(name##_band, type, a & b)				\
	FOLD_LOOP(name##_bor, type, a | b)				\
	FOLD_LOOP(name##_bxor, type, a ^ b)

#define FOLD_FLOAT(name, type)						\
	FOLD_ANY(name, type)						\
	FOLD_LOOP(name##_sum, type, a + b)				\
	FOLD_LOOP(name##_prod, type, a * b)

FOLD_INTEGER(i8, int8_t, uint32_t)
FOLD_INTEGER(i16, int16_t, uint32_t)
FOLD_INTEGER(i32, int32_t, uint32_t)
FOLD_INTEGER(i64, int64_t, uint64_t)
FOLD_INTEGER(u8, uint8_t, uint32_t)
FOLD_INTEGER(u16, uint16_t, uint32_t)
FOLD_INTEGER(u32, uint32_t, uint32_t)
FOLD_INTEGER(u64, uint64_t, uint64_t)
FOLD_FLOAT(f32, float)
FOLD_FLOAT(f64, double)

/* in the order of the operations' numbers; those on bits are the last of each two */
#define FOLD_FLOATS(name) {						\
	FOLD_NAME(name##_sum), FOLD_NAME(name##_prod),			\
	FOLD_NAME(name##_min), FOLD_NAME(name##_max),			\
	FOLD_NAME(name##_land), NULL, FOLD_NAME(name##_lor), NULL,	\
	FOLD_NAME(name##_lxor), NULL,					\
}

#define FOLD_INTEGERS(name) {						\
	FOLD_NAME(name##_sum), FOLD_NAME(name##_prod),			\
	FOLD_NAME(name##_min), FOLD_NAME(name##_max),			\
	FOLD_NAME(name##_land), FOLD_NAME(name##_band),			\
	FOLD_NAME(name##_lor), FOLD_NAME(name##_bor),			\
	FOLD_NAME(name##_lxor), FOLD_NAME(name##_bxor),			\
}

static const sdk_fold_fn FOLD_TABLE[SDK_TYPES][SDK_OPS] = {
	[PIDCOMM_I8] = FOLD_INTEGERS(i8),
	[PIDCOMM_I16] = FOLD_INTEGERS(i16),
	[PIDCOMM_I32] = FOLD_INTEGERS(i32),
	[PIDCOMM_I64] = FOLD_INTEGERS(i64),
	[PIDCOMM_U8] = FOLD_INTEGERS(u8),
	[PIDCOMM_U16] = FOLD_INTEGERS(u16),
	[PIDCOMM_U32] = FOLD_INTEGERS(u32),
	[PIDCOMM_U64] = FOLD_INTEGERS(u64),
	[PIDCOMM_F32] = FOLD_FLOATS(f32),
	[PIDCOMM_F64] = FOLD_FLOATS(f64),
};

#undef FOLD_INTEGERS
#undef FOLD_FLOATS
#undef FOLD_FLOAT
#undef FOLD_INTEGER
#undef FOLD_ANY
#undef FOLD_LOOP
#undef FOLD_TABLE
#undef FOLD_TARGET
#undef FOLD_NAME
