/* SPDX-License-Identifier: MIT */
/*
 * Between MRAM and host memory without a stop: where runs of both are long and of whole
 * words, the domain transfer takes them from where they lie.
 */
#ifndef PT_DIRECT_H
#define PT_DIRECT_H

#include "collectives/types/walk.h"
#include "runtime/ranks/system.h"

enum pt_direct_way {
	PT_DIRECT_NOT,
	PT_DIRECT_WALK,		/* the host's runs are found by a walk */
	PT_DIRECT_ROW,		/* its bytes are in a row */
	PT_DIRECT_ALIKE,	/* they are laid out as those of MRAM */
};

struct pt_direct {
	struct pimdimm *sys;
	uint32_t eg;
	enum pt_direct_way way;
	const struct pt_whole *mram, *host;
	uint8_t *const *bufs;	/* one for each lane */
	bool to_mram;
	enum pd_stores stores;
};

/* whether these parts may be moved so, and how */
enum pt_direct_way pt_direct_way(const struct pt_whole *mram, const struct pt_whole *host);

/* [at, at + bytes) of the stream, multiples of 8 */
void pt_direct_move(const struct pt_direct *direct, uint64_t at, uint64_t bytes);

#endif /* PT_DIRECT_H */
