/* SPDX-License-Identifier: MIT */
/* From host to host: who hands an item of a call to whom, where hosts share no memory. */
#ifndef PC_ROUTES_H
#define PC_ROUTES_H

#include "collectives/call/call.h"
#include "collectives/call/mail.h"

#define PC_ROUTES_HOSTS	128
/* in place of a host */
#define PC_NOBODY	UINT32_MAX
#define PC_EVERYBODY	(UINT32_MAX - 1)

/* What is done with an item. */
struct pc_errand {
	uint32_t set;
	bool folds;	/* the set's hosts fold in their order; the last one has the result */
	bool spreads;	/* to few hosts at once, as every host sends as much as the others */
	uint32_t from;	/* else who has it */
	uint32_t to;	/* who gets it: a host, or all that have members in the set */
};

/* What this host has to do with it. */
struct pc_route {
	bool folds, makes, takes;	/* the members' part; what comes first; what comes last */
	uint32_t fold_from, fold_to;
	uint32_t from;			/* of whom it gets what others made */
	enum pc_mail_way way;
	uint32_t hosts;			/* whom it hands that to, or what it has made */
	uint32_t to[PC_ROUTES_HOSTS];
	enum pc_mail_way to_way;
};

/* The hosts that have members in a set, which are found once for many items. */
struct pc_routes {
	const struct pc_call *call;
	uint32_t set, hosts;
	uint32_t host[PC_ROUTES_HOSTS];
	bool leads[PC_ROUTES_HOSTS];	/* the first of them on its machine */
};

void pc_routes_begin(struct pc_routes *r, const struct pc_call *call);
/* Whether this host has anything to do with it. */
bool pc_routes_find(struct pc_routes *r, const struct pc_errand *e, struct pc_route *route);

#endif /* PC_ROUTES_H */
