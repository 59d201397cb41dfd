// SPDX-License-Identifier: MIT
/*
 * Collectives on derived datatypes beside a model that is their definition, element by
 * element: random types, hypercubes and axes, on both layouts and every tier. All of MRAM
 * is compared each time: what is not of a part keeps its bytes. With TYPED_ON_DEV it is that
 * of a rank of the module.
 */
#include "runtime/simd/isa.h"

#include "tests/unit/collectives/typed_cube.h"

static struct rng rng;
static uint8_t *old[NR_PES], *model[NR_PES], *seen;

/* a part, and where the bytes of its stream lie */
struct spot {
	struct pimtype *type;
	struct pimtype_part part;
	uint32_t n;
	uint32_t *at;
};

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
		if (same(seen, model[pe], MRAM))
			continue;
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

/* one in so many shapes with each tier; the sanitizer of threads takes longest */
#if defined(__SANITIZE_THREAD__)
#define SOME	10
#elif defined(__SANITIZE_ADDRESS__)
#define SOME	3
#else
#define SOME	1
#endif

static void each_tier(const char *uri, const char *isa, size_t tier)
{
	/* a machine with the module is an emulated one */
	const size_t some = getenv("TYPED_ON_DEV") ? 3 : SOME;
	struct pimdimm *sys;

	setenv("PIMDIMM_ISA", isa, 1);
	setenv("PIMDIMM_NT", tier % 2 ? "auto" : "always", 1);
	sys = unit_open(uri);
	fill_all(sys);
	for (size_t i = tier % some; i < ARRAY_SIZE(cube_shapes); i += some)
		all_axes(sys, i);
	pimdimm_close(sys);
	unsetenv("PIMDIMM_ISA");
	unsetenv("PIMDIMM_NT");
}

static void conformance(void **state)
{
	(void)state;
	for (int isa = 0; isa < PD_NR_ISAS; isa++) {
		if (!pd_isa_runs((enum pd_isa)isa) ||
		    !unit_tier(pd_isa_name((enum pd_isa)isa)))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(cube_uris); i++) {
			const char *uri = unit_uri(cube_uris, i, "dev:ranks=1");

			if (uri)
				each_tier(uri, pd_isa_name((enum pd_isa)isa),
					  (size_t)isa + i);
		}
	}
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
	};

	unit_start();
	return cmocka_run_group_tests(tests, setup, teardown);
}
