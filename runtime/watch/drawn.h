/* SPDX-License-Identifier: MIT */
/*
 * PIMDIMM_TRACE_TASKLETS: the PEs whose tasklets are drawn in the timeline, by modelled
 * time: "0,64-67" or "all". No more than so many waits a process, all PEs together.
 */
#ifndef PD_DRAWN_H
#define PD_DRAWN_H

#include <stdbool.h>
#include <stdint.h>

#define PD_DRAWN_WAITS	(1u << 18)

/* Reads the variable: 0, or -EINVAL and a sentence. */
int pd_drawn_open(void);

/* Whether the tasklets of a PE are, where there is a timeline. */
bool pd_drawn_pe(uint32_t pe);

/* So many waits are to be drawn: how many may be. */
uint32_t pd_drawn_take(uint32_t waits);

#endif /* PD_DRAWN_H */
