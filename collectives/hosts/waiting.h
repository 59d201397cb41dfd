/* SPDX-License-Identifier: MIT */
/*
 * A host's waits for others in the timeline. One that takes long is there as it goes on, since
 * it may never end; others are from their ends on, and those who did not sleep never.
 */
#ifndef PC_HOSTS_WAITING_H
#define PC_HOSTS_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/watch/timeline.h"

struct pc_hosts_waiting {
	uint64_t begun;
	bool slept;		/* else it is no event */
	struct pd_span span;	/* of one that takes long */
	char name[32];		/* the span's */
};

/* for whom, and in what */
struct pc_hosts_awaited {
	uint32_t host;
	int pid;
	const char *call, *phase;
	uint64_t number;	/* of the call */
};

/* The timeline is on, and the wait is long. */
void pc_hosts_trace_long(uint32_t host, struct pc_hosts_waiting *waiting);
/* The timeline is on, and the wait over. */
void pc_hosts_trace_wait(const struct pc_hosts_awaited *of, struct pc_hosts_waiting *waiting);

#endif /* PC_HOSTS_WAITING_H */
