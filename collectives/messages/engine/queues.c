// SPDX-License-Identifier: MIT
/* Queues that are searched for the earliest match, by hash once they are long. */
#include "collectives/messages/engine/queues.h"

static struct me_entry *queue_entry_of_chain(struct me_link *link)
{
	return (struct me_entry *)((char *)link - offsetof(struct me_entry, chain));
}

static bool queue_is_wild(const struct me_key *key)
{
	return key->source == ME_ANY || key->tag == ME_ANY;
}

/* which chain a key is in; ME_QUEUE_CHAINS: that of wild ones */
static uint32_t queue_place_of(const struct me_key *key)
{
	uint64_t hash;

	if (queue_is_wild(key))
		return ME_QUEUE_CHAINS;
	hash = me_mix((uint64_t)key->context << 32 | (uint32_t)key->source, (uint32_t)key->tag);
	return (hash >> 17) % ME_QUEUE_CHAINS;
}

static struct me_chain *queue_chain_at(struct me_queue *queue, uint32_t place)
{
	return place == ME_QUEUE_CHAINS ? &queue->wild : &queue->chains[place];
}

void me_queue_append_hashed(struct me_queue *queue, struct me_entry *entry)
{
	entry->place = queue_place_of(&entry->key);
	me_chain_append(queue_chain_at(queue, entry->place), &entry->chain);
}

void me_queue_remove_hashed(struct me_queue *queue, struct me_entry *entry)
{
	me_chain_remove(queue_chain_at(queue, entry->place), &entry->chain);
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

struct me_entry *me_queue_find_hashed(struct me_queue *queue, const struct me_key *key)
{
	struct me_entry *first = (struct me_entry *)queue->all.first, *exact, *wild;

	if (!first)
		return NULL;
	/* who takes anything finds the earliest soonest among all */
	if (queue_is_wild(key))
		return me_queue_find_in_all(queue, key);
	/* what is asked for in the order in which it came is the first one */
	queue->inspected++;
	if (me_key_matches(&first->key, key))
		return first;
	exact = queue_find_in_chain(queue, &queue->chains[queue_place_of(key)], key);
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
	for (struct me_link *l = queue->all.first; l; l = l->next)
		me_queue_append_hashed(queue, (struct me_entry *)l);
}
