/* SPDX-License-Identifier: MIT */
/*
 * Items of hosts that share no memory, as host_items.h has them, by the domain transfer alone:
 * members' words come into host memory, are folded there, and go back. What is measured against.
 */
#ifndef PC_HOST_WORDS_H
#define PC_HOST_WORDS_H

#include "collectives/parts/host_items.h"

/* words of a tile at most */
#define PC_HOST_WORDS	256

/*
 * A place has n words of each group, one after the other: of vectors, to all members; to the
 * groups' buffers, and of them.
 */
void pc_words_fold(struct pc_call *call, const struct pc_item *l);
void pc_words_spread(struct pc_call *call, const struct pc_item *l);
void pc_words_to_buffers(struct pc_call *call, const struct pc_item *l);
void pc_words_of_buffers(struct pc_call *call, const struct pc_item *l);

/* The same of the chunks of group t's members: n words of each, member by member. */
void pc_words_fold_chunks(struct pc_call *call, const struct pc_item *l);
void pc_words_store_chunks(struct pc_call *call, const struct pc_item *l);

/* n words of group t's members, to all of this host's; and what t's have for d's, to these. */
void pc_words_spread_chunks(struct pc_call *call, const struct pc_item *l);
void pc_words_pull_pair(struct pc_call *call, const struct pc_item *l);
void pc_words_push_pair(struct pc_call *call, const struct pc_item *l);

#endif /* PC_HOST_WORDS_H */
