// SPDX-License-Identifier: MIT
/* Which host a process is, and its calls, in the timeline. */
#include <inttypes.h>
#include <stdio.h>

#include "collectives/hosts/traced.h"

/* as the functions are called, for collectives on hypercubes have the other names */
static const char *const names[PC_HOSTS_KINDS] = {
	[PC_HOSTS_JOIN] = "hosts_join",
	[PC_HOSTS_BARRIER] = "hosts_barrier",
	[PC_HOSTS_SPLIT] = "hosts_split",
	[PC_HOSTS_ALLOC] = "hosts_alloc",
	[PC_HOSTS_CREATE] = "create_hosts",
	[PC_HOSTS_ALLREDUCE] = "hosts_allreduce",
	[PC_HOSTS_REDUCE_SCATTER] = "hosts_reduce_scatter",
	[PC_HOSTS_REDUCE] = "hosts_reduce",
	[PC_HOSTS_BROADCAST] = "hosts_broadcast",
	[PC_HOSTS_ALLGATHER] = "hosts_allgather",
};

void pc_hosts_trace_role(uint32_t host, uint32_t hosts, uint32_t machine)
{
	char role[48];

	if (machine == PC_HOSTS_SOMEWHERE)
		snprintf(role, sizeof(role), ", host %u of %u", host, hosts);
	else
		snprintf(role, sizeof(role), ", host %u of %u, machine %u", host, hosts, machine);
	pd_timeline_process(role);
}

struct pd_span pc_hosts_trace_begin(enum pc_hosts_kind kind)
{
	return pd_timeline_begin(names[kind]);
}

void pc_hosts_trace_end(const struct pd_span *span, uint64_t bytes, int ret)
{
	pd_timeline_end(span, "\"bytes\":%" PRIu64 ",\"ret\":%d", bytes, ret);
}

void pc_hosts_trace_buffers(const struct pd_span *span, const struct pc_buffers_call *call,
			    const char *algorithm, int ret)
{
	const struct pimdimm_hosts_stats *s = &call->h->stats;
	const bool reduces = call->kind == PC_HOSTS_ALLREDUCE || call->kind == PC_HOSTS_REDUCE ||
			     call->kind == PC_HOSTS_REDUCE_SCATTER;

	pd_timeline_end(span,
			"\"bytes\":%" PRIu64 ",\"hosts\":%u,\"type\":\"%s\",\"op\":\"%s\","
			"\"algorithm\":\"%s\",\"loaded\":%" PRIu64 ",\"stored\":%" PRIu64
			",\"stored_around\":%" PRIu64 ",\"sent_bytes\":%" PRIu64
			",\"waits\":%" PRIu64 ",\"ret\":%d",
			call->bytes, call->h->hosts, reduces ? pc_type_name(call->type) : "-",
			reduces ? pc_op_name(call->op) : "-", algorithm, s->loaded, s->stored,
			s->stored_around, s->sent_bytes, s->waits, ret);
}
