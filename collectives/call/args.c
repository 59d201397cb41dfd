// SPDX-License-Identifier: MIT
/* Are the arguments of a call what its collective and its algorithm take? */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "collectives/call/args.h"
#include "collectives/call/crew.h"
#include "runtime/base/error.h"
#include "collectives/call/ops.h"
#include "runtime/ranks/system.h"

int pc_axes_parse(const struct pidcomm *hc, const char *axes, uint32_t *bits)
{
	*bits = 0;
	if (!hc || !axes)
		return pd_error(EINVAL, "%s is NULL", hc ? "axes" : "hc");
	if (strnlen(axes, PIDCOMM_MAX_DIMS + 1) != hc->cube.ndims)
		return pd_error(
			EINVAL,
			"axes=\"%.17s\", expected %u characters, one an axis",
			axes, hc->cube.ndims);
	for (unsigned int i = 0; i < hc->cube.ndims; i++) {
		if (axes[i] != '0' && axes[i] != '1')
			return pd_error(
				EINVAL,
				"axes=\"%s\", expected '0' or '1' for axis %u",
				axes, i);
		*bits |= (uint32_t)(axes[i] - '0') << i;
	}
	return 0;
}

static int check_bytes(const struct pc_args *a, const struct pc_traits *traits,
		       uint32_t members)
{
	uint64_t unit = traits->chunked ? 8 * (uint64_t)members : 8;

	if (a->bytes % unit)
		return pd_error(EINVAL,
				"bytes=%" PRIu64
				", expected a multiple of %" PRIu64 "%s",
				a->bytes, unit,
				traits->chunked ? ", 8 for each member" : "");
	return 0;
}

static int check_offset(const struct pimdimm *sys, const char *what,
			uint64_t off, uint64_t bytes)
{
	if (off % 8)
		return pd_error(EINVAL,
				"%s=%" PRIu64 ", expected a multiple of 8",
				what, off);
	return pd_check_range(&sys->geometry, what, off, bytes);
}

void pc_args_ranges(const struct pc_args *a, uint32_t members,
		    struct pc_ranges *ranges)
{
	const struct pc_traits *traits = &pc_traits[a->id];

	*ranges = (struct pc_ranges){
		.read = a->src,
		.read_bytes = pc_amount_bytes(traits->src, a->bytes, members),
		.written = a->dst,
		.written_bytes =
			pc_amount_bytes(traits->dst, a->bytes, members),
	};
}

static int check_mram(const struct pimdimm *sys, const struct pc_args *a,
		      const struct pc_traits *traits, uint32_t members)
{
	struct pc_ranges r;
	int ret = 0;

	pc_args_ranges(a, members, &r);
	if (traits->src)
		ret = check_offset(sys, "src", a->src, r.read_bytes);
	if (!ret && traits->dst)
		ret = check_offset(sys, "dst", a->dst, r.written_bytes);
	if (ret || !pc_allows_in_place(a->id) || !a->bytes || a->src == a->dst)
		return ret;
	if (a->src < a->dst + r.written_bytes && a->dst < a->src + r.read_bytes)
		return pd_error(EINVAL,
				"src=%" PRIu64 " and dst=%" PRIu64
				" overlap, expected them equal or %" PRIu64
				" bytes read and %" PRIu64 " written apart",
				a->src, a->dst, r.read_bytes, r.written_bytes);
	return 0;
}

static int check_bufs(const struct pidcomm *hc, const struct pc_args *a,
		      const struct pc_shape *s)
{
	uint32_t first = 0, groups = s->groups;

	if (!pc_is_rooted(a->id) || !a->bytes)
		return 0;
	if (hc->crew) {
		pc_crew_sets(hc->crew, s, &first, &groups);
		first *= 8 / s->lanes.nl;
		groups *= 8 / s->lanes.nl;
	}
	if (!a->bufs && first < groups)
		return pd_error(EINVAL,
				"bufs is NULL, expected a buffer for each of %u groups",
				groups - first);
	for (uint32_t g = first; g < groups; g++) {
		if (!a->bufs[g])
			return pd_error(EINVAL,
					"bufs[%u] is NULL, expected the buffer of group %u",
					g, g);
	}
	return 0;
}

/* by the algorithm that is set; `auto` chooses one that serves */
static int check_served(const struct pidcomm *hc, const struct pc_args *a)
{
	const struct pc_algorithm *algorithm = hc->algorithm[a->id];

	return algorithm && algorithm->check ? algorithm->check(algorithm, a)
					     : 0;
}

int pc_args_check_op(const struct pc_args *a)
{
	return pc_traits[a->id].reduces ? pc_op_check(a->type, a->op) : 0;
}

int pc_args_check(struct pidcomm *hc, const struct pc_args *a,
		  const struct pc_shape **shape)
{
	const struct pc_traits *traits = &pc_traits[a->id];
	uint32_t axes;
	int ret;

	ret = pc_axes_parse(hc, a->axes, &axes);
	if (!ret)
		ret = pc_args_check_op(a);
	if (ret)
		return ret;
	*shape = pc_shape_get(&hc->cube, axes);
	ret = check_bytes(a, traits, (*shape)->members);
	if (!ret)
		ret = check_mram(hc->sys, a, traits, (*shape)->members);
	if (!ret)
		ret = check_bufs(hc, a, *shape);
	if (!ret)
		ret = check_served(hc, a);
	return ret;
}
