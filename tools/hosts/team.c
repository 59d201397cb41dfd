// SPDX-License-Identifier: MIT
/* Hosts are forked, or were launched; they are joined, kept in step and waited for. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/hosts/launched.h"
#include "tools/hosts/team.h"
#include "tools/inside.h"
#include "tools/tool.h"

static int team_forked(struct tool_team *team)
{
	pid_t first = getpid(), pid;

	fflush(stdout);
	for (uint32_t i = 1; i < team->count; i++) {
		pid = fork();
		if (pid < 0)
			return tool_error("fork: %s", strerror(errno));
		if (pid) {
			team->others[i] = (int)pid;
			continue;
		}
		team->host = i;
		/* none outlives the first one */
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != first ||
		    !freopen("/dev/null", "w", stdout))
			_exit(TOOL_FAILED);
		return TOOL_OK;
	}
	return TOOL_OK;
}

/* They share the processors out, unless somebody says how many threads each has. */
static void share_processors(uint32_t count)
{
	unsigned int all = pd_affinity_cpus();
	char threads[16];

	snprintf(threads, sizeof(threads), "%u", all > count ? all / count : 1);
	setenv("PIMDIMM_THREADS", threads, 0);
}

/* One of those that a launcher has started: it alone may know who is the first. */
static int join_launched(struct tool_team *team)
{
	struct pimdimm_hosts_info info = { .size = sizeof(info) };

	team->launched = true;
	if (launched_join(&team->hosts))
		return TOOL_FAILED;
	pimdimm_hosts_info(team->hosts, &info);
	team->host = info.host;
	team->count = info.hosts;
	/* the library gives each its own processors, where these are enough */
	if (info.locals > pd_affinity_cpus())
		setenv("PIMDIMM_THREADS", "1", 0);
	if (!team->host || freopen("/dev/null", "w", stdout))
		return TOOL_OK;
	return tool_error("/dev/null: %s", strerror(errno));
}

int tool_team_start(struct tool_team *team, uint32_t count)
{
	char path[TOOL_TEMPORARY];

	*team = (struct tool_team){ .count = count };
	if (launched_hosts() > 1 && count == launched_hosts())
		return join_launched(team);
	share_processors(count);
	/* one that is too long for a meeting is refused there */
	snprintf(path, sizeof(path), "%s/pimdimm-perf-%d", tool_temporary_folder(), (int)getpid());
	if (team_forked(team))
		return TOOL_FAILED;
	if (pimdimm_hosts_join(path, team->host, count, NULL, &team->hosts))
		return tool_error("%s", pimdimm_errmsg());
	return TOOL_OK;
}

int tool_team_end(struct tool_team *team, int ret)
{
	pimdimm_hosts_leave(team->hosts);
	/* where one has failed, the launcher ends the others */
	if (team->launched && !ret)
		launched_end();
	if (team->launched)
		return ret;
	if (team->host)
		_exit(ret);
	for (uint32_t i = 1; i < team->count; i++) {
		int status = 0;

		if (!team->others[i])
			continue;
		if (ret)
			kill(team->others[i], SIGKILL);
		waitpid(team->others[i], &status, 0);
		if (status && !ret)
			ret = tool_error("host %u has failed", i);
	}
	return ret;
}

int tool_team_share(const struct tool_team *team, void *value, uint64_t bytes)
{
	if (!team || !pimdimm_hosts_broadcast(team->hosts, value, bytes, 0))
		return TOOL_OK;
	return tool_error("%s", pimdimm_errmsg());
}

int tool_team_sum(const struct tool_team *team, uint64_t *value)
{
	if (!team || !pimdimm_hosts_allreduce(team->hosts, value, value, 1, PIDCOMM_U64,
					      PIDCOMM_SUM))
		return TOOL_OK;
	return tool_error("%s", pimdimm_errmsg());
}

int tool_team_most(const struct tool_team *team, uint64_t *values, uint64_t count)
{
	if (!team || !pimdimm_hosts_allreduce(team->hosts, values, values, count, PIDCOMM_U64,
					      PIDCOMM_MAX))
		return TOOL_OK;
	return tool_error("%s", pimdimm_errmsg());
}
