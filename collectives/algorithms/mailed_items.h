/* SPDX-License-Identifier: MIT */
/* The items of a call whose hosts share no memory, in an order that is all hosts' alike. */
#ifndef PC_MAILED_ITEMS_H
#define PC_MAILED_ITEMS_H

#include "collectives/parts/host_items.h"
#include "collectives/parts/routes.h"

typedef void (*pc_item_fn)(struct pc_call *call, const struct pc_item *l);

struct pc_mailed_items {
	const struct pc_call *call;
	uint64_t targets, tiles, count;
	uint64_t tile_words;
	/* of alltoall: full ones between two groups, and how far apart those are that follow */
	uint64_t distances, step;
	bool pulls;
	/* its part of what is folded, or all of what is not; and what is done with the result */
	pc_item_fn fold, make, take;
};

/* conventional: by the domain transfer alone, not in registers */
void pc_mailed_items(struct pc_mailed_items *m, const struct pc_call *call, bool conventional);
/* An item, without its place, and who does what with it; false: there is nothing to do. */
bool pc_mailed_item(const struct pc_mailed_items *m, uint64_t item, struct pc_item *l,
		    struct pc_errand *e);
/* Bytes of an item's accumulators, and of what is made of it. */
uint64_t pc_mailed_acc_bytes(const struct pc_mailed_items *m, uint64_t n);
uint64_t pc_mailed_bytes(const struct pc_mailed_items *m, uint64_t n);

#endif /* PC_MAILED_ITEMS_H */
