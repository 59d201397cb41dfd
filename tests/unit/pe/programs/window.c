// SPDX-License-Identifier: MIT
/*
 * A walk over MRAM by a recipe that the host follows too: transfers of every
 * size, and accesses by pointer of every width.
 */
#define TASKLETS 2
#include "tests/unit/pe/programs/pe.h"

#define MRAM_AT(type, at) (*(volatile type *)(uintptr_t)(PE_MRAM_BASE + (at)))

struct wide {
	uint64_t words[5];
};

HOST uint32_t act;
HOST uint64_t seed;
HOST uint32_t steps;
HOST uint64_t sum;
HOST uint8_t buffer[2048];

static uint64_t random(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 33;
}

static void by_transfer(uint32_t at, uint32_t bytes, int write)
{
	bytes = (bytes % 2041 & ~7u) + 8;
	at &= ~7u;
	if (at > PE_SELF->mram_bytes - bytes)
		at = PE_SELF->mram_bytes - bytes;
	PE_SVC->mram_read(at, buffer, bytes);
	for (uint32_t i = 0; i < bytes; i++) {
		sum = 31 * sum + buffer[i];
		buffer[i] = (uint8_t)(buffer[i] + at + i);
	}
	if (write)
		PE_SVC->mram_write(PE_MRAM_BASE + at, buffer, bytes);
}

/* written over without a look: whole quarters of pages, or any piece */
static void blindly(uint32_t at, uint32_t bytes, int whole)
{
	if (whole) {
		at &= ~1023u;
		bytes = bytes % 2 ? 1024 : 2048;
	} else {
		at &= ~7u;
		bytes = (bytes % 2041 & ~7u) + 8;
	}
	if (at > PE_SELF->mram_bytes - bytes)
		at = PE_SELF->mram_bytes - bytes;
	for (uint32_t i = 0; i < bytes; i++)
		buffer[i] = (uint8_t)(at + 7 * i + PE_SELF->pe);
	PE_SVC->mram_write(at, buffer, bytes);
}

static void by_pointer(uint32_t at, uint32_t width, int write)
{
	uint64_t value;

	at &= ~7u;
	switch (width % 4) {
	case 0:
		value = MRAM_AT(uint8_t, at);
		if (write)
			MRAM_AT(uint8_t, at) = (uint8_t)(value + 1);
		break;
	case 1:
		value = MRAM_AT(uint16_t, at);
		if (write)
			MRAM_AT(uint16_t, at) = (uint16_t)(value + 3);
		break;
	case 2:
		value = MRAM_AT(uint32_t, at);
		if (write)
			MRAM_AT(uint32_t, at) = (uint32_t)(value + 5);
		break;
	default:
		value = MRAM_AT(uint64_t, at);
		if (write)
			MRAM_AT(uint64_t, at) = value + 7;
		break;
	}
	sum = 31 * sum + value;
}

static void walk(void)
{
	for (uint32_t i = 0; i < steps; i++) {
		uint64_t r = random();
		uint32_t at = (uint32_t)(random() % PE_SELF->mram_bytes);

		if ((r >> 2 & 3) == 3)
			blindly(at, (uint32_t)(r >> 8), r & 1);
		else if (r & 1)
			by_transfer(at, (uint32_t)(r >> 8), r >> 1 & 1);
		else
			by_pointer(at, (uint32_t)(r >> 8), r >> 1 & 1);
	}
}

/* a word of each page, forwards: read, add the PE's number, write */
static void sweep(void)
{
	for (uint32_t at = 0; at < PE_SELF->mram_bytes; at += 4096) {
		PE_SVC->mram_read(at, buffer, 8);
		*(uint64_t *)buffer += PE_SELF->pe + 1;
		PE_SVC->mram_write(at, buffer, 8);
		/* by pointer into the page before, which may be gone */
		if (at)
			MRAM_AT(uint64_t, at - 4096 + 8) += 1;
	}
}

/* pages written over, but for a quarter of every third; then a look at each */
static void overwrite(void)
{
	uint64_t *first = (uint64_t *)buffer;

	for (uint32_t at = 0; at < PE_SELF->mram_bytes; at += 2048) {
		uint32_t n = at / 2048 % 6 == 3 ? 1024 : 2048;

		for (uint32_t i = 0; i < n; i += 1024)
			first[i / 8] = at + i + PE_SELF->pe;
		PE_SVC->mram_write(at, buffer, n);
	}
	for (uint32_t at = 0; at < PE_SELF->mram_bytes; at += 1024) {
		PE_SVC->mram_read(at, buffer, 8);
		sum = 31 * sum + *first;
	}
}

/* a structure over the end of a page; a transfer to a stack, from constants */
static void corners(void)
{
	static const uint64_t constants[2] = { 0x1234567890abcdef, 42 };
	uint64_t local[4] __attribute__((aligned(8)));
	struct wide w;

	__builtin_memcpy(&w, (void *)(uintptr_t)(PE_MRAM_BASE + 4096 - 24),
			 sizeof(w));
	w.words[4]++;
	__builtin_memcpy((void *)(uintptr_t)(PE_MRAM_BASE + 8192 - 24), &w,
			 sizeof(w));
	PE_SVC->mram_write(16384, constants, 16);
	PE_SVC->mram_read(4096 - 16, local, 32);
	PE_SVC->mram_write(20480 - 16, local, 32);
	PE_SVC->mram_copy_in(3, buffer + 1, 700);
	PE_SVC->mram_copy_out(24576 + 5, buffer + 1, 700);
}

void pe_start(void)
{
	if (!me()) {
		boot();
		return;
	}
	if (act == 0)
		walk();
	else if (act == 1)
		sweep();
	else if (act == 2)
		corners();
	else
		overwrite();
}
