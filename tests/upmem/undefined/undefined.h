/* SPDX-License-Identifier: MIT */
/*
 * What the programs here share. Each uses undefined memory in one line, which is marked
 * by BUG, unless it is compiled with MENDED.
 */
#ifndef UNDEFINED_H
#define UNDEFINED_H

#include <alloc.h>
#include <attributes.h>
#include <barrier.h>
#include <defs.h>
#include <mram.h>
#include <pimdimm.h>
#include <seqread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MENDED
#define MEND(code) code
#else
#define MEND(code)
#endif

/* of which the compiler knows nothing */
volatile uint32_t zero;
volatile uint32_t sum;

#endif /* UNDEFINED_H */
