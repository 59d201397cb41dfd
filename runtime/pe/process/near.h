/* SPDX-License-Identifier: MIT */
/*
 * On one processor a hand-over between a thread of the host and its worker is a switch. From
 * one processor to another it takes as long as that one needs to awake, in a virtual machine
 * some 30 us, many times what a short PE runs. So a worker is kept where the thread is that
 * wakes it, and whoever runs for long, or waits for a worker alone, may move.
 */
#ifndef PD_NEAR_H
#define PD_NEAR_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

struct pd_child;

/* how long a worker that runs is kept near */
#define PD_NEAR_NS	1000000u

/* Where a worker may run. */
struct pd_near {
	bool kept;		/* on this processor alone: */
	int cpu;
	bool known, refused;
	cpu_set_t own;		/* known: where it may run by itself */
};

/* to the processor of the calling thread, which is about to wake it */
void pd_near_follow(struct pd_near *near, const struct pd_child *worker);
/* anywhere */
void pd_near_roam(struct pd_near *near, const struct pd_child *worker);

/* Where a thread of the host may run. */
struct pd_still {
	bool held, needless;
	int cpu;		/* held: on this one alone, since: */
	uint64_t since;
	cpu_set_t own;
};

/*
 * The calling thread, which wakes one worker after the other, stays where it is. Called
 * before each; now and then it may move in between, as whoever else runs there cannot.
 */
void pd_still_hold(struct pd_still *still);
/* it may run where it could before, unless somebody has said otherwise since */
void pd_still_end(struct pd_still *still);

#endif /* PD_NEAR_H */
