// SPDX-License-Identifier: MIT
/*
 * pimtype_push(), pimtype_pull() and pimtype_move() on all PEs against one thread's loops, which
 * copy as many bytes within the same memory: the rows of eight PEs at once, and packed ones as
 * they lie, without a domain transfer.
 */
#include <stdlib.h>
#include <string.h>

#include <pimdimm/types.h>

#include "tools/perf/suites/datatypes/maker.h"
#include "tools/perf/suites/datatypes/mram.h"
#include "tools/perf/suites/datatypes/plain.h"
#include "tools/perf/suites/datatypes/truth.h"
#include "tools/perf/suites/datatypes/turns.h"
#include "tools/tool.h"

#define LANES	PIMDIMM_CHIPS
#define MOST_CALLS	32768	/* of a push or pull, block by block */

struct mram {
	const struct ddt_kernel *k;
	const struct perf_rig *rig;
	uint32_t groups;
	struct pimtype *type[DDT_SIDES];
	struct ddt_loops pull, push, move;
	struct ddt_loops pull_calls, push_calls;	/* of one PE */
	char *packed;			/* of one PE behind the other */
	void **bufs;			/* the same */
	void **places;			/* in these */
	char *rows, *expected;		/* of a group, packed and as an array */
	struct pimtype_move *moves;
	bool plain;			/* who ran last */
};

char *ddt_group_memory(const struct perf_rig *rig, uint32_t group)
{
	const uint64_t mram = pimdimm_geometry(rig->sys)->mram_size;
	char *window = pimdimm_mram(rig->sys, group / PIMDIMM_BANKS, NULL);

	return window + pimdimm_layout_offset(PIMDIMM_LAYOUT_LINEAR, mram, group % PIMDIMM_BANKS,
					      0);
}

uint64_t ddt_mram_to(const struct ddt_kernel *k)
{
	return (k->span + 63) / 64 * 64;
}

uint64_t ddt_mram_bytes(const struct ddt_kernel *k)
{
	return 2 * ddt_mram_to(k);
}

static char *memory_of(const struct mram *m, uint32_t group, int side)
{
	return ddt_group_memory(m->rig, group) +
	       (side == DDT_TO ? LANES * ddt_mram_to(m->k) : 0);
}

static struct pimtype_part part_of(const struct mram *m, int side)
{
	int64_t base = side == DDT_TO ? (int64_t)ddt_mram_to(m->k) : 0;

	return (struct pimtype_part){ base + m->k->at[side], 1, m->type[side] };
}

static void free_types(struct mram *m)
{
	for (int side = 0; side < DDT_SIDES; side++) {
		pimtype_free(m->type[side]);
		m->type[side] = NULL;
	}
}

static int make_types(void *of)
{
	struct mram *m = of;

	free_types(m);
	for (int side = 0; side < DDT_SIDES; side++) {
		m->type[side] = m->k->make(m->k, side, &ddt_maker_own);
		if (!m->type[side])
			return -1;
	}
	for (uint32_t pe = 0; pe < m->rig->nr_pes; pe++)
		m->moves[pe] = (struct pimtype_move){ pe, (pe + LANES) % m->rig->nr_pes,
						      part_of(m, DDT_FROM), part_of(m, DDT_TO) };
	return 0;
}

static struct pimtype_part packed_part(const struct mram *m)
{
	return (struct pimtype_part){ 0, m->k->bytes, pimtype_basic(PIMTYPE_PACKED) };
}

static int typed_push(void *of)
{
	struct mram *m = of;

	m->plain = false;
	return pimtype_push(m->rig->sys, 0, m->rig->nr_pes, part_of(m, DDT_TO),
			    (const void *const *)m->bufs, packed_part(m));
}

static int typed_pull(void *of)
{
	struct mram *m = of;

	m->plain = false;
	return pimtype_pull(m->rig->sys, 0, m->rig->nr_pes, part_of(m, DDT_FROM), m->bufs,
			    packed_part(m));
}

static int typed_move(void *of)
{
	struct mram *m = of;

	return pimtype_move(m->rig->sys, m->rig->nr_pes, m->moves);
}

static char *rows_of(const struct mram *m, uint32_t group)
{
	return m->packed + group * LANES * m->k->bytes;
}

typedef void copy_fn(const struct ddt_loops *loops, void *to, const void *from);

static int loops_push(struct mram *m, copy_fn *copy)
{
	m->plain = true;
	for (uint32_t g = 0; g < m->groups; g++)
		copy(&m->push, memory_of(m, g, DDT_TO), rows_of(m, g));
	return 0;
}

static int loops_pull(struct mram *m, copy_fn *copy)
{
	m->plain = true;
	for (uint32_t g = 0; g < m->groups; g++)
		copy(&m->pull, rows_of(m, g), memory_of(m, g, DDT_FROM));
	return 0;
}

static int loops_move(struct mram *m, copy_fn *copy)
{
	for (uint32_t g = 0; g < m->groups; g++)
		copy(&m->move, memory_of(m, (g + 1) % m->groups, DDT_TO),
		     memory_of(m, g, DDT_FROM));
	return 0;
}

static int plain_push(void *of)
{
	return loops_push(of, ddt_plain_copy);
}

static int blocks_push(void *of)
{
	return loops_push(of, ddt_blocks_copy);
}

static int plain_pull(void *of)
{
	return loops_pull(of, ddt_plain_copy);
}

static int blocks_pull(void *of)
{
	return loops_pull(of, ddt_blocks_copy);
}

static int plain_move(void *of)
{
	return loops_move(of, ddt_plain_copy);
}

static int blocks_move(void *of)
{
	return loops_move(of, ddt_blocks_copy);
}

/* a call of pimdimm_push() or pimdimm_pull() for a block, or PE by PE where it is not of words */
static int call_block(struct mram *m, uint64_t off, uint64_t at, uint64_t bytes, bool push)
{
	struct pimdimm *sys = m->rig->sys;
	uint32_t nr = m->rig->nr_pes;
	int ret = 0;

	for (uint32_t pe = 0; pe < nr; pe++)
		m->places[pe] = m->packed + pe * m->k->bytes + at;
	if (!(off % PIMDIMM_WORD_BYTES) && !(bytes % PIMDIMM_WORD_BYTES))
		return push ? pimdimm_push(sys, 0, nr, off, (const void *const *)m->places,
					   bytes) :
			      pimdimm_pull(sys, 0, nr, off, m->places, bytes);
	for (uint32_t pe = 0; pe < nr && !ret; pe++)
		ret = push ? pimdimm_write(sys, pe, off, m->places[pe], bytes) :
			     pimdimm_read(sys, pe, off, m->places[pe], bytes);
	return ret;
}

static int call_blocks(struct mram *m, bool push)
{
	const int side = push ? DDT_TO : DDT_FROM;
	const struct ddt_loops *loops = push ? &m->push_calls : &m->pull_calls;
	uint64_t base = push ? ddt_mram_to(m->k) : 0, at = 0;
	int ret = 0;

	m->plain = false;
	for (unsigned int n = 0; n < loops->nr; n++) {
		const struct ddt_nest *nest = &loops->nests[n];
		uint64_t bytes = nest->block * nest->element;

		for (uint64_t e = 0; e < ddt_elements(nest) && !ret; e += nest->block) {
			ret = call_block(m, base + (uint64_t)ddt_place(nest, side, e), at, bytes,
					 push);
			at += bytes;
		}
	}
	return ret;
}

/* whether a call for each is worth the wait */
static bool few_calls(const struct ddt_loops *loops)
{
	uint64_t calls = 0;

	for (unsigned int n = 0; n < loops->nr; n++)
		calls += ddt_elements(&loops->nests[n]) / loops->nests[n].block;
	return calls <= MOST_CALLS;
}

static int calls_push(void *of)
{
	return call_blocks(of, true);
}

static int calls_pull(void *of)
{
	return call_blocks(of, false);
}

/* PE by PE, through memory of the host */
static int lanes_move(void *of)
{
	struct mram *m = of;
	int ret = 0;

	for (uint32_t pe = 0; pe < m->rig->nr_pes && !ret; pe++) {
		const struct pimtype_move *move = &m->moves[pe];
		void *buf = m->rows;

		ret = pimtype_pull(m->rig->sys, move->from_pe, 1, move->from, &buf,
				   packed_part(m));
		if (!ret)
			ret = pimtype_push(m->rig->sys, move->to_pe, 1, move->to,
					   (const void *const *)&buf, packed_part(m));
	}
	return ret;
}

/* What is pulled is what was there; what is pushed is the host's. */
static void clear_arrays(void *of)
{
	struct mram *m = of;

	ddt_truth_fill(m->packed, m->rig->nr_pes * m->k->bytes, 3);
	for (uint32_t g = 0; g < m->groups; g++)
		memset(memory_of(m, g, DDT_TO), DDT_GAP, LANES * m->k->span);
}

static void clear_packed(void *of)
{
	struct mram *m = of;

	memset(m->packed, ~DDT_GAP, m->rig->nr_pes * m->k->bytes);
}

/* rows of what the eight PEs have */
static void make_rows(struct mram *m, uint32_t group)
{
	const char *each = rows_of(m, group);

	if (m->plain) {
		memcpy(m->rows, each, LANES * m->k->bytes);
		return;
	}
	for (uint32_t lane = 0; lane < LANES; lane++) {
		for (uint64_t at = 0; at < m->k->bytes; at++)
			m->rows[LANES * at + lane] = each[lane * m->k->bytes + at];
	}
}

static uint64_t wrong_array(struct mram *m, uint32_t group)
{
	memset(m->expected, DDT_GAP, LANES * m->k->span);
	ddt_truth_unpack(m->k, DDT_TO, LANES, m->expected, m->rows);
	return ddt_truth_wrong(memory_of(m, group, DDT_TO), m->expected, LANES * m->k->span);
}

static uint64_t wrong_push(void *of)
{
	struct mram *m = of;
	uint64_t wrong = 0;

	for (uint32_t g = 0; g < m->groups; g++) {
		make_rows(m, g);
		wrong += wrong_array(m, g);
	}
	return wrong;
}

static uint64_t wrong_pull(void *of)
{
	struct mram *m = of;
	uint64_t wrong = 0;

	for (uint32_t g = 0; g < m->groups; g++) {
		make_rows(m, g);
		ddt_truth_pack(m->k, DDT_FROM, LANES, memory_of(m, g, DDT_FROM), m->expected);
		wrong += ddt_truth_wrong(m->rows, m->expected, LANES * m->k->bytes);
	}
	return wrong;
}

static uint64_t wrong_move(void *of)
{
	struct mram *m = of;
	uint64_t wrong = 0;

	for (uint32_t g = 0; g < m->groups; g++) {
		ddt_truth_pack(m->k, DDT_FROM, LANES, memory_of(m, g, DDT_FROM), m->rows);
		wrong += wrong_array(m, (g + 1) % m->groups);
	}
	return wrong;
}

static bool mram_make(struct mram *m, uint64_t seed)
{
	const struct ddt_kernel *k = m->k;

	m->groups = m->rig->nr_pes / LANES;
	m->packed = malloc(m->rig->nr_pes * k->bytes);
	m->bufs = calloc(m->rig->nr_pes, sizeof(*m->bufs));
	m->places = calloc(m->rig->nr_pes, sizeof(*m->places));
	m->moves = calloc(m->rig->nr_pes, sizeof(*m->moves));
	m->rows = malloc(LANES * k->bytes);
	m->expected = malloc(LANES * k->span);
	if (!m->packed || !m->bufs || !m->places || !m->moves || !m->rows || !m->expected)
		return false;
	for (uint32_t pe = 0; pe < m->rig->nr_pes; pe++)
		m->bufs[pe] = m->packed + pe * k->bytes;
	for (uint32_t g = 0; g < m->groups; g++)
		ddt_truth_fill(memory_of(m, g, DDT_FROM), LANES * k->span, seed + g);
	ddt_loops_make(&m->pull, k, true, false, LANES);
	ddt_loops_make(&m->push, k, false, true, LANES);
	ddt_loops_make(&m->move, k, true, true, LANES);
	ddt_loops_make(&m->pull_calls, k, true, false, 1);
	ddt_loops_make(&m->push_calls, k, false, true, 1);
	return true;
}

static void mram_free(struct mram *m)
{
	free_types(m);
	free(m->packed);
	free(m->bufs);
	free(m->places);
	free(m->moves);
	free(m->rows);
	free(m->expected);
}

static void take_mram(struct perf_suite *suite, struct mram *m)
{
	const struct ddt_turns all[] = {
		{ .operation = "push", .clear = clear_arrays, .wrong = wrong_push, .nr = 4,
		  .ways = { { "typed", make_types, typed_push }, { "plain", NULL, plain_push },
			    { "blocks", NULL, blocks_push }, { "calls", NULL, calls_push } } },
		{ .operation = "pull", .clear = clear_packed, .wrong = wrong_pull, .nr = 4,
		  .ways = { { "typed", make_types, typed_pull }, { "plain", NULL, plain_pull },
			    { "blocks", NULL, blocks_pull }, { "calls", NULL, calls_pull } } },
		{ .operation = "move", .clear = clear_arrays, .wrong = wrong_move, .nr = 4,
		  .ways = { { "typed", make_types, typed_move }, { "plain", NULL, plain_move },
			    { "blocks", NULL, blocks_move }, { "lanes", NULL, lanes_move } } },
	};

	for (size_t i = 0; i < TOOL_COUNT(all); i++) {
		struct ddt_turns turns = all[i];

		/* which are the last of the ways */
		if ((!strcmp(turns.operation, "push") && !few_calls(&m->push_calls)) ||
		    (!strcmp(turns.operation, "pull") && !few_calls(&m->pull_calls)))
			turns.nr--;
		turns.context = "mram";
		turns.kernel = m->k;
		turns.bytes = m->k->bytes * m->rig->nr_pes;
		turns.of = m;
		ddt_turns_take(suite, &turns);
	}
}

void ddt_mram(struct perf_suite *suite, const struct ddt_kernel *k)
{
	struct mram m = { .k = k, .rig = &suite->rig };

	if (suite->status)
		return;
	if (mram_make(&m, suite->how.seed))
		take_mram(suite, &m);
	else
		suite->status = tool_error("no memory for %s %s on %u PEs", k->name, k->set,
					   m.rig->nr_pes);
	mram_free(&m);
}
