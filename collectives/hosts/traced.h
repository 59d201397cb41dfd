/* SPDX-License-Identifier: MIT */
/* Hosts in the timeline: which one a process is, and its calls. */
#ifndef PC_HOSTS_TRACED_H
#define PC_HOSTS_TRACED_H

#include "collectives/hosts/buffers.h"
#include "runtime/watch/timeline.h"

/* From now on the process is host so-and-so, on a machine, or on one that is not known yet. */
#define PC_HOSTS_SOMEWHERE	UINT32_MAX
void pc_hosts_trace_role(uint32_t host, uint32_t hosts, uint32_t machine);

/* A call as a span: "hosts_allreduce". */
struct pd_span pc_hosts_trace_begin(enum pc_hosts_kind kind);
/* bytes that it is about, or 0 */
void pc_hosts_trace_end(const struct pd_span *span, uint64_t bytes, int ret);
/* The same of a collective on buffers, with what it counted. */
void pc_hosts_trace_buffers(const struct pd_span *span, const struct pc_buffers_call *call,
			    const char *algorithm, int ret);

#endif /* PC_HOSTS_TRACED_H */
