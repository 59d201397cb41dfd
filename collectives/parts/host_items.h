/* SPDX-License-Identifier: MIT */
/*
 * Between a host's own MRAM and a place in host memory that others see, too: what each of
 * several hosts does with an item of a call that they make together, without each other's MRAM.
 */
#ifndef PC_HOST_ITEMS_H
#define PC_HOST_ITEMS_H

#include "collectives/parts/rows.h"

/*
 * An item: a set of entangled groups, words of a vector or of a chunk, and the place where they
 * meet. Of the set's groups [e, end) are this host's.
 */
struct pc_item {
	uint32_t set, e, end;
	uint32_t t;	/* of chunks: the group that they are for, or come from */
	uint32_t d;	/* of chunks from t: the group that they are for */
	uint64_t word, n;
	uint8_t *place;
};

/*
 * Words of all members' vectors: fold this host's into what the hosts before it have left, and
 * leave it, of the last host the result; store the result to this host's members, or to the
 * groups' buffers. Or make it of the groups' buffers; rows of a vector of each group.
 */
void pc_item_fold_rows(struct pc_call *call, const struct pc_item *l);
void pc_item_spread_rows(struct pc_call *call, const struct pc_item *l);
void pc_item_rows_to_buffers(struct pc_call *call, const struct pc_item *l);
void pc_item_of_buffers(struct pc_call *call, const struct pc_item *l);
void pc_item_rows_of(struct pc_call *call, const struct pc_item *l, const uint8_t *const vectors[],
		     uint8_t *rows);

/* The same of the chunks for group t's members, which get them. Words of a tile at most, and
 * bytes of n words while they are folded. */
uint64_t pc_item_chunk_words(const struct pc_call *call);
uint64_t pc_item_chunk_bytes(const struct pc_call *call, uint64_t n);
void pc_item_fold_chunk(struct pc_call *call, const struct pc_item *l);
void pc_item_store_chunk(struct pc_call *call, const struct pc_item *l);

/* The chunks of group t's members; and to this host's members, who get all of them. */
void pc_item_load_chunks(struct pc_call *call, const struct pc_item *l);
void pc_item_spread_chunks(struct pc_call *call, const struct pc_item *l);

/* What group t's members have for group d's, as blocks of these; and to group d. */
void pc_item_exchange(struct pc_call *call, const struct pc_item *l);
void pc_item_store_exchanged(struct pc_call *call, const struct pc_item *l);

/* n words of each member of group t, one member's after the other: to and from its MRAM, and its
 * group's buffer of all members' vectors. */
void pc_item_pull(struct pc_call *call, const struct pc_item *l);
void pc_item_push(struct pc_call *call, const struct pc_item *l);
void pc_item_to_vectors(struct pc_call *call, const struct pc_item *l);
void pc_item_of_vectors(struct pc_call *call, const struct pc_item *l);

#endif /* PC_HOST_ITEMS_H */
