/* SPDX-License-Identifier: MIT */
/* Probes: they look where a receive that is posted now would. */
#ifndef ME_PROBE_H
#define ME_PROBE_H

#include "collectives/messages/engine/node.h"

/*
 * Whether there is a message, and what it is. With `message` not NULL it is taken out,
 * for me_imrecv(). With `prober` not NULL, its key and waiter set, and none there, the
 * waiter is woken once a message with such a key is; until then the prober is the node's.
 * Locks the node.
 */
bool me_iprobe(struct me_node *node, const struct me_key *key, struct me_status *status,
	       struct me_parcel **message, struct me_prober *prober);
/* the prober is the caller's again, woken or not; locks the node */
void me_probe_end(struct me_node *node, struct me_prober *prober);

#endif /* ME_PROBE_H */
