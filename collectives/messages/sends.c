// SPDX-License-Identifier: MIT
/* Sends and receives are begun, and waited for by those that are one call. */
#include <errno.h>

#include "collectives/messages/arrows.h"
#include "collectives/messages/engine/receive.h"
#include "collectives/messages/engine/send.h"
#include "collectives/messages/payload.h"
#include "collectives/messages/requests.h"
#include "collectives/messages/sends.h"
#include "collectives/messages/waits.h"
#include "runtime/base/error.h"

static int check_tag(int tag, bool receives)
{
	if (tag < 0)
		return pd_error(EINVAL, "tag=%d, expected 0 to 2147483647%s", tag,
				receives ? ", or PIMMSG_ANY_TAG" : "");
	return 0;
}

static int check_rank(const struct pimmsg_end *end, const char *name, int rank,
		      uint32_t *node)
{
	if (pm_node_of(end, rank, node))
		return 0;
	return pd_error(EINVAL, "%s=%d, expected a rank, 0 to %u%s", name, rank,
			end->comm.size - 1,
			end->comm.nodes || end->world->host_node == PM_NO_NODE ? "" : ", or PIMMSG_HOST");
}

int pm_key_of_any(const struct pimmsg_end *end, struct pm_peer from, struct me_key *key)
{
	uint32_t node = 0;
	int ret = 0;

	if (from.rank == PIMMSG_NONE)
		return 1;
	if (from.tag != PIMMSG_ANY_TAG)
		ret = check_tag(from.tag, true);
	if (!ret && from.rank != PIMMSG_ANY_SOURCE)
		ret = check_rank(end, "from", from.rank, &node);
	*key = (struct me_key){
		.context = end->comm.context + from.own,
		.source = from.rank == PIMMSG_ANY_SOURCE ? ME_ANY : (int32_t)node,
		.tag = from.tag,
	};
	return ret;
}

static int request_no_memory(void)
{
	return pd_error(ENOMEM, "no memory for a request of a message");
}

/*
 * What the engine is told of a send, and a use of its buffer's type; 1: there is nobody to send
 * to; or a negative errno and a sentence.
 */
static int send_of(struct pimmsg_end *end, const struct pimmsg_buf *buf, struct pm_peer to,
		   struct me_send *send)
{
	int ret = pm_check_end(end);

	if (!ret)
		ret = check_tag(to.tag, false);
	if (ret)
		return ret;
	if (to.rank == PIMMSG_NONE)
		return 1;
	ret = check_rank(end, "to", to.rank, &send->to);
	if (!ret && end->world->apart)
		ret = end->world->apart->reaches(end->world, send->to);
	if (!ret)
		ret = pm_buffer_of(end, buf, false, &send->buffer);
	if (ret)
		return ret;
	send->context = end->comm.context + to.own;
	send->tag = to.tag;
	send->serial = end->first_serial + end->sends++;
	send->plain = pm_buffer_is_plain(end, &send->buffer);
	send->eager_bytes = end->node->node.eager_bytes;
	if (end->world->apart && end->world->apart->eager_bytes)
		send->eager_bytes = end->world->apart->eager_bytes(end->world, &send->buffer);
	send->user = NULL;
	send->blocking = NULL;
	pm_arrow_send(end, send);
	return 0;
}

static int send_begin(struct pimmsg_end *end, struct me_send *send,
		      struct pimmsg_request **request)
{
	struct me_request *r;

	if (me_isend(&end->node->node, send, &r)) {
		pm_buffer_release(&send->buffer);
		return request_no_memory();
	}
	if (send->blocking && send->blocking->unused)
		pm_buffer_release(&send->buffer);
	*request = (struct pimmsg_request *)r;
	pm_call_begun(end);
	return 0;
}

int pm_send(struct pimmsg_end *end, const struct pimmsg_buf *buf, struct pm_peer to,
	    bool synchronous, struct pimmsg_request **request)
{
	struct me_send send;
	int ret;

	if (!request)
		return pd_error(EINVAL, "request is NULL");
	*request = NULL;
	ret = send_of(end, buf, to, &send);
	if (ret)
		return ret < 0 ? ret : 0;
	send.synchronous = synchronous;
	pm_call_for(end->pe);
	return send_begin(end, &send, request);
}

/* of a call that waits */
static bool receive_at_once(struct pimmsg_end *end, struct me_receive *receive)
{
	const struct pm_apart *apart = end->world->apart;
	struct me_blocking *blocking = receive->blocking;

	if (!apart || !apart->receive_short ||
	    !apart->receive_short(end->world, receive, &blocking->status))
		return false;
	pm_buffer_release(&receive->buffer);
	blocking->done = blocking->unused = true;
	return true;
}

static int receive_begin(struct pimmsg_end *end, const struct pimmsg_buf *buf,
			 struct pm_peer from, struct me_blocking *blocking,
			 struct pimmsg_request **request)
{
	struct me_receive receive;
	struct me_request *r;
	int ret = pm_check_end(end);

	if (!ret && !request)
		ret = pd_error(EINVAL, "request is NULL");
	if (ret)
		return ret;
	*request = NULL;
	ret = pm_key_of(end, from, &receive.key);
	if (ret)
		return ret < 0 ? ret : 0;
	ret = pm_buffer_of(end, buf, true, &receive.buffer);
	if (ret)
		return ret;
	receive.plain = pm_buffer_is_plain(end, &receive.buffer);
	receive.user = NULL;
	receive.blocking = blocking;
	pm_call_for(end->pe);
	if (blocking && receive_at_once(end, &receive))
		return 0;
	if (me_irecv(&end->node->node, &receive, &r)) {
		pm_buffer_release(&receive.buffer);
		return request_no_memory();
	}
	if (blocking && blocking->unused)
		pm_buffer_release(&receive.buffer);
	*request = (struct pimmsg_request *)r;
	pm_call_begun(end);
	return 0;
}

int pm_receive(struct pimmsg_end *end, const struct pimmsg_buf *buf, struct pm_peer from,
	       struct pimmsg_request **request)
{
	return receive_begin(end, buf, from, NULL, request);
}

int pimmsg_isend(struct pimmsg_end *end, const struct pimmsg_buf *buf, int to,
		 int tag, struct pimmsg_request **request)
{
	return pm_send(end, buf, (struct pm_peer){ to, tag, 0 }, false, request);
}

int pimmsg_issend(struct pimmsg_end *end, const struct pimmsg_buf *buf, int to,
		  int tag, struct pimmsg_request **request)
{
	return pm_send(end, buf, (struct pm_peer){ to, tag, 0 }, true, request);
}

int pimmsg_irecv(struct pimmsg_end *end, const struct pimmsg_buf *buf, int from,
		 int tag, struct pimmsg_request **request)
{
	return pm_receive(end, buf, (struct pm_peer){ from, tag, 0 }, request);
}

/* a call that waits for the request that it began, and has told the engine so */
struct blocking {
	struct pimmsg_request *request;
	struct pm_wait wait;
	struct me_blocking engine;
};

/* Not the status, which the engine writes before it is read: most calls would clear it in vain. */
static void blocking_begin(struct blocking *b, struct pimmsg_end *end)
{
	b->request = NULL;
	b->wait.thread = (struct pd_wait){ 0 };
	b->wait.end = end;
	b->wait.requests = (struct me_request *const *)&b->request;
	b->wait.nr = b->wait.left = 1;
	b->wait.key = (struct me_key){ 0 };
	b->wait.woken = false;
	b->engine.waiter = &b->wait;
	b->engine.done = b->engine.ended = b->engine.unused = false;
}

static int blocking_wait(struct blocking *b, struct pimmsg_status *status)
{
	struct pimmsg_end *end = b->wait.end;
	int ret = 0;

	if (!b->request) {
		if (status)
			*status = b->engine.done ? pm_status_of(end, &b->engine.status) :
						   pm_status_none();
		return 0;
	}
	if (!b->engine.done)
		ret = pm_wait(&b->wait);
	if (ret) {
		pm_call_for(end->pe);
		me_request_unblock(&end->node->node, pm_request_of(b->request), &b->engine);
		return ret;
	}
	if (!b->engine.ended)
		return pm_requests_finish(end, 1, &b->request, status);
	if (status)
		*status = pm_status_of(end, &b->engine.status);
	return 0;
}

static int send_and_wait(struct pimmsg_end *end, struct me_send *send)
{
	struct blocking b;
	int ret;

	blocking_begin(&b, end);
	send->blocking = &b.engine;
	ret = send_begin(end, send, &b.request);
	return ret ? ret : blocking_wait(&b, NULL);
}

static bool send_at_once(struct pimmsg_end *end, const struct me_send *send)
{
	const struct pm_apart *apart = end->world->apart;

	return apart && apart->send_short ? apart->send_short(end->world, send) :
					    me_send_at_once(&end->node->node, send);
}

static int send_blocking(struct pimmsg_end *end, const struct pimmsg_buf *buf, int to,
			 int tag, bool synchronous)
{
	struct me_send send;
	int ret = send_of(end, buf, (struct pm_peer){ to, tag, 0 }, &send);

	if (ret)
		return ret < 0 ? ret : 0;
	send.synchronous = synchronous;
	pm_call_for(end->pe);
	if (!send_at_once(end, &send))
		return send_and_wait(end, &send);
	pm_buffer_release(&send.buffer);
	return 0;
}

int pimmsg_send(struct pimmsg_end *end, const struct pimmsg_buf *buf, int to,
		int tag)
{
	return send_blocking(end, buf, to, tag, false);
}

int pimmsg_ssend(struct pimmsg_end *end, const struct pimmsg_buf *buf, int to,
		 int tag)
{
	return send_blocking(end, buf, to, tag, true);
}

int pimmsg_recv(struct pimmsg_end *end, const struct pimmsg_buf *buf, int from,
		int tag, struct pimmsg_status *status)
{
	struct blocking b;
	int ret;

	blocking_begin(&b, end);
	ret = receive_begin(end, buf, (struct pm_peer){ from, tag, 0 }, &b.engine, &b.request);
	return ret ? ret : blocking_wait(&b, status);
}

int pimmsg_sendrecv(struct pimmsg_end *end, const struct pimmsg_buf *send,
		    int to, int send_tag, const struct pimmsg_buf *recv,
		    int from, int recv_tag, struct pimmsg_status *status)
{
	struct pimmsg_request *requests[2];
	struct pimmsg_status statuses[2];
	int ret = pimmsg_irecv(end, recv, from, recv_tag, &requests[0]);

	if (ret)
		return ret;
	ret = pimmsg_isend(end, send, to, send_tag, &requests[1]);
	if (ret) {
		struct pd_error_text kept;

		/* nobody is to write into the buffer of a call that was refused */
		pd_error_save(&kept);
		if (requests[0])
			pimmsg_cancel(end, requests[0]);
		pimmsg_wait(end, &requests[0], NULL);
		pd_error_restore(&kept);
		return ret;
	}
	ret = pimmsg_waitall(end, 2, requests, statuses);
	if (status)
		*status = statuses[0];
	return ret;
}
