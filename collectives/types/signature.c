// SPDX-License-Identifier: MIT
/* Hashes sequences of elements so that their parts' hashes are enough. */
#include <pimdimm/types.h>

#include "collectives/types/nodes.h"
#include "collectives/types/signature.h"

#define MODULUS	((UINT64_C(1) << 61) - 1)
#define BASE	UINT64_C(0x1a2b3c4d5e6f7081)

static uint64_t sig_add(uint64_t a, uint64_t b)
{
	uint64_t sum = a + b;

	return sum >= MODULUS ? sum - MODULUS : sum;
}

static uint64_t sig_times(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return sig_add((uint64_t)product & MODULUS, (uint64_t)(product >> 61));
}

struct pt_sig pt_sig_none(void)
{
	return (struct pt_sig){ .power = 1 };
}

struct pt_sig pt_sig_one(unsigned int which)
{
	return (struct pt_sig){
		.sum = pt_mix(1, which) % (MODULUS - 1) + 1,
		.power = BASE,
		.nr = 1,
		.packed = which == PIMTYPE_PACKED,
		.only = (uint8_t)(which + 1),
	};
}

static uint8_t sig_only(const struct pt_sig *a, const struct pt_sig *b)
{
	if (!a->nr || !b->nr)
		return a->nr ? a->only : b->only;
	return a->only == b->only ? a->only : 0;
}

struct pt_sig pt_sig_join(struct pt_sig a, struct pt_sig b)
{
	return (struct pt_sig){
		.sum = sig_add(sig_times(a.sum, b.power), b.sum),
		.power = sig_times(a.power, b.power),
		.nr = a.nr + b.nr,
		.packed = a.packed || b.packed,
		.only = sig_only(&a, &b),
	};
}

struct pt_sig pt_sig_repeat(struct pt_sig a, uint64_t n)
{
	struct pt_sig all = pt_sig_none();

	for (; n; n >>= 1) {
		if (n & 1)
			all = pt_sig_join(all, a);
		a = pt_sig_join(a, a);
	}
	return all;
}

bool pt_sig_agree(struct pt_sig a, struct pt_sig b)
{
	return a.packed || b.packed || (a.sum == b.sum && a.nr == b.nr);
}

uint64_t pt_sig_hash(struct pt_sig a)
{
	return a.nr ? pt_mix(a.sum, a.nr) : 0;
}
