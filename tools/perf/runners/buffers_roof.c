// SPDX-License-Identifier: MIT
/*
 * What memory allows of allreduce on buffers that all hosts map: plain loops by all of them
 * over the lines that it must load and store.
 */
#include "tools/inside.h"
#include "tools/perf/runners/buffers_roof.h"
#include "tools/perf/runners/lines.h"
#include "tools/tool.h"

#define LINE		64u
#define TILE_LINES	64u	/* of each source and destination, which one pass of a loop takes */
#define MOST		128u

struct buffers_roof {
	const struct perf_lines *lines;
	const uint8_t *srcs[MOST];
	uint8_t *dsts[MOST];
	uint32_t host, hosts;
	bool around;
};

/* n lines at a byte: those of the first source go to the first destination. */
static void roof_tile(const struct buffers_roof *r, uint64_t at, uint64_t n)
{
	for (uint32_t i = 1; i < r->hosts; i++)
		r->lines->load(r->srcs[(r->host + i) % r->hosts] + at, LINE, n);
	(r->around ? r->lines->copy_stream : r->lines->copy)(
		r->dsts[r->host] + at, LINE, r->srcs[r->host] + at, LINE, n);
	for (uint32_t i = 1; i < r->hosts; i++)
		(r->around ? r->lines->stream : r->lines->store)(
			r->dsts[(r->host + i) % r->hosts] + at, LINE, n);
}

int perf_buffers_roof(struct pimdimm_hosts *hosts, const void *src, void *dst, uint64_t bytes,
		      bool around)
{
	struct pimdimm_hosts_info info = { .size = sizeof(info) };
	struct pc_hosts_place from = pc_hosts_place_of(hosts, src, bytes);
	struct pc_hosts_place to = pc_hosts_place_of(hosts, dst, bytes);
	struct buffers_roof r = { .lines = perf_lines(), .around = around };
	uint64_t lines = bytes / LINE, at, end;

	pimdimm_hosts_info(hosts, &info);
	r.host = info.host;
	r.hosts = info.hosts;
	for (uint32_t i = 0; i < info.hosts; i++) {
		r.srcs[i] = pc_hosts_at(hosts, i, from, bytes);
		r.dsts[i] = pc_hosts_at(hosts, i, to, bytes);
		if (!r.srcs[i] || !r.dsts[i])
			return tool_error("the roofline: buffers are not mapped by all hosts");
	}
	at = lines * info.host / info.hosts;
	end = lines * (info.host + 1) / info.hosts;
	for (; at < end; at += TILE_LINES)
		roof_tile(&r, at * LINE, end - at < TILE_LINES ? end - at : TILE_LINES);
	if (around)
		r.lines->fence();
	if (pimdimm_hosts_barrier(hosts))
		return tool_error("%s", pimdimm_errmsg());
	return TOOL_OK;
}
