// SPDX-License-Identifier: MIT
/* Adds up what a run needs, without ever wrapping around. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/apps/common/plan.h"

static uint64_t plan_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

uint64_t app_times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t app_plan_mram(struct app_plan *plan, const char *name, uint64_t bytes)
{
	uint64_t at = plan->mram;

	if (plan->nr_parts == APP_MAX_PARTS)
		abort();
	bytes = app_round_up(bytes, 8);
	plan->parts[plan->nr_parts++] = (struct app_plan_part){ name, at, bytes };
	plan->mram = plan_sum(at, bytes);
	return at;
}

void app_plan_host(struct app_plan *plan, uint64_t bytes)
{
	plan->host = plan_sum(plan->host, bytes);
}

/* one for each group along these axes */
static uint32_t plan_groups(const struct app_plan *plan, const char *axes)
{
	uint32_t groups = 1;

	for (unsigned int i = 0; i < plan->ndims; i++)
		groups *= axes[i] == '1' ? 1 : plan->dims[i];
	return groups;
}

void app_plan_collective(struct app_plan *plan, enum sdk_collective collective,
			 const char *axes, uint64_t bytes)
{
	uint64_t staged = sdk_staging(collective, app_plan_pes(plan),
				      plan_groups(plan, axes), bytes);

	if (staged > plan->staging)
		plan->staging = staged;
}

uint32_t app_plan_pes(const struct app_plan *plan)
{
	uint32_t pes = 1;

	for (unsigned int i = 0; i < plan->ndims; i++)
		pes *= plan->dims[i];
	return pes;
}

uint64_t app_plan_total(const struct app_plan *plan)
{
	return plan_sum(app_times(plan->mram, app_plan_pes(plan)), plan->host);
}

const char *app_plan_shape(const struct app_plan *plan)
{
	static char text[16 * APP_MAX_AXES];
	size_t length = 0;

	for (unsigned int i = 0; i < plan->ndims; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "%s%" PRIu32, i ? " x " : "",
					   plan->dims[i]);
	return text;
}
