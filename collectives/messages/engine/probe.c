// SPDX-License-Identifier: MIT
/* Probes, and those that wait for what they probe for. */
#include "collectives/messages/engine/match.h"
#include "collectives/messages/engine/probe.h"

static void probe_wait(struct me_node *node, const struct me_key *key,
		       struct me_prober *prober)
{
	prober->key = *key;
	prober->waiting = true;
	me_chain_append(&node->probers, &prober->link);
}

bool me_iprobe(struct me_node *node, const struct me_key *key, struct me_status *status,
	       struct me_parcel **message, struct me_prober *prober)
{
	struct me_parcel *found;

	me_lock(node);
	found = (struct me_parcel *)me_queue_find(&node->unexpected, key);
	if (found) {
		*status = (struct me_status){
			.source = (int32_t)found->frame.from,
			.tag = found->frame.tag,
			.bytes = found->frame.bytes,
			.signature = found->frame.signature,
		};
		if (message) {
			me_take(node, found);
			me_chain_append(&node->taken, &found->loiter);
			*message = found;
		}
	} else if (prober) {
		probe_wait(node, key, prober);
	}
	me_unlock(node);
	return found;
}

void me_probe_end(struct me_node *node, struct me_prober *prober)
{
	me_lock(node);
	if (prober->waiting)
		me_chain_remove(&node->probers, &prober->link);
	prober->waiting = false;
	me_unlock(node);
}
