/* SPDX-License-Identifier: MIT */
/*
 * Room in pools, where a node cannot look into another one's: what either may take of the
 * other's, in grains. Whoever receives lends it; a message that goes eagerly takes some, and
 * once it is received that is free again, which its sender is told when it is worth a hop.
 */
#ifndef ME_CREDIT_H
#define ME_CREDIT_H

#include <stdbool.h>
#include <stdint.h>

#define ME_GRAIN	16u
/* what a message takes beside its data, the first bytes of which are in it */
#define ME_ROOM_GRAINS	16u
#define ME_ROOM_WITHIN	8u
/* more than any pool has */
#define ME_CREDIT_MAX	0xffffffu

struct me_credit {
	uint32_t ours;		/* of their pool: what may be taken */
	uint32_t theirs;	/* of our pool: what they may take, as far as it has come */
	uint32_t owed;		/* of our pool: free again, which they do not know */
	uint32_t lent;		/* of our pool: theirs, owed and taken */
};

/* of a message of so many bytes, in grains */
static inline uint64_t me_room(uint64_t bytes)
{
	return ME_ROOM_GRAINS +
	       (bytes > ME_ROOM_WITHIN ? bytes / ME_GRAIN + !!(bytes % ME_GRAIN) : 0);
}

/* by who sends; false: not so much is there */
bool me_credit_take(struct me_credit *credit, uint64_t bytes);
void me_credit_untake(struct me_credit *credit, uint64_t bytes);
/* so many grains more; false: nobody lends that much */
bool me_credit_gain(struct me_credit *credit, uint64_t grains);

/* by who receives; false: it did not have the room that it has taken */
bool me_credit_came(struct me_credit *credit, uint64_t bytes);
/* it has been received; the grains that it is time to tell, or 0 */
uint32_t me_credit_freed(struct me_credit *credit, uint64_t bytes);
/* all that is owed is told */
void me_credit_told(struct me_credit *credit);
void me_credit_lend(struct me_credit *credit, uint32_t grains);
/* what is owed, down to `share`, is lent no more: so many grains, of which nobody has to be told */
uint32_t me_credit_withdraw(struct me_credit *credit, uint32_t share);
/* some that was lent is given back, down to `share`; false: it cannot be */
bool me_credit_returned(struct me_credit *credit, uint64_t grains, uint32_t share);

#endif /* ME_CREDIT_H */
