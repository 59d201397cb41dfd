// SPDX-License-Identifier: MIT
/* Matches: an eager message is delivered at once, another one's data is claimed. */
#include "collectives/messages/engine/match.h"

void me_take(struct me_node *node, struct me_parcel *message)
{
	me_queue_remove(&node->unexpected, &message->entry);
	if (message->frame.flags & ME_EAGER) {
		node->counts.unexpected++;
		return;
	}
	me_chain_remove(&node->loitering, &message->loiter);
	node->counts.loitered++;
}

/* what keeps the data from being received: 0 or a negative errno */
static int match_check(struct me_node *node, const struct me_request *receive,
		       const struct me_frame *frame)
{
	if (frame->status)
		return frame->status;
	if (frame->bytes > receive->buffer.bytes)
		return -ME_EMSGSIZE;
	if (!node->port->agree(node, &receive->buffer, frame->bytes, frame->signature))
		return -ME_EPROTO;
	return 0;
}

static void match_eager(struct me_node *node, struct me_request *receive,
			struct me_parcel *message, int error)
{
	struct me_frame *frame = &message->frame;

	if (!error)
		error = node->port->scatter(node, &receive->buffer, message);
	node->port->unreserve(node, frame->home, frame->from, frame->bytes);
	me_request_end(node, receive, error);
	if (!(frame->flags & ME_SYNC)) {
		node->port->drop(node, message);
		return;
	}
	frame->kind = ME_MATCHED;
	frame->flags = 0;
	me_travel(node, frame->from, message);
}

static void match_claim(struct me_node *node, struct me_request *receive,
			struct me_parcel *message, int error)
{
	struct me_frame *frame = &message->frame;

	frame->kind = ME_CLAIM;
	frame->home = node->id;
	frame->receive = me_request_number(receive);
	for (unsigned int i = 0; i < ME_BUFFER_WORDS; i++)
		frame->there[i] = receive->buffer.words[i];
	if (error) {
		frame->flags |= ME_DROP;
		me_request_end(node, receive, error);
	} else {
		receive->state = ME_CLAIMED;
	}
	me_travel(node, frame->from, message);
}

/* so that two runs can be compared */
static void match_note(struct me_node *node, const struct me_request *receive,
		       const struct me_frame *frame)
{
	uint64_t hash;

	if (!node->notes_matches)
		return;
	hash = me_mix(me_mix(node->id, receive->serial), frame->from);
	hash = me_mix(me_mix(hash, frame->serial), frame->context);
	node->counts.matches += me_mix(hash, (uint32_t)frame->tag);
}

void me_match(struct me_node *node, struct me_request *receive,
	      struct me_parcel *message)
{
	const struct me_frame *frame = &message->frame;
	int error = match_check(node, receive, frame);

	match_note(node, receive, frame);
	receive->status = (struct me_status){
		.source = (int32_t)frame->from,
		.tag = frame->tag,
		.bytes = frame->bytes,
		.signature = frame->signature,
	};
	if (frame->flags & ME_EAGER)
		match_eager(node, receive, message, error);
	else
		match_claim(node, receive, message, error);
}

/* the receive that has bound itself to a loiterer, looked for among those posted */
static struct me_request *match_look(struct me_node *node, const struct me_parcel *loiterer)
{
	node->counts.looks++;
	for (struct me_link *l = node->posted.all.first; l; l = l->next) {
		struct me_request *r = (struct me_request *)l;

		node->posted.inspected++;
		if (r->parcel == loiterer)
			return r;
	}
	return NULL;
}

void me_poll(struct me_node *node)
{
	struct me_link *link, *next;

	for (link = node->loitering.first; link; link = next) {
		struct me_parcel *loiterer = me_parcel_of(link);
		struct me_request *receive = match_look(node, loiterer);

		next = link->next;
		if (!receive)
			continue;
		me_queue_remove(&node->posted, &receive->entry);
		receive->parcel = NULL;
		me_take(node, loiterer);
		me_match(node, receive, loiterer);
	}
}
