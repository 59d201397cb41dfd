/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>

#include "collectives/call/args.h"
#include "runtime/base/error.h"
#include "collectives/call/ops.h"
#include "runtime/ranks/system.h"

const struct pc_rule pc_rules[PC_NR_COLLECTIVES] = {
	[PC_ALLTOALL] = { .chunked = true, .reads_mram = true,
			  .writes_mram = true, .in_place = true },
	[PC_REDUCE_SCATTER] = { .chunked = true, .reduces = true,
				.reads_mram = true, .writes_mram = true,
				.in_place = true, .dst_chunk = true },
	[PC_ALLREDUCE] = { .reduces = true, .reads_mram = true,
			   .writes_mram = true, .in_place = true },
	[PC_ALLGATHER] = { .chunked = true, .reads_mram = true,
			   .writes_mram = true, .in_place = true,
			   .src_chunk = true },
	[PC_SCATTER] = { .writes_mram = true },
	[PC_GATHER] = { .reads_mram = true },
	[PC_REDUCE] = { .reduces = true, .reads_mram = true },
	[PC_BROADCAST] = { .writes_mram = true },
};

static int check_bytes(const struct pc_args *a, const struct pc_rule *rule,
		       uint32_t members)
{
	uint64_t unit = rule->chunked ? 8 * (uint64_t)members : 8;

	if (a->bytes % unit)
		return pd_error(EINVAL,
				"bytes=%" PRIu64 ", expected a multiple of %" PRIu64
				"%s", a->bytes, unit,
				rule->chunked ? ", 8 for each member" : "");
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
	const struct pc_rule *rule = &pc_rules[a->id];
	uint64_t chunk = a->bytes / members;

	*ranges = (struct pc_ranges){ .read = a->src, .written = a->dst };
	if (rule->reads_mram)
		ranges->read_bytes = rule->src_chunk ? chunk : a->bytes;
	if (rule->writes_mram)
		ranges->written_bytes = rule->dst_chunk ? chunk : a->bytes;
}

static int check_mram(const struct pimdimm *sys, const struct pc_args *a,
		      const struct pc_rule *rule, uint32_t members)
{
	struct pc_ranges r;
	int ret = 0;

	pc_args_ranges(a, members, &r);
	if (rule->reads_mram)
		ret = check_offset(sys, "src", a->src, r.read_bytes);
	if (!ret && rule->writes_mram)
		ret = check_offset(sys, "dst", a->dst, r.written_bytes);
	if (ret || !rule->in_place || !a->bytes || a->src == a->dst)
		return ret;
	if (a->src < a->dst + r.written_bytes && a->dst < a->src + r.read_bytes)
		return pd_error(EINVAL,
				"src=%" PRIu64 " and dst=%" PRIu64
				" overlap, expected them equal or %" PRIu64
				" bytes read and %" PRIu64 " written apart",
				a->src, a->dst, r.read_bytes, r.written_bytes);
	return 0;
}

static int check_bufs(const struct pc_args *a, const struct pc_rule *rule,
		      uint32_t groups)
{
	if ((rule->reads_mram && rule->writes_mram) || !a->bytes)
		return 0;
	if (!a->bufs)
		return pd_error(EINVAL,
				"bufs is NULL, expected a buffer for each of %u groups",
				groups);
	for (uint32_t g = 0; g < groups; g++) {
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
	const struct pidcomm_algorithm *algorithm = hc->algorithm[a->id];

	return algorithm && algorithm->check ? algorithm->check(a) : 0;
}

int pc_args_check(struct pidcomm *hc, const struct pc_args *a,
		  const struct pc_shape **shape)
{
	const struct pc_rule *rule = &pc_rules[a->id];
	uint32_t axes;
	int ret;

	ret = pc_parse_axes(hc, a->axes, &axes);
	if (!ret && rule->reduces)
		ret = pc_op_check(a->type, a->op);
	if (ret)
		return ret;
	*shape = pc_shape_get(hc, axes);
	ret = check_bytes(a, rule, (*shape)->members);
	if (!ret)
		ret = check_mram(hc->sys, a, rule, (*shape)->members);
	if (!ret)
		ret = check_bufs(a, rule, (*shape)->groups);
	if (!ret)
		ret = check_served(hc, a);
	return ret;
}
