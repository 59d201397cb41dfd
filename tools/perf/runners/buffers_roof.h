/* SPDX-License-Identifier: MIT */
/* The roofline of allreduce on buffers that all hosts map. */
#ifndef PIMDIMM_PERF_BUFFERS_ROOF_H
#define PIMDIMM_PERF_BUFFERS_ROOF_H

#include <stdbool.h>

#include <pimdimm/hosts.h>

/*
 * Each host's share of the lines: loads them of every source and stores them to every
 * destination, once each, around the caches or through them. Hosts wait for each other at
 * the end. 0 or TOOL_FAILED after a message.
 */
int perf_buffers_roof(struct pimdimm_hosts *hosts, const void *src, void *dst, uint64_t bytes,
		      bool around);

#endif /* PIMDIMM_PERF_BUFFERS_ROOF_H */
