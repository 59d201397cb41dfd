/* SPDX-License-Identifier: MIT */
/* What a run needs, worked out before it: axes, MRAM of each PE, memory of the host. */
#ifndef PIMDIMM_APPS_PLAN_H
#define PIMDIMM_APPS_PLAN_H

#include <stdint.h>

#include "tools/apps/common/sdk/sdk.h"

#define APP_MAX_AXES	3
#define APP_MAX_PARTS	24

/* `mram` and `host` saturate: what cannot be counted does not fit. */
struct app_plan {
	unsigned int ndims;
	uint32_t dims[APP_MAX_AXES];
	uint64_t mram;		/* bytes of a PE's MRAM that are used, from its start */
	uint64_t host;		/* bytes of the host beside the PEs' */
	uint64_t staging;	/* bytes of the host that collectives by way of it stage */
	unsigned int nr_parts;
	struct app_plan_part {
		const char *name;
		uint64_t at, bytes;
	} parts[APP_MAX_PARTS];
};

/*
 * Sets aside so many bytes of each PE's MRAM, rounded up to 8, under a name for people.
 * Returns the offset at which they begin, a multiple of 8.
 */
uint64_t app_plan_mram(struct app_plan *plan, const char *name, uint64_t bytes);

/* Adds bytes that the host needs beside MRAM. */
void app_plan_host(struct app_plan *plan, uint64_t bytes);

/*
 * A collective that a run makes, of so many bytes of each PE: what it stages in memory
 * of the host if it goes by way of that. The axes of the hypercube are there before.
 * Those that stage nothing need not be told.
 */
void app_plan_collective(struct app_plan *plan, enum sdk_collective collective,
			 const char *axes, uint64_t bytes);

/* bytes of all PEs' MRAM and of the host together */
uint64_t app_plan_total(const struct app_plan *plan);

/* the product of the axes */
uint32_t app_plan_pes(const struct app_plan *plan);

/* a times b, UINT64_MAX where that is more */
uint64_t app_times(uint64_t a, uint64_t b);

/* "32 x 32", static */
const char *app_plan_shape(const struct app_plan *plan);

/* a rounded up to a multiple of b, any number; UINT64_MAX where that is more */
static inline uint64_t app_round_up(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : (a + b - 1) / b * b;
}

#endif /* PIMDIMM_APPS_PLAN_H */
