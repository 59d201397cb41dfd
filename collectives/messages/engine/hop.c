// SPDX-License-Identifier: MIT
/* What a hop from a program may hold, which can forge all of it but where it comes from. */
#include "collectives/messages/engine/hop.h"

static bool envelope_is_sound(const struct me_node *node, uint32_t from,
			      const struct me_hop *hop)
{
	const struct me_frame *frame = &hop->frame;

	return frame->from == from && frame->home == node->id && frame->tag >= 0 &&
	       !(frame->flags & ~(ME_EAGER | ME_SYNC)) &&
	       (!(frame->flags & ME_EAGER) || hop->bytes == frame->bytes);
}

/* an answer to a send to that node, whose data goes nowhere else */
static bool answer_is_sound(struct me_node *node, uint32_t from, const struct me_hop *hop)
{
	const struct me_request *send = me_request_of(node, hop->frame.send, ME_SEND, ME_ACTIVE);

	return send && send->peer == from &&
	       (hop->frame.kind != ME_CLAIM || hop->frame.home == from);
}

/* for a receive that has claimed it from there, within its message */
static bool data_is_sound(struct me_node *node, uint32_t from, const struct me_hop *hop)
{
	const struct me_request *receive = me_request_of(node, hop->frame.receive, ME_RECEIVE,
							 ME_CLAIMED);
	uint64_t at = hop->frame.there[0];

	return receive && receive->status.source == (int32_t)from &&
	       receive->status.bytes == hop->frame.bytes &&
	       (!hop->bytes || (at <= hop->frame.bytes && hop->bytes <= hop->frame.bytes - at));
}

bool me_hop_is_sound(struct me_node *node, uint32_t from, const struct me_hop *hop)
{
	switch (hop->frame.kind) {
	case ME_ENVELOPE:
		return envelope_is_sound(node, from, hop);
	case ME_CLAIM:
	case ME_MATCHED:
		return answer_is_sound(node, from, hop);
	case ME_DATA:
	case ME_HOP_CHUNK:
		return data_is_sound(node, from, hop);
	default:
		return false;
	}
}
