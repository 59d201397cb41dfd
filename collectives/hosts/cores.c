// SPDX-License-Identifier: MIT
/* Hosts that may run on the same processors deal them out among themselves. */
#include <string.h>

#include "runtime/base/env.h"
#include "runtime/machine/topology.h"
#include "collectives/hosts/agree.h"
#include "collectives/hosts/cores.h"

_Static_assert(sizeof(cpu_set_t) <= PC_HOSTS_CELL, "a mask comes with the arrival");

void pc_hosts_own_pus(cpu_set_t *pus)
{
	CPU_ZERO(pus);
	if (sched_getaffinity(0, sizeof(*pus), pus))
		CPU_ZERO(pus);
}

static void pus_of(const struct pimdimm_hosts *h, uint32_t host, cpu_set_t *pus)
{
	memcpy(pus, pc_hosts_cell(h, host, sizeof(*pus)), sizeof(*pus));
}

/* Hosts of a mask, and those of them before one. */
static uint32_t count_alike(const struct pimdimm_hosts *h, const cpu_set_t *mask, uint32_t before)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < before; i++) {
		cpu_set_t pus;

		pus_of(h, i, &pus);
		count += CPU_EQUAL(&pus, mask) != 0;
	}
	return count;
}

static uint32_t count_pus(const struct pimdimm_hosts *h)
{
	cpu_set_t all;

	CPU_ZERO(&all);
	for (uint32_t i = 0; i < h->hosts; i++) {
		cpu_set_t pus;

		pus_of(h, i, &pus);
		CPU_OR(&all, &all, &pus);
	}
	return (uint32_t)CPU_COUNT(&all);
}

/* Every host has a processor: there are enough in each mask, and in all together. */
static bool all_may_spin(const struct pimdimm_hosts *h)
{
	for (uint32_t i = 0; i < h->hosts; i++) {
		cpu_set_t pus;

		pus_of(h, i, &pus);
		if (count_alike(h, &pus, h->hosts) > (uint32_t)CPU_COUNT(&pus))
			return false;
	}
	return h->hosts <= h->pus;
}

int pc_hosts_share_cores(struct pimdimm_hosts *h)
{
	struct pd_placement *placement;
	uint32_t alike, before;
	cpu_set_t own;
	int ret;

	h->pus = count_pus(h);
	h->spins = all_may_spin(h);
	pus_of(h, h->host, &own);
	alike = count_alike(h, &own, h->hosts);
	before = count_alike(h, &own, h->host);
	if (alike < 2 || alike > (uint32_t)CPU_COUNT(&own))
		return 0;
	ret = pd_placement_make(alike, &own, sizeof(own), &placement);
	if (ret)
		return ret;
	if (placement->binds)
		pd_affinity_share(&h->share, placement->shares[before].pus, placement->pus_bytes);
	pd_placement_free(placement);
	return 0;
}
