// SPDX-License-Identifier: MIT
/*
 * Full/empty bits: one of each 32 bytes of WRAM, set while they are full.
 *
 * Who waits is served by whoever fills or empties the word, first come first served: at a
 * fill all that leave it full, then the first that empties it; that makes room for the
 * first that fills it, and so on. So nobody who comes later is before them.
 */
#include <pimdimm.h>

#include "pe.h"

static volatile uint8_t bits[PE_WRAM_BYTES / sizeof(wide_word_t) / 8];

enum use { READ_FF, READ_FE, WRITE_EF };

/* of each thread: what it waits for */
static struct waiter {
	wide_word_t *wide;	/* NULL: nothing, or it has been served */
	wide_word_t *value;
	uint32_t use;
	uint32_t number;	/* of those that have waited */
} waiters[PE_PLACES] __attribute__((section(".bss.pe.boot")));

static uint32_t nr_waited __attribute__((section(".bss.pe.boot")));
static uint32_t nr_waiters __attribute__((section(".bss.pe.boot")));

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

static void set_bit(uint32_t n, bool full)
{
	uint8_t bit = 1u << n % 8;

	bits[n / 8] = full ? bits[n / 8] | bit : bits[n / 8] & ~bit;
}

/* The one that has waited longest for a use of a word; NULL: nobody. */
static struct waiter *first(const wide_word_t *wide, enum use use)
{
	struct waiter *found = NULL;

	for (uint32_t i = 0; i < PE_PLACES; i++) {
		struct waiter *w = &waiters[i];

		if (w->wide == wide && w->use == use &&
		    (!found || (int32_t)(w->number - found->number) < 0))
			found = w;
	}
	return found;
}

static void put_word(wide_word_t *to, const wide_word_t *from)
{
	PE_MEMORY_ONLY(pe_memory_copy(to, from, sizeof(*to)));
	*to = *from;
}

/* What a use does once the word is as it has to be. */
static void use_word(wide_word_t *wide, uint32_t n, wide_word_t *value, enum use use,
		     uint32_t by)
{
	(void)by;
	PE_ACQUIRE_BY(by, wide, 0);
	if (use == WRITE_EF)
		put_word(wide, value);
	else
		put_word(value, wide);
	if (use != READ_FF) {
		PE_RELEASE_BY(by, wide, 0);
		set_bit(n, use == WRITE_EF);
	}
}

static void serve(struct waiter *w, uint32_t n)
{
	use_word(w->wide, n, w->value, w->use, (uint32_t)(w - waiters));
	w->wide = NULL;
	nr_waiters--;
}

/* The word has been filled, or emptied: serve who waits, as long as somebody can be. */
static void serve_all(wide_word_t *wide, uint32_t n)
{
	struct waiter *w;
	bool any = false;

	while (nr_waiters) {
		w = is_full(n) ? first(wide, READ_FF) : first(wide, WRITE_EF);
		if (!w && is_full(n))
			w = first(wide, READ_FE);
		if (!w)
			break;
		serve(w, n);
		any = true;
	}
	if (any)
		PE_SVC->wake(wide, PE_MAX_TASKLETS);
}

/* Use a word now, or have it be used by whoever makes it so that it can be. */
static void await_word(wide_word_t *wide, uint32_t n, wide_word_t *value, enum use use)
{
	const bool full = use != WRITE_EF;
	struct waiter *me = &waiters[PE_SELF->tasklet];

	pe_enter();
	if (is_full(n) == full) {
		use_word(wide, n, value, use, PE_SELF->tasklet);
		if (use != READ_FF)
			serve_all(wide, n);
	} else {
		*me = (struct waiter){ wide, value, use, nr_waited++ };
		nr_waiters++;
		while (me->wide)
			pe_wait(full ? PE_WAIT_FULL : PE_WAIT_EMPTY, wide);
	}
	pe_leave();
}

void wide_write_ef(wide_word_t *wide, const wide_word_t *value)
{
	wide_word_t copy;

	put_word(&copy, value);
	await_word(wide, number(wide), &copy, WRITE_EF);
}

void wide_write_xf(wide_word_t *wide, const wide_word_t *value)
{
	uint32_t n = number(wide);

	pe_enter();
	put_word(wide, value);
	PE_RELEASE(wide, 0);
	set_bit(n, true);
	serve_all(wide, n);
	pe_leave();
}

void wide_read_fe(wide_word_t *wide, wide_word_t *value)
{
	await_word(wide, number(wide), value, READ_FE);
}

void wide_read_ff(wide_word_t *wide, wide_word_t *value)
{
	await_word(wide, number(wide), value, READ_FF);
}

void wide_set_empty(wide_word_t *wide)
{
	uint32_t n = number(wide);

	pe_enter();
	PE_RELEASE(wide, 0);
	set_bit(n, false);
	serve_all(wide, n);
	pe_leave();
}

bool wide_is_full(const wide_word_t *wide)
{
	return is_full(number(wide));
}
