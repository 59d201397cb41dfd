/* SPDX-License-Identifier: MIT */
/* What follows once a message and a receive have met. The node is locked. */
#ifndef ME_MATCH_H
#define ME_MATCH_H

#include "collectives/messages/engine/node.h"

/* the message is in no queue, the receive is not posted */
void me_match(struct me_node *node, struct me_request *receive,
	      struct me_parcel *message);
/*
 * The same of a message that the receive has found, by a call of the receiver's: its data may be
 * fetched. Not of what arrives, which may be many nodes deep in each other then.
 */
void me_match_found(struct me_node *node, struct me_request *receive, struct me_parcel *message);
/*
 * A receive that is posted takes a message out of its sender's memory; 0, or the negative errno
 * that it ends with.
 */
int me_match_send(struct me_node *node, struct me_request *receive, const struct me_node *from,
		  const struct me_send *send);
/*
 * A receive takes an unexpected message at once, without a request. False: it is to have one,
 * since the message is not eager, its sender waits to be told, or it does not fit.
 */
bool me_match_at_once(struct me_node *node, const struct me_receive *receive,
		      struct me_parcel *message, struct me_status *status);
/*
 * The same of a message that arrives while nothing is posted and nothing unexpected: its data is
 * the caller's to move.
 */
bool me_match_arriving(struct me_node *node, const struct me_receive *receive,
		       const struct me_frame *frame, struct me_status *status);
/* a message has come that no receive waits for: it is unexpected */
void me_lay_down(struct me_node *node, struct me_parcel *message);
/* takes an unexpected message off its queues */
void me_take(struct me_node *node, struct me_parcel *message);
/* the loiterers of a node look whether a receive has bound itself to them */
void me_poll(struct me_node *node);

#endif /* ME_MATCH_H */
