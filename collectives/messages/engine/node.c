// SPDX-License-Identifier: MIT
/* Nodes and their requests: made, found by number, ended, dropped. */
#include "collectives/messages/engine/node.h"

#define SLAB_BYTES(k)	((uint64_t)(ME_SLAB_FIRST << (k)) * sizeof(struct me_request))

void me_node_open(struct me_node *node)
{
	node->posted = node->unexpected = (struct me_queue){ 0 };
	node->loitering = node->probers = node->taken = (struct me_chain){ 0 };
	node->unused = NULL;
	node->nr_slabs = 0;
	node->counts = (struct me_counts){ 0 };
}

static void node_close_queue(struct me_node *node, struct me_queue *queue)
{
	if (queue->chains)
		node->port->free(node, queue->chains,
				 ME_QUEUE_CHAINS * sizeof(*queue->chains));
	*queue = (struct me_queue){ 0 };
}

static void node_close_slab(struct me_node *node, uint32_t k)
{
	for (uint32_t i = 0; i < ME_SLAB_FIRST << k; i++) {
		struct me_request *r = &node->slabs[k][i];

		if (r->state != ME_UNUSED && r->state != ME_DONE)
			node->port->done(node, r);
		if (r->kind == ME_SEND && r->parcel)
			node->port->drop(node, r->parcel);
	}
	node->port->free(node, node->slabs[k], SLAB_BYTES(k));
}

void me_node_close(struct me_node *node)
{
	struct me_link *link, *next;

	for (link = node->unexpected.all.first; link; link = next) {
		next = link->next;
		node->port->drop(node, (struct me_parcel *)link);
	}
	for (link = node->taken.first; link; link = next) {
		next = link->next;
		node->port->drop(node, me_parcel_of(link));
	}
	for (uint32_t k = 0; k < node->nr_slabs; k++)
		node_close_slab(node, k);
	node_close_queue(node, &node->posted);
	node_close_queue(node, &node->unexpected);
	me_node_open(node);
}

static void node_leave_request(struct me_node *node, struct me_request *r)
{
	if (r->kind == ME_SEND) {
		if (r->aboard || r->parcel)
			return;
		node->left = true;
		me_request_end(node, r, -ME_ECANCELED);
	} else if (r->state == ME_ACTIVE) {
		me_queue_remove(&node->posted, &r->entry);
		r->status.cancelled = 1;
		me_request_end(node, r, -ME_ECANCELED);
	}
}

void me_node_leave(struct me_node *node, bool (*keep)(const struct me_request *request))
{
	me_lock(node);
	node->probers = (struct me_chain){ NULL, NULL };
	for (uint32_t k = 0; k < node->nr_slabs; k++) {
		for (uint32_t i = 0; i < ME_SLAB_FIRST << k; i++) {
			struct me_request *r = &node->slabs[k][i];

			r->waiter = NULL;
			if (r->state != ME_UNUSED)
				r->blocking = NULL;
			if (r->state != ME_UNUSED && r->state != ME_DONE && !keep(r))
				node_leave_request(node, r);
		}
	}
	me_unlock(node);
}

bool me_request_slab(struct me_node *node)
{
	uint32_t k = node->nr_slabs, first = ME_SLAB_FIRST * ((1u << k) - 1);
	struct me_request *slab;

	if (k == ME_SLABS)
		return false;
	slab = node->port->alloc(node, SLAB_BYTES(k));
	if (!slab)
		return false;
	for (uint32_t i = ME_SLAB_FIRST << k; i--;) {
		slab[i] = (struct me_request){ .index = first + i, .next = node->unused };
		node->unused = &slab[i];
	}
	node->slabs[node->nr_slabs++] = slab;
	return true;
}

void me_request_end(struct me_node *node, struct me_request *request, int error)
{
	struct me_blocking *blocking = request->blocking;
	bool over = request->orphan;

	request->status.error = error;
	request->state = ME_DONE;
	request->blocking = NULL;
	/* before the waiter is told, who may be gone then */
	if (blocking && !error) {
		blocking->status = request->status;
		blocking->ended = over = true;
	}
	node->port->done(node, request);
	if (over)
		me_request_release(node, request);
}

void me_request_block(struct me_node *node, struct me_request **request,
		      struct me_blocking *blocking)
{
	struct me_request *r = *request;

	blocking->done = r->state == ME_DONE;
	if (!blocking->done) {
		r->waiter = blocking->waiter;
		r->blocking = blocking;
		return;
	}
	blocking->status = r->status;
	if (r->status.error)
		return;
	me_request_release(node, r);
	*request = NULL;
}

void me_request_unblock(struct me_node *node, struct me_request *request,
			const struct me_blocking *blocking)
{
	me_lock(node);
	if (!blocking->ended) {
		request->waiter = NULL;
		request->blocking = NULL;
	}
	me_unlock(node);
}

uint64_t me_request_number(const struct me_request *request)
{
	return (uint64_t)request->generation << 32 | request->index;
}

struct me_request *me_request_at(struct me_node *node, uint32_t index)
{
	uint32_t k = 0;

	while (k < node->nr_slabs && index >= ME_SLAB_FIRST << k)
		index -= ME_SLAB_FIRST << k++;
	return k < node->nr_slabs ? &node->slabs[k][index] : NULL;
}

struct me_request *me_request_of(struct me_node *node, uint64_t number,
				 enum me_request_kind kind, enum me_state state)
{
	struct me_request *r = me_request_at(node, (uint32_t)number);

	if (!r || r->generation != number >> 32 || r->kind != kind || r->state != state)
		return NULL;
	return r;
}

void me_travel(struct me_node *node, uint32_t to, struct me_parcel *parcel)
{
	node->counts.hops++;
	node->port->travel(node, to, parcel);
}

void me_hash(struct me_node *node, struct me_queue *queue)
{
	struct me_chain *chains = node->port->alloc(node, ME_QUEUE_CHAINS * sizeof(*chains));

	/* without memory for it the search stays what it was */
	if (chains)
		me_queue_hash(queue, chains);
}

void me_wake_probers(struct me_node *node, const struct me_key *key)
{
	struct me_link *link, *next;

	for (link = node->probers.first; link; link = next) {
		struct me_prober *prober = (struct me_prober *)link;

		next = link->next;
		if (!me_key_matches(&prober->key, key))
			continue;
		me_chain_remove(&node->probers, link);
		prober->waiting = false;
		node->port->wake(node, prober->waiter);
	}
}
