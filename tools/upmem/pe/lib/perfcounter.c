// SPDX-License-Identifier: MIT
/*
 * The performance counter, by the worker's counts of instructions and of the cost model's cycles.
 */
#include <attributes.h>
#include <perfcounter.h>

#include "pe.h"

/*
 * The loader writes it. Hosts read it of every program that counts, whether or
 * not the program itself does: so it lies in the object that counts.
 */
__host const volatile uint32_t CLOCKS_PER_SEC = 0;

/* cleared at boot, where the cost model's counts begin anew */
static struct {
	perfcounter_config_t config;
	perfcounter_t cycles, instr;	/* where counting began */
	perfcounter_t last;		/* what was read since */
} state __attribute__((section(".bss.pe.boot")));

static perfcounter_t cycles(void)
{
	/* hardware shows all but the lowest 4 bits */
	return (PE_SVC->count(0) - state.cycles) & ~15ul;
}

static perfcounter_t instructions(void)
{
	return (PE_SVC->count(1) - state.instr) & ~15ul;
}

static perfcounter_t current(void)
{
	switch (state.config) {
	case COUNT_CYCLES:
	case COUNT_ENABLE_BOTH:
		return cycles();
	case COUNT_INSTRUCTIONS:
		return instructions();
	default:
		return 0;
	}
}

/*
 * Without instructions a counter moves by DMA alone. Who finds it where it was the
 * last time does not learn from 0 cycles that nothing counts them; the next time
 * may show that there is something.
 */
static void note(perfcounter_t now)
{
	PE_SELF->uncounted = now == state.last &&
			     !PE_SELF->instructions[PE_SELF->tasklet];
	state.last = now;
}

static bool counting(void)
{
	return state.config == COUNT_CYCLES ||
	       state.config == COUNT_INSTRUCTIONS ||
	       state.config == COUNT_ENABLE_BOTH;
}

perfcounter_t perfcounter_get(void)
{
	perfcounter_t now = current();

	if (counting())
		note(now);
	return now;
}

perfcounter_t perfcounter_config(perfcounter_config_t config, bool reset_value)
{
	perfcounter_t before = current();

	if (config != COUNT_SAME)
		state.config = config;
	if (reset_value) {
		state.last = 0;
		state.cycles = PE_SVC->count(0);
		state.instr = PE_SVC->count(1);
	}
	return before;
}

perfcounter_pair_t perfcounter_get_both(bool should_reset)
{
	perfcounter_pair_t both = { cycles(), instructions() };

	note(both.cycles);
	if (should_reset)
		perfcounter_config(COUNT_SAME, true);
	return both;
}
