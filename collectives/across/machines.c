// SPDX-License-Identifier: MIT
/* Who is where among hosts of several machines, and what they did in all. */
#include "collectives/across/machines.h"

uint32_t pc_world_host(const struct pc_world *w, uint32_t machine, uint32_t local)
{
	for (uint32_t i = 0; i < w->all->hosts; i++) {
		if (w->of[i] == machine && w->local[i] == local)
			return i;
	}
	return PC_HOSTS_MOST;
}

void pc_world_add_stats(struct pc_world *w)
{
	struct pimdimm_hosts_stats *all = &w->all->stats;
	const struct pimdimm_hosts_stats *own = &w->machine->stats;

	all->loaded += own->loaded;
	all->stored += own->stored;
	all->stored_around += own->stored_around;
	all->copied_in += own->copied_in;
	all->copied_out += own->copied_out;
	all->peer_bytes += own->peer_bytes;
	all->waits += own->waits;
	all->handles_made += own->handles_made;
	all->handles_mapped += own->handles_mapped;
}
