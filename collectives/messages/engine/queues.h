/* SPDX-License-Identifier: MIT */
/*
 * A queue of receives or of messages, in the order in which they came. Beyond
 * ME_QUEUE_PLAIN entries it is searched by context, source and tag: a chain for each
 * value of their hash, and one of entries with wildcards; the number that an entry got
 * as it came says which of two chains' candidates is the earlier one.
 */
#ifndef ME_QUEUES_H
#define ME_QUEUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* as source or tag: any; a key with one is wild */
#define ME_ANY		(-1)
#define ME_QUEUE_PLAIN	32u
/* a port may have less memory to give */
#ifndef ME_QUEUE_CHAINS
#define ME_QUEUE_CHAINS	1024u
#endif

struct me_key {
	uint32_t context;
	int32_t source;
	int32_t tag;
};

struct me_link {
	struct me_link *next, *prev;
};

struct me_chain {
	struct me_link *first, *last;
};

struct me_entry {
	struct me_link all;	/* first: an entry is found by it */
	struct me_link chain;	/* of the same hash, or of the wild ones */
	uint64_t number;
	struct me_key key;
	uint32_t place;		/* where it is searched by hash: of its chain */
};

struct me_queue {
	struct me_chain all, wild;
	struct me_chain *chains;	/* ME_QUEUE_CHAINS once there were many entries */
	uint64_t next_number;
	uint32_t count;
	uint32_t longest;
	uint64_t inspected;	/* entries that searches have looked at */
};

/* of queues that are searched by hash */
void me_queue_append_hashed(struct me_queue *queue, struct me_entry *entry);
void me_queue_remove_hashed(struct me_queue *queue, struct me_entry *entry);
struct me_entry *me_queue_find_hashed(struct me_queue *queue, const struct me_key *key);
/* from now on by hash; `chains` are ME_QUEUE_CHAINS and become the queue's */
void me_queue_hash(struct me_queue *queue, struct me_chain *chains);

/* whether it is time for me_queue_hash() */
static inline bool me_queue_is_long(const struct me_queue *queue)
{
	return queue->count > ME_QUEUE_PLAIN && !queue->chains;
}

static inline bool me_key_matches(const struct me_key *a, const struct me_key *b)
{
	return a->context == b->context &&
	       (a->source == b->source || a->source == ME_ANY || b->source == ME_ANY) &&
	       (a->tag == b->tag || a->tag == ME_ANY || b->tag == ME_ANY);
}

static inline void me_chain_append(struct me_chain *chain, struct me_link *link)
{
	link->next = NULL;
	link->prev = chain->last;
	if (chain->last)
		chain->last->next = link;
	else
		chain->first = link;
	chain->last = link;
}

static inline void me_chain_remove(struct me_chain *chain, struct me_link *link)
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

static inline void me_queue_append(struct me_queue *queue, struct me_entry *entry)
{
	entry->number = queue->next_number++;
	me_chain_append(&queue->all, &entry->all);
	if (queue->chains)
		me_queue_append_hashed(queue, entry);
	queue->count++;
	if (queue->count > queue->longest)
		queue->longest = queue->count;
}

static inline void me_queue_remove(struct me_queue *queue, struct me_entry *entry)
{
	me_chain_remove(&queue->all, &entry->all);
	if (queue->chains)
		me_queue_remove_hashed(queue, entry);
	queue->count--;
}

static inline struct me_entry *me_queue_find_in_all(struct me_queue *queue,
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

/* the earliest entry that matches, either side's wildcards considered */
static inline struct me_entry *me_queue_find(struct me_queue *queue, const struct me_key *key)
{
	return queue->chains ? me_queue_find_hashed(queue, key) :
			       me_queue_find_in_all(queue, key);
}

static inline uint64_t me_mix(uint64_t a, uint64_t b)
{
	a = (a ^ (b + UINT64_C(0x9e3779b97f4a7c15))) * UINT64_C(0xbf58476d1ce4e5b9);
	return a ^ (a >> 29);
}

#endif /* ME_QUEUES_H */
