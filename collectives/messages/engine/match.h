/* SPDX-License-Identifier: MIT */
/* What follows once a message and a receive have met. The node is locked. */
#ifndef ME_MATCH_H
#define ME_MATCH_H

#include "collectives/messages/engine/node.h"

/* the message is in no queue, the receive is not posted */
void me_match(struct me_node *node, struct me_request *receive,
	      struct me_parcel *message);
/* takes an unexpected message off its queues */
void me_take(struct me_node *node, struct me_parcel *message);
/* the loiterers of a node look whether a receive has bound itself to them */
void me_poll(struct me_node *node);

#endif /* ME_MATCH_H */
