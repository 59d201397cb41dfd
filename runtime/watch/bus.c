// SPDX-License-Identifier: MIT
/* The model of host transfers: its parameters, and the time of a call by them. */
#include <pimdimm/pimdimm_layout.h>

#include "runtime/watch/bus.h"

#define VALUE(name, value, unit, source)	value,

struct pd_bus_parameters pd_bus = { PD_BUS_PARAMETERS(VALUE) };

/* What a file may make longer than a number holds is as long as one holds. */
static uint64_t whole_ns(double ps)
{
	double ns = ps / 1000 + 0.5;

	return ns < (double)UINT64_MAX ? (uint64_t)ns : UINT64_MAX;
}

void pd_bus_add_pe(struct pd_bus_call *call, uint32_t eg)
{
	uint32_t share = (uint32_t)((uint64_t)eg * pd_bus.xfer_threads /
				    PIMDIMM_BANKS);

	call->pes++;
	if (call->egs && call->last == eg)
		return;
	call->last = eg;
	call->of_share = call->egs && share == call->share ?
				 call->of_share + 1 : 1;
	call->share = share;
	call->egs++;
	if (call->of_share > call->most)
		call->most = call->of_share;
}

/*
 * Bursts of the groups of the thread that has most, where there are as many threads as
 * have any, else of all groups over all threads.
 */
static double group_ps(const struct pd_bus_call *call, uint32_t ps)
{
	double turns = (double)call->egs / pd_bus.xfer_threads;

	return (double)call->bytes * ps *
	       (turns > call->most ? turns : call->most);
}

/* more for each byte that comes from no cache */
static double miss_ps(const struct pd_bus_call *call)
{
	double all = (double)call->bytes * call->pes;

	return all > pd_bus.xfer_cache_bytes ?
		       (all - pd_bus.xfer_cache_bytes) *
			       pd_bus.xfer_push_miss_ps : 0;
}

struct pd_bus_time pd_bus_time(const struct pd_bus_call *call)
{
	double all = (double)call->bytes * call->pes, ps;
	uint32_t call_ns;

	switch (call->kind) {
	case PD_BUS_PUSH:
		call_ns = pd_bus.xfer_push_call_ns;
		ps = group_ps(call, pd_bus.xfer_push_group_ps) +
		     all * pd_bus.xfer_push_host_ps + miss_ps(call);
		break;
	case PD_BUS_BROADCAST:
		call_ns = pd_bus.xfer_push_call_ns;
		ps = group_ps(call, pd_bus.xfer_push_group_ps) +
		     all * pd_bus.xfer_broadcast_host_ps;
		break;
	case PD_BUS_PULL:
		call_ns = pd_bus.xfer_pull_call_ns;
		ps = group_ps(call, pd_bus.xfer_pull_group_ps) +
		     all * pd_bus.xfer_pull_host_ps;
		break;
	case PD_BUS_WRAM_WRITE:
		call_ns = pd_bus.xfer_wram_write_call_ns;
		ps = all * pd_bus.xfer_wram_write_ps;
		break;
	default:
		call_ns = pd_bus.xfer_wram_read_call_ns;
		ps = all * pd_bus.xfer_wram_read_ps;
	}
	return (struct pd_bus_time){ call_ns, whole_ns(ps) };
}

uint64_t pd_bus_collective_ns(uint64_t bytes)
{
	return whole_ns((double)bytes * 1e6 / pd_bus.bus_mb_per_s);
}
