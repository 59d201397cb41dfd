// SPDX-License-Identifier: MIT
/* Full/empty bits: one of each 32 bytes of WRAM, set while they are full. */
#include <pimdimm.h>

#include "pe.h"

static volatile uint8_t bits[PE_WRAM_BYTES / sizeof(wide_word_t) / 8];

/* inlined: a misuse is told at the line of the library's caller */
__attribute__((always_inline))
static inline uint32_t number(const wide_word_t *wide)
{
	uintptr_t offset = (uintptr_t)wide - PE_WRAM_BASE;

	if (offset >= PE_WRAM_BYTES || offset % sizeof(*wide))
		pe_fault_at(__builtin_return_address(0), PE_FAULT_RUNTIME,
			    (uintptr_t)wide,
			    "a wide word that is not 32 bytes of WRAM at a multiple of 32");
	return offset / sizeof(*wide);
}

static bool is_full(uint32_t n)
{
	return bits[n / 8] >> n % 8 & 1;
}

static void set_full(const wide_word_t *wide, uint32_t n, bool full)
{
	uint8_t bit = 1u << n % 8;

	bits[n / 8] = full ? bits[n / 8] | bit : bits[n / 8] & ~bit;
	PE_SVC->wake(wide, PE_MAX_TASKLETS);
}

static void wait_until(const wide_word_t *wide, uint32_t n, bool full)
{
	while (is_full(n) != full)
		pe_wait(full ? PE_WAIT_FULL : PE_WAIT_EMPTY, wide);
}

void wide_write_ef(wide_word_t *wide, const wide_word_t *value)
{
	uint32_t n = number(wide);

	pe_enter();
	wait_until(wide, n, false);
	*wide = *value;
	set_full(wide, n, true);
	pe_leave();
}

void wide_write_xf(wide_word_t *wide, const wide_word_t *value)
{
	uint32_t n = number(wide);

	pe_enter();
	*wide = *value;
	set_full(wide, n, true);
	pe_leave();
}

void wide_read_fe(wide_word_t *wide, wide_word_t *value)
{
	uint32_t n = number(wide);

	pe_enter();
	wait_until(wide, n, true);
	*value = *wide;
	set_full(wide, n, false);
	pe_leave();
}

void wide_read_ff(wide_word_t *wide, wide_word_t *value)
{
	uint32_t n = number(wide);

	pe_enter();
	wait_until(wide, n, true);
	*value = *wide;
	pe_leave();
}

void wide_set_empty(wide_word_t *wide)
{
	uint32_t n = number(wide);

	pe_enter();
	set_full(wide, n, false);
	pe_leave();
}

bool wide_is_full(const wide_word_t *wide)
{
	return is_full(number(wide));
}
