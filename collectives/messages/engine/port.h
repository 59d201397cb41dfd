/* SPDX-License-Identifier: MIT */
/*
 * What the engine of messages stands on: a port lends it memory, lets its threads
 * travel and moves data. The engine itself needs neither a C library nor a common
 * address space: what a traveller takes along are numbers.
 *
 * A traveller is a parcel whose frame has at most 128 bytes, R03's <FP, IP>: the entry
 * of its thread is `kind`. The port keeps the order of one node's parcels to another, and
 * hands each to me_arrive() at its destination.
 */
#ifndef ME_PORT_H
#define ME_PORT_H

#include "collectives/messages/engine/queues.h"

struct me_node;
struct me_request;

/* errno's numbers, where there is no errno.h */
#define ME_ENOMEM	12
#define ME_EINVAL	22
#define ME_EPROTO	71
#define ME_EBADMSG	74
#define ME_EMSGSIZE	90
#define ME_ECANCELED	125

/* what put() returns beside 0 and a negative errno */
#define ME_LATER	1	/* under way; the port calls me_put_done() */
#define ME_TAKEN	2	/* the parcel takes the data along */

#define ME_BUFFER_WORDS	6

/* data in some memory: how much, of which elements; where is the port's matter */
struct me_buffer {
	uint64_t bytes;
	uint64_t signature;
	uint64_t words[ME_BUFFER_WORDS];
};

enum me_kind {
	ME_ENVELOPE,	/* the first hop: a message looks for its receive */
	ME_CLAIM,	/* back: a receive wants the data; or none will */
	ME_DATA,	/* the third: the data is there */
	ME_MATCHED,	/* back: a synchronous message has met its receive */
};

/* flags of a frame */
#define ME_EAGER	1u	/* the data is in the parcel, its room taken in the pool */
#define ME_SYNC		2u	/* tell the sender of the match */
#define ME_DROP		4u	/* of a claim: nobody takes the data */
#define ME_WITH_DATA	8u	/* the third hop carries what it brings */

struct me_frame {
	uint8_t kind, flags;
	uint16_t reserved;
	int32_t status;		/* negative errno of what failed on the way */
	uint32_t from, context;
	int32_t tag;
	uint32_t home;		/* the node whose pool its data counts against */
	uint64_t bytes, signature;
	uint64_t serial;	/* of the sender's messages */
	uint64_t send, receive;	/* requests at either end, as numbers */
	uint64_t there[ME_BUFFER_WORDS];
};

_Static_assert(sizeof(struct me_frame) <= 128, "a traveller takes 128 bytes along");

struct me_parcel {
	struct me_entry entry;		/* among the unexpected; first */
	struct me_link loiter;		/* among the loiterers, or those that a probe took */
	struct me_frame frame;
	void *port;			/* the port's */
};

struct me_port {
	void *(*alloc)(struct me_node *node, uint64_t bytes);
	void (*free)(struct me_node *node, void *memory, uint64_t bytes);

	/* the full/empty word of the node's queues: loaded, or filled again */
	void (*lock)(struct me_node *node);
	void (*unlock)(struct me_node *node);

	/* a parcel with room for so many bytes of data; NULL: no memory */
	struct me_parcel *(*parcel)(struct me_node *node, uint64_t bytes);
	void (*drop)(struct me_node *node, struct me_parcel *parcel);
	void (*travel)(struct me_node *node, uint32_t to, struct me_parcel *parcel);
	/*
	 * Node `to`, locked, if nobody is there, and so all that was sent there has arrived; else
	 * NULL. It waits for nobody, and the caller may hold the lock of its own node. NULL itself
	 * where nodes have no common address space.
	 */
	struct me_node *(*enter)(struct me_node *node, uint32_t to);

	/* so many bytes of a node's pool; given back where they were reserved, or there */
	bool (*reserve)(struct me_node *node, uint32_t whose, uint64_t bytes);
	void (*unreserve)(struct me_node *node, uint32_t whose, uint32_t by,
			  uint64_t bytes);

	/* from a buffer into a parcel, out of one into a buffer */
	int (*gather)(struct me_node *node, const struct me_buffer *from,
		      struct me_parcel *parcel);
	int (*scatter)(struct me_node *node, const struct me_buffer *to,
		       const struct me_parcel *parcel);
	/* the same out of a plain buffer of another node's, where there is enter() */
	int (*copy)(struct me_node *node, const struct me_buffer *to,
		    const struct me_buffer *from);
	/* from a request's buffer to where the claim's frame says, at node `to` */
	int (*put)(struct me_node *node, struct me_request *request,
		   struct me_parcel **parcel, uint32_t to);
	/* whether a message's elements may go to a buffer */
	bool (*agree)(struct me_node *node, const struct me_buffer *to,
		      uint64_t bytes, uint64_t signature);

	/* a request is done, which is said once; a match was found for a probe */
	void (*done)(struct me_node *node, struct me_request *request);
	void (*wake)(struct me_node *node, void *waiter);
	/* a message has met its receive, which is said of nodes that draw; NULL where none do */
	void (*met)(struct me_node *node, const struct me_frame *frame);
};

#endif /* ME_PORT_H */
