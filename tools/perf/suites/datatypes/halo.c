// SPDX-License-Identifier: MIT
/*
 * pidcomm_halo() on a box of doubles a PE, with a border one wide, periodic along three axes:
 * against one thread's loops, which copy as many bytes from group to group, rows as they lie,
 * against a pull and a push for each face of each PE, and beside messages of resident kernels.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <pimdimm/messages.h>
#include <pimdimm/pidcomm.h>
#include <pimdimm/spmd.h>

#include "tools/perf/suites/datatypes/halo.h"
#include "tools/perf/suites/datatypes/mram.h"
#include "tools/perf/suites/datatypes/plain.h"
#include "tools/perf/suites/datatypes/truth.h"
#include "tools/perf/suites/datatypes/turns.h"
#include "tools/tool.h"

#define LANES	PIMDIMM_CHIPS
#define FACES	6
#define AXES	"111"
#define ALL	7	/* axes whose ends are neighbours */

struct halo {
	struct ddt_kernel k;		/* face after face */
	const struct perf_rig *rig;
	const uint32_t *dims;
	uint64_t n, face;		/* cells along an axis; bytes of a face */
	struct pidcomm_face faces[FACES];
	struct pidcomm_plan *plan;
	char *own, *now;		/* arrays of all PEs: before, and as they are */
	char *a, *b;			/* a face of a group */
	void **bufs;
	uint64_t seed;			/* of the next arrays */
	bool plain;			/* who ran last */
	struct pimmsg_end *host;	/* of the world of messages */
	_Atomic int failed;		/* a kernel */
};

/* the PE that a face goes to */
static uint32_t neighbour(const struct halo *h, uint32_t pe, unsigned int face)
{
	uint32_t stride = 1, length, at;

	for (unsigned int d = 0; d < face / 2; d++)
		stride *= h->dims[d];
	length = h->dims[face / 2];
	at = pe / stride % length;
	return pe - at * stride + (at + (face % 2 ? 1 : length - 1)) % length * stride;
}

/* cells of a plane of the box, the index-th along an axis */
static struct ddt_side side_of(const struct halo *h, unsigned int axis, uint64_t index)
{
	int64_t line = 8 * ((int64_t)h->n + 2), plane = line * ((int64_t)h->n + 2);
	const int64_t strides[] = { 8, line, plane };

	return (struct ddt_side){
		.at = 8 + line + plane + strides[axis] * ((int64_t)index - 1),
		.stride = { 0, plane, line },
	};
}

static void lay_face(struct halo *h, unsigned int face)
{
	unsigned int axis = face / 2;
	uint64_t n = h->n;

	h->k.nests[face] = (struct ddt_nest){
		.element = 8, .block = axis == 0 ? 1 : n,
		.count = { 1, axis == 2 ? 1 : n, axis == 1 ? 1 : n },
		.side = { side_of(h, axis, face % 2 ? n : 1),
			  side_of(h, axis, face % 2 ? 0 : n + 1) },
	};
}

static int make_part(const struct halo *h, unsigned int axis, uint64_t index,
		     struct pimtype_part *part)
{
	const uint64_t whole = h->n + 2, sizes[] = { whole, whole, whole };
	uint64_t box[] = { h->n, h->n, h->n }, starts[] = { 1, 1, 1 };
	struct pimtype *type;
	int ret;

	box[2 - axis] = 1;
	starts[2 - axis] = index;
	ret = pimtype_subarray(3, sizes, box, starts, PIMTYPE_ORDER_C,
			       pimtype_basic(PIMTYPE_F64), &type);
	if (!ret)
		*part = (struct pimtype_part){ 0, 1, type };
	return ret;
}

static void free_types(struct halo *h)
{
	for (unsigned int f = 0; f < FACES; f++) {
		pimtype_free((struct pimtype *)(uintptr_t)h->faces[f].send.type);
		pimtype_free((struct pimtype *)(uintptr_t)h->faces[f].recv.type);
	}
	memset(h->faces, 0, sizeof(h->faces));
}

static int make_types(void *of)
{
	struct halo *h = of;
	int ret = 0;

	free_types(h);
	for (unsigned int f = 0; f < FACES && !ret; f++) {
		ret = make_part(h, f / 2, f % 2 ? h->n : 1, &h->faces[f].send);
		if (!ret)
			ret = make_part(h, f / 2, f % 2 ? h->n + 1 : 0, &h->faces[f].recv);
	}
	return ret;
}

static int typed_halo(void *of)
{
	struct halo *h = of;

	h->plain = false;
	return pidcomm_halo(h->rig->hc, AXES, ALL, h->faces);
}

static int make_plan(void *of)
{
	struct halo *h = of;

	return pidcomm_plan_halo(h->rig->hc, AXES, ALL, h->faces, &h->plan);
}

static int planned_halo(void *of)
{
	struct halo *h = of;

	h->plain = false;
	return pidcomm_plan_run(h->plan);
}

static struct ddt_loops loops_of(const struct halo *h, unsigned int face, bool from, bool to)
{
	struct ddt_kernel one = { .nr = 1, .nests = { h->k.nests[face] } };
	struct ddt_loops loops;

	ddt_loops_make(&loops, &one, from, to, LANES);
	return loops;
}

static int plain_halo(void *of)
{
	struct halo *h = of;

	h->plain = true;
	for (unsigned int f = 0; f < FACES; f++) {
		const struct ddt_loops loops = loops_of(h, f, true, true);

		for (uint32_t pe = 0; pe < h->rig->nr_pes; pe += LANES)
			ddt_plain_copy(&loops,
				       ddt_group_memory(h->rig, neighbour(h, pe, f) / LANES),
				       ddt_group_memory(h->rig, pe / LANES));
	}
	return 0;
}

static int lanes_halo(void *of)
{
	struct halo *h = of;
	struct pimtype_part packed = { 0, h->face, pimtype_basic(PIMTYPE_PACKED) };
	void *buf = h->a;
	int ret = 0;

	h->plain = false;
	for (uint32_t i = 0; i < h->rig->nr_pes * FACES && !ret; i++) {
		uint32_t pe = i / FACES, f = i % FACES;

		ret = pimtype_pull(h->rig->sys, pe, 1, h->faces[f].send, &buf, packed);
		if (!ret)
			ret = pimtype_push(h->rig->sys, neighbour(h, pe, f), 1,
					   h->faces[f ^ 1].recv, (const void *const *)&buf,
					   packed);
	}
	return ret;
}

/* by messages of resident kernels: what the neighbour of a face has sent to this one */
static void messages_kernel(struct pimdimm_pe *pe, void *arg)
{
	struct halo *h = arg;
	const uint32_t me = pimdimm_pe_id(pe);
	struct pimmsg_end *end = pimmsg_self(pe);
	struct pimmsg_request *requests[2 * FACES];
	int ret = end ? 0 : -1;

	for (unsigned int f = 0; f < 2 * FACES && !ret; f++) {
		const bool sends = f >= FACES;
		const unsigned int face = f % FACES;
		const int to = (int)neighbour(h, me, face);
		const struct pimmsg_buf buf = { .pe = me, .part = sends ? h->faces[face].send :
									  h->faces[face].recv };

		ret = sends ? pimmsg_isend(end, &buf, to, (int)face, &requests[f]) :
			      pimmsg_irecv(end, &buf, to, (int)(face ^ 1), &requests[f]);
	}
	/* what was begun where another one could not be ends with the world */
	if (!ret)
		ret = pimmsg_waitall(end, 2 * FACES, requests, NULL);
	if (ret)
		atomic_store(&h->failed, ret);
}

static int make_world(void *of)
{
	struct halo *h = of;

	return pimmsg_world(h->rig->sys, 0, h->rig->nr_pes, &h->host);
}

static int messages_halo(void *of)
{
	struct halo *h = of;
	struct pimdimm_spmd how = { .size = sizeof(how), .nr_tasklets = 1 };
	int ret;

	h->plain = false;
	atomic_store(&h->failed, 0);
	ret = pimdimm_spmd(h->rig->sys, 0, h->rig->nr_pes, messages_kernel, h, &how);
	return ret ? ret : atomic_load(&h->failed);
}

static void **bufs_in(struct halo *h, char *arrays)
{
	for (uint32_t pe = 0; pe < h->rig->nr_pes; pe++)
		h->bufs[pe] = arrays + pe * h->k.span;
	return h->bufs;
}

static void clear_boxes(void *of)
{
	struct halo *h = of;

	pimdimm_push(h->rig->sys, 0, h->rig->nr_pes, 0,
		     (const void *const *)bufs_in(h, h->own), h->k.span);
}

/* Loops leave rows as they are: what lies in a group's border is what its neighbour's face has. */
static uint64_t wrong_rows(struct halo *h)
{
	uint64_t wrong = 0;

	for (unsigned int f = 0; f < FACES; f++) {
		struct ddt_kernel one = { .nr = 1, .nests = { h->k.nests[f] } };

		for (uint32_t pe = 0; pe < h->rig->nr_pes; pe += LANES) {
			ddt_truth_pack(&one, DDT_FROM, LANES,
				       ddt_group_memory(h->rig, pe / LANES), h->a);
			ddt_truth_pack(&one, DDT_TO, LANES,
				       ddt_group_memory(h->rig, neighbour(h, pe, f) / LANES),
				       h->b);
			wrong += ddt_truth_wrong(h->b, h->a, LANES * h->face);
		}
	}
	return wrong;
}

static uint64_t wrong_boxes(void *of)
{
	struct halo *h = of;
	const uint64_t span = h->k.span;

	if (h->plain)
		return wrong_rows(h);
	if (pimdimm_pull(h->rig->sys, 0, h->rig->nr_pes, 0, bufs_in(h, h->now), span))
		return UINT64_MAX;
	/* what is expected takes the place of what was */
	for (unsigned int f = 0; f < FACES; f++) {
		struct ddt_kernel one = { .nr = 1, .nests = { h->k.nests[f] } };

		for (uint32_t pe = 0; pe < h->rig->nr_pes; pe++) {
			ddt_truth_pack(&one, DDT_FROM, 1, h->own + pe * span, h->a);
			ddt_truth_unpack(&one, DDT_TO, 1, h->own + neighbour(h, pe, f) * span,
					 h->a);
		}
	}
	return ddt_truth_wrong(h->now, h->own, h->rig->nr_pes * span);
}

/* other borders than those of the run before */
static void clear_all(void *of)
{
	struct halo *h = of;

	ddt_truth_fill(h->own, h->rig->nr_pes * h->k.span, h->seed++);
	clear_boxes(h);
}

static void take_halo(struct perf_suite *suite, struct halo *h)
{
	struct ddt_turns turns = {
		.context = "halo", .operation = "halo", .kernel = &h->k,
		.bytes = FACES * h->face * h->rig->nr_pes, .of = h, .clear = clear_all,
		.wrong = wrong_boxes, .nr = 5,
		.ways = { { "typed", make_types, typed_halo },
			  { "planned", make_plan, planned_halo },
			  { "messages", make_world, messages_halo },
			  { "plain", NULL, plain_halo }, { "lanes", NULL, lanes_halo } },
	};

	ddt_turns_take(suite, &turns);
}

static void measure_box(struct perf_suite *suite, uint64_t n)
{
	const uint64_t cells = (n + 2) * (n + 2) * (n + 2);
	const uint32_t pes = suite->rig.nr_pes;
	struct halo h = { .rig = &suite->rig, .dims = suite->rig_case.dims, .n = n,
			  .face = 8 * n * n, .seed = suite->how.seed,
			  .k = { .name = "stencil", .span = 8 * cells, .nr = FACES,
				 .blocks = 2 * n * (n + 2) } };

	snprintf(h.k.set, sizeof(h.k.set), "%ux%ux%u", (unsigned int)n, (unsigned int)n,
		 (unsigned int)n);
	for (unsigned int f = 0; f < FACES; f++)
		lay_face(&h, f);
	h.own = malloc(pes * h.k.span);
	h.now = malloc(pes * h.k.span);
	h.a = malloc(LANES * h.face);
	h.b = malloc(LANES * h.face);
	h.bufs = calloc(pes, sizeof(*h.bufs));
	if (h.own && h.now && h.a && h.b && h.bufs)
		take_halo(suite, &h);
	else
		suite->status = tool_error("no memory for boxes of %u PEs", pes);
	pimmsg_close(h.host);
	pidcomm_plan_free(h.plan);
	free_types(&h);
	free(h.own);
	free(h.now);
	free(h.a);
	free(h.b);
	free(h.bufs);
}

#define LARGE_BOX	64

/* of boxes, along each axis; 4 x 4 x 4 PEs have a cube of 512 by the last of them */
static const uint64_t cells[] = { 4, 8, 16, 32, 44, 64, 128 };

static uint64_t box_bytes(uint64_t n)
{
	return 8 * (n + 2) * (n + 2) * (n + 2);
}

static bool is_asked(const struct perf_suite *suite, uint64_t n)
{
	return 8 * n * n >= suite->args->begin && 8 * n * n <= suite->args->end;
}

/* in MRAM, whose size is a power of two, and twice in memory */
static uint64_t bytes_wanted(uint32_t nr_pes, uint64_t n)
{
	uint64_t mram = PIMDIMM_MRAM_MIN;

	while (mram < box_bytes(n))
		mram *= 2;
	return nr_pes * (mram + 2 * box_bytes(n));
}

/* The largest boxes take minutes: sizes that are given ask for them. Half of memory may go. */
static bool is_wanted(const struct perf_suite *suite, uint32_t nr_pes, uint64_t n)
{
	return is_asked(suite, n) && (n <= LARGE_BOX || suite->args->given_sizes) &&
	       bytes_wanted(nr_pes, n) <= tool_memory_available() / 2;
}

uint64_t ddt_halo_bytes(const struct perf_suite *suite, uint32_t nr_pes)
{
	uint64_t most = 0;

	for (size_t i = 0; i < TOOL_COUNT(cells); i++) {
		if (is_wanted(suite, nr_pes, cells[i]))
			most = box_bytes(cells[i]);
	}
	return most;
}

/* what is left out is told */
static void tell_box(struct perf_suite *suite, uint64_t n)
{
	const uint32_t *dims = suite->rig_case.dims;
	const unsigned long long edge = n;
	char what[160], why[160];

	snprintf(what, sizeof(what), "halo of %llux%llux%llu, together %llux%llux%llu", edge,
		 edge, edge, dims[0] * edge, dims[1] * edge, dims[2] * edge);
	snprintf(why, sizeof(why),
		 "sizes ask for it (-b 128K -e 128K), and %llu MiB are to be half of the memory available at most",
		 (unsigned long long)bytes_wanted(suite->rig.nr_pes, n) >> 20);
	perf_report_absent(&suite->report, what, why);
}

void ddt_halo(struct perf_suite *suite)
{
	for (size_t i = 0; i < TOOL_COUNT(cells) && !suite->status; i++) {
		if (!is_asked(suite, cells[i]))
			continue;
		if (box_bytes(cells[i]) <= suite->rig_mram)
			measure_box(suite, cells[i]);
		else
			tell_box(suite, cells[i]);
	}
}
