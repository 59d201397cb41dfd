/* SPDX-License-Identifier: MIT */
/* What travels between PEs whose programs have <mpi.h>, and between them and the host. */
#ifndef ME_HOP_H
#define ME_HOP_H

#include "collectives/messages/engine/credit.h"
#include "collectives/messages/engine/node.h"

/* data that lies in a traveller's frame */
#define ME_HOP_BYTES	8u
/*
 * Hops that the engine does not know: kinds of frames behind its own. Of those about room
 * `bytes` is how many grains. A claim lends its message's sender what `reserved` says, of
 * room that it had not.
 */
enum {
	ME_HOP_CHUNK = 64,	/* some bytes for a receive that has claimed them */
	ME_HOP_CREDIT,		/* room in a pool is free again */
	ME_HOP_HELLO,		/* to the host: so much of each pool is each other node's */
	ME_HOP_RECALL,		/* what was lent besides is wanted elsewhere */
	ME_HOP_RETURN,		/* and so much of it not taken */
};

struct me_hop {
	struct me_frame frame;
	uint16_t reserved;
	uint16_t turn;		/* the how many-th from its node */
	uint32_t bytes;		/* of data */
	uint8_t data[ME_HOP_BYTES];
};

_Static_assert(sizeof(struct me_hop) == 128, "a traveller takes 128 bytes along");

/* whether a frame comes with data */
static inline bool me_hop_has_data(const struct me_frame *frame)
{
	return frame->flags & (frame->kind == ME_ENVELOPE ? ME_EAGER :
			       frame->kind == ME_DATA ? ME_WITH_DATA : 0);
}

/*
 * Whether a hop for the engine, or a chunk, may be from node `from`, which is known from
 * elsewhere: of what a node knows by itself it says nothing else, and it is about a message
 * between the two. Called with the node locked.
 */
bool me_hop_is_sound(struct me_node *node, uint32_t from, const struct me_hop *hop);

#endif /* ME_HOP_H */
