// SPDX-License-Identifier: MIT
/* From options to cases: every combination that a call takes and memory holds. */
#include <stdlib.h>
#include <string.h>

#include "tools/inside.h"
#include "tools/perf/cases.h"
#include "tools/tool.h"

int perf_cases_add(struct perf_cases *cases, const struct perf_case *c)
{
	struct perf_case *list;

	/* grows when the count is a power of two, or 0 */
	if (!(cases->count & (cases->count - 1))) {
		list = realloc(cases->list,
			       (cases->count ? 2 * cases->count : 1) *
				       sizeof(*list));
		if (!list)
			return tool_error("no memory for the cases");
		cases->list = list;
	}
	cases->list[cases->count++] = *c;
	return TOOL_OK;
}

/* types and operations are no matter where nothing is reduced */
static int add_types(const struct perf_args *args, struct perf_cases *cases,
		     struct perf_case c)
{
	c.type = PIDCOMM_I32;
	c.op = PIDCOMM_SUM;
	if (!perf_round(&c))
		return TOOL_OK;
	if (!pc_traits[c.id].reduces)
		return perf_cases_add(cases, &c);
	for (unsigned int type = 0; type <= PIDCOMM_F64; type++) {
		for (uintptr_t op = 1; op <= 10; op++) {
			c.type = type;
			c.op = (pidcomm_op)op;
			if ((args->types >> type & 1) &&
			    (args->ops >> op & 1) &&
			    !pc_op_check(c.type, c.op) &&
			    perf_cases_add(cases, &c))
				return TOOL_FAILED;
		}
	}
	return TOOL_OK;
}

/* A case's size is its larger side's; --osu has a message's. */
static struct perf_case sized(const struct perf_args *args, struct perf_case c)
{
	if (args->latency)
		c.bytes *= perf_messages(&c);
	return c;
}

static int add_sizes(const struct perf_args *args, struct perf_cases *cases,
		     struct perf_case c)
{
	for (int in = 0; in < 2; in++) {
		c.in_place = in;
		if (!(in ? args->in_place : args->out_of_place))
			continue;
		/* the rooted ones have no in place */
		if (in && !pc_allows_in_place(c.id) && args->out_of_place)
			continue;
		c.in_place = in && pc_allows_in_place(c.id);
		for (c.bytes = args->begin; c.bytes <= args->end;
		     c.bytes *= args->factor) {
			if (add_types(args, cases, sized(args, c)))
				return TOOL_FAILED;
		}
	}
	return TOOL_OK;
}

/* A table of --osu has one type and operation: all sizes of these, then of the next. */
static int add_tables(const struct perf_args *args, struct perf_cases *cases,
		      const struct perf_case *c)
{
	struct perf_args one = *args;

	if (!args->latency || !pc_traits[c->id].reduces)
		return add_sizes(args, cases, *c);
	for (unsigned int type = 0; type <= PIDCOMM_F64; type++) {
		for (unsigned int op = 1; op <= PERF_OPS; op++) {
			one.types = args->types & 1u << type;
			one.ops = args->ops & 1u << op;
			if (one.types && one.ops && add_sizes(&one, cases, *c))
				return TOOL_FAILED;
		}
	}
	return TOOL_OK;
}

static int add_shape(const struct perf_args *args, struct perf_cases *cases,
		     struct perf_case c)
{
	unsigned int nr_axes = args->nr_axes ? args->nr_axes : 1;

	for (unsigned int id = 0; id < PC_NR_COLLECTIVES; id++) {
		if (!(args->collectives >> id & 1))
			continue;
		c.id = id;
		for (unsigned int i = 0; i < nr_axes; i++) {
			memset(c.axes, '0', c.ndims);
			c.axes[0] = '1';
			if (args->nr_axes)
				strcpy(c.axes, args->axes[i]);
			if (strlen(c.axes) != c.ndims)
				continue;
			if (add_tables(args, cases, &c))
				return TOOL_FAILED;
		}
	}
	return TOOL_OK;
}

int perf_args_cases(const struct command *self, const struct perf_args *args,
		    struct perf_cases *cases)
{
	*cases = (struct perf_cases){ 0 };
	for (unsigned int i = 0; i < args->nr_shapes; i++) {
		if (add_shape(args, cases, args->shapes[i]))
			return TOOL_FAILED;
	}
	if (cases->count)
		return TOOL_OK;
	return tool_usage(self, "nothing to measure: axes must be as many as the shape's, sizes at least 8 bytes a member, types and operations go together");
}

uint64_t perf_fitting(const struct perf_case *c, uint64_t mram,
		      unsigned int systems)
{
	uint64_t available = perf_memory_available();
	struct perf_case smaller = *c;

	while (smaller.bytes && (perf_mram_bytes(&smaller) > mram ||
				 perf_memory_bytes(&smaller, systems) >
					 available)) {
		smaller.bytes /= 2;
		perf_round(&smaller);
	}
	return smaller.bytes;
}

/* MRAM of a PE that the chosen system has, or may have */
static int most_mram(const struct command *self, const struct perf_args *args,
		     uint64_t *mram)
{
	struct pimdimm *sys;

	*mram = PIMDIMM_MRAM_MAX;
	if (!args->how.uri)
		return TOOL_OK;
	/* opening allocates no MRAM: pages come when they are touched */
	if (pimdimm_open(args->how.uri, &sys)) {
		tool_error("%s", pimdimm_errmsg());
		return TOOL_USAGE;
	}
	*mram = pimdimm_geometry(sys)->mram_size;
	for (unsigned int i = 0; i < args->nr_shapes; i++) {
		if (!args->hosts && perf_nr_pes(&args->shapes[i]) >
		    pimdimm_geometry(sys)->nr_pes) {
			tool_usage(self, "%u PEs asked for, %s has %u",
				   perf_nr_pes(&args->shapes[i]),
				   args->how.uri,
				   pimdimm_geometry(sys)->nr_pes);
			pimdimm_close(sys);
			return TOOL_USAGE;
		}
	}
	pimdimm_close(sys);
	return TOOL_OK;
}

int perf_cases_fit(const struct command *self, const struct perf_args *args,
		   const struct perf_cases *cases)
{
	uint64_t mram;

	if (most_mram(self, args, &mram))
		return TOOL_USAGE;
	for (unsigned int i = 0; i < cases->count; i++) {
		const struct perf_case *c = &cases->list[i];
		uint64_t fitting = perf_fitting(c, mram, 1);

		if (fitting == c->bytes)
			continue;
		return tool_usage(self, "%s of %s a PE on %u PEs needs %s of MRAM a PE, of %s, and %s MiB of memory, of %s MiB; %s a PE would fit",
				  pc_collective_name(c->id),
				  tool_size(c->bytes), perf_nr_pes(c),
				  tool_size(perf_mram_bytes(c)),
				  tool_size(mram),
				  tool_count(perf_memory_bytes(c, 1) >> 20),
				  tool_count(perf_memory_available() >> 20),
				  tool_size(fitting));
	}
	return TOOL_OK;
}
