// SPDX-License-Identifier: MIT
/* Receives: they look among unexpected messages, and messages look among them. */
#include "collectives/messages/engine/match.h"
#include "collectives/messages/engine/probe.h"
#include "collectives/messages/engine/receive.h"
#include "collectives/messages/engine/send.h"

static struct me_request *receive_new(struct me_node *node,
				      const struct me_receive *receive)
{
	struct me_request *r = me_request_new(node, ME_RECEIVE);

	if (!r)
		return NULL;
	r->buffer = receive->buffer;
	r->entry.key = receive->key;
	r->user = receive->user;
	r->serial = node->counts.receives++;
	return r;
}

/* a loiterer that looks for itself is to find this receive, and no other message is */
static void receive_bind(struct me_node *node, struct me_request *r,
			 struct me_parcel *message)
{
	r->parcel = message;
	me_append(node, &node->posted, &r->entry);
	me_poll(node);
}

int me_irecv(struct me_node *node, const struct me_receive *receive,
	     struct me_request **request)
{
	struct me_parcel *message;
	struct me_request *r;

	me_lock(node);
	r = receive_new(node, receive);
	if (!r) {
		me_unlock(node);
		return -ME_ENOMEM;
	}
	*request = r;
	message = (struct me_parcel *)me_queue_find(&node->unexpected, &receive->key);
	if (!message) {
		me_append(node, &node->posted, &r->entry);
	} else if (node->poll && !(message->frame.flags & ME_EAGER)) {
		receive_bind(node, r, message);
	} else {
		me_take(node, message);
		me_match(node, r, message);
	}
	me_request_block(node, request, receive->blocking);
	me_unlock(node);
	return 0;
}

int me_imrecv(struct me_node *node, const struct me_receive *receive,
	      struct me_parcel *message, struct me_request **request)
{
	struct me_request *r;

	me_lock(node);
	r = receive_new(node, receive);
	if (r) {
		*request = r;
		me_chain_remove(&node->taken, &message->loiter);
		me_match(node, r, message);
	}
	me_unlock(node);
	return r ? 0 : -ME_ENOMEM;
}

bool me_cancel(struct me_node *node, struct me_request *request)
{
	bool posted;

	me_lock(node);
	posted = request->kind == ME_RECEIVE && request->state == ME_ACTIVE;
	if (posted) {
		me_queue_remove(&node->posted, &request->entry);
		request->status.cancelled = 1;
		me_request_end(node, request, 0);
	}
	me_unlock(node);
	return posted;
}

void me_forget(struct me_node *node, uint32_t nr, struct me_request *const requests[])
{
	me_lock(node);
	for (uint32_t i = 0; i < nr; i++) {
		if (!requests[i])
			continue;
		if (requests[i]->state == ME_DONE)
			me_request_release(node, requests[i]);
		else
			requests[i]->orphan = true;
	}
	me_unlock(node);
}

static void receive_envelope(struct me_node *node, struct me_parcel *parcel)
{
	const struct me_frame *frame = &parcel->frame;
	struct me_request *r;

	parcel->entry.key = (struct me_key){ frame->context, (int32_t)frame->from, frame->tag };
	r = (struct me_request *)me_queue_find(&node->posted, &parcel->entry.key);
	if (r) {
		me_queue_remove(&node->posted, &r->entry);
		node->counts.posted++;
		me_match(node, r, parcel);
		return;
	}
	/* of a loiterer this is the dummy, which keeps its place among the messages */
	me_append(node, &node->unexpected, &parcel->entry);
	if (!(frame->flags & ME_EAGER))
		me_chain_append(&node->loitering, &parcel->loiter);
	me_wake_probers(node, &parcel->entry.key);
}

static int receive_data(struct me_node *node, struct me_parcel *parcel)
{
	struct me_request *r = me_request_of(node, parcel->frame.receive, ME_RECEIVE,
					     ME_CLAIMED);
	int error = parcel->frame.status;

	if (!r || parcel->frame.bytes > r->buffer.bytes)
		return -ME_EBADMSG;
	if (!error && parcel->frame.flags & ME_WITH_DATA)
		error = node->port->scatter(node, &r->buffer, parcel);
	me_request_end(node, r, error);
	node->port->drop(node, parcel);
	return 0;
}

static int receive_dispatch(struct me_node *node, struct me_parcel *parcel)
{
	switch (parcel->frame.kind) {
	case ME_ENVELOPE:
		if (parcel->frame.from >= node->size || parcel->frame.tag < 0)
			return -ME_EBADMSG;
		receive_envelope(node, parcel);
		return 0;
	case ME_CLAIM:
		return parcel->frame.home < node->size ? me_send_claimed(node, parcel) :
							 -ME_EBADMSG;
	case ME_DATA:
		return receive_data(node, parcel);
	case ME_MATCHED:
		return me_send_matched(node, parcel);
	default:
		return -ME_EBADMSG;
	}
}

int me_arrive(struct me_node *node, struct me_parcel *parcel)
{
	int ret;

	/* whoever gets in gives the loiterers a look */
	if (node->poll)
		me_poll(node);
	ret = receive_dispatch(node, parcel);
	if (ret)
		node->counts.forged++;
	return ret;
}
