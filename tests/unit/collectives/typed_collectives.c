// SPDX-License-Identifier: MIT
/*
 * Collectives on derived datatypes beside a model that is their definition, element by
 * element: random types, hypercubes and axes, on both layouts and every tier. All of MRAM
 * is compared each time: what is not of a part keeps its bytes.
 */
#include "runtime/ranks/system.h"
#include "runtime/simd/isa.h"
#include "runtime/watch/count.h"

#include <pimdimm/pidcomm.h>

#include "tests/unit/allocations.h"
#include "tests/unit/unit.h"

#define MRAM	0x10000u
#define HALF	(MRAM / 2)
#define NR_PES	64u
#define MOST	16u	/* axes */

static struct rng rng;
static uint8_t *old[NR_PES], *model[NR_PES], *seen;

/* a hypercube and a choice of axes, as the definition has them */
struct cube {
	struct pidcomm *hc;
	uint32_t dims[MOST], ndims, nr_pes;
	char axes[MOST + 1];
	uint32_t groups, members;
	uint32_t group[NR_PES], rank[NR_PES];	/* [node] */
	uint32_t node[NR_PES][NR_PES];	/* [group][rank] */
	uint32_t pe[NR_PES];		/* [node] */
};

/* a part, and where the bytes of its stream lie */
struct spot {
	struct pimtype *type;
	struct pimtype_part part;
	uint32_t n;
	uint32_t *at;
};

static const struct {
	uint32_t ndims, dims[6];
} shapes[] = {
	{ 1, { 64 } }, { 2, { 8, 8 } }, { 2, { 16, 3 } }, { 2, { 2, 28 } },
	{ 3, { 4, 4, 4 } }, { 3, { 2, 4, 7 } }, { 3, { 8, 2, 3 } },
	{ 4, { 2, 2, 2, 8 } }, { 4, { 1, 4, 2, 5 } }, { 5, { 2, 2, 4, 1, 3 } },
};

static void cube_groups(struct cube *c)
{
	c->groups = c->members = 1;
	for (uint32_t d = 0; d < c->ndims; d++)
		*(c->axes[d] == '1' ? &c->members : &c->groups) *= c->dims[d];
	for (uint32_t node = 0; node < c->nr_pes; node++) {
		uint32_t left = node, group = 0, rank = 0, groups = 1, ranks = 1;

		for (uint32_t d = 0; d < c->ndims; d++) {
			uint32_t at = left % c->dims[d];

			left /= c->dims[d];
			if (c->axes[d] == '1') {
				rank += at * ranks;
				ranks *= c->dims[d];
			} else {
				group += at * groups;
				groups *= c->dims[d];
			}
		}
		c->group[node] = group;
		c->rank[node] = rank;
		c->node[group][rank] = node;
	}
}

/* on the system's first entangled groups, in order */
static void cube_make(struct cube *c, struct pimdimm *sys, size_t shape)
{
	memset(c, 0, sizeof(*c));
	c->ndims = shapes[shape].ndims;
	c->nr_pes = 1;
	for (uint32_t d = 0; d < c->ndims; d++) {
		c->dims[d] = shapes[shape].dims[d];
		c->nr_pes *= c->dims[d];
	}
	for (uint32_t node = 0; node < c->nr_pes; node++)
		c->pe[node] = node;
	assert_ok(pidcomm_create(sys, c->ndims, c->dims, &c->hc));
}

/* the same on any of them, in any order */
static void cube_place(struct cube *c, struct pimdimm *sys)
{
	uint32_t egs[NR_PES / 8], nr = NR_PES / 8;

	for (uint32_t i = 0; i < nr; i++)
		egs[i] = i;
	for (uint32_t i = nr - 1; i; i--) {
		uint32_t other = (uint32_t)rng_below(&rng, i + 1), eg = egs[i];

		egs[i] = egs[other];
		egs[other] = eg;
	}
	for (uint32_t node = 0; node < c->nr_pes; node++)
		c->pe[node] = 8 * egs[node / 8] + node % 8;
	pidcomm_destroy(c->hc);
	assert_ok(pidcomm_create_on(sys, egs, 0, c->nr_pes / 8, c->ndims, c->dims, &c->hc));
}

static void cube_axes(struct cube *c, uint32_t bits)
{
	for (uint32_t d = 0; d < c->ndims; d++)
		c->axes[d] = bits >> d & 1 ? '1' : '0';
	cube_groups(c);
}

/* blocks of len bytes, `step` apart, in one of many orders, from `begin` on */
static void spot_make(struct spot *s, uint32_t blocks, uint32_t len,
		      uint32_t step, uint32_t begin)
{
	const struct pimtype *byte = pimtype_basic(PIMTYPE_BYTE);
	int64_t displs[2048], way = (int64_t)step, first = begin;
	uint32_t turn = 0;

	s->n = blocks * len;
	s->at = need(calloc(s->n + 1, sizeof(*s->at)));
	switch (rng_below(&rng, 3)) {
	case 0:
		turn = blocks / 3;
		for (uint32_t i = 0; i < blocks; i++)
			displs[i] = (int64_t)((i + turn) % blocks * step);
		assert_ok(pimtype_hindexed_block(blocks, len, displs, byte,
						 &s->type));
		break;
	case 1:
		way = -way;
		first += (int64_t)(blocks - 1) * step;
		/* fall through */
	default:
		assert_ok(pimtype_hvector(blocks, len, way, byte, &s->type));
	}
	s->part = (struct pimtype_part){ first, 1, s->type };
	for (uint32_t i = 0; i < blocks; i++) {
		for (uint32_t b = 0; b < len; b++)
			s->at[i * len + b] = (uint32_t)(first + (turn ?
				displs[i] : (int64_t)i * way)) + b;
	}
}

static void spots_free(struct spot *spots, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		pimtype_free(spots[i].type);
		free(spots[i].at);
	}
	free(spots);
}

/* n parts of as many bytes that keep apart in [begin, begin + HALF) */
static struct spot *spots_make(uint32_t n, uint32_t bytes, uint32_t begin)
{
	struct spot *spots = need(calloc(n, sizeof(*spots)));
	uint32_t room = HALF / n, len = 1 + (uint32_t)rng_below(&rng, 24), first;
	bool columns = rng_chance(&rng, 40);

	while (bytes % len)
		len--;
	if (rng_chance(&rng, 30) && bytes % 8 == 0)
		len = bytes % 64 ? 8 : 64;
	first = (uint32_t)rng_below(&rng, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t blocks = bytes / len, slot = (i + first) % n;
		uint32_t gap = (room - bytes) / (blocks + 1);

		if (columns)
			spot_make(&spots[i], blocks, len, n * len,
				  begin + slot * len);
		else
			spot_make(&spots[i], blocks, len,
				  len + (gap ? (uint32_t)rng_below(&rng, gap) : 0),
				  begin + slot * room + (gap ? slot % gap : 0));
	}
	return spots;
}

static void fill_all(struct pimdimm *sys)
{
	for (uint32_t pe = 0; pe < NR_PES; pe++) {
		rng_fill(&rng, model[pe], MRAM);
		assert_ok(pimdimm_write(sys, pe, 0, model[pe], MRAM));
	}
}

static void begin_model(void)
{
	for (uint32_t pe = 0; pe < NR_PES; pe++)
		memcpy(old[pe], model[pe], MRAM);
}

static void compare_all(struct pimdimm *sys, const struct cube *c,
			const char *what)
{
	for (uint32_t pe = 0; pe < NR_PES; pe++) {
		assert_ok(pimdimm_read(sys, pe, 0, seen, MRAM));
		for (uint32_t i = 0; i < MRAM; i++) {
			if (seen[i] != model[pe][i])
				fail_msg("%s of %u axes, %s: byte %u of PE %u",
					 what, c->ndims, c->axes, i, pe);
		}
	}
}

/* how a call is made */
enum how {
	NOW,
	PLANNED,
	BEHIND,
	NR_HOWS,
};

static void end_call(int ret, enum how how, struct pidcomm_plan *plan,
		     struct pidcomm_request *request)
{
	assert_ok(ret);
	if (how == PLANNED) {
		assert_ok(pidcomm_plan_run(plan));
		/* what was sent is as it was: the same again */
		assert_ok(pidcomm_plan_start(plan, &request));
	}
	if (how != NOW)
		assert_ok(pidcomm_wait(&request));
	if (how == PLANNED)
		pidcomm_plan_free(plan);
}

static struct pimtype_part *parts_of(const struct spot *spots, uint32_t n)
{
	struct pimtype_part *parts = need(calloc(n, sizeof(*parts)));

	for (uint32_t i = 0; i < n; i++)
		parts[i] = spots[i].part;
	return parts;
}

static void try_alltoallw(struct pimdimm *sys, struct cube *c, enum how how)
{
	uint32_t n = c->members, most = HALF / n / 2;
	uint32_t bytes = 1 + (uint32_t)rng_below(&rng, most < 400 ? most : 400);
	struct spot *send, *recv;
	struct pimtype_part *from, *to;
	struct pidcomm_plan *plan = NULL;
	struct pidcomm_request *request = NULL;
	int ret;

	if (rng_chance(&rng, 50))
		bytes = (bytes + 7) / 8 * 8;
	send = spots_make(n, bytes, 0);
	recv = spots_make(n, bytes, HALF);
	from = parts_of(send, n);
	to = parts_of(recv, n);
	if (how == NOW)
		ret = pidcomm_alltoallw(c->hc, c->axes, from, to);
	else if (how == PLANNED)
		ret = pidcomm_plan_alltoallw(c->hc, c->axes, from, to, &plan);
	else
		ret = pidcomm_ialltoallw(c->hc, c->axes, from, to, &request);
	begin_model();
	for (uint32_t node = 0; node < c->nr_pes; node++) {
		for (uint32_t m = 0; m < n; m++) {
			const uint8_t *src = old[c->pe[c->node[c->group[node]][m]]];

			for (uint32_t k = 0; k < bytes; k++)
				model[c->pe[node]][recv[m].at[k]] =
					src[send[c->rank[node]].at[k]];
		}
	}
	free(from);
	free(to);
	/* a plan or a request has what it needs */
	spots_free(send, n);
	spots_free(recv, n);
	end_call(ret, how, plan, request);
	compare_all(sys, c, "alltoallw");
}

/* the node one step along an axis, or none */
static bool step_to(const struct cube *c, uint32_t node, uint32_t axis, bool up,
		    bool periodic, uint32_t *to)
{
	uint32_t stride = 1, at, len = c->dims[axis];

	for (uint32_t d = 0; d < axis; d++)
		stride *= c->dims[d];
	at = node / stride % len;
	if (!periodic && (up ? at == len - 1 : !at))
		return false;
	*to = node - at * stride + (at + (up ? 1 : len - 1)) % len * stride;
	return true;
}

static void model_halo(const struct cube *c, uint32_t periodic,
		       const struct spot send[], const struct spot recv[])
{
	for (uint32_t axis = 0, face = 0; axis < c->ndims; axis++) {
		if (c->axes[axis] != '1')
			continue;
		for (uint32_t up = 0; up < 2; up++) {
			const struct spot *s = &send[face + up];
			const struct spot *r = &recv[face + !up];

			for (uint32_t node = 0; node < c->nr_pes; node++) {
				uint32_t to;

				if (!step_to(c, node, axis, up,
					     periodic >> axis & 1, &to))
					continue;
				for (uint32_t k = 0; k < s->n; k++)
					model[c->pe[to]][r->at[k]] =
						old[c->pe[node]][s->at[k]];
			}
		}
		face += 2;
	}
}

static void try_halo(struct pimdimm *sys, struct cube *c, enum how how)
{
	uint32_t periodic = (uint32_t)rng_below(&rng, 1u << c->ndims), n = 0;
	uint32_t bytes = 8 + (uint32_t)rng_below(&rng, 1500);
	struct pidcomm_face faces[2 * MOST] = { 0 };
	struct pidcomm_plan *plan = NULL;
	struct pidcomm_request *request = NULL;
	struct spot *send, *recv;
	int ret;

	for (uint32_t d = 0; d < c->ndims; d++)
		n += 2 * (c->axes[d] == '1');
	send = spots_make(n ? n : 1, bytes, 0);
	recv = spots_make(n ? n : 1, bytes, HALF);
	for (uint32_t i = 0; i < n; i++) {
		/* one that sends nothing */
		if (i == 1 && rng_chance(&rng, 20))
			send[i].part.count = send[i].n = 0;
		faces[i] = (struct pidcomm_face){ send[i].part, recv[i].part };
	}
	if (how == NOW)
		ret = pidcomm_halo(c->hc, c->axes, periodic, faces);
	else if (how == PLANNED)
		ret = pidcomm_plan_halo(c->hc, c->axes, periodic, faces, &plan);
	else
		ret = pidcomm_ihalo(c->hc, c->axes, periodic, faces, &request);
	begin_model();
	model_halo(c, periodic, send, recv);
	spots_free(send, n ? n : 1);
	spots_free(recv, n ? n : 1);
	end_call(ret, how, plan, request);
	compare_all(sys, c, "halo");
}

/* an element with gaps, and its extent; its bytes begin at 0 */
static int64_t element_make(struct spot *s)
{
	struct pimtype_info info;
	uint32_t len = 1 + (uint32_t)rng_below(&rng, 9);

	switch (rng_below(&rng, 3)) {
	case 0:
		spot_make(s, 1, len, len, 0);
		break;
	case 1:
		spot_make(s, 1, 8, 8, 0);
		break;
	default:
		spot_make(s, 1 + (uint32_t)rng_below(&rng, 3), len,
			  len + (uint32_t)rng_below(&rng, 5), 0);
		break;
	}
	assert_ok(pimtype_info(s->type, &info));
	/* of a type that goes backwards the first byte is not the lowest */
	for (uint32_t k = 0; k < s->n; k++)
		s->at[k] = (uint32_t)((int64_t)s->at[k] - s->part.offset);
	return info.extent;
}

static void move_elements(const struct spot *element, int64_t extent,
			  uint32_t to, uint64_t to_at, uint32_t from,
			  uint64_t from_at, uint64_t count)
{
	for (uint64_t e = 0; e < count; e++) {
		for (uint32_t k = 0; k < element->n; k++) {
			int64_t off = (int64_t)e * extent +
				      (int32_t)element->at[k];

			model[to][(int64_t)to_at + off] =
				old[from][(int64_t)from_at + off];
		}
	}
}

struct varied {
	uint64_t counts[NR_PES * NR_PES];
	uint32_t each;		/* of a PE */
	struct spot element;
	int64_t extent;
	uint64_t counts_at, src, dst;
};

static uint64_t count_of(const struct cube *c, const struct varied *v,
			 uint32_t group, uint32_t from, uint32_t to)
{
	return v->counts[c->node[group][from] * v->each + (v->each > 1 ? to : 0)];
}

static void varied_make(struct varied *v, const struct cube *c, bool gather)
{
	uint32_t most;

	v->each = gather ? 1 : c->members;
	v->extent = element_make(&v->element);
	/* all that a PE sends, or receives, fits into 20,000 bytes */
	most = 20000 / c->members / (uint32_t)v->extent;
	for (uint32_t i = 0; i < c->nr_pes * v->each; i++) {
		v->counts[i] = rng_below(&rng, most + 1);
		if (rng_chance(&rng, 30))
			v->counts[i] = 0;
		else if (rng_chance(&rng, 40))
			v->counts[i] = most / 2;
	}
	v->counts_at = 8 * rng_below(&rng, 100);
	v->src = 2048 + rng_below(&rng, 100);
	v->dst = HALF + rng_below(&rng, 100);
}

static void model_varied(const struct cube *c, const struct varied *v)
{
	for (uint32_t node = 0; node < c->nr_pes; node++) {
		uint32_t g = c->group[node], r = c->rank[node];
		uint64_t to = v->dst;

		for (uint32_t s = 0; s < c->members; s++) {
			uint64_t n = count_of(c, v, g, s, r), from = v->src;

			for (uint32_t m = 0; m < r && v->each > 1; m++)
				from += count_of(c, v, g, s, m) *
					(uint64_t)v->extent;
			move_elements(&v->element, v->extent, c->pe[node], to,
				      c->pe[c->node[g][s]], from, n);
			to += n * (uint64_t)v->extent;
		}
	}
}

static int call_varied(const struct cube *c, const struct varied *v,
		       bool gather, const uint64_t *counts, enum how how,
		       struct pidcomm_plan **plan,
		       struct pidcomm_request **request)
{
	const struct pimtype *type = v->element.type;

	if (how == NOW)
		return (gather ? pidcomm_allgatherv : pidcomm_alltoallv)(
			c->hc, c->axes, type, counts, v->counts_at, v->src,
			v->dst);
	if (how == PLANNED)
		return (gather ? pidcomm_plan_allgatherv :
				 pidcomm_plan_alltoallv)(
			c->hc, c->axes, type, counts, v->counts_at, v->src,
			v->dst, plan);
	return (gather ? pidcomm_iallgatherv : pidcomm_ialltoallv)(
		c->hc, c->axes, type, counts, v->counts_at, v->src, v->dst,
		request);
}

static void try_varied(struct pimdimm *sys, struct cube *c, bool gather,
		       enum how how)
{
	static struct varied v;
	struct pidcomm_plan *plan = NULL;
	struct pidcomm_request *request = NULL;
	bool in_mram = rng_chance(&rng, 50);
	int ret;

	varied_make(&v, c, gather);
	for (uint32_t node = 0; node < c->nr_pes && in_mram; node++) {
		const uint64_t *counts = &v.counts[node * v.each];

		memcpy(model[c->pe[node]] + v.counts_at, counts, 8 * v.each);
		assert_ok(pimdimm_write(sys, c->pe[node], v.counts_at, counts,
					8 * v.each));
	}
	ret = call_varied(c, &v, gather, in_mram ? NULL : v.counts, how, &plan,
			  &request);
	begin_model();
	model_varied(c, &v);
	pimtype_free(v.element.type);
	free(v.element.at);
	end_call(ret, how, plan, request);
	compare_all(sys, c, gather ? "allgatherv" : "alltoallv");
}

static void all_axes(struct pimdimm *sys, size_t shape)
{
	static struct cube c;
	uint32_t one = 1 + (uint32_t)rng_below(&rng, 3);

	cube_make(&c, sys, shape);
	if (rng_chance(&rng, 50))
		cube_place(&c, sys);
	for (uint32_t bits = 0; bits < 1u << c.ndims; bits++) {
		/* of hypercubes with many axes, some */
		if (c.ndims > 3 && bits % 4 != one % 4)
			continue;
		cube_axes(&c, bits);
		try_alltoallw(sys, &c, (enum how)rng_below(&rng, NR_HOWS));
		try_halo(sys, &c, (enum how)rng_below(&rng, NR_HOWS));
		try_varied(sys, &c, false, (enum how)rng_below(&rng, NR_HOWS));
		try_varied(sys, &c, true, (enum how)rng_below(&rng, NR_HOWS));
	}
	pidcomm_destroy(c.hc);
}

static const char *const uris[] = {
	"mem:ranks=1,mram=64K,layout=linear",
	"mem:ranks=1,mram=64K,layout=xeon_sp",
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SOME	3
#else
#define SOME	1
#endif

static void each_tier(const char *uri, const char *isa, size_t tier)
{
	struct pimdimm *sys;

	setenv("PIMDIMM_ISA", isa, 1);
	setenv("PIMDIMM_NT", tier % 2 ? "auto" : "always", 1);
	sys = unit_open(uri);
	fill_all(sys);
	for (size_t i = tier % SOME; i < ARRAY_SIZE(shapes); i += SOME)
		all_axes(sys, i);
	pimdimm_close(sys);
	unsetenv("PIMDIMM_ISA");
	unsetenv("PIMDIMM_NT");
}

static void conformance(void **state)
{
	(void)state;
	for (int isa = 0; isa < PD_NR_ISAS; isa++) {
		if (!pd_isa_runs((enum pd_isa)isa))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(uris); i++)
			each_tier(uris[i], pd_isa_name((enum pd_isa)isa),
				  (size_t)isa + i);
	}
}

/* blocks that a call says it moved, and those it was seen to move */
static void check_counted(const struct cube *c, const char *what,
			  uint64_t read, uint64_t written,
			  const struct pd_counts *counts)
{
	struct pidcomm_stats stats;

	assert_ok(pidcomm_stats(c->hc, &stats));
	if (stats.mram_blocks_read != read ||
	    stats.mram_blocks_written != written ||
	    counts->blocks_read != read || counts->blocks_written != written)
		fail_msg("%s, axes %s: %llu and %llu blocks, said %llu and %llu, counted %llu and %llu",
			 what, c->axes, (unsigned long long)read,
			 (unsigned long long)written,
			 (unsigned long long)stats.mram_blocks_read,
			 (unsigned long long)stats.mram_blocks_written,
			 (unsigned long long)counts->blocks_read,
			 (unsigned long long)counts->blocks_written);
}

static struct pd_counts count_call(struct pimdimm *sys, const struct cube *c,
				   const struct pimtype_part send[],
				   const struct pimtype_part recv[],
				   const struct pidcomm_face faces[])
{
	struct pd_counter counter;
	struct pd_counting before;

	pd_counter_init(&counter, sys->windows, sys->nr_ranks);
	before = pd_counting_enter(&counter, __builtin_frame_address(0));
	if (faces)
		assert_ok(pidcomm_halo(c->hc, c->axes, 0xff >> (8 - c->ndims),
				       faces));
	else
		assert_ok(pidcomm_alltoallw(c->hc, c->axes, send, recv));
	pd_counting_leave(before);
	return pd_counter_counts(&counter);
}

#define PIECE	256u	/* bytes, strided words of 8 */

/* Each byte is read and written once with those of the other lanes, not eight times. */
static void rows_at_once(void **state)
{
	static struct cube c;
	struct pimtype_part send[NR_PES], recv[NR_PES];
	struct pidcomm_face faces[4];
	struct pimtype *type;
	struct pimdimm *sys;
	struct pd_counts counts;
	uint64_t blocks;

	(void)state;
	setenv("PIMDIMM_ISA", "count", 1);
	sys = unit_open(uris[0]);
	cube_make(&c, sys, 1);
	assert_ok(pimtype_hvector(PIECE / 8, 8, 16, pimtype_basic(PIMTYPE_BYTE),
				  &type));
	for (uint32_t bits = 1; bits < 4; bits++) {
		cube_axes(&c, bits);
		for (uint32_t m = 0; m < c.members; m++) {
			send[m] = (struct pimtype_part){ m * 2 * PIECE, 1, type };
			recv[m] = (struct pimtype_part){ HALF + m * 2 * PIECE, 1,
							 type };
		}
		counts = count_call(sys, &c, send, recv, NULL);
		blocks = c.nr_pes * c.members * PIECE / 64;
		check_counted(&c, "alltoallw", blocks, blocks, &counts);
	}
	for (uint32_t bits = 1; bits < 3; bits++) {
		cube_axes(&c, bits);
		for (uint32_t i = 0; i < 2; i++)
			faces[i] = (struct pidcomm_face){ send[i], recv[i] };
		counts = count_call(sys, &c, NULL, NULL, faces);
		blocks = c.nr_pes * 2 * PIECE / 64;
		check_counted(&c, "halo", blocks, blocks, &counts);
	}
	pimtype_free(type);
	pidcomm_destroy(c.hc);
	pimdimm_close(sys);
	unsetenv("PIMDIMM_ISA");
}

/* A plan has all that it needs. */
static void plans_allocate_nothing(void **state)
{
	static struct cube c;
	struct pimdimm *sys = unit_open(uris[0]);
	const struct pimtype *byte = pimtype_basic(PIMTYPE_BYTE);
	struct pimtype_part send[8], recv[8];
	struct pidcomm_face faces[2];
	struct pidcomm_plan *plans[2];
	unsigned long requests;

	(void)state;
	cube_make(&c, sys, 1);
	for (uint32_t m = 0; m < 8; m++) {
		send[m] = (struct pimtype_part){ 101 * m, 100, byte };
		recv[m] = (struct pimtype_part){ HALF + 101 * m, 100, byte };
	}
	for (uint32_t i = 0; i < 2; i++)
		faces[i] = (struct pidcomm_face){ send[i], recv[i] };
	assert_ok(pidcomm_plan_alltoallw(c.hc, "10", send, recv, &plans[0]));
	assert_ok(pidcomm_plan_halo(c.hc, "10", 0, faces, &plans[1]));
	allocations_start();
	for (uint32_t i = 0; i < 4; i++)
		assert_ok(pidcomm_plan_run(plans[i % 2]));
	requests = allocations_stop();
	assert_int_equal(requests, 0);
	pidcomm_plan_free(plans[0]);
	pidcomm_plan_free(plans[1]);
	pidcomm_destroy(c.hc);
	pimdimm_close(sys);
}

static void refused_parts(struct cube *c)
{
	const struct pimtype *byte = pimtype_basic(PIMTYPE_BYTE);
	struct pimtype_part send[8], recv[8];
	struct pimtype *twice;

	assert_ok(pimtype_hvector(2, 8, 4, byte, &twice));
	for (uint32_t m = 0; m < 8; m++) {
		send[m] = (struct pimtype_part){ 16 * m, 16, byte };
		recv[m] = (struct pimtype_part){ HALF + 16 * m, 16, byte };
	}
	assert_refused(pidcomm_alltoallw(NULL, "10", send, recv), EINVAL, "hc");
	assert_refused(pidcomm_alltoallw(c->hc, "1", send, recv), EINVAL, "axes");
	assert_refused(pidcomm_alltoallw(c->hc, "10", NULL, recv), EINVAL, "send");
	assert_refused(pidcomm_alltoallw(c->hc, "10", send, NULL), EINVAL, "recv");
	assert_refused(pidcomm_plan_alltoallw(c->hc, "10", send, recv, NULL),
		       EINVAL, "plan");
	assert_refused(pidcomm_ialltoallw(c->hc, "10", send, recv, NULL), EINVAL,
		       "request");
	send[3].count = 17;
	assert_refused(pidcomm_alltoallw(c->hc, "10", send, recv), EMSGSIZE,
		       "send[3]");
	send[3].count = 15;
	assert_refused(pidcomm_alltoallw(c->hc, "10", send, recv), EPROTO,
		       "send[3]");
	send[3] = (struct pimtype_part){ 0, 2, pimtype_basic(PIMTYPE_F64) };
	assert_refused(pidcomm_alltoallw(c->hc, "10", send, recv), EPROTO,
		       "send[3]");
	send[3].type = pimtype_basic(PIMTYPE_PACKED);
	send[3].count = 16;
	assert_ok(pidcomm_alltoallw(c->hc, "10", send, recv));
	recv[5].offset = recv[6].offset + 8;
	assert_refused(pidcomm_alltoallw(c->hc, "10", send, recv), EINVAL, "recv[");
	recv[5] = (struct pimtype_part){ MRAM - 128, 1, twice };
	assert_refused(pidcomm_alltoallw(c->hc, "10", send, recv), EINVAL,
		       "recv[5] has a byte more than once");
	pimtype_free(twice);
	assert_refused(pidcomm_alltoallw(c->hc, "10", send, recv), EINVAL,
		       "recv[5] has been freed");
	recv[5] = (struct pimtype_part){ send[2].offset + 15, 16, byte };
	assert_refused(pidcomm_alltoallw(c->hc, "10", send, recv), EINVAL,
		       "send[");
	recv[5].offset = MRAM - 15;
	assert_refused(pidcomm_alltoallw(c->hc, "10", send, recv), EINVAL,
		       "recv[5] has bytes");
}

static void refused_counts(struct cube *c)
{
	const struct pimtype *f64 = pimtype_basic(PIMTYPE_F64);
	uint64_t counts[NR_PES * 8] = { 0 };
	struct pidcomm_request *request, *other;

	assert_refused(pidcomm_alltoallv(c->hc, "10", NULL, counts, 0, 0, HALF),
		       EINVAL, "type");
	counts[8 * 5 + 2] = MRAM;
	assert_refused(pidcomm_alltoallv(c->hc, "10", f64, counts, 0, 0, HALF),
		       EINVAL, "PE 2 receives");
	counts[8 * 5 + 2] = 1;
	counts[8 * 5 + 3] = UINT64_MAX;
	assert_refused(pidcomm_alltoallv(c->hc, "10", f64, counts, 0, 0, HALF),
		       EINVAL, "PE 5 sends");
	counts[8 * 5 + 3] = 3;
	assert_refused(pidcomm_alltoallv(c->hc, "10", f64, counts, 0, 0, 8),
		       EINVAL, "overlap");
	assert_refused(pidcomm_alltoallv(c->hc, "10", f64, counts, 0, MRAM + 8, 0),
		       EINVAL, "src=");
	assert_refused(pidcomm_allgatherv(c->hc, "10", f64, NULL, 4, 0, HALF),
		       EINVAL, "counts_at=4");
	assert_refused(pidcomm_alltoallv(c->hc, "10", f64, NULL, MRAM - 56, 0,
					 HALF), EINVAL, "counts_at");
	/* where nobody knows the counts, nothing else may be touched */
	assert_ok(pidcomm_ialltoallv(c->hc, "10", f64, counts, 0, 0, HALF,
				     &request));
	assert_refused(pidcomm_iallgatherv(c->hc, "10", f64, NULL, 256, 512, 1024,
					   &other), EBUSY, "allgatherv");
	assert_refused(pidcomm_alltoall(c->hc, "10", 64, 4096, HALF), EBUSY,
		       "outstanding alltoallv");
	assert_ok(pidcomm_alltoall(c->hc, "10", 64, 4096, 8192));
	assert_ok(pidcomm_wait(&request));
}

static void refused_faces(struct cube *c)
{
	const struct pimtype *byte = pimtype_basic(PIMTYPE_BYTE);
	struct pidcomm_face faces[2] = {
		{ { 0, 8, byte }, { HALF, 8, byte } },
		{ { 8, 8, byte }, { HALF + 8, 8, byte } },
	};

	assert_refused(pidcomm_halo(c->hc, "10", 4, faces), EINVAL, "periodic=0x4");
	assert_refused(pidcomm_halo(c->hc, "10", 0, NULL), EINVAL, "faces");
	faces[0].send.count = 9;
	assert_refused(pidcomm_halo(c->hc, "10", 0, faces), EMSGSIZE,
		       "faces[0].send has 9");
	faces[0].send = (struct pimtype_part){ 0, 1, pimtype_basic(PIMTYPE_I64) };
	assert_refused(pidcomm_halo(c->hc, "10", 0, faces), EPROTO,
		       "faces[1].recv");
	faces[0].send = (struct pimtype_part){ 4, 8, byte };
	assert_ok(pidcomm_halo(c->hc, "10", 0, faces));
	faces[1].recv.offset = HALF + 7;
	assert_refused(pidcomm_halo(c->hc, "10", 0, faces), EINVAL,
		       "recv of faces[");
	assert_ok(pidcomm_halo(c->hc, "00", 0, NULL));
}

/* What is said of a node names its PE, and injected faults befall the hypercube's ranks. */
static void on_a_part(void **state)
{
	const struct pimtype *f64 = pimtype_basic(PIMTYPE_F64);
	const uint32_t egs[] = { 11, 9 }, dims[] = { 16 };
	struct pimdimm *sys = unit_open("mem:ranks=2,mram=64K,inject=fail_nth:1@1");
	uint64_t counts[16] = { 0 };
	struct pidcomm *first, *second;

	(void)state;
	assert_ok(pidcomm_create_on(sys, NULL, 5, 2, 1, dims, &first));
	assert_ok(pidcomm_create_on(sys, egs, 0, 2, 1, dims, &second));
	counts[10] = 2;
	assert_ok(pidcomm_allgatherv(first, "1", f64, counts, 0, 0, HALF));
	assert_refused(pidcomm_allgatherv(second, "1", f64, counts, 0, 0, HALF), EIO, "rank 1");
	assert_ok(pidcomm_allgatherv(second, "1", f64, counts, 0, 0, HALF));
	counts[10] = MRAM;
	assert_refused(pidcomm_allgatherv(second, "1", f64, counts, 0, 0, HALF), EINVAL,
		       "PE 88 receives");
	assert_refused(pidcomm_alltoallv(second, "0", f64, counts, 0, 0, HALF), EINVAL,
		       "PE 74 receives");
	pidcomm_destroy(first);
	pidcomm_destroy(second);
	pimdimm_close(sys);
}

static void refused(void **state)
{
	static struct cube c;
	struct pimdimm *sys = unit_open(uris[0]);

	(void)state;
	cube_make(&c, sys, 1);
	refused_parts(&c);
	refused_counts(&c);
	refused_faces(&c);
	pidcomm_destroy(c.hc);
	pimdimm_close(sys);
}

static int setup(void **state)
{
	(void)state;
	rng = (struct rng){ 11 };
	seen = need(malloc(MRAM));
	for (uint32_t pe = 0; pe < NR_PES; pe++) {
		old[pe] = need(malloc(MRAM));
		model[pe] = need(malloc(MRAM));
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(seen);
	for (uint32_t pe = 0; pe < NR_PES; pe++) {
		free(old[pe]);
		free(model[pe]);
	}
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conformance),
		cmocka_unit_test(rows_at_once),
		cmocka_unit_test(plans_allocate_nothing),
		cmocka_unit_test(refused),
		cmocka_unit_test(on_a_part),
	};

	unit_start();
	return cmocka_run_group_tests(tests, setup, teardown);
}
