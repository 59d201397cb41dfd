// SPDX-License-Identifier: MIT
/*
 * Travellers between nodes. Who sends one is in a node; before he leaves it, what he sends is put
 * into the inboxes in its order. Where nobody is he is from then on, and lets it arrive once he
 * has left his own; who is there already looks into the inbox before he is through. So a message
 * needs nobody at its destination, and no thread waits for another but for a moment. Who finds
 * nobody at a destination may also enter it himself, with what he sends in his hands.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/messages/arrows.h"
#include "collectives/messages/payload.h"
#include "collectives/messages/carrier.h"
#include "collectives/messages/collected.h"
#include "collectives/messages/engine/receive.h"
#include "collectives/messages/port.h"
#include "collectives/messages/waits.h"
#include "runtime/base/clock.h"

/* data of so many bytes fits into spare parcels, of which a node keeps so many */
#define SPARE_BYTES	512
#define SPARES		256
/* what it gives to all when it has more, and takes when it has none */
#define BATCH		(SPARES / 2)
#define SPINS		64
/* some microseconds */
#define LOOKS		64

_Static_assert(ME_ENOMEM == ENOMEM && ME_EINVAL == EINVAL && ME_EPROTO == EPROTO &&
	       ME_EBADMSG == EBADMSG && ME_EMSGSIZE == EMSGSIZE &&
	       ME_ECANCELED == ECANCELED, "the engine has errno's numbers");

static struct pm_node *carrier_node(struct me_node *node)
{
	return (struct pm_node *)node;
}

static struct pm_world *carrier_world(struct me_node *node)
{
	return node->world;
}

static void *carrier_alloc(struct me_node *node, uint64_t bytes)
{
	(void)node;
	return malloc(bytes);
}

static void carrier_free(struct me_node *node, void *memory, uint64_t bytes)
{
	(void)node;
	(void)bytes;
	free(memory);
}

static bool carrier_try(struct pm_node *n)
{
	struct pm_parcel *nobody = PM_NOBODY;

	return atomic_load_explicit(&n->inbox, memory_order_relaxed) == PM_NOBODY &&
	       atomic_compare_exchange_strong_explicit(&n->inbox, &nobody, NULL,
						       memory_order_acquire,
						       memory_order_relaxed);
}

static void carrier_lock(struct me_node *node)
{
	for (unsigned int i = 1; !carrier_try(carrier_node(node)); i++) {
		if (i % SPINS == 0)
			sched_yield();
	}
}

static struct me_node *carrier_enter(struct me_node *node, uint32_t to)
{
	struct pm_node *n = &carrier_world(node)->nodes[to];

	return carrier_try(n) ? &n->node : NULL;
}

/* whether nobody was in the node: now the caller is, who has the parcel yet */
static bool carrier_put_in(struct pm_node *n, struct pm_parcel *p)
{
	struct pm_parcel *last = atomic_load_explicit(&n->inbox, memory_order_relaxed);

	do {
		p->next = last == PM_NOBODY ? NULL : last;
	} while (!atomic_compare_exchange_weak_explicit(&n->inbox, &last,
							last == PM_NOBODY ? NULL : p,
							memory_order_acq_rel,
							memory_order_relaxed));
	return last == PM_NOBODY;
}

/* what lies in the inbox, in order of coming */
static struct pm_parcel *carrier_take(struct pm_node *n)
{
	struct pm_parcel *p = atomic_exchange_explicit(&n->inbox, NULL, memory_order_acquire);
	struct pm_parcel *first = NULL;

	while (p) {
		struct pm_parcel *next = p->next;

		p->next = first;
		first = p;
		p = next;
	}
	return first;
}

/* in the node */
static void carrier_arrive(struct pm_node *n, struct pm_parcel *p)
{
	if (me_arrive(&n->node, &p->parcel))
		n->node.port->drop(&n->node, &p->parcel);
}

/* in the node: whatever has come arrives */
static void carrier_drain(struct pm_node *n)
{
	while (atomic_load_explicit(&n->inbox, memory_order_relaxed)) {
		struct pm_parcel *p = carrier_take(n), *next;

		for (; p; p = next) {
			next = p->next;
			carrier_arrive(n, p);
		}
	}
}

/* in the node: what leaves it is put where it goes; `entered`: the nodes where nobody was */
static void carrier_send_off(struct pm_node *n, struct pm_node **entered)
{
	struct pm_world *world = carrier_world(&n->node);
	struct pm_parcel *p;

	while ((p = n->leaving)) {
		struct pm_node *to = &world->nodes[p->to];

		n->leaving = p->next;
		if (!carrier_put_in(to, p))
			continue;
		to->in_hand = p;
		to->entered = *entered;
		*entered = to;
	}
	n->last_leaving = NULL;
}

/* out of the node, if nothing has come */
static bool carrier_go(struct pm_node *n)
{
	struct pm_parcel *none = NULL;

	return atomic_compare_exchange_strong_explicit(&n->inbox, &none, PM_NOBODY,
						       memory_order_release,
						       memory_order_relaxed);
}

/* out of the node, once all that has come has arrived and all that leaves has left */
static void carrier_leave(struct pm_node *n, struct pm_node **entered)
{
	do {
		carrier_drain(n);
		if (n->leaving)
			carrier_send_off(n, entered);
	} while (!carrier_go(n));
}

static void carrier_unlock(struct me_node *node)
{
	struct pm_node *n = carrier_node(node), *entered = NULL;

	if (!n->leaving && carrier_go(n))
		return;
	carrier_leave(n, &entered);
	while ((n = entered)) {
		entered = n->entered;
		carrier_arrive(n, n->in_hand);
		carrier_leave(n, &entered);
	}
}

bool pm_linger(struct pm_node *n)
{
	bool come = false;

	me_lock(&n->node);
	for (unsigned int i = 0; i < LOOKS && !come; i++) {
		come = atomic_load_explicit(&n->inbox, memory_order_relaxed);
		pd_relax();
	}
	me_unlock(&n->node);
	return come;
}

/* where messages go one way, what its receivers have given is its sender's again */
static void carrier_take_batch(struct pm_node *n)
{
	struct pm_world *world = carrier_world(&n->node);

	if (!atomic_load_explicit(&world->nr_spares, memory_order_relaxed))
		return;
	pthread_mutex_lock(&world->spares_lock);
	if (world->spares) {
		n->spare = world->spares;
		n->nr_spare = BATCH;
		world->spares = n->spare->batch;
		world->nr_spares--;
	}
	pthread_mutex_unlock(&world->spares_lock);
}

static void carrier_free_all(struct pm_parcel *p)
{
	while (p) {
		struct pm_parcel *next = p->next;

		free(p);
		p = next;
	}
}

static void carrier_give_batch(struct pm_node *n)
{
	struct pm_world *world = carrier_world(&n->node);
	struct pm_parcel *first = n->spare, *last = first;
	bool given;

	for (unsigned int i = 1; i < BATCH; i++)
		last = last->next;
	n->spare = last->next;
	n->nr_spare -= BATCH;
	last->next = NULL;
	pthread_mutex_lock(&world->spares_lock);
	given = world->nr_spares < world->nr_nodes;
	if (given) {
		first->batch = world->spares;
		world->spares = first;
		world->nr_spares++;
	}
	pthread_mutex_unlock(&world->spares_lock);
	if (!given)
		carrier_free_all(first);
}

static struct me_parcel *carrier_parcel(struct me_node *node, uint64_t bytes)
{
	struct pm_node *n = carrier_node(node);
	struct pm_parcel *p;

	if (!n->spare)
		carrier_take_batch(n);
	p = n->spare;
	if (bytes <= SPARE_BYTES && p) {
		n->spare = p->next;
		n->nr_spare--;
		return &p->parcel;
	}
	if (bytes < SPARE_BYTES)
		bytes = SPARE_BYTES;
	/* whole lines: its next reader may be another CPU */
	p = aligned_alloc(PM_LINE, (sizeof(*p) + bytes + PM_LINE - 1) / PM_LINE * PM_LINE);
	if (!p)
		return NULL;
	p->room = bytes;
	return &p->parcel;
}

static void carrier_drop(struct me_node *node, struct me_parcel *parcel)
{
	struct pm_parcel *p = (struct pm_parcel *)parcel;
	struct pm_node *n = carrier_node(node);

	if (p->room != SPARE_BYTES) {
		free(p);
		return;
	}
	p->next = n->spare;
	n->spare = p;
	if (++n->nr_spare > SPARES)
		carrier_give_batch(n);
}

static void carrier_travel(struct me_node *node, uint32_t to, struct me_parcel *parcel)
{
	struct pm_parcel *p = (struct pm_parcel *)parcel;
	struct pm_node *n = carrier_node(node);

	p->to = to;
	p->next = NULL;
	if (n->leaving)
		n->last_leaving->next = p;
	else
		n->leaving = p;
	n->last_leaving = p;
}

/*
 * `taken` may be older than what was given back, of which it is found out later, and what was
 * `given` back may be older than that, which seems to be too much.
 */
static bool carrier_fits(const struct pm_world *world, uint64_t taken, uint64_t given,
			 uint64_t bytes)
{
	int64_t used = (int64_t)(taken - given);

	return used < 0 ||
	       ((uint64_t)used <= world->room && bytes <= world->room - (uint64_t)used);
}

/*
 * A pool's bytes in use are those taken less those given back. Who is in its node gives back, by
 * a plain store into a line of his own, which senders read only where they know of too little.
 */
static bool carrier_has_room(const struct pm_world *world, struct pm_node *n, uint64_t taken,
			     uint64_t bytes)
{
	uint64_t given = atomic_load_explicit(&n->known_given, memory_order_relaxed);

	if (carrier_fits(world, taken, given, bytes))
		return true;
	given = atomic_load_explicit(&n->given, memory_order_relaxed);
	atomic_store_explicit(&n->known_given, given, memory_order_relaxed);
	return carrier_fits(world, taken, given, bytes);
}

static bool carrier_reserve(struct me_node *node, uint32_t whose, uint64_t bytes)
{
	struct pm_world *world = carrier_world(node);
	struct pm_node *n = &world->nodes[whose];
	uint64_t taken = atomic_load_explicit(&n->taken, memory_order_relaxed);

	/* one that is older than what was given back is found to be so here */
	do {
		if (!carrier_has_room(world, n, taken, bytes))
			return false;
	} while (!atomic_compare_exchange_weak_explicit(&n->taken, &taken, taken + bytes,
							memory_order_relaxed,
							memory_order_relaxed));
	return true;
}

static void carrier_unreserve(struct me_node *node, uint32_t whose, uint32_t by,
			      uint64_t bytes)
{
	struct pm_node *n = &carrier_world(node)->nodes[whose];

	(void)by;
	if (whose == node->id)
		atomic_store_explicit(&n->given,
				      atomic_load_explicit(&n->given, memory_order_relaxed) + bytes,
				      memory_order_relaxed);
	else
		atomic_fetch_sub_explicit(&n->taken, bytes, memory_order_relaxed);
}

static int carrier_gather(struct me_node *node, const struct me_buffer *from,
			  struct me_parcel *parcel)
{
	return pm_gather(carrier_world(node), from, ((struct pm_parcel *)parcel)->data);
}

static int carrier_scatter(struct me_node *node, const struct me_buffer *to,
			   const struct me_parcel *parcel)
{
	return pm_scatter(carrier_world(node), to, parcel->frame.bytes,
			  ((const struct pm_parcel *)parcel)->data);
}

static int carrier_copy(struct me_node *node, const struct me_buffer *to,
			const struct me_buffer *from)
{
	return pm_scatter(carrier_world(node), to, from->bytes, pm_buffer_run(from));
}

static int carrier_put(struct me_node *node, struct me_request *send,
		       struct me_parcel **parcel, uint32_t to)
{
	struct me_buffer there = { .bytes = send->buffer.bytes };

	(void)to;
	memcpy(there.words, (*parcel)->frame.there, sizeof(there.words));
	if (pm_is_mram(&send->buffer) && pm_is_mram(&there) && send->buffer.bytes &&
	    pm_collect(carrier_world(node), node, send, &there))
		return ME_LATER;
	return pm_copy_buffers(carrier_world(node), &there, &send->buffer);
}

const struct me_port pm_port = {
	.alloc = carrier_alloc,
	.free = carrier_free,
	.lock = carrier_lock,
	.unlock = carrier_unlock,
	.parcel = carrier_parcel,
	.drop = carrier_drop,
	.travel = carrier_travel,
	.enter = carrier_enter,
	.reserve = carrier_reserve,
	.unreserve = carrier_unreserve,
	.gather = carrier_gather,
	.scatter = carrier_scatter,
	.copy = carrier_copy,
	.put = carrier_put,
	.agree = pm_port_agree,
	.met = pm_arrow_ends,
	.done = pm_port_done,
	.wake = pm_port_wake,
};

struct pm_node *pm_nodes_new(uint32_t nr)
{
	struct pm_node *nodes = aligned_alloc(PM_LINE, nr * sizeof(*nodes));

	if (!nodes)
		return NULL;
	memset(nodes, 0, nr * sizeof(*nodes));
	for (uint32_t i = 0; i < nr; i++)
		atomic_init(&nodes[i].inbox, PM_NOBODY);
	return nodes;
}

/* nobody is in the node any more, and nobody hands over what it has */
static void carrier_empty(struct pm_node *node)
{
	struct pm_parcel *inbox = atomic_exchange(&node->inbox, PM_NOBODY);

	if (inbox != PM_NOBODY)
		carrier_free_all(inbox);
	carrier_free_all(node->leaving);
	carrier_free_all(node->spare);
	node->leaving = node->last_leaving = node->spare = NULL;
	node->nr_spare = 0;
}

static void carrier_empty_batches(struct pm_world *w)
{
	while (w->spares) {
		struct pm_parcel *first = w->spares;

		w->spares = first->batch;
		carrier_free_all(first);
	}
	w->nr_spares = 0;
}

void pm_nodes_close(struct pm_world *w)
{
	for (uint32_t i = 0; i < w->nr_nodes; i++) {
		struct pm_node *n = &w->nodes[i];

		while (n->ends) {
			struct pimmsg_end *next = n->ends->next;

			pm_end_free(n->ends);
			n->ends = next;
		}
		me_node_close(&n->node);
	}
	/* nodes have given parcels back to each other */
	for (uint32_t i = 0; i < w->nr_nodes; i++)
		carrier_empty(&w->nodes[i]);
	carrier_empty_batches(w);
	free(w->nodes);
	w->nodes = NULL;
}
