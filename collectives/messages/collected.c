// SPDX-License-Identifier: MIT
/* Collects copies between MRAMs, and does them by entangled group. */
#include <stdlib.h>

#include "collectives/messages/payload.h"
#include "collectives/messages/collected.h"
#include "collectives/messages/engine/send.h"
#include "collectives/types/mram/moves.h"

/* so often kernels wait, yield or ask before what was collected is done */
#define PATIENCE	1024
#define FIRST_ROOM	64

static bool collected_grow(struct pm_world *w)
{
	uint32_t room = w->room_for_copies ? 2 * w->room_for_copies : FIRST_ROOM;
	struct pm_copy *copies = reallocarray(w->copies, room, sizeof(*copies));

	if (!copies)
		return false;
	w->copies = copies;
	w->room_for_copies = room;
	return true;
}

bool pm_collect(struct pm_world *world, struct me_node *node, struct me_request *send,
		const struct me_buffer *to)
{
	bool ok;

	pthread_mutex_lock(&world->copies_lock);
	ok = world->nr_copies < world->room_for_copies || collected_grow(world);
	if (ok) {
		struct pm_copy *copy = &world->copies[world->nr_copies++];

		copy->send = send;
		copy->node = node;
		pm_mram_part(&send->buffer, &copy->move.from_pe, &copy->move.from);
		pm_mram_part(to, &copy->move.to_pe, &copy->move.to);
		atomic_store(&world->impatience, 0);
		atomic_store(&world->waiting_copies, world->nr_copies);
	}
	pthread_mutex_unlock(&world->copies_lock);
	return ok;
}

static struct pm_copy *collected_take(struct pm_world *world, uint32_t *nr)
{
	struct pm_copy *copies;

	pthread_mutex_lock(&world->copies_lock);
	copies = world->copies;
	*nr = world->nr_copies;
	world->copies = NULL;
	world->nr_copies = world->room_for_copies = 0;
	atomic_store(&world->waiting_copies, 0);
	pthread_mutex_unlock(&world->copies_lock);
	return copies;
}

/* one transfer, which fails or not for all */
static int collected_move(struct pm_world *world, const struct pm_copy *copies,
			  uint32_t nr)
{
	struct pimtype_move *moves = malloc(nr * sizeof(*moves));
	int ret;

	if (!moves)
		return -ME_ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		moves[i] = copies[i].move;
	ret = pt_moves_of_pes(world->sys, nr, moves);
	free(moves);
	return ret;
}

bool pm_copy_collected(struct pm_world *world)
{
	struct pm_copy *copies;
	uint32_t nr;
	int ret;

	if (!atomic_load(&world->waiting_copies))
		return false;
	copies = collected_take(world, &nr);
	if (!nr) {
		free(copies);
		return false;
	}
	ret = collected_move(world, copies, nr);
	atomic_fetch_add(&world->collected, nr);
	atomic_fetch_add(&world->batches, 1);
	for (uint32_t i = 0; i < nr; i++) {
		me_lock(copies[i].node);
		me_put_done(copies[i].node, copies[i].send, ret);
		me_unlock(copies[i].node);
	}
	free(copies);
	return true;
}

void pm_copy_overdue(struct pm_world *world)
{
	if (atomic_load(&world->waiting_copies) &&
	    atomic_fetch_add(&world->impatience, 1) >= PATIENCE)
		pm_copy_collected(world);
}
