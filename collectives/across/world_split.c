// SPDX-License-Identifier: MIT
/*
 * Splits hosts of several machines: each machine's hosts among themselves, as it does without
 * others, and all of them into worlds, whose tags no other one has at any of the hosts.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "collectives/across/world_split.h"
#include "collectives/across/world_open.h"
#include "collectives/hosts/agree.h"

/* what a host says of itself */
struct choice {
	int32_t color, key;
	uint64_t number;
	uint8_t used[PC_NET_BASES / 8];
};

/* the hosts of a color, in the order of their new numbers */
struct world_part {
	uint32_t host, hosts, of[PC_HOSTS_MOST];
	bool on_one_machine;
};

static void part_find(const struct pc_world *w, const struct choice all[], struct world_part *part)
{
	const uint32_t me = w->all->host;

	*part = (struct world_part){ .on_one_machine = true };
	for (uint32_t i = 0; i < w->all->hosts; i++) {
		uint32_t at = part->hosts;

		if (all[i].color != all[me].color)
			continue;
		for (; at && all[part->of[at - 1]].key > all[i].key; at--)
			part->of[at] = part->of[at - 1];
		part->of[at] = i;
		part->hosts++;
		part->on_one_machine &= w->of[i] == w->me;
	}
	while (part->of[part->host] != me)
		part->host++;
}

/* Tags that no host uses for another world; PC_NET_BASES: there are none. */
static uint32_t free_base(const struct choice all[], uint32_t hosts)
{
	for (uint32_t base = 0; base < PC_NET_BASES; base++) {
		bool used = false;

		for (uint32_t i = 0; i < hosts; i++)
			used |= all[i].used[base / 8] >> base % 8 & 1;
		if (!used)
			return base;
	}
	return PC_NET_BASES;
}

/* Machines are numbered by their first hosts, as those of a transport are. */
static void place_hosts(const struct pc_world *of, const struct world_part *part,
			struct pc_world *w)
{
	for (uint32_t i = 0; i < part->hosts; i++) {
		const uint32_t host = part->of[i];
		uint32_t first = 0;

		while (of->of[part->of[first]] != of->of[host])
			first++;
		if (first == i) {
			w->of[i] = w->machines;
			w->first[w->machines++] = i;
		} else {
			w->of[i] = w->of[first];
		}
		w->local[i] = w->locals[w->of[i]]++;
		w->net[i] = of->net[host];
	}
	w->me = w->of[part->host];
}

static struct pimdimm_hosts *part_open(struct pc_world *of, const struct choice all[],
				       const struct world_part *part, uint32_t base,
				       struct pimdimm_hosts *machine)
{
	struct pc_world *w = pc_world_new_part(of, base);
	struct pimdimm_hosts *h;
	pid_t pids[PC_HOSTS_MOST];

	if (!w)
		return NULL;
	w->machine = machine;
	w->number = all[part->of[0]].number;
	place_hosts(of, part, w);
	for (uint32_t i = 0; i < part->hosts; i++) {
		pids[i] = of->all->pids[part->of[i]];
		if (w->of[i] == w->me)
			machine->names[w->local[i]] = i;
	}
	h = pc_world_open(w, part->host, part->hosts, pids, of->all->beyond);
	if (!h)
		pc_world_free(w);
	return h;
}

/* All hosts' choices; or what broke. */
static int hear_choices(struct pc_world *w, const struct pc_hosts_said *said, struct choice all[])
{
	struct choice *mine = &all[w->all->host];

	mine->color = said->color;
	mine->key = said->key;
	mine->number = pd_now_ns() << 8 | (w->all->host & 255);
	pc_world_bases(w, mine->used);
	return pimdimm_hosts_allgather(w->all, mine, all, sizeof(*all));
}

/* This host's part, of which the others know that it may fail. */
static int split_made(struct pc_world *w, const struct choice all[], struct pimdimm_hosts **made)
{
	const struct choice *mine = &all[w->all->host];
	const uint32_t base = free_base(all, w->all->hosts);
	struct pimdimm_hosts *machine = NULL;
	struct world_part part;
	int ret = pimdimm_hosts_split(w->machine, mine->color, mine->key, &machine);

	if (ret || mine->color < 0)
		return ret;
	part_find(w, all, &part);
	if (part.on_one_machine) {
		*made = machine;
		return 0;
	}
	if (base == PC_NET_BASES)
		ret = pd_error(ENOSPC, "hosts of several machines have %d parts already",
			       PC_NET_BASES - 1);
	else if (!(*made = part_open(w, all, &part, base, machine)))
		ret = pd_error(ENOMEM, "no memory for a part of the hosts");
	if (ret)
		pimdimm_hosts_leave(machine);
	return ret;
}

int pc_world_split(struct pimdimm_hosts *h, const struct pc_hosts_said *said, int refused,
		   struct pimdimm_hosts **part)
{
	struct choice *all = calloc(h->hosts, sizeof(*all));
	struct pimdimm_hosts *made = NULL;
	int ret;

	if (!refused && !all)
		refused = pd_error(ENOMEM, "no memory for a part of the hosts");
	ret = pc_hosts_arrive(h, said, refused, NULL, 0);
	if (!ret)
		ret = hear_choices(pc_world_of(h), said, all);
	if (!ret) {
		ret = split_made(pc_world_of(h), all, &made);
		/* a second time: all have their parts, or none keeps it */
		ret = pc_hosts_arrive(h, said, ret, NULL, 0);
		pc_hosts_over(h, ret);
	}
	if (ret && made) {
		pimdimm_hosts_leave(made);
		made = NULL;
	}
	free(all);
	if (!ret)
		*part = made;
	return ret;
}
