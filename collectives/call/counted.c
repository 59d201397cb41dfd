// SPDX-License-Identifier: MIT
/* What a call says it touched is compared with what it was seen to touch. */
#include <errno.h>
#include <inttypes.h>

#include "collectives/call/call.h"
#include "runtime/watch/count.h"
#include "collectives/call/counted.h"
#include "runtime/base/error.h"

static bool buffers_meet(const uint8_t *a, uint64_t a_bytes, const uint8_t *b,
			 uint64_t b_bytes)
{
	return (uintptr_t)a < (uintptr_t)b + b_bytes &&
	       (uintptr_t)b < (uintptr_t)a + a_bytes;
}

static bool meets_window(const struct pimdimm *sys, const uint8_t *buf,
			 uint64_t bytes)
{
	for (uint32_t i = 0; i < sys->nr_ranks; i++) {
		const struct pd_rank *r = &sys->ranks[i];

		/* other hosts' */
		if (!r->window)
			continue;
		if (buffers_meet(buf, bytes, r->window, r->bytes) ||
		    buffers_meet(buf, bytes, r->host, r->bytes))
			return true;
	}
	return false;
}

/* A host buffer in MRAM is both at once, and would be counted as MRAM alone. */
int pc_counted_check(const struct pc_call *call)
{
	const struct pc_shape *s = call->req->shape;
	uint64_t bytes = pc_amount_bytes(pc_traits[call->req->id].host,
					 call->req->bytes, s->members);

	if (!pc_is_rooted(call->req->id))
		return 0;
	for (uint32_t g = 0; g < s->groups; g++) {
		if (meets_window(call->req->sys, call->req->bufs[g], bytes))
			return pd_error(
				EOPNOTSUPP,
				"bufs[%u]=%p lies in MRAM, expected host memory: PIMDIMM_ISA=count tells them apart by address",
				g, (void *)call->req->bufs[g]);
	}
	return 0;
}

static int compare_counters(const struct pc_call *call, const char *algorithm,
			    const struct pd_counts *c)
{
	const struct {
		const char *name;
		uint64_t said, counted;
	} rows[] = {
		{"mram_blocks_read", call->counts.blocks_read, c->blocks_read},
		{"mram_blocks_written", call->counts.blocks_written,
		 c->blocks_written},
		{"domain_transfers", call->counts.transfers, c->transfers},
		{"host_bytes_read", call->counts.host_read, c->host_read},
		{"host_bytes_written", call->counts.host_written,
		 c->host_written},
		{"pe_bytes_moved", call->pe_moved, c->pe_moved},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].said != rows[i].counted)
			return pd_error(
				EIO,
				"%s (%s): %s is %" PRIu64
				", but PIMDIMM_ISA=count counted %" PRIu64,
				pc_collective_name(call->req->id), algorithm,
				rows[i].name, rows[i].said, rows[i].counted);
	}
	return 0;
}

int pc_run_counted(struct pc_call *call, const struct pc_algorithm *algorithm)
{
	struct pd_counter counter;
	struct pd_counting before;
	struct pd_counts counts;
	int ret;

	pd_counter_init(&counter, call->req->sys->windows,
			call->req->sys->nr_ranks);
	before = pd_counting_enter(&counter, __builtin_frame_address(0));
	ret = algorithm->run(call);
	pd_counting_leave(before);
	counts = pd_counter_counts(&counter);
	return ret ? ret : compare_counters(call, algorithm->name, &counts);
}
