// SPDX-License-Identifier: MIT
/* Room in pools: taken where messages come from, lent where they go. */
#include "collectives/messages/engine/credit.h"

bool me_credit_take(struct me_credit *credit, uint64_t bytes)
{
	uint64_t room = me_room(bytes);

	if (room > credit->ours)
		return false;
	credit->ours -= (uint32_t)room;
	return true;
}

void me_credit_untake(struct me_credit *credit, uint64_t bytes)
{
	credit->ours += (uint32_t)me_room(bytes);
}

bool me_credit_gain(struct me_credit *credit, uint64_t grains)
{
	if (grains > ME_CREDIT_MAX - credit->ours)
		return false;
	credit->ours += (uint32_t)grains;
	return true;
}

bool me_credit_came(struct me_credit *credit, uint64_t bytes)
{
	uint64_t room = me_room(bytes);

	if (room > credit->theirs)
		return false;
	credit->theirs -= (uint32_t)room;
	return true;
}

uint32_t me_credit_freed(struct me_credit *credit, uint64_t bytes)
{
	credit->owed += (uint32_t)me_room(bytes);
	return 2u * credit->owed >= credit->lent ? credit->owed : 0;
}

void me_credit_told(struct me_credit *credit)
{
	credit->theirs += credit->owed;
	credit->owed = 0;
}

void me_credit_lend(struct me_credit *credit, uint32_t grains)
{
	credit->theirs += grains;
	credit->lent += grains;
}

uint32_t me_credit_withdraw(struct me_credit *credit, uint32_t share)
{
	uint32_t grains = credit->lent > share ? credit->lent - share : 0;

	if (grains > credit->owed)
		grains = credit->owed;
	credit->owed -= grains;
	credit->lent -= grains;
	return grains;
}

bool me_credit_returned(struct me_credit *credit, uint64_t grains, uint32_t share)
{
	if (grains > credit->theirs || credit->lent < share + grains)
		return false;
	credit->theirs -= (uint32_t)grains;
	credit->lent -= (uint32_t)grains;
	return true;
}
