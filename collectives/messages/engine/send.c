// SPDX-License-Identifier: MIT
/* Sends: the data goes along where it is short and has room, else the envelope alone. */
#include "collectives/messages/engine/send.h"

/* the parcel of a send, with its data if there is room for that at the other end, too */
static struct me_parcel *send_parcel(struct me_node *node, const struct me_send *send)
{
	uint64_t bytes = send->buffer.bytes;
	struct me_parcel *parcel;

	if (bytes < send->eager_bytes) {
		if (node->port->reserve(node, send->to, bytes)) {
			parcel = node->port->parcel(node, bytes);
			if (parcel) {
				parcel->frame.flags = ME_EAGER;
				parcel->frame.status = node->port->gather(node, &send->buffer,
									  parcel);
				return parcel;
			}
			node->port->unreserve(node, send->to, node->id, bytes);
		}
		node->counts.no_room++;
	}
	parcel = node->port->parcel(node, 0);
	if (parcel) {
		parcel->frame.flags = 0;
		parcel->frame.status = 0;
	}
	return parcel;
}

static void send_address(struct me_node *node, const struct me_send *send,
			 uint64_t serial, uint64_t number, struct me_parcel *parcel)
{
	struct me_frame *frame = &parcel->frame;

	frame->kind = ME_ENVELOPE;
	frame->flags |= send->synchronous ? ME_SYNC : 0;
	frame->reserved = 0;
	frame->from = node->id;
	frame->context = send->context;
	frame->tag = send->tag;
	frame->home = send->to;
	frame->bytes = send->buffer.bytes;
	frame->signature = send->buffer.signature;
	frame->serial = serial;
	frame->send = number;
	frame->receive = 0;
}

static void send_depart(struct me_node *node, const struct me_send *send,
			struct me_request *r, struct me_parcel *parcel)
{
	struct me_frame *frame = &parcel->frame;

	send_address(node, send, r->serial, me_request_number(r), parcel);
	if (frame->flags & ME_EAGER) {
		node->counts.eager++;
		/* a failure ends both requests, and this one needs no answer */
		if (frame->status)
			frame->flags &= (uint8_t)~ME_SYNC;
		if (!(frame->flags & ME_SYNC))
			me_request_end(node, r, frame->status);
	} else {
		node->counts.rendezvous++;
	}
	me_travel(node, send->to, parcel);
}

/* Whoever waits for data that travels along, and was to be had, needs no request. */
static bool send_now(struct me_node *node, const struct me_send *send,
		     struct me_parcel *parcel)
{
	if (!send->blocking || send->synchronous || !(parcel->frame.flags & ME_EAGER) ||
	    parcel->frame.status)
		return false;
	send_address(node, send, node->counts.sends++, 0, parcel);
	node->counts.eager++;
	me_travel(node, send->to, parcel);
	send->blocking->done = send->blocking->unused = true;
	return true;
}

/* with a request; NULL: no memory */
static struct me_request *send_begin(struct me_node *node, const struct me_send *send,
				     struct me_parcel *parcel)
{
	struct me_request *r = me_request_new(node, ME_SEND);

	if (!r) {
		if (parcel->frame.flags & ME_EAGER)
			node->port->unreserve(node, send->to, node->id, send->buffer.bytes);
		node->port->drop(node, parcel);
		return NULL;
	}
	r->buffer = send->buffer;
	r->peer = send->to;
	r->entry.key = (struct me_key){ send->context, (int32_t)node->id, send->tag };
	r->user = send->user;
	r->serial = node->counts.sends++;
	send_depart(node, send, r, parcel);
	return r;
}

int me_isend(struct me_node *node, const struct me_send *send,
	     struct me_request **request)
{
	struct me_parcel *parcel;
	int ret = 0;

	me_lock(node);
	*request = NULL;
	parcel = send_parcel(node, send);
	if (!parcel) {
		ret = -ME_ENOMEM;
	} else if (!send_now(node, send, parcel)) {
		*request = send_begin(node, send, parcel);
		if (*request)
			me_request_block(node, request, send->blocking);
		else
			ret = -ME_ENOMEM;
	}
	me_unlock(node);
	return ret;
}

void me_put_done(struct me_node *node, struct me_request *request, int error)
{
	struct me_parcel *parcel = request->parcel;

	request->parcel = NULL;
	parcel->frame.kind = ME_DATA;
	parcel->frame.status = error;
	me_request_end(node, request, error);
	me_travel(node, parcel->frame.home, parcel);
}

int me_send_claimed(struct me_node *node, struct me_parcel *parcel)
{
	struct me_request *r = me_request_of(node, parcel->frame.send, ME_SEND, ME_ACTIVE);
	int ret;

	if (!r || r->parcel)
		return -ME_EBADMSG;
	if (parcel->frame.flags & ME_DROP) {
		me_request_end(node, r, 0);
		node->port->drop(node, parcel);
		return 0;
	}
	ret = r->gone ? -ME_ECANCELED :
			node->port->put(node, r, &parcel, parcel->frame.home);
	r->parcel = parcel;
	if (ret == ME_LATER)
		return 0;
	if (ret == ME_TAKEN)
		parcel->frame.flags |= ME_WITH_DATA;
	me_put_done(node, r, ret < 0 ? ret : 0);
	return 0;
}

int me_send_matched(struct me_node *node, struct me_parcel *parcel)
{
	struct me_request *r = me_request_of(node, parcel->frame.send, ME_SEND, ME_ACTIVE);

	if (!r)
		return -ME_EBADMSG;
	me_request_end(node, r, 0);
	node->port->drop(node, parcel);
	return 0;
}
