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

void me_lay_down(struct me_node *node, struct me_parcel *parcel)
{
	const struct me_frame *frame = &parcel->frame;

	parcel->entry.key = (struct me_key){ frame->context, (int32_t)frame->from, frame->tag };
	/* of a loiterer this is the dummy, which keeps its place among the messages */
	me_append(node, &node->unexpected, &parcel->entry);
	if (!(frame->flags & ME_EAGER))
		me_chain_append(&node->loitering, &parcel->loiter);
	me_wake_probers(node, &parcel->entry.key);
}

/* what keeps the data from being received: 0 or a negative errno */
static inline int match_check(struct me_node *node, const struct me_buffer *to,
			      const struct me_frame *frame)
{
	if (frame->status)
		return frame->status;
	if (frame->bytes > to->bytes)
		return -ME_EMSGSIZE;
	if (!node->port->agree(node, to, frame->bytes, frame->signature))
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

/* so that two runs can be compared, and seen; `serial` of the node's receives */
static inline void match_note(struct me_node *node, uint64_t serial, const struct me_frame *frame)
{
	uint64_t hash;

	if (node->draws)
		node->port->met(node, frame);
	if (!node->notes_matches)
		return;
	hash = me_mix((uint64_t)node->id << 32 | frame->from, serial);
	hash += (uint64_t)frame->context << 32 | (uint32_t)frame->tag;
	node->counts.matches += me_mix(hash, frame->serial);
}

static inline void match_status(struct me_status *status, const struct me_frame *frame)
{
	*status = (struct me_status){
		.source = (int32_t)frame->from,
		.tag = frame->tag,
		.bytes = frame->bytes,
		.signature = frame->signature,
	};
}

/* what the receive's status says from now on; 0, or the negative errno that it ends with */
static inline int match_meet(struct me_node *node, struct me_request *receive,
			     const struct me_frame *frame)
{
	match_note(node, receive->serial, frame);
	match_status(&receive->status, frame);
	return match_check(node, &receive->buffer, frame);
}

int me_match_send(struct me_node *node, struct me_request *receive, const struct me_node *from,
		  const struct me_send *send)
{
	const struct me_frame frame = {
		.from = from->id,
		.context = send->context,
		.tag = send->tag,
		.bytes = send->buffer.bytes,
		.signature = send->buffer.signature,
		.serial = send->serial,
	};
	int error;

	me_queue_remove(&node->posted, &receive->entry);
	node->counts.posted++;
	error = match_meet(node, receive, &frame);
	if (!error)
		error = node->port->copy(node, &receive->buffer, &send->buffer);
	me_request_end(node, receive, error);
	return error;
}

/* whether a receive takes an eager message without a request, as its status says then */
static inline bool match_without(struct me_node *node, const struct me_receive *receive,
				 const struct me_frame *frame, struct me_status *status)
{
	if ((frame->flags & (ME_EAGER | ME_SYNC)) != ME_EAGER ||
	    match_check(node, &receive->buffer, frame))
		return false;
	match_note(node, node->counts.receives++, frame);
	match_status(status, frame);
	return true;
}

bool me_match_at_once(struct me_node *node, const struct me_receive *receive,
		      struct me_parcel *message, struct me_status *status)
{
	const struct me_frame *frame = &message->frame;

	if (!receive->plain || !match_without(node, receive, frame, status))
		return false;
	me_take(node, message);
	node->port->scatter(node, &receive->buffer, message);
	node->port->unreserve(node, frame->home, frame->from, frame->bytes);
	node->port->drop(node, message);
	return true;
}

bool me_match_arriving(struct me_node *node, const struct me_receive *receive,
		       const struct me_frame *frame, struct me_status *status)
{
	const struct me_key key = { frame->context, (int32_t)frame->from, frame->tag };

	if (!me_key_matches(&receive->key, &key) || !match_without(node, receive, frame, status))
		return false;
	node->counts.posted++;
	return true;
}

void me_match(struct me_node *node, struct me_request *receive,
	      struct me_parcel *message)
{
	const struct me_frame *frame = &message->frame;
	int error = match_meet(node, receive, frame);

	if (frame->flags & ME_EAGER)
		match_eager(node, receive, message, error);
	else
		match_claim(node, receive, message, error);
}

/*
 * Whoever finds nobody at the message's home fetches the data from there, which is what the claim
 * would do and what comes back with it: two hops. False: the claim is to travel.
 */
static bool match_fetch(struct me_node *node, struct me_request *receive, struct me_parcel *message)
{
	const struct me_frame *frame = &message->frame;
	struct me_request *send;
	struct me_node *home;
	bool there;

	home = receive->plain && !node->poll ? node->port->enter(node, frame->from) : NULL;
	if (!home)
		return false;
	send = me_request_of(home, frame->send, ME_SEND, ME_ACTIVE);
	there = send && send->plain;
	if (there) {
		node->port->copy(node, &receive->buffer, &send->buffer);
		me_request_end(home, send, 0);
	}
	node->port->unlock(home);
	if (!there)
		return false;
	node->counts.hops += 2;
	me_request_end(node, receive, 0);
	node->port->drop(node, message);
	return true;
}

void me_match_found(struct me_node *node, struct me_request *receive, struct me_parcel *message)
{
	int error;

	if (message->frame.flags & ME_EAGER) {
		me_match(node, receive, message);
		return;
	}
	error = match_meet(node, receive, &message->frame);
	if (error || !match_fetch(node, receive, message))
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
