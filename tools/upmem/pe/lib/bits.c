// SPDX-License-Identifier: MIT
/* Atomic bits, on which mutexes stand. */
#include <atomic_bit.h>

#include "pe.h"

int pe_bit_try(uint8_t *bit)
{
	volatile uint8_t *b = bit;
	int free;

	pe_enter();
	free = !*b;
	*b = 1;
	pe_leave();
	return free;
}

void pe_bit_acquire(uint8_t *bit)
{
	volatile uint8_t *b = bit;

	pe_enter();
	while (*b)
		pe_wait(PE_WAIT_MUTEX, b);
	*b = 1;
	pe_leave();
}

void pe_bit_release(uint8_t *bit)
{
	volatile uint8_t *b = bit;

	pe_enter();
	*b = 0;
	PE_SVC->wake(b, 1);
	pe_leave();
}
