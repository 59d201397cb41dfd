// SPDX-License-Identifier: MIT
/* Ends of a world: their ranks, and whether there are any. */
#include <errno.h>
#include <stdlib.h>

#include "collectives/messages/world.h"
#include "runtime/base/error.h"

bool pm_node_of_any(const struct pimmsg_end *end, int rank, uint32_t *node)
{
	if (rank == PIMMSG_HOST && !end->comm.nodes) {
		*node = end->world->host_node;
		return *node != PM_NO_NODE;
	}
	if (rank < 0 || (uint32_t)rank >= end->comm.size)
		return false;
	*node = end->comm.nodes ? end->comm.nodes[rank] : (uint32_t)rank;
	return true;
}

int pm_rank_of(const struct pimmsg_end *end, uint32_t node)
{
	if (node == end->world->host_node)
		return PIMMSG_HOST;
	if (!end->comm.nodes)
		return (int)node;
	for (uint32_t rank = 0; rank < end->comm.size; rank++) {
		if (end->comm.nodes[rank] == node)
			return (int)rank;
	}
	return PIMMSG_NONE;
}

int pm_refuse_end(const struct pimmsg_end *end)
{
	if (!end)
		return pd_error(EINVAL, "end is NULL");
	switch (end->refused) {
	case EOPNOTSUPP:
		return pd_error(EOPNOTSUPP,
				"messages under pimdimm_launch(), whose PEs run one after another; expected pimdimm_spmd()");
	case ENOTCONN:
		return pd_error(ENOTCONN,
				"this PE is in no world of messages, expected pimmsg_world() before pimdimm_spmd()");
	default:
		return pd_error(ENOMEM, "no memory for an end of messages");
	}
}

struct pimmsg_end *pm_end_make(struct pimmsg_end *of, uint32_t context,
			       uint32_t size, uint32_t *nodes, int rank)
{
	struct pimmsg_end *end = malloc(sizeof(*end));

	if (!end)
		return NULL;
	*end = *of;
	end->comm = (struct pm_comm){ context, size, nodes };
	end->rank = rank;
	end->tables = NULL;
	end->group_nodes = NULL;
	me_lock(&of->node->node);
	end->next = of->node->ends;
	of->node->ends = end;
	me_unlock(&of->node->node);
	return end;
}

void pm_end_free(struct pimmsg_end *end)
{
	free(end->comm.nodes);
	free(end->tables);
	free(end->group_nodes);
	free(end);
}

int pm_check_world(struct pimdimm *sys, uint32_t first_pe, uint32_t nr_pes,
		   struct pimmsg_end **host)
{
	const struct pimdimm_geometry *g = pimdimm_geometry(sys);

	if (!g)
		return pd_error(EINVAL, "sys is NULL");
	if (!host)
		return pd_error(EINVAL, "host is NULL");
	if (!nr_pes || first_pe > g->nr_pes || nr_pes > g->nr_pes - first_pe)
		return pd_error(EINVAL,
				"first_pe=%u and nr_pes=%u, expected 1 PE at least, all below %u",
				first_pe, nr_pes, g->nr_pes);
	return 0;
}
