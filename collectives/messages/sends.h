/* SPDX-License-Identifier: MIT */
/* Sends and receives are begun. */
#ifndef PM_SENDS_H
#define PM_SENDS_H

#include "collectives/messages/world.h"

struct pm_peer {
	int rank;
	int tag;
	uint32_t own;	/* 0 or PM_OWN */
};

/* 0 and a request, NULL if there is nothing to wait for; or a negative errno */
int pm_send(struct pimmsg_end *end, const struct pimmsg_buf *buf, struct pm_peer to,
	    bool synchronous, struct pimmsg_request **request);
int pm_receive(struct pimmsg_end *end, const struct pimmsg_buf *buf, struct pm_peer from,
	       struct pimmsg_request **request);
/* what a receive or a probe takes: 0, 1 for nobody, or -EINVAL and a sentence */
int pm_key_of_any(const struct pimmsg_end *end, struct pm_peer from, struct me_key *key);

/* the same of whoever, most often one of a world's PEs */
static inline int pm_key_of(const struct pimmsg_end *end, struct pm_peer from, struct me_key *key)
{
	if ((uint32_t)from.rank >= end->comm.size || end->comm.nodes || from.tag < 0)
		return pm_key_of_any(end, from, key);
	*key = (struct me_key){ end->comm.context + from.own, from.rank, from.tag };
	return 0;
}

#endif /* PM_SENDS_H */
