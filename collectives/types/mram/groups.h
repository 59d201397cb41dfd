/* SPDX-License-Identifier: MIT */
/*
 * A part of MRAM, of one PE or of an entangled group's eight at once: there a byte of the
 * layout is a row of 8 bytes, one of each lane, whatever its alignment.
 */
#ifndef PT_GROUPS_H
#define PT_GROUPS_H

#include "collectives/types/strided.h"
#include "collectives/types/walk.h"
#include "runtime/ranks/system.h"

/* so many bytes of each lane at a time: their rows, twice, fit into the first cache */
#define PT_TILE	1024u

struct pt_group {
	struct pimdimm *sys;
	uint32_t eg;
	enum pd_stores stores;
};

/* rows of [at, at + bytes) of the stream */
void pt_rows_get(const struct pt_group *g, const struct pt_whole *mram,
		 uint64_t at, uint64_t bytes, uint8_t *rows);
void pt_rows_put(const struct pt_group *g, const struct pt_whole *mram,
		 uint64_t at, uint64_t bytes, const uint8_t *rows);

/* the bytes of one PE alone */
void pt_lane_get(struct pimdimm *sys, uint32_t pe, const struct pt_whole *mram,
		 uint64_t at, uint64_t bytes, uint8_t *stream);
void pt_lane_put(struct pimdimm *sys, uint32_t pe, const struct pt_whole *mram,
		 uint64_t at, uint64_t bytes, const uint8_t *stream);

/*
 * Rows from and to host memory of eight lanes; lanes whose `to` is NULL are dropped. What
 * lies behind the last row of rows may be overwritten, up to a block.
 */
void pt_rows_from_lanes(const struct pimdimm *sys, uint8_t *rows,
			const void *const from[PIMDIMM_CHIPS], uint64_t bytes);
void pt_rows_to_lanes(const struct pimdimm *sys, void *const to[PIMDIMM_CHIPS],
		      const uint8_t *rows, uint64_t bytes);

/* -EINVAL and a sentence that calls the part `name` */
int pt_check_mram(const struct pimdimm *sys, const struct pt_whole *whole,
		  const char *name);

#endif /* PT_GROUPS_H */
