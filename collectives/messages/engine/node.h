/* SPDX-License-Identifier: MIT */
/*
 * A node: the end of messages that a rank is. It has R03's three queues - receives that
 * are posted, messages that came unexpected, and those of them that loiter without their
 * data - and the requests of its rank.
 *
 * One full/empty word guards all of it. R03 gives each link of its queues one, for several
 * threads to walk at once; but a receive must hold `unexpected` from its look there until
 * it is posted, and a message from its look among those posted until it is unexpected, so
 * that whoever takes the first link keeps all others out.
 */
#ifndef ME_NODE_H
#define ME_NODE_H

#include "collectives/messages/engine/port.h"

#define ME_SLABS	20u
/* requests of the first slab; each has twice as many. A port may have less to give */
#ifndef ME_SLAB_FIRST
#define ME_SLAB_FIRST	64u
#endif

enum me_request_kind {
	ME_SEND = 1,
	ME_RECEIVE,
};

enum me_state {
	ME_UNUSED,
	ME_ACTIVE,	/* a receive: posted */
	ME_CLAIMED,	/* a receive: its data is on the way */
	ME_DONE,
};

struct me_status {
	int32_t source, tag;
	int32_t error;		/* 0 or a negative errno */
	uint32_t cancelled;
	uint64_t bytes;		/* of the message, whether they had room or not */
	uint64_t signature;	/* of the message */
};

struct me_request {
	struct me_entry entry;		/* of a receive: among those posted; first */
	uint32_t index, generation;
	uint8_t kind, state;
	bool orphan;			/* nobody will ask for it */
	bool aboard;			/* of a send: its data has left, with its parcel */
	bool plain;			/* its buffer is */
	uint32_t peer;			/* of a send: to where */
	uint64_t serial;
	struct me_buffer buffer;
	struct me_parcel *parcel;	/* of a send: that waits for a put; of a receive: its loiterer */
	struct me_status status;
	union {
		struct me_request *next;	/* among the unused ones */
		struct me_blocking *blocking;	/* of a call that waits for this one; or NULL */
	};
	void *waiter, *user;		/* the port's */
};

/*
 * What a call that waits for its own request hands over, so that the node is not locked again to
 * ask: who is told if it is not done at once. A request that is done well, at once or when the
 * waiter is told, is nobody's any more.
 */
struct me_blocking {
	void *waiter;
	bool done;			/* at once */
	bool ended;			/* later, and well: to be asked by who has been told */
	bool unused;			/* there was no request: the buffer is the caller's */
	struct me_status status;	/* of a request that is no more */
};

/* what is sent, and what is received */
struct me_send {
	struct me_buffer buffer;
	uint32_t to, context;
	int32_t tag;
	bool synchronous;	/* not done before its receive is found */
	uint64_t serial;	/* of the messages of whoever sends */
	bool plain;		/* its data can be read from anywhere, which cannot fail */
	uint64_t eager_bytes;	/* from here on: rendezvous; usually the node's */
	void *user;		/* goes into the request */
	struct me_blocking *blocking;	/* or NULL */
};

struct me_receive {
	struct me_buffer buffer;
	struct me_key key;	/* source and tag may be ME_ANY */
	bool plain;		/* writing to its buffer cannot fail */
	void *user;		/* goes into the request */
	struct me_blocking *blocking;	/* or NULL */
};

struct me_prober {
	struct me_link link;
	struct me_key key;
	bool waiting;
	void *waiter;
};

struct me_counts {
	uint64_t sends, receives;	/* a send that is done at once: where it went */
	uint64_t eager, rendezvous;	/* sends, by path */
	uint64_t no_room;		/* rendezvous for want of room in the pool alone */
	uint64_t posted, unexpected, loitered;	/* matches: with what a receive met */
	uint64_t hops, looks;
	uint64_t forged;
	uint64_t matches;		/* sum of the hashes of all matches */
};

struct me_node {
	const struct me_port *port;
	void *world;			/* the port's */
	uint32_t id, size;		/* of how many nodes */
	uint64_t eager_bytes;		/* what sends have for it, usually */
	bool poll;			/* loiterers look for themselves */
	bool notes_matches;		/* counts.matches is wanted */
	bool draws;			/* and the port's met() */
	bool left;			/* sends have ended whose envelopes are under way */
	struct me_queue posted, unexpected;
	struct me_chain loitering, probers;
	struct me_chain taken;		/* messages that probes took, not yet received */
	struct me_request *slabs[ME_SLABS];
	struct me_request *unused;
	uint32_t nr_slabs;
	struct me_counts counts;
};

/* what is before the queues is set, all else is 0 */
void me_node_open(struct me_node *node);
/* drops all messages that nobody has received, and all requests */
void me_node_close(struct me_node *node);

/*
 * Whoever used the node is gone: nobody waits, and of its requests that run only those go on
 * that keep() wants. Other receives are cancelled; sends whose data is still here fail with
 * ME_ECANCELED, and so will the receives that find their envelopes. Locks the node.
 */
void me_node_leave(struct me_node *node, bool (*keep)(const struct me_request *request));

/* the functions from here on are called with the node locked */
bool me_request_slab(struct me_node *node);
void me_request_end(struct me_node *node, struct me_request *request, int error);
/* *request becomes NULL if it is done, and well */
void me_request_block(struct me_node *node, struct me_request **request,
		      struct me_blocking *blocking);
/* Whoever waited will not be told; `ended` says whether there is still a request. Locks the node. */
void me_request_unblock(struct me_node *node, struct me_request *request,
			const struct me_blocking *blocking);
uint64_t me_request_number(const struct me_request *request);
/* in use or not; NULL: there have never been so many */
struct me_request *me_request_at(struct me_node *node, uint32_t index);
/* NULL: there is no such request, of this kind and in this state */
struct me_request *me_request_of(struct me_node *node, uint64_t number,
				 enum me_request_kind kind, enum me_state state);
void me_travel(struct me_node *node, uint32_t to, struct me_parcel *parcel);
void me_hash(struct me_node *node, struct me_queue *queue);
/* a message with this key is there: whoever probes for it is told */
void me_wake_probers(struct me_node *node, const struct me_key *key);

/* the parcel of its link among loiterers or those taken */
static inline struct me_parcel *me_parcel_of(struct me_link *link)
{
	return (struct me_parcel *)((char *)link - offsetof(struct me_parcel, loiter));
}

/* NULL: no memory */
static inline struct me_request *me_request_new(struct me_node *node, enum me_request_kind kind)
{
	struct me_request *r;

	if (!node->unused && !me_request_slab(node))
		return NULL;
	r = node->unused;
	node->unused = r->next;
	r->kind = (uint8_t)kind;
	r->state = ME_ACTIVE;
	r->orphan = r->aboard = r->plain = false;
	r->parcel = NULL;
	r->blocking = NULL;
	r->waiter = r->user = NULL;
	r->status = (struct me_status){ 0 };
	return r;
}

static inline void me_request_release(struct me_node *node, struct me_request *request)
{
	request->generation++;
	request->kind = 0;
	request->state = ME_UNUSED;
	request->next = node->unused;
	node->unused = request;
}

static inline void me_append(struct me_node *node, struct me_queue *queue, struct me_entry *entry)
{
	me_queue_append(queue, entry);
	if (me_queue_is_long(queue))
		me_hash(node, queue);
}

static inline void me_lock(struct me_node *node)
{
	node->port->lock(node);
}

static inline void me_unlock(struct me_node *node)
{
	node->port->unlock(node);
}

#endif /* ME_NODE_H */
