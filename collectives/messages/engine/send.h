/* SPDX-License-Identifier: MIT */
/* Sends are started, and go on when their traveller comes back. */
#ifndef ME_SEND_H
#define ME_SEND_H

#include "collectives/messages/engine/node.h"

/*
 * Brings a message out of a plain buffer to its destination, if nobody is there, and if it is
 * short, or its receive is there; then the send is done. False: it is to be begun. The sender's
 * node, locked or not, is left alone: its sends are counted where they go.
 */
bool me_send_at_once(struct me_node *node, const struct me_send *send);
/* what travels with the data of an eager send that is done, and is counted here */
void me_send_frame(struct me_node *node, const struct me_send *send, struct me_frame *frame);
/*
 * 0 and a request that runs or is done, or -ME_ENOMEM; locks the node. Who waits for it has tried
 * me_send_at_once().
 */
int me_isend(struct me_node *node, const struct me_send *send,
	     struct me_request **request);

/* with the node locked: at home again; 0, or -ME_EBADMSG for what nobody sent */
int me_send_claimed(struct me_node *node, struct me_parcel *parcel);
int me_send_matched(struct me_node *node, struct me_parcel *parcel);
/* with the node locked: what put() had under way is there, or has failed */
void me_put_done(struct me_node *node, struct me_request *request, int error);

#endif /* ME_SEND_H */
