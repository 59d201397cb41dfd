/* SPDX-License-Identifier: MIT */
/*
 * A small test harness in the manner of the kernel's kselftest_harness.h.
 *
 *	TEST(name)
 *	{
 *		ASSERT_EQ(0, do_it());
 *		EXPECT_ERRNO(EINVAL, do_it_wrongly());
 *	}
 *
 * Each test runs in a process group of its own, with a time limit. ASSERT_
 * macros end the test, EXPECT_ ones go on; both may be used in functions that
 * tests call, in children that they fork and in their threads (where ASSERT_
 * ends the whole process). The program prints TAP and exits with 0 if all
 * passed, 1 if any failed, 4 if all were skipped.
 *
 * Time limits are for a usual machine. SELFTEST_SLOW=N is for one that takes up
 * to N times as long, emulated or with sanitizers in its kernel: it stretches
 * them all.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST_TIMEOUT_SECONDS 60

struct test {
	const char *name;
	void (*run)(void);
	unsigned int timeout;
	struct test *next;
};

void test_register(struct test *test);
void test_fail(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void test_skip(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));
void test_stop(void) __attribute__((noreturn));
void test_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool test_failed(void);
unsigned int test_slowness(void);
/* How long to wait for what takes at most @seconds on a usual machine. */
double test_patience(double seconds);

#define TEST_LIMIT(id, seconds)                                                \
	static void test_##id(void);                                           \
	static struct test test_entry_##id = {                                 \
		.name = #id,                                                   \
		.run = test_##id,                                              \
		.timeout = (seconds),                                          \
	};                                                                     \
	__attribute__((constructor)) static void test_enter_##id(void)         \
	{                                                                      \
		test_register(&test_entry_##id);                               \
	}                                                                      \
	static void test_##id(void)

#define TEST(id) TEST_LIMIT(id, TEST_TIMEOUT_SECONDS)

/* Ends the test as skipped, from its own process only. */
#define SKIP(...) test_skip(__VA_ARGS__)

#define TEST_CHECK_(stop, a, op, b)                                            \
	do {                                                                   \
		const __typeof__(a) expected_ = (a);                           \
		const __typeof__(b) seen_ = (b);                               \
		if (!(expected_ op seen_)) {                                   \
			test_fail(__FILE__, __LINE__,                          \
				  "%s %s %s: %lld (0x%llx), %lld (0x%llx)",    \
				  #a, #op, #b, (long long)expected_,           \
				  (unsigned long long)expected_,               \
				  (long long)seen_,                            \
				  (unsigned long long)seen_);                  \
			if (stop)                                              \
				test_stop();                                   \
		}                                                              \
	} while (0)

#define TEST_TRUE_(stop, condition)                                            \
	do {                                                                   \
		if (!(condition)) {                                            \
			test_fail(__FILE__, __LINE__, "not true: %s",          \
				  #condition);                                 \
			if (stop)                                              \
				test_stop();                                   \
		}                                                              \
	} while (0)

#define TEST_ERRNO_(stop, error, call)                                         \
	do {                                                                   \
		const int wanted_ = (error);                                   \
		errno = 0;                                                     \
		const long long value_ = (long long)(call);                    \
		const int got_ = errno;                                        \
		if (value_ != -1 || got_ != wanted_) {                         \
			test_fail(__FILE__, __LINE__,                          \
				  "%s: wanted -1 and %s, saw %lld and %s",     \
				  #call, strerrorname_np(wanted_), value_,     \
				  got_ ? strerrorname_np(got_) : "no errno");  \
			if (stop)                                              \
				test_stop();                                   \
		}                                                              \
	} while (0)

#define ASSERT_EQ(expected, seen) TEST_CHECK_(true, expected, ==, seen)
#define ASSERT_NE(expected, seen) TEST_CHECK_(true, expected, !=, seen)
#define ASSERT_LT(a, b) TEST_CHECK_(true, a, <, b)
#define ASSERT_LE(a, b) TEST_CHECK_(true, a, <=, b)
#define ASSERT_TRUE(condition) TEST_TRUE_(true, condition)
#define ASSERT_ERRNO(error, call) TEST_ERRNO_(true, error, call)

#define EXPECT_EQ(expected, seen) TEST_CHECK_(false, expected, ==, seen)
#define EXPECT_NE(expected, seen) TEST_CHECK_(false, expected, !=, seen)
#define EXPECT_LT(a, b) TEST_CHECK_(false, a, <, b)
#define EXPECT_LE(a, b) TEST_CHECK_(false, a, <=, b)
#define EXPECT_TRUE(condition) TEST_TRUE_(false, condition)
#define EXPECT_ERRNO(error, call) TEST_ERRNO_(false, error, call)

#endif /* HARNESS_H */
