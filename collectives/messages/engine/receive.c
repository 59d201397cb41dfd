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
	r->plain = receive->plain;
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

/* Whoever waits for what is there needs no request. */
static bool receive_now(struct me_node *node, const struct me_receive *receive,
			struct me_parcel *message)
{
	struct me_blocking *blocking = receive->blocking;

	if (!message || !blocking || !me_match_at_once(node, receive, message, &blocking->status))
		return false;
	blocking->done = blocking->unused = true;
	return true;
}

/* with a request, which takes the message, if there is one, or is posted; NULL: no memory */
static struct me_request *receive_begin(struct me_node *node, const struct me_receive *receive,
					struct me_parcel *message)
{
	struct me_request *r = receive_new(node, receive);

	if (!r)
		return NULL;
	if (!message) {
		me_append(node, &node->posted, &r->entry);
	} else if (node->poll && !(message->frame.flags & ME_EAGER)) {
		receive_bind(node, r, message);
	} else {
		me_take(node, message);
		me_match_found(node, r, message);
	}
	return r;
}

int me_irecv(struct me_node *node, const struct me_receive *receive,
	     struct me_request **request)
{
	struct me_parcel *message;
	int ret = 0;

	me_lock(node);
	*request = NULL;
	message = (struct me_parcel *)me_queue_find(&node->unexpected, &receive->key);
	if (!receive_now(node, receive, message)) {
		*request = receive_begin(node, receive, message);
		if (!*request)
			ret = -ME_ENOMEM;
		else if (receive->blocking)
			me_request_block(node, request, receive->blocking);
	}
	me_unlock(node);
	return ret;
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
		me_match_found(node, r, message);
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
	struct me_key key = { frame->context, (int32_t)frame->from, frame->tag };
	struct me_request *r = (struct me_request *)me_queue_find(&node->posted, &key);

	if (!r) {
		me_lay_down(node, parcel);
		return;
	}
	me_queue_remove(&node->posted, &r->entry);
	node->counts.posted++;
	me_match(node, r, parcel);
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
