// SPDX-License-Identifier: MIT
/* A host's waits for others, in the timeline. */
#include <inttypes.h>
#include <stdio.h>

#include "collectives/hosts/waiting.h"

static void name_wait(uint32_t host, struct pc_hosts_waiting *waiting)
{
	snprintf(waiting->name, sizeof(waiting->name), "wait for host %u", host);
}

void pc_hosts_trace_long(uint32_t host, struct pc_hosts_waiting *waiting)
{
	name_wait(host, waiting);
	waiting->span = pd_timeline_begin(waiting->name);
	if (waiting->span.start)
		waiting->span.start = waiting->begun;
}

void pc_hosts_trace_wait(const struct pc_hosts_awaited *of, struct pc_hosts_waiting *waiting)
{
	if (!waiting->span.start) {
		name_wait(of->host, waiting);
		waiting->span = pd_timeline_since(waiting->name, waiting->begun);
	}
	pd_timeline_end(&waiting->span,
			"\"host\":%u,\"pid\":%d,\"call\":\"%s\",\"number\":%" PRIu64
			",\"phase\":\"%s\"",
			of->host, of->pid, of->call, of->number, of->phase);
}
