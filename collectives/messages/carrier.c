// SPDX-License-Identifier: MIT
/*
 * Travellers between nodes. Who sends one is in a node; as he leaves it, what he sends is
 * put into the inboxes in its order, and he goes to each of these nodes in turn, unless
 * somebody is there, who will then look into the inbox before he is through. So a message
 * needs nobody at its destination, and no thread waits for another but for a moment.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/messages/payload.h"
#include "collectives/messages/carrier.h"
#include "collectives/messages/collected.h"
#include "collectives/messages/engine/receive.h"
#include "collectives/messages/port.h"
#include "collectives/messages/waits.h"

/* data of so many bytes fits into spare parcels, of which a node keeps so many */
#define SPARE_BYTES	512
#define SPARES		256
#define SPINS		64
/* nodes that one has yet to go to */
#define VISITS		64

_Static_assert(ME_ENOMEM == ENOMEM && ME_EINVAL == EINVAL && ME_EPROTO == EPROTO &&
	       ME_EBADMSG == EBADMSG && ME_EMSGSIZE == EMSGSIZE &&
	       ME_ECANCELED == ECANCELED, "the engine has errno's numbers");

struct visits {
	uint32_t nr;
	uint32_t nodes[VISITS];
	bool all;	/* more than there is room for: wherever something has come */
};

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
	return !atomic_load(&n->busy) && !atomic_exchange(&n->busy, true);
}

static void carrier_lock(struct me_node *node)
{
	for (unsigned int i = 1; !carrier_try(carrier_node(node)); i++) {
		if (i % SPINS == 0)
			sched_yield();
	}
}

static void carrier_push(_Atomic(struct pm_parcel *) *list, struct pm_parcel *p)
{
	struct pm_parcel *first = atomic_load(list);

	do {
		p->next = first;
	} while (!atomic_compare_exchange_weak(list, &first, p));
}

/* what lies in the inbox, in order of coming */
static struct pm_parcel *carrier_take(struct pm_node *n)
{
	struct pm_parcel *p = atomic_exchange(&n->inbox, NULL), *first = NULL;

	while (p) {
		struct pm_parcel *next = p->next;

		p->next = first;
		first = p;
		p = next;
	}
	return first;
}

/* in the node: whatever has come arrives */
static void carrier_drain(struct pm_node *n)
{
	while (atomic_load(&n->inbox)) {
		struct pm_parcel *p = carrier_take(n), *next;

		for (; p; p = next) {
			next = p->next;
			if (me_arrive(&n->node, &p->parcel))
				n->node.port->drop(&n->node, &p->parcel);
		}
	}
}

static void visits_add(struct visits *visits, uint32_t node)
{
	for (uint32_t i = visits->nr; i--;) {
		if (visits->nodes[i] == node)
			return;
	}
	if (visits->nr < VISITS)
		visits->nodes[visits->nr++] = node;
	else
		visits->all = true;
}

/* in the node: whatever has come arrives, what leaves is put where it goes, and out of it */
static void carrier_leave(struct pm_node *n, struct visits *visits)
{
	struct pm_world *world = carrier_world(&n->node);

	carrier_drain(n);
	while (n->leaving) {
		struct pm_parcel *p = n->leaving;

		n->leaving = p->next;
		visits_add(visits, p->to);
		carrier_push(&world->nodes[p->to].inbox, p);
	}
	n->last_leaving = NULL;
	atomic_store(&n->busy, false);
}

/* who is in a node looks again after he has left: whatever has come is seen */
static void carrier_visit(struct pm_node *n, struct visits *visits)
{
	while (atomic_load(&n->inbox) && carrier_try(n))
		carrier_leave(n, visits);
}

static void carrier_visit_all(struct pm_world *world, struct visits *visits)
{
	while (visits->nr || visits->all) {
		if (visits->nr) {
			carrier_visit(&world->nodes[visits->nodes[--visits->nr]], visits);
			continue;
		}
		visits->all = false;
		for (uint32_t i = 0; i <= world->nr_pes; i++)
			carrier_visit(&world->nodes[i], visits);
	}
}

static void carrier_unlock(struct me_node *node)
{
	struct pm_node *n = carrier_node(node);
	struct visits visits;

	/* not its places: there are many, and few are used */
	visits.nr = 0;
	visits.all = false;
	if (n->leaving || atomic_load(&n->inbox)) {
		carrier_leave(n, &visits);
	} else {
		atomic_store(&n->busy, false);
		if (!atomic_load(&n->inbox))
			return;
	}
	/* what came while somebody was here, then wherever something went */
	carrier_visit(n, &visits);
	carrier_visit_all(carrier_world(node), &visits);
}

/* what others have given back becomes spare here, where messages go one way */
static struct pm_parcel *carrier_spare(struct pm_node *n)
{
	if (n->spare || !atomic_load(&n->returned))
		return n->spare;
	/*
	 * The other way round, what comes in between is counted but not there: so many of it
	 * that nobody gives anything back, and nobody looks here, again.
	 */
	n->spare = atomic_exchange(&n->returned, NULL);
	atomic_store(&n->nr_returned, 0);
	for (struct pm_parcel *p = n->spare; p; p = p->next)
		n->nr_spare++;
	return n->spare;
}

static struct me_parcel *carrier_parcel(struct me_node *node, uint64_t bytes)
{
	struct pm_node *n = carrier_node(node);
	struct pm_parcel *p = carrier_spare(n);

	if (bytes <= SPARE_BYTES && p) {
		n->spare = p->next;
		n->nr_spare--;
		return &p->parcel;
	}
	if (bytes < SPARE_BYTES)
		bytes = SPARE_BYTES;
	p = aligned_alloc(16, (sizeof(*p) + bytes + 15) & ~UINT64_C(15));
	if (!p)
		return NULL;
	p->room = bytes;
	p->origin = node->id;
	return &p->parcel;
}

static void carrier_drop(struct me_node *node, struct me_parcel *parcel)
{
	struct pm_parcel *p = (struct pm_parcel *)parcel;
	struct pm_node *n = carrier_node(node), *origin;
	uint32_t returned;

	if (p->room != SPARE_BYTES || (p->origin == node->id && n->nr_spare >= SPARES)) {
		free(p);
		return;
	}
	if (p->origin == node->id) {
		p->next = n->spare;
		n->spare = p;
		n->nr_spare++;
		return;
	}
	origin = &carrier_world(node)->nodes[p->origin];
	returned = atomic_load_explicit(&origin->nr_returned, memory_order_relaxed);
	if (returned >= SPARES) {
		free(p);
		return;
	}
	/* two at once may count as one: the bound is for memory, not exact */
	atomic_store_explicit(&origin->nr_returned, returned + 1, memory_order_relaxed);
	carrier_push(&origin->returned, p);
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

static bool carrier_reserve(struct me_node *node, uint32_t whose, uint64_t bytes)
{
	struct pm_world *world = carrier_world(node);
	_Atomic uint64_t *pool = &world->nodes[whose].pool;
	uint64_t used = atomic_load(pool);

	do {
		if (bytes > world->room - used)
			return false;
	} while (!atomic_compare_exchange_weak(pool, &used, used + bytes));
	return true;
}

static void carrier_unreserve(struct me_node *node, uint32_t whose, uint32_t by,
			      uint64_t bytes)
{
	(void)by;
	atomic_fetch_sub(&carrier_world(node)->nodes[whose].pool, bytes);
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
	.reserve = carrier_reserve,
	.unreserve = carrier_unreserve,
	.gather = carrier_gather,
	.scatter = carrier_scatter,
	.put = carrier_put,
	.agree = pm_port_agree,
	.done = pm_port_done,
	.wake = pm_port_wake,
};

static void carrier_free_all(struct pm_parcel *p)
{
	while (p) {
		struct pm_parcel *next = p->next;

		free(p);
		p = next;
	}
}

/* parcels that nobody has and that nobody will hand over */
static void carrier_empty(struct pm_node *node)
{
	carrier_free_all(atomic_exchange(&node->inbox, NULL));
	carrier_free_all(node->leaving);
	carrier_free_all(node->spare);
	carrier_free_all(atomic_exchange(&node->returned, NULL));
	node->leaving = node->last_leaving = node->spare = NULL;
	node->nr_spare = 0;
}

void pm_nodes_close(struct pm_world *w)
{
	for (uint32_t i = 0; i < w->nr_nodes; i++) {
		struct pm_node *n = &w->nodes[i];

		while (n->ends) {
			struct pimmsg_end *next = n->ends->next;

			free(n->ends->comm.nodes);
			free(n->ends);
			n->ends = next;
		}
		me_node_close(&n->node);
	}
	/* nodes have given parcels back to each other */
	for (uint32_t i = 0; i < w->nr_nodes; i++)
		carrier_empty(&w->nodes[i]);
	free(w->nodes);
	w->nodes = NULL;
}
