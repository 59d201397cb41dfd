/* SPDX-License-Identifier: MIT */
/* Two processes that exchange messages, of this library or of an opponent's, and what they take. */
#ifndef PIMDIMM_PERF_DATATYPES_PEERS_H
#define PIMDIMM_PERF_DATATYPES_PEERS_H

#include "tools/perf/suites/datatypes/kernels.h"
#include "tools/perf/suites/suite.h"

#define DDT_PEERS	10

/* a program of tools/perf/pair, which takes orders */
struct ddt_peer {
	const char *name;
	int pid, to, from;	/* 0, and descriptors of pipes */
};

struct ddt_peers {
	struct ddt_peer each[DDT_PEERS];	/* this library first */
	unsigned int nr;
};

/* Start this library's and what --opponents has; those that cannot be are told of. */
void ddt_peers_start(struct perf_suite *suite, struct ddt_peers *peers);
void ddt_peers_stop(struct ddt_peers *peers);
/* Messages of the kernel, whose number is `at`: latency, bandwidth in one and both directions. */
void ddt_peers_take(struct perf_suite *suite, struct ddt_peers *peers,
		    const struct ddt_kernel *k, unsigned int at);

/* An order, and its answer without the end of its line: 0, or an exit status. */
#define DDT_ANSWER	192
int ddt_peer_ask(const struct ddt_peer *peer, char what, unsigned int at, unsigned int times,
		 char answer[DDT_ANSWER]);

#endif /* PIMDIMM_PERF_DATATYPES_PEERS_H */
