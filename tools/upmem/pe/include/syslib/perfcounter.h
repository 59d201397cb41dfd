/* SPDX-License-Identifier: MIT */
/* The performance counter: cycles of the PE's clock, or instructions. */
#ifndef PERFCOUNTER_H
#define PERFCOUNTER_H

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t perfcounter_t;

typedef enum _perfcounter_config_t {
	COUNT_SAME = 0,		/* what it counted before */
	COUNT_CYCLES = 1,
	COUNT_INSTRUCTIONS = 2,	/* 0 unless the program is compiled to count */
	COUNT_NOTHING = 3,
	COUNT_DISABLE_BOTH = 6,
	COUNT_ENABLE_BOTH = 7,
} perfcounter_config_t;

typedef struct {
	perfcounter_t cycles;
	perfcounter_t instr;
} perfcounter_pair_t;

/* cycles of a second */
extern const volatile uint32_t CLOCKS_PER_SEC;

/**
 * perfcounter_config() - choose what is counted
 * @config: what
 * @reset_value: whether to begin at 0
 *
 * One counter serves all tasklets. A boot switches it off.
 *
 * Return: the counter before.
 */
perfcounter_t perfcounter_config(perfcounter_config_t config, bool reset_value);

/**
 * perfcounter_get() - read the counter
 *
 * Return: its value, in steps of 16 as on hardware; 0 before
 * perfcounter_config(). Of a program that is compiled not to count
 * (-fno-pimdimm-count) the cycles are those of DMA alone; where that leaves 0 the
 * host is told, once.
 */
perfcounter_t perfcounter_get(void);

/**
 * perfcounter_get_both() - cycles and instructions at once
 * @should_reset: whether to begin at 0 again
 *
 * Return: both, before.
 */
perfcounter_pair_t perfcounter_get_both(bool should_reset);

#endif /* PERFCOUNTER_H */
