/* SPDX-License-Identifier: MIT */
/* Receives are posted, cancelled, and found by what arrives. */
#ifndef ME_RECEIVE_H
#define ME_RECEIVE_H

#include "collectives/messages/engine/node.h"

/* 0 and a request that runs or is done, or -ME_ENOMEM; each locks the node */
int me_irecv(struct me_node *node, const struct me_receive *receive,
	     struct me_request **request);
/* the same for a message that me_iprobe() has taken; its key is not looked at */
int me_imrecv(struct me_node *node, const struct me_receive *receive,
	      struct me_parcel *message, struct me_request **request);
/* whether the receive was posted still, and is now done and cancelled; locks the node */
bool me_cancel(struct me_node *node, struct me_request *request);
/* the requests run on, and are nobody's; locks the node once; NULL: none */
void me_forget(struct me_node *node, uint32_t nr, struct me_request *const requests[]);

/*
 * A traveller is there; the node is locked. -ME_EBADMSG: no node of this world makes
 * such a frame; the parcel stays the caller's.
 */
int me_arrive(struct me_node *node, struct me_parcel *parcel);

#endif /* ME_RECEIVE_H */
