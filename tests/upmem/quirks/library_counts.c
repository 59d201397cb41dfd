// SPDX-License-Identifier: MIT
/*
 * What the library says that its functions execute is what the same functions take when
 * they are written in C and compiled with counting: within a fifth, and 16 instructions
 * for a call and the counter's steps.
 * quirk: tasklets=1
 */
#include <alloc.h>
#include <perfcounter.h>
#include <pimdimm.h>
#include <rwlock.h>
#include <sem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quirk.h"

#define WORDS 256
#define BYTES (8 * WORDS)

static uint64_t a[WORDS], b[WORDS];
static perfcounter_t begun;

__attribute__((noinline, no_builtin)) static void copy(uint64_t *d, const uint64_t *s, size_t n)
{
	for (uint32_t i = 0; i < (uint32_t)n / 8; i++)
		d[i] = s[i];
}

__attribute__((noinline, no_builtin)) static void copy_down(uint64_t *d, const uint64_t *s,
							   size_t n)
{
	for (uint32_t i = (uint32_t)n / 8; i; i--)
		d[i - 1] = s[i - 1];
}

__attribute__((noinline, no_builtin)) static void set(uint64_t *d, uint64_t c, size_t n)
{
	for (uint32_t i = 0; i < (uint32_t)n / 8; i++)
		d[i] = c;
}

__attribute__((noinline, no_builtin)) static int compare(const uint8_t *x, const uint8_t *y,
							size_t n)
{
	for (uint32_t i = 0; i < (uint32_t)n; i++)
		if (x[i] != y[i])
			return x[i] - y[i];
	return 0;
}

__attribute__((noinline, no_builtin)) static const uint8_t *find(const uint8_t *x, int c,
								size_t n)
{
	for (uint32_t i = 0; i < (uint32_t)n; i++)
		if (x[i] == (uint8_t)c)
			return &x[i];
	return NULL;
}

/* as mem_alloc() of hardware has it: under a mutex, up from a pointer */
static volatile uint32_t top, limit = 1 << 16;

__attribute__((noinline)) static uint32_t take(uint32_t bytes)
{
	uint32_t at;

	/* acquire */
	__asm__ volatile("nop");
	at = (top + 7) & ~7u;
	if (bytes > limit - at)
		abort();
	top = at + bytes;
	/* release */
	__asm__ volatile("nop");
	return at;
}

/*
 * The instructions that take and give back a lock are stores to it here: they are as long,
 * and a function that has nothing else is no caller of others.
 */
static volatile uint8_t ring[NR_TASKLETS];

/* a count; who waits stands in a ring of tasklets */
struct units {
	uint8_t lock, last;
	int8_t count;
};

__attribute__((noinline)) static void take_unit(volatile struct units *u)
{
	u->lock = 1;
	u->count--;
	if (u->count < 0) {
		if (u->last == 0xff) {
			ring[me()] = (uint8_t)me();
		} else {
			ring[me()] = ring[u->last];
			ring[u->last] = (uint8_t)me();
		}
		u->last = (uint8_t)me();
		u->lock = 0;
		/* stop */
		u->lock = 0;
		return;
	}
	u->lock = 0;
}

__attribute__((noinline)) static void give_unit(volatile struct units *u)
{
	u->lock = 1;
	if (u->count++ < 0) {
		uint8_t first = ring[u->last];

		if (first == u->last)
			u->last = 0xff;
		else
			ring[u->last] = ring[first];
		/* resume it */
		u->lock = 0;
	}
	u->lock = 0;
}

/* readers, and a writer that goes first; who waits gives the lock back meanwhile */
struct access {
	uint8_t lock, readers, writer, waiting;
};

__attribute__((noinline)) static void begin_reading(volatile struct access *a)
{
	a->lock = 1;
	while (a->writer || a->waiting) {
		a->lock = 0;
		a->lock = 1;
	}
	a->readers++;
	a->lock = 0;
}

__attribute__((noinline)) static void end_reading(volatile struct access *a)
{
	a->lock = 1;
	a->readers--;
	a->lock = 0;
}

__attribute__((noinline)) static void begin_writing(volatile struct access *a)
{
	a->lock = 1;
	a->waiting++;
	while (a->writer || a->readers) {
		a->lock = 0;
		a->lock = 1;
	}
	a->waiting--;
	a->writer = 1;
	a->lock = 0;
}

__attribute__((noinline)) static void end_writing(volatile struct access *a)
{
	a->lock = 1;
	a->writer = 0;
	a->lock = 0;
}

SEMAPHORE_INIT(semaphore, 100);
RWLOCK_INIT(rwlock);
static struct units units = { .last = 0xff, .count = 100 };
static struct access access;

static void begin(void)
{
	begun = perfcounter_get();
}

static uint32_t end(void)
{
	return (uint32_t)(perfcounter_get() - begun);
}

static int alike(uint32_t library, uint32_t counted)
{
	return 5 * library + 5 * 16 >= 4 * counted && 4 * library <= 5 * counted + 5 * 16;
}

#define SAME(library, counted)						\
	do {								\
		uint32_t said, took;					\
									\
		begin();						\
		library;						\
		said = end();						\
		begin();						\
		counted;						\
		took = end();						\
		CHECK(alike(said, took));				\
	} while (0)

#define OFTEN(call)	for (int i = 0; i < 100; i++) call

/* no number that the compiler knows */
static volatile size_t bytes = BYTES;

int main(void)
{
	perfcounter_config(COUNT_INSTRUCTIONS, true);
	SAME(memcpy(a, b, bytes), copy(a, b, bytes));
	SAME(memmove(a + 1, a, bytes - 8), copy_down(a + 1, a, bytes - 8));
	SAME(memset(a, 7, bytes), set(a, 0x0707070707070707, bytes));
	memset(b, 7, bytes);
	SAME(CHECK(!memcmp(a, b, bytes)), CHECK(!compare((uint8_t *)a, (uint8_t *)b, bytes)));
	SAME(CHECK(!memchr(a, 1, bytes)), CHECK(!find((uint8_t *)a, 1, bytes)));
	SAME(for (int i = 0; i < 32; i++) mem_alloc(8), for (int i = 0; i < 32; i++) take(8));
	/* often, since a call is short; units are there, for one that waits pays for the wait */
	SAME(OFTEN(sem_take(&semaphore)), OFTEN(take_unit(&units)));
	SAME(OFTEN(sem_give(&semaphore)), OFTEN(give_unit(&units)));
	SAME(OFTEN(rwlock_read_lock(&rwlock)), OFTEN(begin_reading(&access)));
	SAME(OFTEN(rwlock_read_unlock(&rwlock)), OFTEN(end_reading(&access)));
	SAME(OFTEN(rwlock_write_unlock(&rwlock)), OFTEN(end_writing(&access)));
	SAME(OFTEN((rwlock_write_lock(&rwlock), rwlock_write_unlock(&rwlock))),
	     OFTEN((begin_writing(&access), end_writing(&access))));
	quirk_end();
	return 0;
}
