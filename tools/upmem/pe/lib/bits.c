// SPDX-License-Identifier: MIT
/*
 * Atomic bits, on which mutexes stand: a byte each, 0 free, 1 taken, 2 taken and
 * wanted. On hardware any value names a bit by its lowest 8, and programs do lock
 * what they never initialised: such names have bits of their own, so that nothing
 * is written where they point.
 */
#include <atomic_bit.h>
#include <stdbool.h>

#include "pe.h"

ATOMIC_BIT_EXTERN(__heap_pointer);
/* The linker script defines these. */
extern uint8_t __atomic_start[], __atomic_end[];

static uint8_t others[256 / 8] __attribute__((section(".bss.pe.boot")));

static bool has_byte(const uint8_t *bit)
{
	return bit >= __atomic_start && bit < __atomic_end;
}

/* the one of the others that the address names, and its mask */
static volatile uint8_t *other(const uint8_t *bit, uint8_t *mask)
{
	uint8_t n = (uint8_t)(uintptr_t)bit;

	*mask = 1u << n % 8;
	return &others[n / 8];
}

static int try_other(const uint8_t *bit)
{
	uint8_t mask;
	volatile uint8_t *byte = other(bit, &mask);
	int free;

	pe_enter();
	free = !(*byte & mask);
	*byte |= mask;
	if (free)
		PE_ACQUIRE(byte, mask);
	pe_leave();
	return free;
}

static void acquire_other(const uint8_t *bit)
{
	uint8_t mask;
	volatile uint8_t *byte = other(bit, &mask);

	pe_enter();
	while (*byte & mask)
		pe_wait(PE_WAIT_MUTEX, byte);
	*byte |= mask;
	PE_ACQUIRE(byte, mask);
	pe_leave();
}

static void release_other(const uint8_t *bit)
{
	uint8_t mask;
	volatile uint8_t *byte = other(bit, &mask);

	pe_enter();
	PE_RELEASE(byte, mask);
	*byte &= ~mask;
	/* who waits for the byte may want any of its bits */
	PE_SVC->wake(byte, PE_MAX_TASKLETS);
	pe_leave();
}

/* To have memory allocated orders nothing that a program does. */
static inline void acquire_bit(const volatile uint8_t *bit, uint32_t me)
{
	(void)me;
	if (bit != &ATOMIC_BIT_GET(__heap_pointer))
		PE_ACQUIRE_BY(me, bit, 0);
}

static inline void release_bit(const uint8_t *bit)
{
	if (bit != &ATOMIC_BIT_GET(__heap_pointer))
		PE_RELEASE(bit, 0);
}

int pe_bit_try(uint8_t *bit)
{
	volatile uint8_t *b = bit;
	int free;

	if (!has_byte(bit))
		return try_other(bit);
	pe_enter();
	free = !*b;
	if (free) {
		*b = 1;
		acquire_bit(bit, PE_SELF->tasklet);
	}
	pe_leave();
	return free;
}

struct acquisition {
	volatile uint8_t *bit;
	uint8_t state;
	uint32_t me;
};

static uint32_t acquire(void *arg)
{
	struct acquisition *a = arg;

	if (*a->bit) {
		/* others may wait as well: whoever gets it wakes the next */
		*a->bit = a->state = 2;
		return PE_WAIT_MUTEX;
	}
	*a->bit = a->state;
	acquire_bit(a->bit, a->me);
	return PE_WAIT_NOTHING;
}

void pe_bit_acquire(uint8_t *bit)
{
	struct acquisition a = { .bit = bit, .state = 1, .me = PE_SELF->tasklet };

	if (has_byte(bit))
		pe_turn(acquire, &a, bit);
	else
		acquire_other(bit);
}

void pe_bit_release(uint8_t *bit)
{
	volatile uint8_t *b = bit;
	uint8_t state;

	if (!has_byte(bit)) {
		release_other(bit);
		return;
	}
	pe_enter();
	release_bit(bit);
	state = *b;
	*b = 0;
	if (state == 2)
		PE_SVC->wake(b, 1);
	pe_leave();
}
