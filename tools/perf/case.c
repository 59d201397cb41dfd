// SPDX-License-Identifier: MIT
/* What a case of the benchmark asks for: groups, sizes, memory. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/inside.h"
#include "tools/perf/case.h"
#include "tools/tool.h"

/* the table's row, and what it says of such a call */
bool perf_serves(const struct perf_case *c, const char *algorithm)
{
	const struct pc_args args = {
		.id = c->id,
		.bytes = c->bytes,
		.dst = c->in_place ? 0 : c->bytes,
		.type = c->type,
		.op = c->op,
	};
	size_t count;
	const struct pc_algorithm *const *table = pc_algorithms(&count);

	if (!strcmp(algorithm, "auto") || !strcmp(algorithm, "sdk") ||
	    !strcmp(algorithm, "staged"))
		return true;
	for (size_t i = 0; i < count; i++) {
		const struct pc_algorithm *row = table[i];

		if (row->collective == c->id && !strcmp(row->name, algorithm))
			return !row->check || !row->check(row, &args);
	}
	return false;
}

uint32_t perf_nr_pes(const struct perf_case *c)
{
	uint32_t pes = 1;

	for (unsigned int i = 0; i < c->ndims; i++)
		pes *= c->dims[i];
	return pes;
}

void perf_groups(const struct perf_case *c, uint32_t *groups, uint32_t *members)
{
	*groups = *members = 1;
	for (unsigned int i = 0; i < c->ndims; i++)
		*(c->axes[i] == '1' ? members : groups) *= c->dims[i];
}

uint32_t perf_messages(const struct perf_case *c)
{
	uint32_t groups, members;

	perf_groups(c, &groups, &members);
	return pc_traits[c->id].chunked ? members : 1;
}

bool perf_round(struct perf_case *c)
{
	uint64_t unit = PIMDIMM_WORD_BYTES * perf_messages(c);

	c->bytes -= c->bytes % unit;
	return c->bytes;
}

/* source, then destination; both of the larger side's length */
uint64_t perf_mram_bytes(const struct perf_case *c)
{
	return c->in_place || pc_is_rooted(c->id) ? c->bytes : 2 * c->bytes;
}

/*
 * MRAM; the caller's buffers; the larger of what `conventional` and `sdk` keep,
 * both together, since both stay; what results are compared with.
 */
uint64_t perf_memory_bytes(const struct perf_case *c, unsigned int systems)
{
	uint64_t vectors = perf_nr_pes(c) * c->bytes;
	uint64_t mram = perf_nr_pes(c) * perf_mram_bytes(c);
	uint64_t host = pc_is_rooted(c->id) ? vectors : 0;
	bool staged = !pc_is_rooted(c->id) || pc_traits[c->id].reduces;
	uint64_t staging = staged ? 5 * vectors : 0;

	return systems * (mram + host + (systems > 1 ? 0 : staging)) +
	       (pc_traits[c->id].reduces ? vectors : 0) + (UINT64_C(32) << 20);
}

uint64_t perf_memory_available(void)
{
	uint64_t free_ = tool_memory_available();

	/* the rest of the machine wants to go on living */
	return free_ == UINT64_MAX ? free_ : free_ - free_ / 16;
}

/*
 * nccl-tests counts the whole buffer of a member on the larger side, which for
 * scatter and gather is the root's; all groups run at once, so theirs add up.
 */
uint64_t perf_total_bytes(const struct perf_case *c)
{
	uint32_t groups, members;

	perf_groups(c, &groups, &members);
	if (pc_traits[c->id].host == PC_VECTORS)
		return (uint64_t)groups * members * c->bytes;
	return groups * c->bytes;
}

/* Whole vectors pass each member once, and twice where all of them get the result;
 * of chunks, all but a member's own. */
double perf_bus_factor(const struct perf_case *c)
{
	const struct pc_traits *traits = &pc_traits[c->id];
	uint32_t groups, members;

	perf_groups(c, &groups, &members);
	if (traits->host == PC_VECTOR)
		return 1;
	return (double)(members - 1) / members *
	       (!traits->host && !traits->chunked ? 2 : 1);
}

const char *perf_shape(const struct perf_case *c, char text[128])
{
	int at = 0;

	for (unsigned int i = 0; i < c->ndims && at < 110; i++)
		at += snprintf(text + at, 128 - (size_t)at, "%s%u",
			       i ? "x" : "", c->dims[i]);
	return text;
}
