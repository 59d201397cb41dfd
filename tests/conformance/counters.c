// SPDX-License-Identifier: MIT
/*
 * What pidcomm_stats() must say after a call: closed formulas where the
 * definition of "direct" implies them, bounds elsewhere.
 */
#include <inttypes.h>

#include "tests/conformance/counters.h"
#include "tests/conformance/numeric.h"
#include "tests/conformance/userop.h"

struct range {
	uint64_t least, most;
};

struct expectation {
	struct range reads, writes, transfers, host_reads, host_writes, pes;
};

static struct range exactly(uint64_t n)
{
	return (struct range){ n, n };
}

static struct range at_least(uint64_t n)
{
	return (struct range){ n, UINT64_MAX };
}

static struct range between(uint64_t least, uint64_t most)
{
	return (struct range){ least, most };
}

/* A butterfly takes whole sets of at most 8 blocks, and transposes them all. */
static uint64_t padded(uint64_t blocks)
{
	return (blocks + 7) / 8 * 8;
}

/*
 * "direct" reads each source block once and writes each destination block once,
 * the reads of allgather apart, which it may repeat for every destination. In
 * place with one member there is nothing to do, and no harm in doing it.
 */
static struct expectation direct(const struct call *c, uint32_t pes,
				 uint32_t groups, uint32_t members)
{
	const struct collective_traits *traits = &collectives[c->collective];
	uint64_t reads = pes / 8 * (call_reads(c, members) / 8);
	uint64_t writes = pes / 8 * (call_writes(c, members) / 8);
	uint64_t host = groups * call_host_bytes(c, members);
	bool idle = members == 1 && traits->in_place && c->src == c->dst;
	struct expectation e = {
		.reads = exactly(reads),
		.writes = exactly(writes),
		.transfers = between(0, pes / 8 *
				     (padded(call_reads(c, members) / 8) +
				      padded(call_writes(c, members) / 8))),
		.host_reads = exactly(traits->host_in ? host : 0),
		.host_writes = exactly(traits->host_out ? host : 0),
	};

	if (idle) {
		e.reads = between(0, reads);
		e.writes = between(0, writes);
	}
	if (c->collective == ALLTOALL || c->collective == ALLGATHER)
		e.transfers = exactly(0);
	if (traits->reduces && traits->in_place &&
	    num_size(c->type) == 1 && !userop_find(c->op))
		e.transfers = exactly(0);
	if (c->collective == ALLGATHER)
		e.reads.most = UINT64_MAX;
	if (c->collective == BROADCAST)		/* once for every group's EG */
		e.host_reads.most = pes * c->bytes;
	if (c->collective == SCATTER || c->collective == GATHER)
		e.transfers = exactly(reads + writes);
	return e;
}

/* Through host memory: whatever comes out of MRAM or goes in is transposed. */
static struct expectation conventional(const struct call *c, uint32_t pes,
				       uint32_t groups, uint32_t members)
{
	const struct collective_traits *traits = &collectives[c->collective];
	uint64_t reads = pes / 8 * (call_reads(c, members) / 8);
	uint64_t writes = pes / 8 * (call_writes(c, members) / 8);
	uint64_t host = groups * call_host_bytes(c, members);
	struct expectation e = {
		.reads = at_least(reads),
		.writes = at_least(writes),
		.transfers = at_least(reads + writes),
		.host_reads = at_least(traits->host_in ? host : 8 * writes),
		.host_writes = at_least(traits->host_out ? host : 64 * reads),
	};

	return e;
}

/* Elements of 8 bits are folded as they lie, but for a user's operation. */
static bool transposes(const struct call *c)
{
	return num_size(c->type) > 1 || userop_find(c->op);
}

/* What one more step moves. */
static void add(struct expectation *e, uint64_t reads, uint64_t writes,
		uint64_t transfers)
{
	e->reads = exactly(e->reads.least + reads);
	e->writes = exactly(e->writes.least + writes);
	e->transfers = exactly(e->transfers.least + transfers);
}

/*
 * The entangled groups of a set read two chunks each and write one, egs - 1
 * times; then they fold the lanes of a chunk, as many words a register as a group
 * has lanes; then they copy a chunk each, egs - 1 times.
 */
static struct expectation ring(const struct call *c, uint64_t sets,
			       uint64_t egs, uint64_t lanes)
{
	uint64_t words = c->bytes / 8, dt = transposes(c);
	struct expectation e = { 0 };

	add(&e, sets * 2 * words * (egs - 1), sets * words * (egs - 1),
	    sets * 3 * words * (egs - 1) * dt);
	for (uint64_t i = 0; i < egs && lanes > 1; i++) {
		uint64_t chunk = words * (i + 1) / egs - words * i / egs;
		uint64_t registers = (chunk + lanes - 1) / lanes;

		add(&e, sets * chunk, sets * chunk,
		    sets * registers * (lanes + 1) * dt);
	}
	add(&e, sets * words * (egs - 1), sets * words * (egs - 1), 0);
	return e;
}

/*
 * A round inside entangled groups is a pass over all blocks, with two words a
 * register on the way up; all rounds between them are egs - 1 messages of a set
 * up, and as many down.
 */
static struct expectation tree(const struct call *c, uint64_t sets,
			       uint64_t egs, uint64_t lanes)
{
	uint64_t words = c->bytes / 8, dt = transposes(c);
	uint64_t messages = sets * (egs - 1);
	struct expectation e = { 0 };

	for (; lanes > 1; lanes /= 2) {
		add(&e, sets * egs * words, sets * egs * words,
		    sets * egs * 3 * ((words + 1) / 2) * dt);
		add(&e, sets * egs * words, sets * egs * words, 0);
	}
	add(&e, messages * 2 * words, messages * words,
	    messages * 3 * words * dt);
	add(&e, messages * words, messages * words, 0);
	return e;
}

/* Ring or tree; a group of one copies its vector. */
static struct expectation ring_or_tree(const struct call *c, uint32_t pes,
				   const struct grouping *g)
{
	uint64_t lanes = grouping_lanes(g), egs = g->members / lanes;
	uint64_t sets = pes / 8 / egs;
	struct expectation e = { 0 };

	if (g->members == 1)
		add(&e, pes / 8 * (c->bytes / 8), pes / 8 * (c->bytes / 8), 0);
	else if (!strcmp(c->algorithm, "ring"))
		e = ring(c, sets, egs, lanes);
	else
		e = tree(c, sets, egs, lanes);
	return e;
}

/*
 * What PEs read and write when they reorder `words` words each: in place the
 * first lane of each group has nothing to do.
 */
static uint64_t reorders(uint64_t pes, uint64_t lanes, uint64_t words,
			 bool in_place)
{
	if (lanes == 1)
		return 0;
	return 2 * 8 * words * (in_place ? pes - pes / lanes : pes);
}

/* `steps`: 0 for pr, 1 for pr+im, 2 for pr+im+cm */
static unsigned steps_of(const struct call *c)
{
	return !strcmp(c->algorithm, "pr") ? 0 :
	       !strcmp(c->algorithm, "pr+im") ? 1 : 2;
}

/*
 * Whole blocks, v of vectors and r of results, pass the host: in one domain
 * transfer each unless they stay in the PIM domain, through host memory in `pr`.
 */
static struct expectation assisted(const struct call *c, uint32_t pes,
				   const struct grouping *g)
{
	uint64_t r = pes / 8 * (call_writes(c, g->members) / 8);
	uint64_t v = pes / 8 * (call_reads(c, g->members) / 8);
	uint64_t lanes = grouping_lanes(g), words = c->bytes / 8;
	unsigned steps = steps_of(c);
	uint64_t first = 0, last = reorders(pes, lanes, words, true);
	struct expectation e = { 0 };

	if (c->collective == ALLTOALL || c->collective == REDUCE_SCATTER)
		first = reorders(pes, lanes, words, c->src == c->dst ||
				 c->collective == REDUCE_SCATTER);
	add(&e, v, r, steps < 2 ? v + r : 0);
	e.pes = exactly(first + last);
	if (!steps) {
		uint64_t moved = c->collective == ALLTOALL ? v : 0;

		e.host_reads = exactly(64 * (moved + r +
			(c->collective == REDUCE_SCATTER ? v : 0)));
		e.host_writes = exactly(64 * (moved + v +
			(c->collective == REDUCE_SCATTER ? r : 0)));
	}
	return e;
}

/* Chunks of as many lanes; the words left over go the direct way. */
static struct expectation assisted_allreduce(const struct call *c, uint32_t pes,
					     const struct grouping *g)
{
	uint64_t lanes = grouping_lanes(g), egs = g->members / lanes;
	uint64_t words = c->bytes / 8, rest = words % lanes;
	uint64_t sets = pes / 8 / egs, v = pes / 8 * (words - rest);
	unsigned steps = steps_of(c);
	struct expectation e = { 0 };

	add(&e, v, v, steps < 2 ? 2 * v : 0);
	if (rest)
		add(&e, pes / 8 * rest, pes / 8 * rest,
		    transposes(c) * sets * (egs * lanes + 1));
	e.pes = exactly(reorders(pes, lanes, words - rest, c->src == c->dst) +
			reorders(pes, lanes, words - rest, true));
	if (!steps) {
		e.host_reads = exactly(64 * 2 * v);
		e.host_writes = exactly(64 * (v + v / g->members));
	}
	return e;
}

/* The same into host buffers: nothing is written to MRAM. */
static struct expectation assisted_reduce(const struct call *c, uint32_t pes,
					  const struct grouping *g)
{
	uint64_t lanes = grouping_lanes(g), egs = g->members / lanes;
	uint64_t words = c->bytes / 8, rest = words % lanes;
	uint64_t sets = pes / 8 / egs, v = pes / 8 * (words - rest);
	unsigned steps = steps_of(c);
	struct expectation e = { 0 };

	add(&e, v, 0, steps < 2 ? v : v / g->members);
	if (rest)
		add(&e, pes / 8 * rest, 0,
		    transposes(c) ? sets * egs * lanes : sets);
	e.pes = exactly(2 * reorders(pes, lanes, words - rest, true));
	e.host_reads = exactly(steps ? 0 : 64 * v);
	e.host_writes = exactly(g->groups * c->bytes + (steps ? 0 : 64 * v));
	return e;
}

static bool inside(const char *what, uint64_t value, struct range range)
{
	if (value >= range.least && value <= range.most)
		return true;
	printf("# stats: %s is %" PRIu64 ", expected ", what, value);
	if (range.least == range.most)
		printf("%" PRIu64 "\n", range.least);
	else
		printf("%" PRIu64 " to %" PRIu64 "\n", range.least, range.most);
	return false;
}

static bool compare(const struct pidcomm_stats *got, const struct expectation *e)
{
	bool ok = true;

	ok &= inside("mram_blocks_read", got->mram_blocks_read, e->reads);
	ok &= inside("mram_blocks_written", got->mram_blocks_written, e->writes);
	ok &= inside("domain_transfers", got->domain_transfers, e->transfers);
	ok &= inside("host_bytes_read", got->host_bytes_read, e->host_reads);
	ok &= inside("host_bytes_written", got->host_bytes_written,
		     e->host_writes);
	ok &= inside("pe_bytes_moved", got->pe_bytes_moved, e->pes);
	return ok;
}

bool counters_right(const struct pidcomm_stats *stats, const struct shape *shape,
		    const struct call *call, const struct grouping *g)
{
	struct expectation e;

	if (!strcmp(call->algorithm, "direct"))
		e = direct(call, shape->pes, g->groups, g->members);
	else if (!strcmp(call->algorithm, "conventional") && call->bytes)
		e = conventional(call, shape->pes, g->groups, g->members);
	else if (!strcmp(call->algorithm, "ring") ||
		 !strcmp(call->algorithm, "tree"))
		e = ring_or_tree(call, shape->pes, g);
	else if (!strncmp(call->algorithm, "pr", 2))
		e = call->collective == ALLREDUCE ?
			assisted_allreduce(call, shape->pes, g) :
		    call->collective == REDUCE ?
			assisted_reduce(call, shape->pes, g) :
			assisted(call, shape->pes, g);
	else
		return true;
	return compare(stats, &e);
}
