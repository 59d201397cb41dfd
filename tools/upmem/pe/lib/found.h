/* SPDX-License-Identifier: MIT */
/* What a program that is checked has found, for its host: both detectors'. */
#ifndef FOUND_H
#define FOUND_H

#include "pe.h"

/* Once each by its lines. */
void pe_put_found(const struct pe_found *f);

/*
 * The bytes that hardware transfers where a program asks for these; what it bends is
 * noted, as called from @pc.
 */
uint32_t pe_check_rules(uint32_t mram, const void *wram, uint32_t bytes, int write,
			const void *pc);

#endif /* FOUND_H */
