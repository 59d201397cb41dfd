// SPDX-License-Identifier: MIT
/*
 * MRAM is dereferenced in every size, as structures, by memcpy and the like, and
 * mixed with transfers.
 * quirk: tasklets=8 launches=2
 */
#include <barrier.h>
#include <mram.h>
#include <string.h>

#include "quirk.h"

struct node {
	__mram_ptr struct node *next;
	uint8_t a;
	uint16_t b;
	uint32_t c;
	uint64_t d;
	float f;
};

BARRIER_INIT(barrier, NR_TASKLETS);
__mram_noinit struct node nodes[512];
__mram int32_t table[6] = { 1, -2, 3, -4, 5, -6 };
__mram_noinit_keep uint8_t text[64];

static void check_strings(void)
{
	static char wram[64];

	memset(text, 'x', sizeof(text));
	memcpy(text, "in MRAM", 8);
	CHECK(strlen((__mram_ptr char *)text) == 7);
	CHECK(!memcmp(text, "in MRAM", 8));
	memcpy(wram, text, 64);
	CHECK(wram[8] == 'x' && !strcmp(wram, "in MRAM"));
	memcpy(&text[32], text, 8);
	CHECK(text[34] == ' ');
}

int main(void)
{
	__dma_aligned struct node copy;
	__mram_ptr struct node *n;
	uint32_t seen = 0;

	for (uint32_t i = me(); i < 512; i += NR_TASKLETS) {
		nodes[i].next = i ? &nodes[i - 1] : 0;
		nodes[i].a = i;
		nodes[i].b = 2 * i;
		nodes[i].c = 3 * i;
		nodes[i].d = 4ul << 32 | i;
		nodes[i].f = i / 4.0f;
	}
	barrier_wait(&barrier);
	for (n = &nodes[511]; n; n = n->next, seen++) {
		uint32_t i = 511 - seen;

		copy = *n;
		CHECK(n->a == (uint8_t)i && copy.b == 2 * i && n->c == 3 * i);
		CHECK(copy.d == (4ul << 32 | i) && n->f == i / 4.0f);
	}
	CHECK(seen == 512);
	mram_read(&nodes[17], &copy, sizeof(copy));
	CHECK(copy.c == 51);
	CHECK(table[1] + table[5] == -8);
	if (me() == 0)
		check_strings();
	quirk_end();
	return 0;
}
