// SPDX-License-Identifier: MIT
/*
 * memcpy() onto a source a few bytes before its destination repeats these bytes, as
 * copying one after the other does: decompressors live by it.
 * quirk: tasklets=3
 */
#include <string.h>

#include "quirk.h"

#define LONGEST	600u

static uint8_t wanted[NR_TASKLETS][LONGEST + 32], got[NR_TASKLETS][LONGEST + 32];

static void fill(uint8_t *bytes)
{
	for (uint32_t i = 0; i < LONGEST + 32; i++)
		bytes[i] = (uint8_t)(i * 7 + 3);
}

static void repeat(uint32_t distance, uint32_t bytes)
{
	uint8_t *w = wanted[me()], *g = got[me()];

	fill(w);
	fill(g);
	for (uint32_t i = 0; i < bytes; i++)
		w[distance + i] = w[i];
	memcpy(g + distance, g, bytes);
	CHECK(!memcmp(w, g, LONGEST + 32));
}

int main(void)
{
	for (uint32_t distance = 1; distance < 24; distance++)
		for (uint32_t bytes = me(); bytes < LONGEST;
		     bytes += bytes < 40 ? NR_TASKLETS : 37)
			repeat(distance, bytes);
	quirk_end();
	return 0;
}
