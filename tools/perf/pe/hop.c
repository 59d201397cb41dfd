// SPDX-License-Identifier: MIT
/*
 * Travellers: one that goes around all PEs, so that a hop is the time from one program to the
 * next; or many at once, of all PEs to all others.
 */
#include <defs.h>
#include <pimdimm.h>

#include "tools/perf/pe/hop.h"

__host struct hop_args args;
__host uint64_t came;

static void arrive(void *frame)
{
	uint32_t left = *(uint32_t *)frame - 1;

	came++;
	if (left)
		parcel_frame((pe_id() + 1) % args.pes, arrive, &left, sizeof(left));
}

int main(void)
{
	uint32_t hops = args.hops, last = 1;

	if (me())
		return 0;
	if (hops && !pe_id())
		parcel_frame(1 % args.pes, arrive, &hops, sizeof(hops));
	for (uint32_t i = 0; i < args.each; i++)
		parcel_frame((pe_id() + 1 + i % (args.pes - 1)) % args.pes, arrive, &last,
			     sizeof(last));
	return 0;
}
