// SPDX-License-Identifier: MIT
/*
 * Travellers: threads beside all tasklets, which wait for them, with a frame and a payload
 * that they have aboard or that is in MRAM before they begin.
 * quirk: tasklets=2 pes=8
 * show: odd = 0$
 * show: came = 3$
 */
#include <mram.h>
#include <pimdimm.h>

#include "quirk.h"

#define NR_PES 8

struct frame {
	uint32_t from, bytes;
	uint8_t pattern[64];
};

static wide_word_t done[2];
static uint8_t text[3000];
__mram_noinit uint8_t landed[4096];
__host uint32_t odd, came;

static uint8_t text_byte(uint32_t from, uint32_t i)
{
	return (uint8_t)(from * 17 + i * 5 + (i >> 8));
}

static void say_done(uint32_t which)
{
	wide_word_t one = { .word = { came } };

	wide_write_ef(&done[which], &one);
}

static void arrive(void *frame)
{
	const struct frame *f = frame;

	odd += me() < PE_MAX_TASKLETS || me() >= PE_PLACES || parcel_aboard();
	odd += f->from != (pe_id() + NR_PES - 1) % NR_PES || parcel_sender() != f->from;
	for (uint32_t i = 0; i < sizeof(f->pattern); i++)
		odd += f->pattern[i] != text_byte(f->from, i);
	came++;
}

static void unload(void *frame)
{
	const struct frame *f = frame;
	uint8_t part[100];

	odd += parcel_aboard() != f->bytes || parcel_sender() != f->from;
	for (uint32_t at = 0; at < f->bytes; at += sizeof(part)) {
		parcel_unload(part, at, sizeof(part));
		for (uint32_t i = 0; i < sizeof(part); i++)
			odd += part[i] != text_byte(f->from, at + i);
	}
	came++;
	say_done(0);
}

static void look(void *frame)
{
	const struct frame *f = frame;

	odd += parcel_aboard() != 0;
	for (uint32_t i = 0; i < f->bytes; i++)
		odd += landed[5 + i] != text_byte(f->from, i);
	came++;
	say_done(1);
}

int main(void)
{
	uint32_t next = (pe_id() + 1) % NR_PES;
	struct frame f = { pe_id(), sizeof(text), { 0 } };
	wide_word_t one;

	if (!me()) {
		for (uint32_t i = 0; i < sizeof(f.pattern); i++)
			f.pattern[i] = text_byte(pe_id(), i);
		for (uint32_t i = 0; i < sizeof(text); i++)
			text[i] = text_byte(pe_id(), i);
		parcel_frame(next, arrive, &f, sizeof(f));
		parcel_bulk(next, unload, &f, sizeof(f), text, sizeof(text), PE_ABOARD);
		parcel_bulk(next, look, &f, sizeof(f), text, sizeof(text),
			    (uint32_t)(uintptr_t)&landed[5]);
	}
	odd += parcel_sender() != PE_NOBODY;
	wide_read_fe(&done[me()], &one);
	quirk_end();
	return 0;
}
