// SPDX-License-Identifier: MIT
/* Queues that are searched for the earliest match, by hash once they are long. */
#include "collectives/messages/engine/queues.h"

void me_chain_append(struct me_chain *chain, struct me_link *link)
{
	link->next = NULL;
	link->prev = chain->last;
	if (chain->last)
		chain->last->next = link;
	else
		chain->first = link;
	chain->last = link;
}

void me_chain_remove(struct me_chain *chain, struct me_link *link)
{
	if (link->prev)
		link->prev->next = link->next;
	else
		chain->first = link->next;
	if (link->next)
		link->next->prev = link->prev;
	else
		chain->last = link->prev;
}

static struct me_entry *queue_entry_of_chain(struct me_link *link)
{
	return (struct me_entry *)((char *)link - offsetof(struct me_entry, chain));
}

static bool queue_is_wild(const struct me_key *key)
{
	return key->source == ME_ANY || key->tag == ME_ANY;
}

static struct me_chain *queue_chain_of(struct me_queue *queue, const struct me_key *key)
{
	uint64_t hash;

	if (queue_is_wild(key))
		return &queue->wild;
	hash = me_mix(me_mix(key->context, (uint32_t)key->source), (uint32_t)key->tag);
	return &queue->chains[(hash >> 17) % ME_QUEUE_CHAINS];
}

void me_queue_append(struct me_queue *queue, struct me_entry *entry)
{
	entry->number = queue->next_number++;
	me_chain_append(&queue->all, &entry->all);
	if (queue->chains)
		me_chain_append(queue_chain_of(queue, &entry->key), &entry->chain);
	queue->count++;
	if (queue->count > queue->longest)
		queue->longest = queue->count;
}

void me_queue_remove(struct me_queue *queue, struct me_entry *entry)
{
	me_chain_remove(&queue->all, &entry->all);
	if (queue->chains)
		me_chain_remove(queue_chain_of(queue, &entry->key), &entry->chain);
	queue->count--;
}

static struct me_entry *queue_find_in_all(struct me_queue *queue,
					  const struct me_key *key)
{
	for (struct me_link *l = queue->all.first; l; l = l->next) {
		struct me_entry *entry = (struct me_entry *)l;

		queue->inspected++;
		if (me_key_matches(&entry->key, key))
			return entry;
	}
	return NULL;
}

static struct me_entry *queue_find_in_chain(struct me_queue *queue,
					    const struct me_chain *chain,
					    const struct me_key *key)
{
	for (struct me_link *l = chain->first; l; l = l->next) {
		struct me_entry *entry = queue_entry_of_chain(l);

		queue->inspected++;
		if (me_key_matches(&entry->key, key))
			return entry;
	}
	return NULL;
}

struct me_entry *me_queue_find(struct me_queue *queue, const struct me_key *key)
{
	struct me_entry *exact, *wild;

	/* who takes anything finds the earliest soonest among all */
	if (!queue->chains || queue_is_wild(key))
		return queue_find_in_all(queue, key);
	exact = queue_find_in_chain(queue, queue_chain_of(queue, key), key);
	wild = queue_find_in_chain(queue, &queue->wild, key);
	if (!exact || !wild)
		return exact ? exact : wild;
	return exact->number < wild->number ? exact : wild;
}

void me_queue_hash(struct me_queue *queue, struct me_chain *chains)
{
	for (uint32_t i = 0; i < ME_QUEUE_CHAINS; i++)
		chains[i] = (struct me_chain){ NULL, NULL };
	queue->chains = chains;
	for (struct me_link *l = queue->all.first; l; l = l->next) {
		struct me_entry *entry = (struct me_entry *)l;

		me_chain_append(queue_chain_of(queue, &entry->key), &entry->chain);
	}
}
