// SPDX-License-Identifier: MIT
/* Of everything that a program may have, something: for the loader. */
#include "tests/unit/pe/programs/pe.h"

HOST uint32_t words[5] = { 1, 2, 3, 4, 5 };
HOST volatile uint32_t CLOCKS_PER_SEC;
static HOST uint64_t hidden = 7;
uint8_t zeros[100];
const uint64_t constants[3] = { 11, 12, 13 };
__attribute__((used, section(".mram"), aligned(8)))
uint64_t initialised[6] = { 1, 2, 3, 4, 5, 6 };
__attribute__((used, section(".bss.mram.noinit"), aligned(8)))
uint64_t uninitialised[512];

NOINLINE uint64_t sum(const uint64_t *x, int n);
NOINLINE uint64_t sum(const uint64_t *x, int n)
{
	uint64_t total = 0;

	for (int i = 0; i < n; i++)
		total += x[i];
	return total;
}

NOINLINE uint64_t lineless(uint64_t x);

void pe_start(void)
{
	boot();
	zeros[me()] = (uint8_t)sum(constants, 3);
	hidden += sum(initialised, 6) + uninitialised[words[0]];
	hidden = lineless(hidden);
}

/* code of no line, with nothing before it that a line could be taken from */
#line 0
NOINLINE __attribute__((section(".text.lineless"))) uint64_t lineless(uint64_t x) { return 3 * x; }
