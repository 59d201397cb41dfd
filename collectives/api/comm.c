// SPDX-License-Identifier: MIT
/* Hypercubes: made, asked and unmade. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/error.h"
#include "collectives/algorithms/staged.h"
#include "collectives/algorithms/table.h"
#include "collectives/api/comm.h"
#include "collectives/api/hosts_calls.h"
#include "collectives/api/queue.h"
#include "collectives/call/args.h"
#include "runtime/ranks/system.h"

int pidcomm_group_count(const struct pidcomm *hc, const char *axes,
			uint32_t *groups, uint32_t *members)
{
	uint32_t bits, n = 1;
	int ret = pc_axes_parse(hc, axes, &bits);

	if (ret)
		return ret;
	for (unsigned int d = 0; d < hc->cube.ndims; d++)
		n *= bits >> d & 1 ? hc->cube.dims[d] : 1;
	if (members)
		*members = n;
	if (groups)
		*groups = hc->cube.nr_pes / n;
	return 0;
}

/* The node that a PE is; most hypercubes begin at PE 0 and have them in order. */
static int node_of(const struct pidcomm *hc, uint32_t pe, uint32_t *node)
{
	const uint32_t nr = hc->cube.nr_pes / PIMDIMM_CHIPS, eg = pd_eg_of(pe);
	uint32_t i = eg < nr && hc->cube.places[eg] == eg ? eg : 0;

	while (i < nr && hc->cube.places[i] != eg)
		i++;
	if (i == nr && !hc->members && !hc->first_pe)
		return pd_error(EINVAL,
				"pe=%u, expected below the hypercube's %u", pe,
				hc->cube.nr_pes);
	if (i == nr)
		return pd_error(EINVAL, "pe=%u, expected one of the hypercube's", pe);
	*node = PIMDIMM_CHIPS * i + pd_lane_of(pe);
	return 0;
}

int pidcomm_group_of(const struct pidcomm *hc, const char *axes, uint32_t pe,
		     uint32_t *group, uint32_t *rank)
{
	/* [0]: over the other axes, [1]: over the chosen ones */
	uint32_t index[2] = { 0, 0 }, radix[2] = { 1, 1 };
	uint32_t bits, left;
	int ret = pc_axes_parse(hc, axes, &bits);

	if (!ret)
		ret = node_of(hc, pe, &left);
	if (ret)
		return ret;
	for (unsigned int d = 0; d < hc->cube.ndims; d++) {
		unsigned int chosen = bits >> d & 1;

		index[chosen] += left % hc->cube.dims[d] * radix[chosen];
		radix[chosen] *= hc->cube.dims[d];
		left /= hc->cube.dims[d];
	}
	if (group)
		*group = index[0];
	if (rank)
		*rank = index[1];
	return 0;
}

int pc_comm_check_dims(uint32_t available, const char *of, unsigned int ndims,
		       const uint32_t dims[], uint32_t *nr_pes)
{
	uint64_t product = 1;

	if (!ndims || ndims > PIDCOMM_MAX_DIMS)
		return pd_error(EINVAL, "ndims=%u, expected 1 to %d", ndims,
				PIDCOMM_MAX_DIMS);
	if (!dims)
		return pd_error(EINVAL, "dims is NULL");
	for (unsigned int d = 0; d < ndims; d++) {
		if (!dims[d])
			return pd_error(EINVAL, "dims[%u]=0, expected 1 or more",
					d);
		if (d < ndims - 1 && (dims[d] & (dims[d] - 1)))
			return pd_error(EINVAL,
					"dims[%u]=%u, expected a power of two for every axis but the last",
					d, dims[d]);
		product *= dims[d];
		if (product > available)
			return pd_error(EINVAL,
					"dims[%u]=%u makes the hypercube larger than %s %u PEs",
					d, dims[d], of, available);
	}
	if (product % 8)
		return pd_error(EINVAL,
				"dims[%u]=%u makes %llu PEs, expected a multiple of 8",
				ndims - 1, dims[ndims - 1],
				(unsigned long long)product);
	*nr_pes = (uint32_t)product;
	return 0;
}

static int check_list(const struct pimdimm *sys, const uint32_t egs[],
		      uint32_t nr_egs)
{
	uint32_t all = sys->geometry.nr_pes / PIMDIMM_CHIPS;
	uint64_t *seen = calloc((all + 63) / 64, sizeof(*seen));
	int ret = seen ? 0 : pd_error(ENOMEM, "no memory for %u entangled groups",
				      nr_egs);

	for (uint32_t i = 0; i < nr_egs && !ret; i++) {
		if (egs[i] >= all)
			ret = pd_error(EINVAL,
				       "egs[%u]=%u, expected below the system's %u",
				       i, egs[i], all);
		else if (seen[egs[i] / 64] >> egs[i] % 64 & 1)
			ret = pd_error(EINVAL, "egs[%u]=%u is there twice", i,
				       egs[i]);
		else
			seen[egs[i] / 64] |= UINT64_C(1) << egs[i] % 64;
	}
	free(seen);
	return ret;
}

static int check_egs(const struct pimdimm *sys, const uint32_t egs[],
		     uint32_t first_eg, uint32_t nr_egs)
{
	uint32_t all = sys->geometry.nr_pes / PIMDIMM_CHIPS;

	if (nr_egs > all)
		return pd_error(EINVAL, "nr_egs=%u, expected at most the system's %u",
				nr_egs, all);
	if (egs && first_eg)
		return pd_error(EINVAL,
				"first_eg=%u beside a list of entangled groups, expected 0",
				first_eg);
	if (egs)
		return check_list(sys, egs, nr_egs);
	if (first_eg > all - nr_egs)
		return pd_error(EINVAL,
				"first_eg=%u and nr_egs=%u, expected entangled groups below %u",
				first_eg, nr_egs, all);
	return 0;
}

/* Which PEs of the system they are; false: there is no memory. */
static bool find_members(struct pidcomm *hc)
{
	const uint32_t nr = hc->cube.nr_pes / PIMDIMM_CHIPS, *at = hc->cube.places;
	uint32_t least = at[0], most = at[0];

	for (uint32_t i = 0; i < nr; i++) {
		least = at[i] < least ? at[i] : least;
		most = at[i] > most ? at[i] : most;
	}
	hc->first_pe = PIMDIMM_CHIPS * least;
	hc->range_pes = PIMDIMM_CHIPS * (most - least + 1);
	pd_ranks_of_range(&hc->ranks, hc->first_pe, hc->range_pes);
	if (hc->range_pes == hc->cube.nr_pes)
		return true;
	hc->members = calloc(hc->range_pes, sizeof(*hc->members));
	if (!hc->members)
		return false;
	memset(&hc->ranks, 0, sizeof(hc->ranks));
	for (uint32_t i = 0; i < nr; i++) {
		pd_ranks_add(&hc->ranks, PIMDIMM_CHIPS * at[i]);
		for (uint32_t l = 0; l < PIMDIMM_CHIPS; l++)
			hc->members[PIMDIMM_CHIPS * (at[i] - least) + l] = hc;
	}
	return true;
}

int pc_comm_new(struct pimdimm *sys, const uint32_t egs[], uint32_t first_eg,
		unsigned int ndims, const uint32_t dims[], uint32_t nr_pes,
		struct pidcomm **out)
{
	struct pidcomm *hc = calloc(1, sizeof(*hc));

	if (hc) {
		hc->sys = sys;
		hc->cube.ndims = ndims;
		hc->cube.nr_pes = nr_pes;
		hc->cube.shares_lines =
			sys->geometry.layout == PIMDIMM_LAYOUT_XEON_SP;
		memcpy(hc->cube.dims, dims, ndims * sizeof(*dims));
	}
	if (!hc || !pc_cube_init(&hc->cube, egs, first_eg) || !find_members(hc)) {
		if (hc)
			pc_cube_free(&hc->cube);
		free(hc);
		return pd_error(ENOMEM, "no memory for a hypercube of %u PEs",
				nr_pes);
	}
	*out = hc;
	return 0;
}

int pidcomm_create(struct pimdimm *sys, unsigned int ndims,
		   const uint32_t dims[], struct pidcomm **out)
{
	uint32_t nr_pes;
	int ret;

	if (!sys || !out)
		return pd_error(EINVAL, "%s is NULL", sys ? "hc" : "sys");
	ret = pc_comm_check_dims(sys->geometry.nr_pes, "the system's", ndims, dims,
				 &nr_pes);
	return ret ? ret : pc_comm_new(sys, NULL, 0, ndims, dims, nr_pes, out);
}

int pidcomm_create_on(struct pimdimm *sys, const uint32_t egs[], uint32_t first_eg,
		      uint32_t nr_egs, unsigned int ndims, const uint32_t dims[],
		      struct pidcomm **out)
{
	uint32_t nr_pes;
	int ret;

	if (!sys || !out)
		return pd_error(EINVAL, "%s is NULL", sys ? "hc" : "sys");
	ret = check_egs(sys, egs, first_eg, nr_egs);
	if (!ret)
		ret = pc_comm_check_dims(PIMDIMM_CHIPS * nr_egs, "the system's", ndims,
					 dims, &nr_pes);
	if (!ret && nr_pes != PIMDIMM_CHIPS * nr_egs)
		ret = pd_error(EINVAL,
			       "dims make %u PEs, expected all %u of %u entangled groups",
			       nr_pes, PIMDIMM_CHIPS * nr_egs, nr_egs);
	return ret ? ret : pc_comm_new(sys, egs, first_eg, ndims, dims, nr_pes, out);
}

void pidcomm_destroy(struct pidcomm *hc)
{
	if (!hc)
		return;
	pc_queue_destroy(hc);
	if (hc->crew)
		pc_hosts_forget(hc);
	free(hc->staging);
	free(hc->members);
	pc_cube_free(&hc->cube);
	free(hc);
}

int pidcomm_stats(const struct pidcomm *hc, struct pidcomm_stats *last_call)
{
	if (!hc || !last_call)
		return pd_error(EINVAL, "%s is NULL", hc ? "last_call" : "hc");
	*last_call = hc->stats;
	return 0;
}

static int set_algorithm(struct pidcomm *hc, enum pc_collective id,
			 const char *name, bool apply)
{
	const struct pc_algorithm *algorithm = NULL;
	bool known = false;
	int ret = 0;

	if (strcmp(name, "auto")) {
		algorithm = strcmp(name, "staged") ?
				    pc_algorithm_find(id, name, &known) :
				    pc_algorithm_staged(id);
		if (!strcmp(name, "staged") && !hc->crew)
			return pd_error(EOPNOTSUPP,
					"algorithm=staged serves hypercubes over several hosts alone");
		if (!known && !algorithm)
			return pd_error(
				EINVAL,
				"algorithm=\"%s\", expected auto, direct, conventional or another of the table",
				name);
		if (!algorithm)
			return pd_error(EOPNOTSUPP,
					"algorithm=%s does not serve %s", name,
					pc_collective_name(id));
		if (hc->crew)
			ret = pc_hosts_serves(hc, algorithm);
	}
	if (apply && !ret)
		hc->algorithm[id] = algorithm;
	return ret;
}

int pidcomm_set_algorithm(struct pidcomm *hc, const char *collective,
			  const char *algorithm)
{
	bool matched = false;

	if (!hc || !algorithm)
		return pd_error(EINVAL, "%s is NULL", hc ? "algorithm" : "hc");
	/* all are checked before any is set */
	for (int apply = 0; apply < 2; apply++) {
		for (int id = 0; id < PC_NR_COLLECTIVES; id++) {
			int ret;

			if (collective &&
			    strcmp(collective, pc_collective_name(id)))
				continue;
			matched = true;
			ret = set_algorithm(hc, id, algorithm, apply);
			if (ret)
				return ret;
		}
	}
	if (!matched)
		return pd_error(
			EINVAL,
			"collective=\"%s\", expected one of the eight, such as alltoall",
			collective);
	return 0;
}
