// SPDX-License-Identifier: MIT
/* Hosts are forked, joined, kept in step and waited for. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/inside.h"
#include "tools/perf/team.h"
#include "tools/tool.h"

static int team_forked(struct perf_team *team)
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

int perf_team_start(struct perf_team *team, uint32_t count)
{
	const char *folder = getenv("TMPDIR");
	char path[80];

	share_processors(count);
	*team = (struct perf_team){ .count = count };
	snprintf(path, sizeof(path), "%.40s/pimdimm-perf-%d", folder ? folder : "/tmp",
		 (int)getpid());
	if (team_forked(team))
		return TOOL_FAILED;
	if (pimdimm_hosts_join(path, team->host, count, NULL, &team->hosts))
		return tool_error("%s", pimdimm_errmsg());
	return TOOL_OK;
}

int perf_team_end(struct perf_team *team, int ret)
{
	pimdimm_hosts_leave(team->hosts);
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

int perf_team_share(const struct perf_team *team, void *value, uint64_t bytes)
{
	if (!team || !pimdimm_hosts_broadcast(team->hosts, value, bytes, 0))
		return TOOL_OK;
	return tool_error("%s", pimdimm_errmsg());
}

int perf_team_sum(const struct perf_team *team, uint64_t *value)
{
	if (!team || !pimdimm_hosts_allreduce(team->hosts, value, value, 1, PIDCOMM_U64,
					      PIDCOMM_SUM))
		return TOOL_OK;
	return tool_error("%s", pimdimm_errmsg());
}
