/* SPDX-License-Identifier: MIT */
/*
 * Several hosts, processes that `perf --hosts` forks, that all run the same measurements: the
 * first one reports, and decides what depends on times.
 */
#ifndef PIMDIMM_PERF_TEAM_H
#define PIMDIMM_PERF_TEAM_H

#include <pimdimm/hosts.h>

struct perf_team {
	struct pimdimm_hosts *hosts;
	uint32_t host, count;
	int others[128];	/* the first one's: their processes */
};

/*
 * Forks all but the first of `count` hosts, and joins them. Everyone returns; the others
 * print to nowhere but where errors go. 0, or TOOL_FAILED after a message.
 */
int perf_team_start(struct perf_team *team, uint32_t count);
/* Leaves; the first one waits for the others, and fails where one has. */
int perf_team_end(struct perf_team *team, int ret);

/*
 * What the first host has, for all; the sum of what all have. In one process, where team is
 * NULL, nothing happens. 0, or TOOL_FAILED after a message.
 */
int perf_team_share(const struct perf_team *team, void *value, uint64_t bytes);
int perf_team_sum(const struct perf_team *team, uint64_t *value);

#endif /* PIMDIMM_PERF_TEAM_H */
