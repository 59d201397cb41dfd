// SPDX-License-Identifier: MIT
/* Atomic bits, on which mutexes stand: 0 free, 1 taken, 2 taken and wanted. */
#include <atomic_bit.h>

#include "pe.h"

int pe_bit_try(uint8_t *bit)
{
	volatile uint8_t *b = bit;
	int free;

	pe_enter();
	free = !*b;
	if (free)
		*b = 1;
	pe_leave();
	return free;
}

void pe_bit_acquire(uint8_t *bit)
{
	volatile uint8_t *b = bit;
	uint8_t state = 1;

	pe_enter();
	while (*b) {
		/* others may wait as well: whoever gets it wakes the next */
		*b = state = 2;
		pe_wait(PE_WAIT_MUTEX, b);
	}
	*b = state;
	pe_leave();
}

void pe_bit_release(uint8_t *bit)
{
	volatile uint8_t *b = bit;
	uint8_t state;

	pe_enter();
	state = *b;
	*b = 0;
	if (state == 2)
		PE_SVC->wake(b, 1);
	pe_leave();
}
