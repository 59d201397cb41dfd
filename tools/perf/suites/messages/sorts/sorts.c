// SPDX-License-Identifier: MIT
/* Which function of the engine of messages and of <mpi.h> is there for what. */
#include <stddef.h>
#include <string.h>

#include "tools/perf/suites/messages/sorts/sorts.h"
#include "tools/tool.h"

const char *const message_sort_names[MESSAGE_SORTS] = {
	[MESSAGE_STATE] = "state",
	[MESSAGE_CLEANUP] = "cleanup",
	[MESSAGE_QUEUES] = "queues",
	[MESSAGE_JUGGLING] = "juggling",
	[MESSAGE_CHECKS] = "checks",
	[MESSAGE_NETWORK] = "network",
	[MESSAGE_COPIES] = "copies",
	[MESSAGE_PROGRAM] = "program",
	[MESSAGE_UNSORTED] = "unsorted",
};

/* The first line that fits says it; without a function it is of all that its file has. */
static const struct {
	const char *file, *function;
	enum message_sort sort;
} lines[] = {
	/* the engine */
	{ "queues.c", NULL, MESSAGE_QUEUES },
	{ "queues.h", NULL, MESSAGE_QUEUES },
	{ "node.h", "me_unlock", MESSAGE_CLEANUP },
	{ "node.h", "me_request_release", MESSAGE_CLEANUP },
	{ "node.h", NULL, MESSAGE_QUEUES },
	{ "node.c", "me_append", MESSAGE_QUEUES },
	{ "node.c", "me_wake_probers", MESSAGE_QUEUES },
	{ "node.c", "me_travel", MESSAGE_NETWORK },
	{ "node.c", NULL, MESSAGE_STATE },
	{ "match.c", "match_check", MESSAGE_CHECKS },
	{ "match.c", "match_look", MESSAGE_QUEUES },
	{ "match.c", "me_take", MESSAGE_QUEUES },
	{ "match.c", "me_poll", MESSAGE_QUEUES },
	{ "match.c", NULL, MESSAGE_STATE },
	{ "probe.c", NULL, MESSAGE_QUEUES },
	{ "send.c", NULL, MESSAGE_STATE },
	{ "receive.c", NULL, MESSAGE_STATE },
	/* its port of PE programs */
	{ "port.c", "port_lock", MESSAGE_QUEUES },
	{ "port.c", "port_unlock", MESSAGE_CLEANUP },
	{ "port.c", "port_free", MESSAGE_CLEANUP },
	{ "port.c", "port_drop", MESSAGE_CLEANUP },
	{ "port.c", "mpi_parcel_free", MESSAGE_CLEANUP },
	{ "port.c", "port_agree", MESSAGE_CHECKS },
	{ "port.c", "port_gather", MESSAGE_COPIES },
	{ "port.c", "port_scatter", MESSAGE_COPIES },
	{ "port.c", "port_put", MESSAGE_COPIES },
	{ "port.c", "port_travel", MESSAGE_NETWORK },
	{ "port.c", NULL, MESSAGE_STATE },
	{ "memory.c", "mpi_free", MESSAGE_CLEANUP },
	{ "memory.c", "give", MESSAGE_CLEANUP },
	{ "memory.c", "join", MESSAGE_CLEANUP },
	{ "memory.c", NULL, MESSAGE_STATE },
	/* room in pools is what a port reserves; who a hop is from is the network's to know */
	{ "shares.c", NULL, MESSAGE_STATE },
	{ "credit.c", NULL, MESSAGE_STATE },
	{ "credit.h", NULL, MESSAGE_STATE },
	{ "travel.c", NULL, MESSAGE_NETWORK },
	{ "turns.c", NULL, MESSAGE_NETWORK },
	{ "hop.h", NULL, MESSAGE_NETWORK },
	{ "hop.c", NULL, MESSAGE_CHECKS },
	{ "juggle.c", "mpi_deposit", MESSAGE_NETWORK },
	{ "juggle.c", NULL, MESSAGE_JUGGLING },
	{ "copy.c", NULL, MESSAGE_COPIES },
	/* <mpi.h> */
	{ "messages.c", "mpi_key_of", MESSAGE_CHECKS },
	{ "messages.c", "mpi_check_probe", MESSAGE_CHECKS },
	{ "messages.c", "check", MESSAGE_CHECKS },
	{ "messages.c", "check_peer", MESSAGE_CHECKS },
	{ "messages.c", "begin", MESSAGE_CHECKS },
	{ "messages.c", NULL, MESSAGE_STATE },
	{ "requests.c", "check_requests", MESSAGE_CHECKS },
	{ "requests.c", NULL, MESSAGE_STATE },
	{ "probes.c", NULL, MESSAGE_STATE },
	{ "payload.c", "mpi_stream", MESSAGE_COPIES },
	{ "payload.c", "mpi_stream_aboard", MESSAGE_COPIES },
	{ "payload.c", "mpi_copy_part", MESSAGE_COPIES },
	{ "payload.c", NULL, MESSAGE_CHECKS },
	{ "types.c", NULL, MESSAGE_CHECKS },
	{ "comms.c", NULL, MESSAGE_CHECKS },
	{ "collectives.c", NULL, MESSAGE_STATE },
	{ "pieces.c", NULL, MESSAGE_STATE },
	{ "errors.c", NULL, MESSAGE_CHECKS },
	{ "inside.h", NULL, MESSAGE_CHECKS },
	/* the PE library: where a tasklet gives way to another, and its DMA */
	{ "pe.h", NULL, MESSAGE_NETWORK },
	{ "pimdimm.h", NULL, MESSAGE_NETWORK },
	/* tools/perf/pe */
	{ "exchange.c", NULL, MESSAGE_PROGRAM },
};

enum message_sort message_sort_of(const char *file, const char *function)
{
	const char *slash = strrchr(file, '/');

	file = slash ? slash + 1 : file;
	for (size_t i = 0; i < TOOL_COUNT(lines); i++)
		if (!strcmp(lines[i].file, file) &&
		    (!lines[i].function || !strcmp(lines[i].function, function)))
			return lines[i].sort;
	return MESSAGE_UNSORTED;
}
