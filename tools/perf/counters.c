// SPDX-License-Identifier: MIT
/*
 * What a call must move, by its definition alone, and whether the library counts
 * the same. V stands for the blocks of all PEs' vectors, C for those of a chunk
 * of each: one n-th.
 */
#include <string.h>

#include "tools/inside.h"
#include "tools/perf/counters.h"

/* Each byte of MRAM moves once. Elements of one byte are such in either domain. */
static void counters_direct(const struct perf_setup *s, uint64_t v, uint64_t c,
			    struct pidcomm_stats *e)
{
	const struct pc_traits *traits = &pc_traits[s->c->id];
	bool bytes = pc_type_size(s->c->type) == 1;

	if (traits->reduces && traits->host)
		e->domain_transfers = bytes ? c : v;
	else if (traits->reduces)
		e->domain_transfers = bytes ? 0 : v + c;
	else if (traits->host)
		e->domain_transfers = traits->host == PC_VECTORS ? v : c;
}

/*
 * Every block that is pulled or pushed is transposed and goes through memory,
 * where vectors of chunks are rearranged, or folded into one a group.
 */
static void counters_conventional(const struct perf_setup *s, uint64_t v, uint64_t c,
				  struct pidcomm_stats *e)
{
	const struct pc_traits *traits = &pc_traits[s->c->id];
	bool rearranges = traits->src == PC_VECTOR && traits->dst == PC_VECTOR;
	uint64_t read = e->mram_blocks_written;
	uint64_t written = e->mram_blocks_read;

	e->domain_transfers = read + written;
	if (traits->reduces || rearranges)
		read += v;
	if (traits->reduces)
		written += c;
	else if (rearranges)
		written += v;
	e->host_bytes_read = PIMDIMM_BLOCK_BYTES * read;
	e->host_bytes_written = PIMDIMM_BLOCK_BYTES * written;
}

/* How many members a group has in each of its entangled groups. */
static uint64_t counters_lanes(const struct perf_setup *s)
{
	uint64_t n = 1;

	while (n < s->members && s->pe_at[n] / PIMDIMM_CHIPS ==
					 s->pe_at[0] / PIMDIMM_CHIPS)
		n++;
	return n;
}

/*
 * Round the egs entangled groups of each set, chunk by chunk: two are read and
 * one is written, or one is copied; between, the lanes of each chunk are folded.
 */
static void counters_ring(const struct perf_setup *s, struct pidcomm_stats *e)
{
	uint64_t words = s->c->bytes / PIMDIMM_WORD_BYTES;
	uint64_t nl = counters_lanes(s), egs = s->members / nl;
	uint64_t sets = s->rig->nr_pes / PIMDIMM_CHIPS / egs;
	uint64_t hops = sets * words * (egs - 1), registers = 0;

	e->mram_blocks_read = 3 * hops + (nl > 1 ? sets * words : 0);
	e->mram_blocks_written = 2 * hops + (nl > 1 ? sets * words : 0);
	for (uint64_t i = 0; i < egs && nl > 1; i++)
		registers += (words * (i + 1) / egs - words * i / egs + nl - 1) /
			     nl;
	if (pc_type_size(s->c->type) > 1)
		e->domain_transfers = 3 * hops + sets * registers * (nl + 1);
}

/*
 * A pass over all blocks for each lane bit up, with two words a register, and
 * one down; vectors between entangled groups as in a ring, but whole.
 */
static void counters_tree(const struct perf_setup *s, struct pidcomm_stats *e)
{
	uint64_t words = s->c->bytes / PIMDIMM_WORD_BYTES;
	uint64_t nl = counters_lanes(s), egs = s->members / nl;
	uint64_t all = s->rig->nr_pes / PIMDIMM_CHIPS, bits = 0;
	uint64_t messages = all / egs * (egs - 1);

	while (nl >> (bits + 1))
		bits++;
	e->mram_blocks_read = 3 * words * messages + 2 * bits * all * words;
	e->mram_blocks_written = 2 * words * messages + 2 * bits * all * words;
	if (pc_type_size(s->c->type) > 1)
		e->domain_transfers = 3 * words * messages +
				      3 * bits * all * ((words + 1) / 2);
}

/* What PEs move to reorder `words` words each: all PEs, or all but rank 0. */
static uint64_t reordered(const struct perf_setup *s, uint64_t words, bool all)
{
	uint64_t pes = s->rig->nr_pes, nl = counters_lanes(s);

	if (nl == 1)
		return 0;
	return 2 * PIMDIMM_WORD_BYTES * words * (all ? pes : pes - pes / nl);
}

/*
 * PEs reorder before the host, behind it or both; the host moves whole blocks,
 * `pr` through memory, `pr+im+cm` without domain transfers.
 */
static void assisted(const struct perf_setup *s, const char *name, uint64_t v,
		     uint64_t c, struct pidcomm_stats *e)
{
	uint64_t words = s->c->bytes / PIMDIMM_WORD_BYTES;
	uint64_t in = e->mram_blocks_read, out = e->mram_blocks_written;
	bool first = s->c->id != PC_ALLGATHER;

	e->pe_bytes_moved = reordered(s, words, false);
	if (first)
		e->pe_bytes_moved += reordered(s, words, !s->c->in_place &&
					       s->c->id != PC_REDUCE_SCATTER);
	if (strcmp(name, "pr+im+cm"))
		e->domain_transfers = in + out;
	if (strcmp(name, "pr"))
		return;
	/* what is rearranged, or folded, is read and written once more */
	e->host_bytes_read = PIMDIMM_BLOCK_BYTES * (out + (first ? v : 0));
	e->host_bytes_written = PIMDIMM_BLOCK_BYTES * in;
	if (s->c->id == PC_ALLTOALL)
		e->host_bytes_written += PIMDIMM_BLOCK_BYTES * v;
	else if (first)
		e->host_bytes_written += PIMDIMM_BLOCK_BYTES * c;
}

/* words left over by whole rows of chunks go the direct way */
static void assisted_rows(const struct perf_setup *s, const char *name,
			  struct pidcomm_stats *e)
{
	uint64_t words = s->c->bytes / PIMDIMM_WORD_BYTES;
	uint64_t nl = counters_lanes(s), rest = words % nl;
	uint64_t all = s->rig->nr_pes / PIMDIMM_CHIPS;
	uint64_t v = all * (words - rest);

	e->pe_bytes_moved = reordered(s, words - rest, !s->c->in_place) +
			    reordered(s, words - rest, false);
	if (strcmp(name, "pr+im+cm"))
		e->domain_transfers = 2 * v;
	if (rest && pc_type_size(s->c->type) > 1)
		e->domain_transfers += all * nl + all * nl / s->members;
	if (!strcmp(name, "pr")) {
		e->host_bytes_read = PIMDIMM_BLOCK_BYTES * 2 * v;
		e->host_bytes_written = PIMDIMM_BLOCK_BYTES * (v + v / s->members);
	}
}

/* words left over go the direct way; the result goes into the groups' buffers */
static void assisted_reduce(const struct perf_setup *s, const char *name,
			    struct pidcomm_stats *e)
{
	uint64_t words = s->c->bytes / PIMDIMM_WORD_BYTES;
	uint64_t nl = counters_lanes(s), rest = words % nl;
	uint64_t all = s->rig->nr_pes / PIMDIMM_CHIPS;
	uint64_t v = all * (words - rest);

	e->pe_bytes_moved = 2 * reordered(s, words - rest, false);
	e->domain_transfers = strcmp(name, "pr+im+cm") ? v : v / s->members;
	if (rest && pc_type_size(s->c->type) > 1)
		e->domain_transfers += all * nl;
	else if (rest)
		e->domain_transfers += all * nl / s->members;
	if (!strcmp(name, "pr")) {
		e->host_bytes_read = PIMDIMM_BLOCK_BYTES * v;
		e->host_bytes_written += PIMDIMM_BLOCK_BYTES * v;
	}
}

static void expected(const struct perf_setup *s, const char *name,
		     struct pidcomm_stats *e)
{
	uint64_t v = s->rig->nr_pes / PIMDIMM_CHIPS * (s->c->bytes / PIMDIMM_WORD_BYTES);
	const struct pc_traits *traits = &pc_traits[s->c->id];
	uint64_t c = v / s->members, host = s->groups * s->buf_bytes;

	*e = (struct pidcomm_stats){
		.mram_blocks_read = pc_amount_bytes(traits->src, v, s->members),
		.mram_blocks_written =
			pc_amount_bytes(traits->dst, v, s->members),
		.host_bytes_read = pc_reads_host(s->c->id) ? host : 0,
		.host_bytes_written = pc_writes_host(s->c->id) ? host : 0,
	};
	if (!strcmp(name, "ring"))
		counters_ring(s, e);
	else if (!strcmp(name, "tree"))
		counters_tree(s, e);
	else if (!strncmp(name, "pr", 2) && s->c->id == PC_ALLREDUCE)
		assisted_rows(s, name, e);
	else if (!strncmp(name, "pr", 2) && s->c->id == PC_REDUCE)
		assisted_reduce(s, name, e);
	else if (!strncmp(name, "pr", 2))
		assisted(s, name, v, c, e);
	else if (!strcmp(name, "conventional"))
		counters_conventional(s, v, c, e);
	else
		counters_direct(s, v, c, e);
}

bool perf_counters_agree(const struct perf_setup *s, const char *name)
{
	struct pidcomm_stats counted, e;

	expected(s, name, &e);
	if (pidcomm_stats(s->rig->hc, &counted))
		return false;
	counted.ns = 0;
	return !memcmp(&counted, &e, sizeof(e));
}
