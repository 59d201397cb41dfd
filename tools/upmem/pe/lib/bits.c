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
	pe_leave();
}

static void release_other(const uint8_t *bit)
{
	uint8_t mask;
	volatile uint8_t *byte = other(bit, &mask);

	pe_enter();
	*byte &= ~mask;
	/* who waits for the byte may want any of its bits */
	PE_SVC->wake(byte, PE_MAX_TASKLETS);
	pe_leave();
}

int pe_bit_try(uint8_t *bit)
{
	volatile uint8_t *b = bit;
	int free;

	if (!has_byte(bit))
		return try_other(bit);
	pe_enter();
	free = !*b;
	if (free)
		*b = 1;
	pe_leave();
	return free;
}

struct acquisition {
	volatile uint8_t *bit;
	uint8_t state;
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
	return PE_WAIT_NOTHING;
}

void pe_bit_acquire(uint8_t *bit)
{
	struct acquisition a = { .bit = bit, .state = 1 };

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
	state = *b;
	*b = 0;
	if (state == 2)
		PE_SVC->wake(b, 1);
	pe_leave();
}
