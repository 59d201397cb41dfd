// SPDX-License-Identifier: MIT
/* Who is where among hosts of several machines, and what they did in all. */
#include <stdio.h>

#include "collectives/across/machines.h"

uint32_t pc_world_host(const struct pc_world *w, uint32_t machine, uint32_t local)
{
	for (uint32_t i = 0; i < w->all->hosts; i++) {
		if (w->of[i] == machine && w->local[i] == local)
			return i;
	}
	return PC_HOSTS_MOST;
}

void pc_world_hears(struct pc_world *w, uint32_t machine)
{
	w->heard[machine] = (struct pc_heard){ .number = w->all->number, .kind = w->all->kind,
					       .leaving = w->leaving };
}

void pc_world_name(const struct pimdimm_hosts *h, uint32_t peer, char *text, size_t bytes)
{
	const struct pc_world *w = pc_world_of(h);
	const struct pc_heard *heard = &w->heard[w->of[peer]];
	char last[96] = "not heard of since it joined";

	if (w->of[peer] == w->me) {
		pc_hosts_name(w->machine, w->local[peer], text, bytes);
		return;
	}
	if (heard->number)
		snprintf(last, sizeof(last), "last heard of at the %s of %s, call %llu",
			 heard->leaving ? "end" : "beginning", pc_hosts_kind_name(heard->kind),
			 (unsigned long long)heard->number);
	snprintf(text, bytes, "host %u (pid %d) on machine %u, %s", peer, (int)h->pids[peer],
		 w->of[peer], last);
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
	all->ns_spread += own->ns_spread;
}
