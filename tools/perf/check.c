// SPDX-License-Identifier: MIT
/*
 * Inputs are put where a case reads them, and every element of its results is
 * compared with the definition's, in pieces, by all threads.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/inside.h"
#include "tools/perf/check.h"
#include "tools/perf/fold.h"
#include "tools/tool.h"

#define PIECE_WORDS 512
#define PIECE_BYTES (PIMDIMM_WORD_BYTES * PIECE_WORDS)
/* what results must overwrite */
#define POISON 0xa5

/* host buffers' inputs are numbered after the PEs' */
static uint64_t host_source(const struct perf_setup *s, uint32_t group)
{
	return (uint64_t)s->rig->nr_pes + group;
}

struct check_job {
	struct perf_setup *s;
	uint64_t pieces;	/* of a PE's, or a buffer's, bytes */
	uint64_t bytes;
	uint8_t *folded;	/* each group's reduction */
	_Atomic uint64_t wrong;
	_Atomic int failed;	/* -errno of a transfer */
	char why[256];		/* the first one's reason */
};

/* Messages belong to the thread whose call failed, which is a worker's. */
static void note_failure(struct check_job *job, int err)
{
	if (!atomic_exchange(&job->failed, err))
		snprintf(job->why, sizeof(job->why), "%s", pimdimm_errmsg());
}

static int job_result(const struct check_job *job)
{
	return job->failed ? pd_error(-job->failed, "%s", job->why) : 0;
}

static uint64_t piece_at(const struct check_job *job, uint64_t item, uint64_t *bytes)
{
	uint64_t at = item % job->pieces * PIECE_BYTES;

	*bytes = job->bytes - at < PIECE_BYTES ? job->bytes - at : PIECE_BYTES;
	return at;
}

static void check_pieces(struct check_job *job, uint64_t bytes, uint64_t count,
		    pd_work_fn fn)
{
	job->bytes = bytes;
	job->pieces = (bytes + PIECE_BYTES - 1) / PIECE_BYTES;
	pd_workers_run(job->s->rig->sys->workers, count * job->pieces, 16, fn,
		       job);
}

/* the sources of an entangled group, and poison where results go */
static void fill_mram(void *ctx, uint64_t first, uint64_t count)
{
	struct check_job *job = ctx;
	struct perf_setup *s = job->s;
	uint64_t words[PIMDIMM_CHIPS][PIECE_WORDS], poison[PIECE_WORDS];
	const void *in[PIMDIMM_CHIPS], *out[PIMDIMM_CHIPS];

	memset(poison, POISON, sizeof(poison));
	for (uint64_t i = first; i < first + count; i++) {
		uint32_t pe = PIMDIMM_CHIPS * (uint32_t)(i / job->pieces);
		uint64_t bytes, at = piece_at(job, i, &bytes);
		int ret = 0;

		for (unsigned int l = 0; l < PIMDIMM_CHIPS; l++) {
			perf_inputs(&s->inputs, s->rig->first_pe + pe + l, at, bytes,
				    words[l]);
			in[l] = words[l];
			out[l] = poison;
		}
		if (s->dst != s->src)
			ret = pimdimm_push(s->rig->sys, pe, PIMDIMM_CHIPS,
					   s->dst + at, out, bytes);
		if (!ret)
			ret = pimdimm_push(s->rig->sys, pe, PIMDIMM_CHIPS,
					   s->src + at, in, bytes);
		if (ret)
			note_failure(job, ret);
	}
}

static void fill_buffers(void *ctx, uint64_t first, uint64_t count)
{
	struct check_job *job = ctx;
	struct perf_setup *s = job->s;
	bool reads = pc_reads_host(s->c->id);

	for (uint64_t i = first; i < first + count; i++) {
		uint32_t group = (uint32_t)(i / job->pieces);
		uint64_t bytes, at = piece_at(job, i, &bytes);
		uint8_t *buf = s->bufs[group];

		if (!buf)
			continue;
		buf += at;
		if (reads)
			perf_inputs(&s->inputs, host_source(s, group), at,
				    bytes, (uint64_t *)buf);
		else
			memset(buf, POISON, bytes);
	}
}

int perf_write_inputs(struct perf_setup *s)
{
	struct check_job job = { .s = s };

	check_pieces(&job, s->c->bytes, s->rig->own_pes / PIMDIMM_CHIPS, fill_mram);
	if (s->buf_bytes)
		check_pieces(&job, s->buf_bytes, s->groups, fill_buffers);
	return job_result(&job);
}

int perf_fill(struct perf_setup *s)
{
	return perf_write_inputs(s) ? tool_error("cannot fill MRAM") : TOOL_OK;
}

/* a piece of a group's reduction */
static void fold_groups(void *ctx, uint64_t first, uint64_t count)
{
	struct check_job *job = ctx;
	struct perf_setup *s = job->s;
	uint64_t in[PIECE_WORDS], acc[2 * PIECE_WORDS];

	for (uint64_t i = first; i < first + count; i++) {
		uint32_t group = (uint32_t)(i / job->pieces);
		uint64_t bytes, at = piece_at(job, i, &bytes);
		uint8_t *out = job->folded + group * job->bytes + at;

		for (uint32_t rank = 0; rank < s->members; rank++) {
			uint32_t pe = s->pe_at[group * s->members + rank];

			perf_inputs(&s->inputs, pe, at, bytes, in);
			if (rank)
				perf_fold_next(s->c->type, s->c->op, acc, in,
					       bytes);
			else
				perf_fold_first(s->c->type, acc, in, bytes);
		}
		perf_fold_last(s->c->type, out, acc, bytes);
	}
}

/* chunks of all members side by side, `skip` bytes into each one's source */
static void gathered(const struct perf_setup *s, uint32_t group, uint64_t skip,
		     uint64_t piece, uint64_t at, uint64_t bytes, uint64_t *out)
{
	while (bytes) {
		uint64_t in = at % piece;
		uint64_t some = piece - in < bytes ? piece - in : bytes;
		uint32_t rank = (uint32_t)(at / piece);

		perf_inputs(&s->inputs, s->pe_at[group * s->members + rank],
			    skip + in, some, out);
		out += some / PIMDIMM_WORD_BYTES;
		at += some;
		bytes -= some;
	}
}

/*
 * What bytes of a member, or of a host buffer that is written, must be: of its
 * group's fold, of the host buffer, or what all members have side by side. A member
 * that has a chunk or a vector of its own finds it there by its rank.
 */
static void check_expect(const struct check_job *job, uint32_t group, uint32_t rank,
			 uint64_t at, uint64_t bytes, uint64_t *out)
{
	const struct perf_setup *s = job->s;
	const struct pc_traits *traits = &pc_traits[s->c->id];
	bool whole = traits->src == PC_VECTOR;

	if (traits->reduces) {
		if (traits->dst == PC_CHUNK)
			at += rank * s->chunk;
		memcpy(out, job->folded + group * s->c->bytes + at, bytes);
	} else if (pc_reads_host(s->c->id)) {
		if (traits->host == PC_VECTORS)
			at += rank * s->c->bytes;
		perf_inputs(&s->inputs, host_source(s, group), at, bytes, out);
	} else if (traits->host) {
		gathered(s, group, 0, s->c->bytes, at, bytes, out);
	} else {
		gathered(s, group, whole ? rank * s->chunk : 0, s->chunk, at,
			 bytes, out);
	}
}

static uint64_t count_differing(const struct perf_setup *s, const void *found,
				const void *expected, uint64_t bytes)
{
	const uint8_t *a = found, *b = expected;
	uint64_t wrong = 0;

	if (!memcmp(a, b, bytes))
		return 0;
	for (uint64_t i = 0; i < bytes; i += s->element)
		wrong += memcmp(a + i, b + i, s->element) != 0;
	return wrong;
}

static void check_mram(void *ctx, uint64_t first, uint64_t count)
{
	struct check_job *job = ctx;
	struct perf_setup *s = job->s;
	uint64_t found[PIMDIMM_CHIPS][PIECE_WORDS], expected[PIECE_WORDS];
	void *into[PIMDIMM_CHIPS];

	for (unsigned int l = 0; l < PIMDIMM_CHIPS; l++)
		into[l] = found[l];
	for (uint64_t i = first; i < first + count; i++) {
		uint32_t pe = PIMDIMM_CHIPS * (uint32_t)(i / job->pieces);
		uint64_t bytes, at = piece_at(job, i, &bytes);
		int ret = pimdimm_pull(s->rig->sys, pe, PIMDIMM_CHIPS,
				       s->dst + at, into, bytes);

		if (ret)
			note_failure(job, ret);
		for (unsigned int l = 0; l < PIMDIMM_CHIPS; l++) {
			uint32_t place = s->place[s->rig->first_pe + pe + l];

			check_expect(job, place / s->members, place % s->members, at,
				     bytes, expected);
			job->wrong += count_differing(s, found[l], expected,
						      bytes);
		}
	}
}

static void check_buffers(void *ctx, uint64_t first, uint64_t count)
{
	struct check_job *job = ctx;
	struct perf_setup *s = job->s;
	uint64_t expected[PIECE_WORDS];

	for (uint64_t i = first; i < first + count; i++) {
		uint32_t group = (uint32_t)(i / job->pieces);
		uint64_t bytes, at = piece_at(job, i, &bytes);

		if (!s->bufs[group])
			continue;
		check_expect(job, group, 0, at, bytes, expected);
		job->wrong += count_differing(s,
					      (uint8_t *)s->bufs[group] + at,
					      expected, bytes);
	}
}

int perf_count_wrong(struct perf_setup *s, uint64_t *wrong)
{
	struct check_job job = { .s = s };
	uint64_t bytes = s->c->bytes;

	if (pc_traits[s->c->id].reduces) {
		job.folded = malloc(s->groups * bytes);
		if (!job.folded)
			return pd_error(ENOMEM, "no memory to check with");
		check_pieces(&job, bytes, s->groups, fold_groups);
	}
	if (pc_writes_host(s->c->id))
		check_pieces(&job, s->buf_bytes, s->groups, check_buffers);
	else
		check_pieces(&job,
			     pc_amount_bytes(pc_traits[s->c->id].dst, bytes,
					     s->members),
			     s->rig->own_pes / PIMDIMM_CHIPS, check_mram);
	free(job.folded);
	*wrong = job.wrong;
	return job_result(&job);
}

int perf_wrong(struct perf_setup *s, uint64_t *wrong)
{
	int ret = perf_count_wrong(s, wrong);

	if (!ret)
		return tool_team_sum(s->rig->team, wrong);
	return tool_error(ret == -ENOMEM ? "no memory to check with" :
					   "cannot read MRAM");
}
