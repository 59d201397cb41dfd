/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/error.h"
#include "collectives/algorithms/table.h"
#include "collectives/call/hypercube.h"
#include "collectives/api/plan.h"
#include "runtime/ranks/system.h"

int pc_parse_axes(const struct pidcomm *hc, const char *axes, uint32_t *bits)
{
	*bits = 0;
	if (!hc || !axes)
		return pd_error(EINVAL, "%s is NULL", hc ? "axes" : "hc");
	if (strnlen(axes, PIDCOMM_MAX_DIMS + 1) != hc->ndims)
		return pd_error(EINVAL,
				"axes=\"%.17s\", expected %u characters, one an axis",
				axes, hc->ndims);
	for (unsigned int i = 0; i < hc->ndims; i++) {
		if (axes[i] != '0' && axes[i] != '1')
			return pd_error(EINVAL,
					"axes=\"%s\", expected '0' or '1' for axis %u",
					axes, i);
		*bits |= (uint32_t)(axes[i] - '0') << i;
	}
	return 0;
}

/*
 * Index i of the mixed radix of those axes that are chosen, or are not, as a
 * position among all: each axis counts `len` places, `stride` apart.
 */
static uint32_t place(const uint32_t len[], unsigned int ndims, uint32_t axes,
		      uint32_t i)
{
	uint32_t stride = 1, at = 0;

	for (unsigned int d = 0; d < ndims; d++) {
		if (axes >> d & 1) {
			at += i % len[d] * stride;
			i /= len[d];
		}
		stride *= len[d];
	}
	return at;
}

/*
 * Take the lane bits out of each axis: `len` is left in entangled groups. Every
 * axis but the last is a power of two and the product a multiple of 8, so the
 * first ones to make 8 divide evenly.
 */
static unsigned int take_lanes(const struct pidcomm *hc, uint32_t axes,
			       uint32_t len[])
{
	unsigned int lanes = 1, mask = 0;

	for (unsigned int d = 0; d < hc->ndims; d++) {
		unsigned int take = 8 / lanes;

		if (d < hc->ndims - 1 && hc->dims[d] < take)
			take = hc->dims[d];
		if (axes >> d & 1)
			mask |= lanes * (take - 1);
		len[d] = hc->dims[d] / take;
		lanes *= take;
	}
	return mask;
}

/*
 * The distance of two places in a table of n entangled groups that share lines, if
 * all of the table are such pairs: see pc_shape.
 */
static uint32_t sharing(const uint32_t *egs, uint32_t n)
{
	uint32_t m = 1;

	while (m < n && egs[m] != PIMDIMM_BANKS / 2)
		m *= 2;
	for (uint32_t i = 0; i < n && m < n; i++) {
		if (!(i & m) &&
		    (i + m >= n || egs[i + m] != egs[i] + PIMDIMM_BANKS / 2))
			return 0;
	}
	return m < n ? m : 0;
}

const struct pc_shape *pc_shape_get(struct pidcomm *hc, uint32_t axes)
{
	struct pc_shape *s = &hc->shape;
	uint32_t len[PIDCOMM_MAX_DIMS];

	if (hc->shape_valid && s->axes == axes)
		return s;
	pc_lanes_init(&s->lanes, take_lanes(hc, axes, len));
	s->axes = axes;
	s->egs = 1;
	for (unsigned int d = 0; d < hc->ndims; d++)
		s->egs *= axes >> d & 1 ? len[d] : 1;
	s->sets = hc->nr_pes / 8 / s->egs;
	s->members = s->egs * s->lanes.nl;
	s->groups = s->sets * (8 / s->lanes.nl);
	s->off = hc->shape_tables;
	s->base = hc->shape_tables + s->egs;
	for (uint32_t i = 0; i < s->egs; i++)
		s->off[i] = place(len, hc->ndims, axes, i);
	for (uint32_t i = 0; i < s->sets; i++)
		s->base[i] = place(len, hc->ndims, ~axes, i);
	s->twins = s->pairs = 0;
	if (hc->sys->geometry.layout == PIMDIMM_LAYOUT_XEON_SP) {
		s->twins = sharing(s->base, s->sets);
		s->pairs = sharing(s->off, s->egs);
	}
	hc->shape_valid = true;
	return s;
}

void pc_shape_singles(const struct pidcomm *hc, const struct pc_lanes *lanes,
		      struct pc_shape *shape)
{
	*shape = (struct pc_shape){
		.members = lanes->nl,
		.groups = hc->nr_pes / lanes->nl,
		.egs = 1,
		.sets = hc->nr_pes / 8,
		.off = hc->eg_numbers,
		.base = hc->eg_numbers,
		.lanes = *lanes,
	};
}

int pidcomm_group_count(const struct pidcomm *hc, const char *axes,
			uint32_t *groups, uint32_t *members)
{
	uint32_t bits, n = 1;
	int ret = pc_parse_axes(hc, axes, &bits);

	if (ret)
		return ret;
	for (unsigned int d = 0; d < hc->ndims; d++)
		n *= bits >> d & 1 ? hc->dims[d] : 1;
	if (members)
		*members = n;
	if (groups)
		*groups = hc->nr_pes / n;
	return 0;
}

int pidcomm_group_of(const struct pidcomm *hc, const char *axes, uint32_t pe,
		     uint32_t *group, uint32_t *rank)
{
	/* [0]: over the other axes, [1]: over the chosen ones */
	uint32_t index[2] = { 0, 0 }, radix[2] = { 1, 1 };
	uint32_t bits, left = pe;
	int ret = pc_parse_axes(hc, axes, &bits);

	if (ret)
		return ret;
	if (pe >= hc->nr_pes)
		return pd_error(EINVAL,
				"pe=%u, expected below the hypercube's %u", pe,
				hc->nr_pes);
	for (unsigned int d = 0; d < hc->ndims; d++) {
		unsigned int chosen = bits >> d & 1;

		index[chosen] += left % hc->dims[d] * radix[chosen];
		radix[chosen] *= hc->dims[d];
		left /= hc->dims[d];
	}
	if (group)
		*group = index[0];
	if (rank)
		*rank = index[1];
	return 0;
}

static int check_dims(uint32_t available, unsigned int ndims,
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
					"dims[%u]=%u makes the hypercube larger than the system's %u PEs",
					d, dims[d], available);
	}
	if (product % 8)
		return pd_error(EINVAL,
				"dims[%u]=%u makes %llu PEs, expected a multiple of 8",
				ndims - 1, dims[ndims - 1],
				(unsigned long long)product);
	*nr_pes = (uint32_t)product;
	return 0;
}

static bool make_tables(struct pidcomm *hc, uint32_t egs)
{
	/* the egs and sets of a shape multiply to egs: one more at most in sum */
	hc->shape_tables = calloc(2 * (size_t)egs + 1, sizeof(uint32_t));
	if (!hc->shape_tables)
		return false;
	hc->eg_numbers = hc->shape_tables + egs + 1;
	for (uint32_t eg = 0; eg < egs; eg++)
		hc->eg_numbers[eg] = eg;
	return true;
}

int pidcomm_create(struct pimdimm *sys, unsigned int ndims,
		   const uint32_t dims[], struct pidcomm **out)
{
	struct pidcomm *hc;
	uint32_t nr_pes;
	int ret;

	if (!sys || !out)
		return pd_error(EINVAL, "%s is NULL", sys ? "hc" : "sys");
	ret = check_dims(sys->geometry.nr_pes, ndims, dims, &nr_pes);
	if (ret)
		return ret;
	hc = calloc(1, sizeof(*hc));
	if (!hc || !make_tables(hc, nr_pes / 8)) {
		free(hc);
		return pd_error(ENOMEM, "no memory for a hypercube of %u PEs",
				nr_pes);
	}
	hc->sys = sys;
	hc->ndims = ndims;
	hc->nr_pes = nr_pes;
	memcpy(hc->dims, dims, ndims * sizeof(*dims));
	*out = hc;
	return 0;
}

void pidcomm_destroy(struct pidcomm *hc)
{
	if (!hc)
		return;
	pc_queue_destroy(hc);
	free(hc->staging);
	free(hc->shape_tables);
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

	if (strcmp(name, "auto")) {
		algorithm = pc_algorithm_find(id, name, &known);
		if (!known)
			return pd_error(
				EINVAL,
				"algorithm=\"%s\", expected auto, direct, conventional or another of the table",
				name);
		if (!algorithm)
			return pd_error(EOPNOTSUPP,
					"algorithm=%s does not serve %s", name,
					pc_collective_name(id));
	}
	if (apply)
		hc->algorithm[id] = algorithm;
	return 0;
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
