// SPDX-License-Identifier: MIT
/* Which function of the engine is there for what in resident kernels, on the host. */
#include <stddef.h>
#include <string.h>

#include "tools/perf/suites/messages/sorts/sorts_x86.h"
#include "tools/tool.h"

/* The first line that fits says it: how a path ends, or begins, how a function's name begins. */
struct sort_line {
	const char *file, *function;
	enum message_sort sort;
};

static const struct sort_line of_kernels[] = {
	/* the engine, as it is sorted where it runs on PEs */
	{ "messages/engine/", NULL, MESSAGE_UNSORTED },
	/* its port: a node's lock; parcels and their travel */
	{ "messages/carrier.c", "carrier_lock", MESSAGE_QUEUES },
	{ "messages/carrier.c", "carrier_enter", MESSAGE_QUEUES },
	{ "messages/carrier.c", "carrier_unlock", MESSAGE_CLEANUP },
	{ "messages/carrier.c", "carrier_free", MESSAGE_CLEANUP },
	{ "messages/carrier.c", "carrier_drop", MESSAGE_CLEANUP },
	{ "messages/carrier.c", "carrier_gather", MESSAGE_COPIES },
	{ "messages/carrier.c", "carrier_scatter", MESSAGE_COPIES },
	{ "messages/carrier.c", "carrier_copy", MESSAGE_COPIES },
	{ "messages/carrier.c", "carrier_put", MESSAGE_COPIES },
	{ "messages/carrier.c", "carrier_alloc", MESSAGE_STATE },
	{ "messages/carrier.c", "carrier_parcel", MESSAGE_STATE },
	{ "messages/carrier.c", "carrier_reserve", MESSAGE_STATE },
	{ "messages/carrier.c", "carrier_unreserve", MESSAGE_STATE },
	{ "messages/carrier.c", NULL, MESSAGE_NETWORK },
	{ "messages/collected.c", NULL, MESSAGE_COPIES },
	{ "messages/port.c", "pm_port_agree", MESSAGE_CHECKS },
	{ "messages/port.c", NULL, MESSAGE_STATE },
	{ "messages/payload.c", "pm_gather", MESSAGE_COPIES },
	{ "messages/payload.c", "pm_scatter", MESSAGE_COPIES },
	{ "messages/payload.c", "pm_copy_buffers", MESSAGE_COPIES },
	{ "messages/payload.", NULL, MESSAGE_CHECKS },
	/* whether anybody draws them */
	{ "messages/arrows.", NULL, MESSAGE_CHECKS },
	/* its calls */
	{ "messages/sends.h", NULL, MESSAGE_CHECKS },
	{ "messages/sends.c", "pm_key_of", MESSAGE_CHECKS },
	{ "messages/sends.c", "send_of", MESSAGE_CHECKS },
	{ "messages/sends.c", "receive_begin", MESSAGE_CHECKS },
	{ "messages/sends.c", "pimmsg_isend", MESSAGE_CHECKS },
	{ "messages/sends.c", "pimmsg_irecv", MESSAGE_CHECKS },
	{ "messages/sends.c", NULL, MESSAGE_STATE },
	{ "messages/requests.", NULL, MESSAGE_STATE },
	{ "messages/probes.c", "pimmsg_probe", MESSAGE_CHECKS },
	{ "messages/probes.c", NULL, MESSAGE_STATE },
	{ "messages/waits.c", NULL, MESSAGE_STATE },
	{ "messages/memory.c", NULL, MESSAGE_STATE },
	{ "messages/world.", NULL, MESSAGE_CHECKS },
	{ "messages/worlds.c", NULL, MESSAGE_NETWORK },
	{ "collectives/types/", NULL, MESSAGE_CHECKS },
	/* switches between threads, which R03's machine does by itself */
	{ "runtime/", NULL, MESSAGE_NETWORK },
	{ "pthread_", NULL, MESSAGE_NETWORK },
	{ "/mem", NULL, MESSAGE_COPIES },
	{ "perf/rounds/", NULL, MESSAGE_PROGRAM },
	/* of the C library, behind the scheduler of resident kernels */
	{ "", "pthread_", MESSAGE_NETWORK },
	{ "", "clock_gettime", MESSAGE_NETWORK },
	{ "", "__tls_get_addr", MESSAGE_NETWORK },
	{ "", "__errno_location", MESSAGE_NETWORK },
	/* what writes profiles */
	{ "", "_IO_", MESSAGE_PROGRAM },
	{ "", "printf", MESSAGE_PROGRAM },
	{ "", "vfprintf", MESSAGE_PROGRAM },
	{ "", "mem", MESSAGE_COPIES },
	{ "", "__mem", MESSAGE_COPIES },
	/* what a copy checks, where the C library's headers have it inline */
	{ "string_fortified.h", NULL, MESSAGE_COPIES },
};

static bool function_fits(const struct sort_line *line, const char *function)
{
	return !line->function || !strncmp(line->function, function, strlen(line->function));
}

enum message_sort message_sort_of_kernels(const char *file, const char *function)
{
	for (size_t i = 0; i < TOOL_COUNT(of_kernels); i++) {
		const struct sort_line *line = &of_kernels[i];

		if (!strstr(file, line->file) || !function_fits(line, function))
			continue;
		return i ? line->sort : message_sort_of(file, function);
	}
	return MESSAGE_UNSORTED;
}
