/* SPDX-License-Identifier: MIT */
/*
 * Several hosts, processes that a launcher has started or `perf --hosts` forks, that all do the
 * same: the first one reports, and decides what depends on times.
 */
#ifndef PIMDIMM_HOSTS_TEAM_H
#define PIMDIMM_HOSTS_TEAM_H

#include <stdbool.h>

#include <pimdimm/hosts.h>

struct tool_team {
	struct pimdimm_hosts *hosts;
	uint32_t host, count;
	bool launched;
	int others[128];	/* the first one's: their processes */
};

/*
 * Joins `count` hosts: those that a launcher has started where these are as many, else all
 * but the first are forked. Everyone returns; the others print to nowhere but where errors
 * go. 0, or TOOL_FAILED after a message.
 */
int tool_team_start(struct tool_team *team, uint32_t count);
/*
 * Leaves. Of forked hosts the first one waits for the others, and fails where one has; they
 * do not return.
 */
int tool_team_end(struct tool_team *team, int ret);

/*
 * What the first host has, for all; the sum of what all have. In one process, where team is
 * NULL, nothing happens. 0, or TOOL_FAILED after a message.
 */
int tool_team_share(const struct tool_team *team, void *value, uint64_t bytes);
int tool_team_sum(const struct tool_team *team, uint64_t *value);
/* The most of what all have, of each value. */
int tool_team_most(const struct tool_team *team, uint64_t *values, uint64_t count);

#endif /* PIMDIMM_HOSTS_TEAM_H */
