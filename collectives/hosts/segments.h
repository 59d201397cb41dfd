/* SPDX-License-Identifier: MIT */
/* Memory that all hosts of a machine map, and where buffers lie in it. */
#ifndef PC_HOSTS_SEGMENTS_H
#define PC_HOSTS_SEGMENTS_H

#include "collectives/hosts/machine.h"

/* Where a buffer lies, if wholly in this host's part of a segment; else of no segment. */
struct pc_hosts_place pc_hosts_place_of(const struct pimdimm_hosts *h, const void *buf,
					uint64_t bytes);
/* Another host's buffer, mapped here; NULL: it has none there. */
uint8_t *pc_hosts_at(const struct pimdimm_hosts *h, uint32_t host, struct pc_hosts_place place,
		     uint64_t bytes);

/*
 * The same among the buffers of those whose part these hosts are, numbered alike: nothing, where
 * that has been left. Another thread may be making and freeing buffers there.
 */
struct pc_hosts_place pc_hosts_place_in_whole(const struct pimdimm_hosts *part, const void *buf,
					      uint64_t bytes);
uint8_t *pc_hosts_at_in_whole(const struct pimdimm_hosts *part, uint32_t host,
			      struct pc_hosts_place place, uint64_t bytes);

/* Add one that all hosts have mapped. */
void pc_hosts_segment_add(struct pimdimm_hosts *h, struct pc_hosts_segment *s);
/* The number of the oldest segment that this host has not freed; UINT64_MAX: none. */
uint64_t pc_hosts_oldest(const struct pimdimm_hosts *h);
/* Unmap what this host has freed and is older than what any other one uses. */
void pc_hosts_sweep(struct pimdimm_hosts *h, uint64_t oldest);

/* Unmapped and freed; NULL is nothing. */
void pc_hosts_segment_drop(struct pc_hosts_segment *s);

#endif /* PC_HOSTS_SEGMENTS_H */
