// SPDX-License-Identifier: MIT
/*
 * PIMDIMM_IOC_XFER against the library's transfers through mmap. Both do a
 * scatter or a gather whose groups have one member, a buffer a PE: so its
 * inputs and its check are theirs.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>

#include <linux/pimdimm.h>

#include "tools/inside.h"
#include "tools/perf/suites/dev/dev_xfer.h"
#include "tools/tool.h"

static int xfer_rank(const struct perf_setup *s, uint32_t rank)
{
	const bool from = s->c->id == PC_GATHER;
	struct pimdimm_xfer xfer = {
		.size = sizeof(xfer),
		.flags = PIMDIMM_XFER_STRIDED |
			 (from ? PIMDIMM_XFER_FROM_MRAM : 0),
		.pe_mask = UINT64_MAX,
		.offset = from ? s->src : s->dst,
		.bytes = s->c->bytes,
		.addrs = (uintptr_t)s->bufs[rank * PIMDIMM_RANK_PES],
		.stride = s->buf_bytes,
	};

	if (ioctl(s->rig->sys->ranks[rank].fd, PIMDIMM_IOC_XFER, &xfer))
		return pd_error(errno, "XFER of rank %u: %s", rank,
				strerror(errno));
	if (xfer.out_bytes == xfer.bytes)
		return 0;
	return pd_error(EIO, "XFER of rank %u: %" PRIu64 " of %" PRIu64 " bytes",
			rank, (uint64_t)xfer.out_bytes, (uint64_t)xfer.bytes);
}

static int run_xfer(struct perf_setup *s, const char *name)
{
	uint32_t ranks = s->rig->nr_pes / PIMDIMM_RANK_PES;
	int ret = 0;

	(void)name;
	for (uint32_t rank = 0; rank < ranks && !ret; rank++)
		ret = xfer_rank(s, rank);
	return ret;
}

static int run_mapped(struct perf_setup *s, const char *name)
{
	(void)name;
	if (s->c->id == PC_GATHER)
		return pimdimm_pull(s->rig->sys, 0, s->rig->nr_pes, s->src,
				    s->bufs, s->c->bytes);
	return pimdimm_push(s->rig->sys, 0, s->rig->nr_pes, s->dst,
			    (const void *const *)s->bufs, s->c->bytes);
}

static const struct perf_method by_xfer = { .run = run_xfer };
static const struct perf_method by_mmap = { .run = run_mapped };

static void measure_transfer(struct dev_suite *s, struct perf_rig *rig,
		     const struct perf_case *c)
{
	const bool from = c->id == PC_GATHER;
	struct perf_suite *suite = s->targets.suite;
	struct perf_setup setup;
	struct perf_runner r[2] = {
		{ &setup, "XFER", .method = &by_xfer },
		{ &setup, "mmap", .method = &by_mmap },
	};

	suite->status = perf_setup_make(&setup, rig, c, suite->how.seed);
	if (suite->status)
		return;
	dev_measure(s, r, from ? "XFER from MRAM" : "XFER to MRAM",
		    from ? "pull" : "push", 0.5);
	perf_setup_free(&setup);
}

/* One rank and one thread, since one call is one thread's. */
void dev_measure_transfers(struct dev_suite *s)
{
	static const enum pc_collective ways[] = { PC_SCATTER, PC_GATHER };
	struct perf_suite *suite = s->targets.suite;
	struct perf_case c = perf_suite_case(suite, PC_SCATTER);
	uint64_t bytes = dev_first_size(s);
	struct perf_rig rig;

	perf_suite_square(&c, PIMDIMM_RANK_PES);
	perf_suite_axes(&c, "00");
	suite->status = perf_rig_open_as(&rig, &suite->how, &c, s->mram,
					 "PIMDIMM_THREADS", "1");
	if (suite->status)
		return;
	for (; bytes && bytes <= s->mram; bytes = dev_next_size(s, bytes)) {
		for (size_t i = 0; i < TOOL_COUNT(ways) && !suite->status;
		     i++) {
			c.id = ways[i];
			c.bytes = bytes;
			if (perf_round(&c))
				measure_transfer(s, &rig, &c);
		}
	}
	perf_rig_close(&rig);
}
