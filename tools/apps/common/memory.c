// SPDX-License-Identifier: MIT
/* Asks the kernel how much memory there is to have. */
#include "tools/apps/common/memory.h"
#include "tools/tool.h"

uint64_t app_memory_available(void)
{
	return tool_memory_available();
}

uint64_t app_memory_bound(void)
{
	uint64_t available = app_memory_available();

	return available == UINT64_MAX ? UINT64_MAX : available / 4 * 3;
}
