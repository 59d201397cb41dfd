/* SPDX-License-Identifier: MIT */
/*
 * Several hosts that run the same cases: processes that are forked, each with a system of its
 * own and all of the model. A host looks at its own MRAM and buffers.
 */
#ifndef TESTS_CREW_H
#define TESTS_CREW_H

#include <stdbool.h>
#include <stdint.h>

#include <pimdimm/hosts.h>

#include "tests/conformance/call.h"
#include "tests/conformance/hostbufs.h"

#define CREW_MOST	16

struct crew {
	struct pimdimm_hosts *hosts;
	uint32_t host, count;
	uint32_t first_rank[CREW_MOST + 1];	/* of each host; their number */
	uint32_t root;				/* of the calls to come */
	bool apart;				/* none can map another's MRAM */
	uint32_t machines;			/* that they are on, which share nothing; or 0 */
};

/* Ranks of each of `count` hosts: not all alike. */
void crew_make(struct crew *crew, uint32_t count, uint32_t machines, bool apart);
/*
 * Forks all but host 0, which this process is. Returns whether the caller is to go on as a
 * host: crew->host says which; the others end with what run() returns.
 */
void crew_run(struct crew *crew, bool (*run)(struct crew *crew, const void *ctx), const void *ctx,
	      bool *ok);
/* The uri of this host's system. */
void crew_uri(const struct crew *crew, const char *uri, char *text, size_t bytes);
/* Joins the others at the path that crew_run() found. */
int crew_join(struct crew *crew);
/* Whether all hosts say so. */
bool crew_all(const struct crew *crew, bool ok);
/* This host's buffers alone are handed over, and are to change. */
void crew_own_bufs(const struct crew *crew, const struct grouping *g, struct hostbufs *h,
		   void **bufs);
void crew_keep_others(const struct crew *crew, const struct grouping *g, struct hostbufs *h,
		      const uint8_t *before);
/* What all hosts counted in the last call. */
int crew_stats(const struct crew *crew, const struct pidcomm *hc, struct pidcomm_stats *stats);

#endif
