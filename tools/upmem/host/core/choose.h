/* SPDX-License-Identifier: MIT */
/* Disabling DPUs of ranks, given by their masks of places, until nr are left. */
#ifndef HOST_CHOOSE_H
#define HOST_CHOOSE_H

#include <stdint.h>

void choose_by_line(uint64_t enabled[], uint32_t nr_ranks, uint32_t nr);
void choose_by_chip(uint64_t enabled[], uint32_t nr_ranks, uint32_t nr);

#endif /* HOST_CHOOSE_H */
