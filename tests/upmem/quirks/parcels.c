// SPDX-License-Identifier: MIT
/*
 * Parcels start threads on other PEs and on the sender's own, and those send theirs:
 * a ring in which each PE sends three, and answers each that it gets once.
 * quirk: tasklets=4 pes=8
 * show: first = 3$
 * show: second = 3$
 * show: own = 1$
 */
#include <pimdimm.h>

#include "quirk.h"

#define NR_PES 8

__host uint32_t first, second, own;

static void answered(uint64_t from)
{
	CHECK(from == (pe_id() + 1) % NR_PES);
	__atomic_fetch_add(&second, 1, __ATOMIC_RELAXED);
}

static void arrived(uint64_t from)
{
	CHECK(from == (pe_id() + NR_PES - 1) % NR_PES);
	__atomic_fetch_add(&first, 1, __ATOMIC_RELAXED);
	parcel_send((uint32_t)from, answered, pe_id());
}

static void to_itself(uint64_t arg)
{
	own += (uint32_t)arg;
}

int main(void)
{
	if (me() < 3)
		parcel_send((pe_id() + 1) % NR_PES, arrived, pe_id());
	else
		parcel_send(pe_id(), to_itself, 1);
	quirk_end();
	return 0;
}
