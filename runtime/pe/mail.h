/* SPDX-License-Identifier: MIT */
/*
 * Parcels between the PEs of a launch: taken from whoever sent them, all at once, kept,
 * and given to their PEs when these are entered.
 */
#ifndef PD_MAIL_H
#define PD_MAIL_H

#include <pthread.h>

#include "runtime/pe/broker.h"
#include "runtime/pe/entries.h"
#include "runtime/pe/process/guest.h"

struct pd_post {
	pthread_mutex_t lock;	/* of what follows, and of entries' inboxes */
	struct pd_entry *entries;
	uint32_t nr_entries, nr_pes;
	uint32_t mram_bytes;
	uint32_t *entry_of;	/* by PE, index + 1; made for the first parcel */
	uint64_t payloads;	/* bytes, in inboxes */
	struct pd_guest *guest;	/* the host's end; NULL: there is none */
	/* parcels come only between rounds, in the order of entries: no thread's speed
	 * has a part in who comes first */
	bool ordered;
};

void pd_post_begin(struct pd_post *post, struct pd_entry *entries, uint32_t nr_entries,
		   const struct pimdimm *sys, bool ordered);
void pd_post_end(struct pd_post *post);

/*
 * Take what an entry's PE has sent, of which the arena may say anything. All of it, if
 * `last`; else nothing where some of what it sent before has had no room, and then it is
 * told for which PE.
 */
struct pd_taken pd_post_take(struct pd_post *post, struct pd_entry *e,
			     const struct pd_arena *arena, bool last);

/* Whether there is something to do for an entry. */
bool pd_post_due(struct pd_post *post, const struct pd_entry *e);
/* What it is entered with. */
void pd_post_give(struct pd_post *post, const struct pd_entry *e, struct pd_order *order);
/* It has been, and so many of the parcels have begun. */
void pd_post_begun(struct pd_post *post, struct pd_entry *e, const struct pd_order *order,
		   uint32_t begun);
/* Between rounds: move what had no room. */
void pd_post_move(struct pd_post *post);
/* It takes none any more, and what it has left goes. */
void pd_post_drop(struct pd_post *post, struct pd_entry *e);

#endif /* PD_MAIL_H */
