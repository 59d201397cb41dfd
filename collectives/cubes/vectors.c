// SPDX-License-Identifier: MIT
/*
 * Groups' buffers in memory that all hosts map: each says where its own lie, in a table that
 * all map, and finds those of the others. A call's table has been read when the call ends.
 */
#include <errno.h>
#include <stdlib.h>

#include "runtime/base/error.h"
#include "collectives/cubes/vectors.h"
#include "collectives/hosts/segments.h"

/* in the scratch memory of the hypercube's hosts, behind the lines of tickets */
#define TABLE_AT	(UINT64_C(64) << 10)

_Static_assert(PC_HOSTS_MOST * sizeof(struct pc_crew_line) <= TABLE_AT,
	       "the table lies behind the lines");

static struct pc_hosts_place *places_of_groups(const struct pc_cubes *c)
{
	return (struct pc_hosts_place *)(c->hosts->scratch + TABLE_AT);
}

static uint64_t buffer_bytes(const struct pc_args *a, const struct pc_shape *s)
{
	return pc_amount_bytes(pc_traits[a->id].host, a->bytes, s->members);
}

/* Room for all groups, here and in the table. */
static bool has_room(struct pc_cubes *c, uint32_t groups)
{
	uint8_t **bufs;

	if (groups > (c->hosts->scratch_bytes - TABLE_AT) / sizeof(struct pc_hosts_place))
		return false;
	if (groups <= c->nr_bufs)
		return true;
	bufs = realloc(c->bufs, groups * sizeof(*bufs));
	if (!bufs)
		return false;
	c->bufs = bufs;
	c->nr_bufs = groups;
	return true;
}

static uint32_t groups_of_set(const struct pc_shape *s)
{
	return 8 / s->lanes.nl;
}

bool pc_cubes_say_buffers(struct pc_cubes *c, const struct pc_args *a, const struct pc_shape *s)
{
	struct pc_hosts_place *places = places_of_groups(c);
	const uint32_t of_set = groups_of_set(s);
	uint32_t first, end;

	if (!pc_is_rooted(a->id) || !a->bytes || !has_room(c, s->groups))
		return false;
	pc_crew_sets_of(&c->crew, c->crew.host, s, &first, &end);
	for (uint32_t g = of_set * first; g < of_set * end; g++) {
		places[g] = pc_hosts_place_in_whole(c->hosts, a->bufs[g], buffer_bytes(a, s));
		if (!places[g].segment)
			return false;
	}
	return true;
}

static int map_buffers_of(struct pc_cubes *c, uint32_t host, const struct pc_args *a,
			  const struct pc_shape *s)
{
	const volatile struct pc_hosts_place *places = places_of_groups(c);
	const uint32_t of_set = groups_of_set(s);
	uint32_t first, end;

	pc_crew_sets_of(&c->crew, host, s, &first, &end);
	for (uint32_t g = of_set * first; g < of_set * end; g++) {
		const struct pc_hosts_place at = { places[g].segment, places[g].offset };

		c->bufs[g] = pc_hosts_at_in_whole(c->hosts, host, at, buffer_bytes(a, s));
		if (!c->bufs[g])
			return pc_hosts_break(c->hosts, EIO,
					      "the hosts' control page is corrupt: the buffer of group %u lies nowhere",
					      g);
	}
	return 0;
}

int pc_cubes_map_buffers(struct pc_cubes *c, const struct pc_args *a, const struct pc_shape *s)
{
	int ret = 0;

	c->crew.bufs = NULL;
	if (c->crew.mail)
		return 0;
	for (uint32_t i = 0; i < c->crew.hosts; i++) {
		if (!c->hosts->peers[i].mapped)
			return 0;
	}
	for (uint32_t i = 0; !ret && i < c->crew.hosts; i++)
		ret = map_buffers_of(c, i, a, s);
	if (!ret)
		c->crew.bufs = c->bufs;
	return ret;
}
