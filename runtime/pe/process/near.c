// SPDX-License-Identifier: MIT
/* Keeping threads and workers on one processor. A kernel that refuses is not asked again. */
#include "runtime/base/clock.h"
#include "runtime/pe/process/child.h"
#include "runtime/pe/process/near.h"

#define STILL_NS	(PD_NS_PER_S / 100)	/* between chances to move */

static bool keep_on(pid_t task, int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((unsigned int)cpu, &one);
	return !sched_setaffinity(task, sizeof(one), &one);
}

/* -1: of a machine with more processors than a mask has room for */
static int present_cpu(void)
{
	int cpu = sched_getcpu();

	return cpu < CPU_SETSIZE ? cpu : -1;
}

void pd_near_follow(struct pd_near *near, const struct pd_child *worker)
{
	int cpu = near->refused ? -1 : present_cpu();
	pid_t pid;

	if (cpu < 0 || (near->kept && near->cpu == cpu))
		return;
	pid = pd_child_number(worker);
	if (!pid)
		return;
	if (!near->known)
		near->refused = sched_getaffinity(pid, sizeof(near->own), &near->own);
	near->known = true;
	if (!near->refused)
		near->refused = !keep_on(pid, cpu);
	near->kept |= !near->refused;
	near->cpu = cpu;
}

void pd_near_roam(struct pd_near *near, const struct pd_child *worker)
{
	pid_t pid = near->kept ? pd_child_number(worker) : 0;

	if (pid)
		sched_setaffinity(pid, sizeof(near->own), &near->own);
	near->kept = false;
}

static void begin(struct pd_still *still)
{
	int cpu = present_cpu();

	still->needless = cpu < 0 || sched_getaffinity(0, sizeof(still->own), &still->own) ||
			  CPU_COUNT(&still->own) == 1 || !keep_on(0, cpu);
	still->held = !still->needless;
	still->cpu = cpu;
	still->since = pd_now_ns();
}

void pd_still_hold(struct pd_still *still)
{
	if (still->needless)
		return;
	if (!still->held)
		begin(still);
	else if (pd_now_ns() - still->since > STILL_NS)
		pd_still_end(still);
}

void pd_still_end(struct pd_still *still)
{
	cpu_set_t now;

	if (still->held && !sched_getaffinity(0, sizeof(now), &now) && CPU_COUNT(&now) == 1 &&
	    CPU_ISSET((unsigned int)still->cpu, &now))
		sched_setaffinity(0, sizeof(still->own), &still->own);
	still->held = false;
}
