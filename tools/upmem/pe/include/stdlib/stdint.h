/* SPDX-License-Identifier: MIT */
/* Integers by their width, of the types that the hardware's compiler gives them. */
#ifndef STDINT_H
#define STDINT_H

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long uint64_t;

typedef int8_t int_least8_t;
typedef uint8_t uint_least8_t;
typedef int16_t int_least16_t;
typedef uint16_t uint_least16_t;
typedef int32_t int_least32_t;
typedef uint32_t uint_least32_t;
typedef int64_t int_least64_t;
typedef uint64_t uint_least64_t;

typedef int8_t int_fast8_t;
typedef uint8_t uint_fast8_t;
typedef int32_t int_fast16_t;
typedef uint32_t uint_fast16_t;
typedef int32_t int_fast32_t;
typedef uint32_t uint_fast32_t;
typedef int64_t int_fast64_t;
typedef uint64_t uint_fast64_t;

/* half of a pointer here, and enough: a PE's addresses are below 2 GiB */
typedef int32_t intptr_t;
typedef uint32_t uintptr_t;
typedef int64_t intmax_t;
typedef uint64_t uintmax_t;

#define INT8_MAX	127
#define INT16_MAX	32767
#define INT32_MAX	2147483647
#define INT64_MAX	9223372036854775807LL
#define INT8_MIN	(-INT8_MAX - 1)
#define INT16_MIN	(-INT16_MAX - 1)
#define INT32_MIN	(-INT32_MAX - 1)
#define INT64_MIN	(-INT64_MAX - 1)
#define UINT8_MAX	255
#define UINT16_MAX	65535
#define UINT32_MAX	4294967295U
#define UINT64_MAX	18446744073709551615UL

#define INT_LEAST8_MAX	INT8_MAX
#define INT_LEAST16_MAX	INT16_MAX
#define INT_LEAST32_MAX	INT32_MAX
#define INT_LEAST64_MAX	INT64_MAX
#define INT_LEAST8_MIN	INT8_MIN
#define INT_LEAST16_MIN	INT16_MIN
#define INT_LEAST32_MIN	INT32_MIN
#define INT_LEAST64_MIN	INT64_MIN
#define UINT_LEAST8_MAX	UINT8_MAX
#define UINT_LEAST16_MAX UINT16_MAX
#define UINT_LEAST32_MAX UINT32_MAX
#define UINT_LEAST64_MAX UINT64_MAX

#define INT_FAST8_MAX	INT8_MAX
#define INT_FAST16_MAX	INT32_MAX
#define INT_FAST32_MAX	INT32_MAX
#define INT_FAST64_MAX	INT64_MAX
#define INT_FAST8_MIN	INT8_MIN
#define INT_FAST16_MIN	INT32_MIN
#define INT_FAST32_MIN	INT32_MIN
#define INT_FAST64_MIN	INT64_MIN
#define UINT_FAST8_MAX	UINT8_MAX
#define UINT_FAST16_MAX	UINT32_MAX
#define UINT_FAST32_MAX	UINT32_MAX
#define UINT_FAST64_MAX	UINT64_MAX

#define INTPTR_MAX	INT32_MAX
#define INTPTR_MIN	(-INTPTR_MAX - 1)
#define UINTPTR_MAX	UINT32_MAX
#define INTMAX_MAX	INT64_MAX
#define INTMAX_MIN	INT64_MIN
#define UINTMAX_MAX	UINT64_MAX
#define PTRDIFF_MAX	__PTRDIFF_MAX__
#define PTRDIFF_MIN	(-PTRDIFF_MAX - 1)
#define SIZE_MAX	__SIZE_MAX__
#define WCHAR_MAX	__WCHAR_MAX__

#define INT8_C(x)	x
#define INT16_C(x)	x
#define INT32_C(x)	x
#define INT64_C(x)	x ## LL
#define UINT8_C(x)	x
#define UINT16_C(x)	x
#define UINT32_C(x)	x ## U
#define UINT64_C(x)	x ## UL
#define INTMAX_C(x)	INT64_C(x)
#define UINTMAX_C(x)	UINT64_C(x)

#endif /* STDINT_H */
