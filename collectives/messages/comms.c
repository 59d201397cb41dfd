// SPDX-License-Identifier: MIT
/* What all ranks of an end do together, by messages of the library's own; counters. */
#include <errno.h>
#include <stdlib.h>

#include "collectives/messages/sends.h"
#include "collectives/messages/waits.h"
#include "runtime/base/error.h"

static struct pimmsg_buf comms_bytes(const void *ptr, size_t bytes)
{
	return (struct pimmsg_buf){
		.ptr = (void *)(uintptr_t)ptr,
		.part = { 0, bytes, pimtype_basic(PIMTYPE_BYTE) },
	};
}

static int comms_send(struct pimmsg_end *end, int to, int tag, const void *data,
		      size_t bytes, struct pimmsg_request **request)
{
	struct pimmsg_buf buf = comms_bytes(data, bytes);

	return pm_send(end, &buf, (struct pm_peer){ to, tag, PM_OWN }, false, request);
}

static int comms_receive(struct pimmsg_end *end, int from, int tag, void *data,
			 size_t bytes, struct pimmsg_request **request)
{
	struct pimmsg_buf buf = comms_bytes(data, bytes);

	return pm_receive(end, &buf, (struct pm_peer){ from, tag, PM_OWN }, request);
}

static int comms_send_now(struct pimmsg_end *end, int to, int tag, const void *data,
			  size_t bytes)
{
	struct pimmsg_request *request;
	int ret = comms_send(end, to, tag, data, bytes, &request);

	return ret ? ret : pimmsg_wait(end, &request, NULL);
}

static int comms_receive_now(struct pimmsg_end *end, int from, int tag, void *data,
			     size_t bytes)
{
	struct pimmsg_request *request;
	int ret = comms_receive(end, from, tag, data, bytes, &request);

	return ret ? ret : pimmsg_wait(end, &request, NULL);
}

static int comms_check(const struct pimmsg_end *end)
{
	int ret = pm_check_end(end);

	if (!ret && !end->pe && !end->world->apart)
		ret = pd_error(EINVAL, "end is the host's, expected a kernel's");
	return ret;
}

/* dissemination: after round k one knows of the 2^(k+1) - 1 before it */
int pimmsg_barrier(struct pimmsg_end *end)
{
	int ret = comms_check(end), tag = PM_TAG_BARRIER;
	char nothing;
	uint32_t n = ret ? 0 : end->comm.size;

	for (uint32_t step = 1; step < n && !ret; step *= 2, tag++) {
		uint32_t rank = (uint32_t)end->rank;
		struct pimmsg_request *sent;
		int end_of_send;

		/* where nothing is eager a send waits for its receive, which others wait for */
		ret = comms_send(end, (int)((rank + step) % n), tag, &nothing, 0, &sent);
		if (ret)
			break;
		ret = comms_receive_now(end, (int)((rank + n - step) % n), tag, &nothing, 0);
		end_of_send = pimmsg_wait(end, &sent, NULL);
		ret = ret ? ret : end_of_send;
	}
	return ret;
}

struct comms_wish {
	int color, key;
	uint32_t rank;
};

/* what a rank is told: the group's context, its size and its own place there */
struct comms_place {
	uint32_t context, size, rank;
	int error;
};

static int comms_by_wish(const void *a, const void *b)
{
	const struct comms_wish *x = a, *y = b;

	if (x->color != y->color)
		return x->color < y->color ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->rank < y->rank ? -1 : 1;
}

static uint32_t comms_node(const struct pimmsg_end *end, uint32_t rank)
{
	return end->comm.nodes ? end->comm.nodes[rank] : rank;
}

/* rank 0 tells the members of a group; its own place is kept */
static int comms_tell(struct pimmsg_end *end, const struct comms_wish *wishes,
		      uint32_t size, uint32_t *nodes, struct comms_place *own,
		      uint32_t *own_nodes)
{
	struct comms_place place = {
		.context = atomic_fetch_add(&end->world->next_context, 2),
		.size = wishes->color == PIMMSG_UNDEFINED ? 0 : size,
	};
	int ret = 0;

	for (uint32_t i = 0; i < size; i++)
		nodes[i] = comms_node(end, wishes[i].rank);
	for (uint32_t i = 0; i < size && !ret; i++) {
		place.rank = i;
		if (!wishes[i].rank) {
			*own = place;
			for (uint32_t k = 0; k < size; k++)
				own_nodes[k] = nodes[k];
			continue;
		}
		ret = comms_send_now(end, (int)wishes[i].rank, PM_TAG_GROUP, &place,
				     sizeof(place));
		if (!ret && place.size)
			ret = comms_send_now(end, (int)wishes[i].rank, PM_TAG_NODES, nodes,
					     size * sizeof(*nodes));
	}
	return ret;
}

/* rank 0 without memory: nobody gets a group */
static int comms_refuse(struct pimmsg_end *end)
{
	const struct comms_place place = { .error = -ENOMEM };
	struct comms_wish wish;

	for (uint32_t i = 1; i < end->comm.size; i++)
		comms_receive_now(end, (int)i, PM_TAG_SPLIT, &wish, sizeof(wish));
	for (uint32_t i = 1; i < end->comm.size; i++)
		comms_send_now(end, (int)i, PM_TAG_GROUP, &place, sizeof(place));
	return -ENOMEM;
}

static int comms_deal(struct pimmsg_end *end, struct comms_wish *wishes,
		      uint32_t *nodes, struct comms_place *own, uint32_t *own_nodes)
{
	uint32_t n = end->comm.size, first = 0;
	int ret = 0;

	for (uint32_t i = 1; i < n && !ret; i++)
		ret = comms_receive_now(end, (int)i, PM_TAG_SPLIT, &wishes[i],
					sizeof(*wishes));
	if (ret)
		return ret;
	qsort(wishes, n, sizeof(*wishes), comms_by_wish);
	for (uint32_t i = 1; i <= n && !ret; i++) {
		if (i < n && wishes[i].color == wishes[first].color)
			continue;
		ret = comms_tell(end, wishes + first, i - first, nodes, own, own_nodes);
		first = i;
	}
	return ret;
}

/* rank 0 hears of all wishes and deals out groups */
static int comms_split_root(struct pimmsg_end *end, const struct comms_wish *wish,
			    struct comms_place *place)
{
	const uint32_t n = end->comm.size;
	struct comms_wish *wishes = calloc(n, sizeof(*wishes) + sizeof(*end->group_nodes));

	end->tables = wishes;
	end->group_nodes = calloc(n, sizeof(*end->group_nodes));
	if (!wishes || !end->group_nodes)
		return comms_refuse(end);
	wishes[0] = *wish;
	/* behind the wishes lie the nodes of the group that is being told */
	return comms_deal(end, wishes, (uint32_t *)(wishes + n), place, end->group_nodes);
}

static int comms_split_other(struct pimmsg_end *end, const struct comms_wish *wish,
			     struct comms_place *place)
{
	int ret = comms_send_now(end, 0, PM_TAG_SPLIT, wish, sizeof(*wish));

	if (!ret)
		ret = comms_receive_now(end, 0, PM_TAG_GROUP, place, sizeof(*place));
	if (!ret)
		ret = place->error;
	if (ret || !place->size)
		return ret;
	end->group_nodes = calloc(place->size, sizeof(*end->group_nodes));
	if (end->group_nodes)
		return comms_receive_now(end, 0, PM_TAG_NODES, end->group_nodes,
					 place->size * sizeof(*end->group_nodes));
	/* what was sent is not to lie there for the next */
	comms_receive_now(end, 0, PM_TAG_NODES, &(char){ 0 }, 0);
	return -ENOMEM;
}

/* Nothing is kept of a split that is over, but the nodes of the group, if there is one. */
static void comms_split_end(struct pimmsg_end *end, bool made)
{
	free(end->tables);
	end->tables = NULL;
	if (!made)
		free(end->group_nodes);
	end->group_nodes = NULL;
}

int pimmsg_split(struct pimmsg_end *end, int color, int key,
		 struct pimmsg_end **group)
{
	struct comms_place place = { 0 };
	struct comms_wish wish = { .color = color, .key = key };
	int ret = comms_check(end);

	if (!ret && !group)
		ret = pd_error(EINVAL, "group is NULL");
	if (ret)
		return ret;
	*group = NULL;
	wish.rank = (uint32_t)end->rank;
	ret = wish.rank ? comms_split_other(end, &wish, &place) :
			  comms_split_root(end, &wish, &place);
	if (!ret && place.size) {
		*group = pm_end_make(end, place.context, place.size, end->group_nodes,
				     (int)place.rank);
		ret = *group ? 0 : -ENOMEM;
	}
	comms_split_end(end, *group != NULL);
	return ret == -ENOMEM ? pd_error(ENOMEM, "no memory for a group of ranks") : ret;
}

static void stats_add(struct pm_node *n, struct pimmsg_stats *stats)
{
	const struct me_counts *c = &n->node.counts;
	const struct me_queue *posted = &n->node.posted, *unexpected = &n->node.unexpected;

	stats->sends += c->sends;
	stats->receives += c->receives;
	stats->eager += c->eager;
	stats->rendezvous += c->rendezvous;
	stats->no_room += c->no_room;
	stats->posted += c->posted;
	stats->unexpected += c->unexpected;
	stats->loitered += c->loitered;
	stats->hops += c->hops;
	stats->looks += c->looks;
	stats->matches += c->matches;
	stats->inspected_posted += posted->inspected;
	stats->inspected_unexpected += unexpected->inspected;
	if (posted->longest > stats->longest_posted)
		stats->longest_posted = posted->longest;
	if (unexpected->longest > stats->longest_unexpected)
		stats->longest_unexpected = unexpected->longest;
}

int pimmsg_stats(struct pimmsg_end *end, struct pimmsg_stats *stats)
{
	struct pm_world *w;
	int ret = pm_check_end(end);

	if (!ret && !stats)
		ret = pd_error(EINVAL, "stats is NULL");
	if (ret)
		return ret;
	w = end->world;
	*stats = (struct pimmsg_stats){
		.collected = atomic_load(&w->collected),
		.batches = atomic_load(&w->batches),
	};
	pm_call_for(end->pe);
	for (uint32_t i = 0; i < w->nr_nodes; i++) {
		me_lock(&w->nodes[i].node);
		stats_add(&w->nodes[i], stats);
		me_unlock(&w->nodes[i].node);
	}
	if (w->apart)
		w->apart->add_stats(w, stats);
	return 0;
}
