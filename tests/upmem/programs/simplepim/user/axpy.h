/* SPDX-License-Identifier: MIT */
/* A user's function, included by host and DPUs: a times x plus y. */
#include <stdint.h>

static void map_func(void *input, void *output, void *context)
{
	int32_t *pair = input;

	*(int64_t *)output = (int64_t)pair[0] * *(int32_t *)context + pair[1];
}
