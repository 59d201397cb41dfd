// SPDX-License-Identifier: MIT
/*
 * Sends: the data goes along where it is short and has room, else the envelope alone. Where
 * nobody is at the destination the sender's thread goes there itself, with all that it has at
 * home at hand: only what no receive waits for needs a parcel.
 */
#include "collectives/messages/engine/match.h"
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

static void send_address(const struct me_node *node, const struct me_send *send,
			 uint64_t number, struct me_frame *frame)
{
	frame->kind = ME_ENVELOPE;
	frame->flags |= send->synchronous ? ME_SYNC : 0;
	frame->reserved = 0;
	frame->from = node->id;
	frame->context = send->context;
	frame->tag = send->tag;
	frame->home = send->to;
	frame->bytes = send->buffer.bytes;
	frame->signature = send->buffer.signature;
	frame->serial = send->serial;
	frame->send = number;
	frame->receive = 0;
}

/* of an eager send that is done with it */
static void send_counted(struct me_node *node, const struct me_send *send, struct me_frame *frame)
{
	send_address(node, send, 0, frame);
	node->counts.sends++;
	node->counts.eager++;
}

void me_send_frame(struct me_node *node, const struct me_send *send, struct me_frame *frame)
{
	frame->flags = ME_EAGER;
	frame->status = 0;
	send_counted(node, send, frame);
	node->counts.hops++;
}

/* at the destination: the data lies there until it is received; false: there is no room */
static bool deliver_parcel(struct me_node *there, const struct me_node *node,
			   const struct me_send *send)
{
	uint64_t bytes = send->buffer.bytes;
	struct me_parcel *parcel;

	if (send->synchronous || !there->port->reserve(there, send->to, bytes))
		return false;
	parcel = there->port->parcel(there, bytes);
	if (!parcel) {
		there->port->unreserve(there, send->to, send->to, bytes);
		return false;
	}
	parcel->frame.flags = ME_EAGER;
	parcel->frame.status = there->port->gather(there, &send->buffer, parcel);
	send_address(node, send, 0, &parcel->frame);
	me_lay_down(there, parcel);
	return true;
}

/* at the destination: what the message has gone through there, in hops */
static void deliver_count(struct me_node *there, const struct me_send *send, bool eager, int error)
{
	there->counts.sends++;
	if (eager) {
		there->counts.eager++;
		/* a synchronous send is told of its match */
		there->counts.hops += send->synchronous ? 2 : 1;
	} else {
		there->counts.rendezvous++;
		/* there, back for the data, and with it */
		there->counts.hops += error ? 2 : 3;
	}
}

bool me_send_at_once(struct me_node *node, const struct me_send *send)
{
	const struct me_key key = { send->context, (int32_t)node->id, send->tag };
	bool eager = send->buffer.bytes < send->eager_bytes, done = false;
	struct me_request *receive;
	struct me_node *there;
	int error = 0;

	there = send->plain && !node->poll ? node->port->enter(node, send->to) : NULL;
	if (!there)
		return false;
	receive = (struct me_request *)me_queue_find(&there->posted, &key);
	if (!receive) {
		done = eager && deliver_parcel(there, node, send);
	} else if (eager || receive->plain) {
		error = me_match_send(there, receive, node, send);
		done = true;
	}
	if (done)
		deliver_count(there, send, eager, error);
	node->port->unlock(there);
	return done;
}

static void send_depart(struct me_node *node, const struct me_send *send,
			struct me_request *r, struct me_parcel *parcel)
{
	struct me_frame *frame = &parcel->frame;

	send_address(node, send, me_request_number(r), frame);
	if (frame->flags & ME_EAGER) {
		node->counts.eager++;
		r->aboard = true;
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
	send_counted(node, send, &parcel->frame);
	me_travel(node, send->to, parcel);
	send->blocking->done = send->blocking->unused = true;
	return true;
}

static struct me_request *send_request(struct me_node *node, const struct me_send *send)
{
	struct me_request *r = me_request_new(node, ME_SEND);

	if (!r)
		return NULL;
	r->buffer = send->buffer;
	r->plain = send->plain;
	r->peer = send->to;
	r->entry.key = (struct me_key){ send->context, (int32_t)node->id, send->tag };
	r->user = send->user;
	r->serial = send->serial;
	return r;
}

/* with a request, by parcel; NULL: no memory */
static struct me_request *send_begin(struct me_node *node, const struct me_send *send,
				     struct me_parcel *parcel)
{
	struct me_request *r = send_request(node, send);

	if (!r) {
		if (parcel->frame.flags & ME_EAGER)
			node->port->unreserve(node, send->to, node->id, send->buffer.bytes);
		node->port->drop(node, parcel);
		return NULL;
	}
	node->counts.sends++;
	send_depart(node, send, r, parcel);
	return r;
}

/* a send that is done as it begins; NULL: it goes by parcel */
static struct me_request *send_delivered(struct me_node *node, const struct me_send *send)
{
	struct me_request *r = send->plain && !node->poll ? send_request(node, send) : NULL;

	if (!r)
		return NULL;
	if (me_send_at_once(node, send)) {
		me_request_end(node, r, 0);
		return r;
	}
	me_request_release(node, r);
	return NULL;
}

static int send_locked(struct me_node *node, const struct me_send *send,
		       struct me_request **request)
{
	struct me_parcel *parcel;

	*request = send->blocking ? NULL : send_delivered(node, send);
	if (*request)
		return 0;
	parcel = send_parcel(node, send);
	if (!parcel)
		return -ME_ENOMEM;
	if (send_now(node, send, parcel))
		return 0;
	*request = send_begin(node, send, parcel);
	if (!*request)
		return -ME_ENOMEM;
	if (send->blocking)
		me_request_block(node, request, send->blocking);
	return 0;
}

int me_isend(struct me_node *node, const struct me_send *send,
	     struct me_request **request)
{
	int ret;

	me_lock(node);
	ret = send_locked(node, send, request);
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

/* whose data was lost when its sender left */
static int claimed_in_vain(struct me_node *node, struct me_parcel *parcel)
{
	if (parcel->frame.flags & ME_DROP) {
		node->port->drop(node, parcel);
		return 0;
	}
	parcel->frame.kind = ME_DATA;
	parcel->frame.status = -ME_ECANCELED;
	me_travel(node, parcel->frame.home, parcel);
	return 0;
}

int me_send_claimed(struct me_node *node, struct me_parcel *parcel)
{
	struct me_request *r = me_request_of(node, parcel->frame.send, ME_SEND, ME_ACTIVE);
	int ret;

	if (!r && node->left)
		return claimed_in_vain(node, parcel);
	if (!r || r->parcel)
		return -ME_EBADMSG;
	if (parcel->frame.flags & ME_DROP) {
		me_request_end(node, r, 0);
		node->port->drop(node, parcel);
		return 0;
	}
	ret = node->port->put(node, r, &parcel, parcel->frame.home);
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
