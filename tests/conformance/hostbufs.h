/* SPDX-License-Identifier: MIT */
/*
 * The host buffers of a call in one arena: guard bytes before, between and
 * after them, inaccessible pages around all. What the arena should hold after
 * the call is kept beside.
 */
#ifndef TESTS_HOSTBUFS_H
#define TESTS_HOSTBUFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pimdimm/hosts.h>

#include "tests/conformance/call.h"

struct hostbufs {
	uint32_t nr;
	size_t bytes;		/* of each buffer */
	void **got;		/* handed to the library */
	uint8_t **want;		/* the same places in what is expected */
	uint8_t *arena, *expected;
	size_t arena_bytes;
	void *map;
	size_t map_bytes;
	struct pimdimm_hosts *hosts;	/* whose memory it is, that all map; or NULL */
};

/* hosts: those that make the call together, in memory of each or of all; or NULL */
void hostbufs_make(struct hostbufs *h, struct rng *rng, const struct call *call,
		   struct pimdimm_hosts *hosts, uint32_t groups, uint32_t members);
void hostbufs_free(struct hostbufs *h);

/* NaNs of results may differ where @call reduces. */
bool hostbufs_compare(struct hostbufs *h, const struct call *call);

#endif
