// SPDX-License-Identifier: MIT
/* The kernels: arrays, loops over them, and the datatypes that DDTBench's programs make. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/perf/suites/datatypes/kernels.h"

#define F	4	/* float */
#define D	8	/* double */

#define SETS	18	/* of a kernel */

/* larger arrays are not filled where nothing is sent from, and nothing received */
#define MOST_FILLED	(INT64_C(320) << 20)

uint64_t ddt_elements(const struct ddt_nest *nest)
{
	return nest->block * nest->count[0] * nest->count[1] * nest->count[2];
}

int64_t ddt_place(const struct ddt_nest *nest, int side, uint64_t e)
{
	const struct ddt_side *s = &nest->side[side];
	int64_t at = s->at + (int64_t)(e % nest->block * nest->element);

	e /= nest->block;
	for (int d = DDT_DEPTH - 1; d >= 0; d--) {
		uint64_t i = e % nest->count[d];

		at += s->stride[d] * (d == DDT_DEPTH - 1 && s->list ? s->list[i] : (int64_t)i);
		e /= nest->count[d];
	}
	return at;
}

/* c blocks, b of which are inside another loop, a of them in a third */
static struct ddt_nest *add_nest(struct ddt_kernel *k, unsigned int element, uint64_t block,
				 uint64_t a, uint64_t b, uint64_t c)
{
	struct ddt_nest *nest = &k->nests[k->nr++];

	*nest = (struct ddt_nest){ element, block, { a, b, c }, { { 0 } } };
	k->bytes += element * ddt_elements(nest);
	return nest;
}

static void set_side(struct ddt_nest *nest, int side, int64_t at, int64_t a, int64_t b, int64_t c)
{
	nest->side[side] = (struct ddt_side){ at, { a, b, c }, NULL };
}

static void set_both(struct ddt_nest *nest, int64_t from, int64_t to, int64_t a, int64_t b,
		     int64_t c)
{
	set_side(nest, DDT_FROM, from, a, b, c);
	set_side(nest, DDT_TO, to, a, b, c);
}

static void place_types(struct ddt_kernel *k)
{
	for (int side = 0; side < DDT_SIDES; side++)
		k->at[side] = k->nests[0].side[side].at;
}

/* MILC: a lattice of 3-vectors of complex floats; every second of its slices along one axis */
static void milc_lay(struct ddt_kernel *k)
{
	const long *p = k->p;
	int64_t slice = 24 * p[0] * p[1] / 2;
	struct ddt_nest *nest = add_nest(k, F, (uint64_t)slice / F, 1, 2, (uint64_t)p[3]);

	set_both(nest, 0, slice, 0, slice * p[2] * p[3], slice * p[2]);
	k->span = (uint64_t)(slice * 2 * p[2] * p[3]);
	if (slice * 2 * p[2] * p[3] > MOST_FILLED) {
		/* a slice that is sent, one that is received, and a gap */
		k->period = (uint64_t)(slice * p[2]);
		k->used = (uint64_t)(3 * slice);
	}
	place_types(k);
}

static ddt_type milc_make(const struct ddt_kernel *k, int side, const struct ddt_maker *m)
{
	const long *p = k->p;
	uint64_t slice = (uint64_t)(p[0] * p[1] / 2);

	(void)side;
	return m->hvector(2, 1, 12 * p[0] * p[1] * p[2] * p[3],
			  m->vector((uint64_t)p[3], slice, (int64_t)slice * p[2],
				    m->contiguous(6, m->basic(F))));
}

/* NAS LU: cells of 5 doubles in a plane with a border; a row of cells */
static void lu_x_lay(struct ddt_kernel *k)
{
	int64_t n = k->p[0];

	set_both(add_nest(k, D, (uint64_t)(5 * n), 1, 1, 1), 40 * (1 + (n + 2) * n), 40, 0, 0, 0);
	k->span = (uint64_t)(40 * (n + 2) * (n + 2));
	place_types(k);
}

static ddt_type lu_x_make(const struct ddt_kernel *k, int side, const struct ddt_maker *m)
{
	(void)side;
	return m->contiguous((uint64_t)(5 * k->p[0]), m->basic(D));
}

/* and a column of them */
static void lu_y_lay(struct ddt_kernel *k)
{
	int64_t n = k->p[0], row = 40 * (n + 2);

	set_both(add_nest(k, D, 5, 1, 1, (uint64_t)n), row + 40 * n, row, 0, 0, row);
	k->span = (uint64_t)(row * (n + 2));
	place_types(k);
}

static ddt_type lu_y_make(const struct ddt_kernel *k, int side, const struct ddt_maker *m)
{
	(void)side;
	return m->vector((uint64_t)k->p[0], 1, k->p[0] + 2, m->contiguous(5, m->basic(D)));
}

/* NAS MG: faces of a box of doubles, without its border */
static void mg_lay(struct ddt_kernel *k, int64_t from, int64_t to, uint64_t block, uint64_t rows,
		   uint64_t lines, int64_t stride)
{
	const long *p = k->p;

	set_both(add_nest(k, D, block, 1, rows, lines), D * from, D * to, 0,
		 D * p[0] * p[1], D * stride);
	k->span = (uint64_t)(D * p[0] * p[1] * p[2]);
	place_types(k);
}

static void mg_x_lay(struct ddt_kernel *k)
{
	const long *p = k->p;
	int64_t inside = p[0] * (1 + p[1]);

	mg_lay(k, p[0] - 2 + inside, p[0] - 1 + inside, 1, (uint64_t)p[2] - 2,
	       (uint64_t)p[1] - 2, p[0]);
}

static ddt_type mg_x_make(const struct ddt_kernel *k, int side, const struct ddt_maker *m)
{
	const long *p = k->p;

	(void)side;
	return m->hvector((uint64_t)p[2] - 2, 1, D * p[0] * p[1],
			  m->vector((uint64_t)p[1] - 2, 1, p[0], m->basic(D)));
}

static void mg_y_lay(struct ddt_kernel *k)
{
	const long *p = k->p;
	int64_t plane = p[0] * p[1];

	mg_lay(k, 1 + p[0] * (p[1] - 2) + plane, 1 + p[0] * (p[1] - 1) + plane,
	       (uint64_t)p[0] - 2, 1, (uint64_t)p[2] - 2, plane);
}

static ddt_type mg_y_make(const struct ddt_kernel *k, int side, const struct ddt_maker *m)
{
	const long *p = k->p;

	(void)side;
	return m->vector((uint64_t)p[2] - 2, (uint64_t)p[0] - 2, p[0] * p[1], m->basic(D));
}

static void mg_z_lay(struct ddt_kernel *k)
{
	const long *p = k->p;

	mg_lay(k, 1 + p[0] + p[0] * p[1], 1 + p[0], (uint64_t)p[0] - 2, 1, (uint64_t)p[1] - 2,
	       p[0]);
	/* all lies in the first two planes: the largest boxes are of 1 GiB */
	k->span = (uint64_t)(2 * D * p[0] * p[1]);
}

static ddt_type mg_z_make(const struct ddt_kernel *k, int side, const struct ddt_maker *m)
{
	const long *p = k->p;

	(void)side;
	return m->vector((uint64_t)p[1] - 2, (uint64_t)p[0] - 2, p[0], m->basic(D));
}

/* FFT: half the rows of n complex numbers; what goes to one of two ranks is transposed there */
static void fft_lay(struct ddt_kernel *k)
{
	int64_t n = k->p[0], half = n / 2;
	struct ddt_nest *nest = add_nest(k, D, 2, 1, (uint64_t)half, (uint64_t)half);

	set_side(nest, DDT_FROM, 16 * half, 0, 16 * n, 16);
	set_side(nest, DDT_TO, 0, 0, 16, 16 * n);
	k->span = (uint64_t)(16 * n * half);
	place_types(k);
}

static ddt_type fft_make(const struct ddt_kernel *k, int side, const struct ddt_maker *m)
{
	int64_t n = k->p[0], half = n / 2;
	uint64_t rows = (uint64_t)half;
	ddt_type complex = m->contiguous(2, m->basic(D));

	if (side == DDT_FROM)
		return m->resized(m->vector(rows, rows, n, complex), 16 * half);
	return m->contiguous(rows, m->resized(m->vector(rows, 1, n, complex), 16));
}

/* WRF: boxes of four arrays of two, three of three and two of four dimensions */
struct wrf {
	int64_t d1, d2, d3;		/* the arrays */
	int64_t i0, j0, s1, s2, s3;	/* the boxes, whole along the second dimension */
};

static struct wrf wrf_of(const struct ddt_kernel *k)
{
	const long *p = k->p;

	return (struct wrf){ .d1 = p[1] - p[0] + 1, .d2 = 65, .d3 = p[3] - p[2] + 1,
			     .i0 = p[4] - p[0], .j0 = p[6] - p[2],
			     .s1 = p[5] - p[4] + 1, .s2 = 65, .s3 = p[7] - p[6] + 1 };
}

/* elements of the n-th array: of a plane, of a volume, of two volumes */
static int64_t wrf_size(const struct wrf *w, unsigned int n)
{
	return w->d1 * w->d3 * (n < 4 ? 1 : n < 7 ? w->d2 : 2 * w->d2);
}

static void wrf_lay(struct ddt_kernel *k)
{
	struct wrf w = wrf_of(k);
	int64_t at = 0, row = F * w.d1;

	for (unsigned int n = 0; n < DDT_NESTS; n++) {
		uint64_t lines = n < 4 ? 1 : (uint64_t)w.s2;
		int64_t plane = n < 4 ? row : row * w.d2;
		int64_t first = at + F * w.i0 + plane * w.j0;

		if (n >= 7)	/* its second volume */
			first += plane * w.d3;
		set_both(add_nest(k, F, (uint64_t)w.s1, 1, (uint64_t)w.s3, lines), first, first,
			 0, plane, row);
		at += F * wrf_size(&w, n);
	}
	k->span = (uint64_t)at;
}

static ddt_type wrf_vec_of(const struct wrf *w, unsigned int n, const struct ddt_maker *m)
{
	int64_t volume = F * w->d1 * w->d2 * w->d3;
	ddt_type box;

	if (n < 4)
		return m->vector((uint64_t)w->s3, (uint64_t)w->s1, w->d1, m->basic(F));
	box = m->hvector((uint64_t)w->s3, 1, F * w->d1 * w->d2,
			 m->vector((uint64_t)w->s2, (uint64_t)w->s1, w->d1, m->basic(F)));
	return n < 7 ? box : m->hvector(1, 1, volume, box);
}

static ddt_type wrf_vec_make(const struct ddt_kernel *k, int side, const struct ddt_maker *m)
{
	struct wrf w = wrf_of(k);
	int64_t places[DDT_NESTS];
	ddt_type boxes[DDT_NESTS];

	for (unsigned int n = 0; n < DDT_NESTS; n++) {
		places[n] = k->nests[n].side[side].at;
		boxes[n] = wrf_vec_of(&w, n, m);
	}
	return m->structure(DDT_NESTS, places, boxes);
}

/* the same by subarrays, placed where their arrays begin */
static ddt_type wrf_sa_make(const struct ddt_kernel *k, int side, const struct ddt_maker *m)
{
	struct wrf w = wrf_of(k);
	const uint64_t sizes[] = { 2, (uint64_t)w.d3, (uint64_t)w.d2, (uint64_t)w.d1 };
	const uint64_t boxed[] = { 1, (uint64_t)w.s3, (uint64_t)w.s2, (uint64_t)w.s1 };
	const uint64_t starts[] = { 1, (uint64_t)w.j0, 0, (uint64_t)w.i0 };
	const uint64_t plane[] = { sizes[1], sizes[3] }, part[] = { boxed[1], boxed[3] },
		       begin[] = { starts[1], starts[3] };
	int64_t places[DDT_NESTS], at = 0;
	ddt_type boxes[DDT_NESTS];

	(void)side;
	for (unsigned int n = 0; n < DDT_NESTS; n++) {
		unsigned int skip = n < 7;

		places[n] = at;
		at += F * wrf_size(&w, n);
		boxes[n] = n < 4 ? m->subarray(2, plane, part, begin, m->basic(F)) :
				   m->subarray(4 - skip, sizes + skip, boxed + skip,
					       starts + skip, m->basic(F));
	}
	return m->structure(DDT_NESTS, places, boxes);
}

/* `count` of the numbers below `of`, shuffled or in order, the same each time */
static int *make_list(long count, long of, bool sorted)
{
	int *list = malloc((size_t)of * sizeof(*list));
	uint64_t state = 88172645463325252ULL + (uint64_t)of;

	if (!list)
		return NULL;
	for (long i = 0; i < of; i++)
		list[i] = (int)i;
	for (long i = 0; i < count && i < of; i++) {
		long j;
		int swap = list[i];

		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		/* in order: one of each stretch; the last one is as long as the others */
		j = i + (long)(state % (uint64_t)(of - i));
		list[i] = list[j];
		list[j] = swap;
		if (sorted)
			list[i] = (int)(of / count * i + (long)(state % (uint64_t)(of / count)));
	}
	return list;
}

static struct ddt_nest *add_listed(struct ddt_kernel *k, unsigned int element, uint64_t block,
				   long count, const int *list, int64_t at)
{
	struct ddt_nest *nest = add_nest(k, element, block, 1, 1, (uint64_t)count);

	set_both(nest, at, at, 0, 0, (int64_t)(element * block));
	nest->side[DDT_FROM].list = nest->side[DDT_TO].list = list;
	return nest;
}

/* SPECFEM3D, outer core: listed floats */
static void oc_lay(struct ddt_kernel *k)
{
	k->list[0] = make_list(k->p[0], k->p[1], k->p[2]);
	add_listed(k, F, 1, k->p[0], k->list[0], 0);
	k->span = (uint64_t)(F * k->p[1]);
}

static ddt_type oc_make(const struct ddt_kernel *k, int side, const struct ddt_maker *m)
{
	(void)side;
	return m->indexed((uint64_t)k->p[0], 1, k->list[0], 1, m->basic(F));
}

/* crust and mantle: listed vectors of floats, of two arrays */
static void cm_lay(struct ddt_kernel *k)
{
	for (int n = 0; n < 2; n++) {
		k->list[n] = make_list(k->p[2 * n], k->p[2 * n + 1], k->p[4]);
		add_listed(k, F, 3, k->p[2 * n], k->list[n], n * 12 * k->p[1]);
	}
	k->span = (uint64_t)(12 * (k->p[1] + k->p[3]));
}

static ddt_type cm_make(const struct ddt_kernel *k, int side, const struct ddt_maker *m)
{
	const int64_t places[2] = { 0, 12 * k->p[1] };
	ddt_type listed[2];

	(void)side;
	for (int n = 0; n < 2; n++)
		listed[n] = m->indexed((uint64_t)k->p[2 * n], 3, k->list[n], 3, m->basic(F));
	return m->structure(2, places, listed);
}

/* messages of the time step: every second vector, received side by side */
static void mt_lay(struct ddt_kernel *k)
{
	struct ddt_nest *nest = add_nest(k, F, 3, 1, 1, (uint64_t)k->p[0]);

	set_side(nest, DDT_FROM, 0, 0, 0, 24);
	set_side(nest, DDT_TO, 0, 0, 0, 12);
	k->span = (uint64_t)(24 * k->p[0]);
}

static ddt_type mt_make(const struct ddt_kernel *k, int side, const struct ddt_maker *m)
{
	uint64_t n = (uint64_t)k->p[0];

	if (side == DDT_TO)
		return m->contiguous(3 * n, m->basic(F));
	return m->vector(n, 1, 2, m->contiguous(3, m->basic(F)));
}

/* LAMMPS: listed atoms' properties, received behind those of the own atoms */
static void lammps_lay(struct ddt_kernel *k)
{
	int64_t own = k->p[1], all = own + k->p[0], at = 0;

	k->list[0] = make_list(k->p[0], own, false);
	for (long n = 0; n < k->p[2]; n++) {
		int64_t block = n ? 1 : 3;
		struct ddt_nest *nest = add_listed(k, D, (uint64_t)block, k->p[0], k->list[0], at);

		set_side(nest, DDT_TO, at + D * block * own, 0, 0, D * block);
		at += D * block * all;
	}
	k->span = (uint64_t)at;
}

static ddt_type lammps_make(const struct ddt_kernel *k, int side, const struct ddt_maker *m)
{
	ddt_type each[DDT_NESTS];
	int64_t places[DDT_NESTS];
	uint64_t atoms = (uint64_t)k->p[0];

	for (unsigned int n = 0; n < k->nr; n++) {
		int block = n ? 1 : 3;

		places[n] = k->nests[n].side[side].at;
		each[n] = side == DDT_TO ?
				  m->contiguous((uint64_t)block * atoms, m->basic(D)) :
				  m->indexed(atoms, (uint64_t)block, k->list[0], block,
					     m->basic(D));
	}
	return m->structure(k->nr, places, each);
}

/* FALCON-X's vectors: so many bytes in blocks that have as much room between them */
static void vector_lay(struct ddt_kernel *k)
{
	const long *p = k->p;

	set_both(add_nest(k, F, (uint64_t)(p[1] / F), 1, 1, (uint64_t)(p[0] / p[1])), 0, 0, 0, 0,
		 2 * p[1]);
	k->span = (uint64_t)(2 * p[0]);
	k->between = true;
}

static ddt_type vector_make(const struct ddt_kernel *k, int side, const struct ddt_maker *m)
{
	const long *p = k->p;

	(void)side;
	return m->vector((uint64_t)(p[0] / p[1]), (uint64_t)(p[1] / F), 2 * p[1] / F, m->basic(F));
}

/* its 3-D stencil of doubles, halved: the last two planes of each half, with a border */
static void stencil_lay(struct ddt_kernel *k)
{
	int64_t n = k->p[0], line = D * (n + 2), plane = line * (n + 2);

	set_both(add_nest(k, D, (uint64_t)n, 1, 1, (uint64_t)n), plane + line + D, line + D, 0, 0,
		 line);
	k->span = (uint64_t)(2 * plane);
	k->between = true;
}

static ddt_type stencil_make(const struct ddt_kernel *k, int side, const struct ddt_maker *m)
{
	const uint64_t n = (uint64_t)k->p[0], sizes[] = { 2, n + 2, n + 2 }, part[] = { 1, n, n };
	const uint64_t starts[] = { side == DDT_FROM, 1, 1 };

	return m->subarray(3, sizes, part, starts, m->basic(D));
}

typedef ddt_type make_fn(const struct ddt_kernel *k, int side, const struct ddt_maker *m);

/*
 * DDTBench's sets, and those of FALCON-X's figures: of 9 the last five of MILC, of 10 those of
 * WRF_y_vec from 4x140 on, of 11 the last five of NAS_MG_z. The planes of its WRF that the
 * paper does not give are DDTBench's.
 */
static const struct {
	const char *name;
	void (*lay)(struct ddt_kernel *k);
	make_fn *make;
	unsigned int shown;	/* parameters that name the set */
	long sets[SETS][DDT_PARAMETERS];
} table[] = {
	{ "MILC_su3_zd", milc_lay, milc_make, 4,
	  { { 8, 8, 8, 8 }, { 8, 8, 8, 16 }, { 8, 16, 16, 16 }, { 16, 16, 16, 16 },
	    { 16, 16, 32, 32 }, { 32, 32, 32, 32 }, { 64, 64, 32, 32 }, { 128, 128, 32, 32 },
	    { 128, 128, 64, 64 } } },
	{ "NAS_LU_x", lu_x_lay, lu_x_make, 1,
	  { { 12 }, { 33 }, { 64 }, { 102 }, { 162 }, { 408 }, { 1020 } } },
	{ "NAS_LU_y", lu_y_lay, lu_y_make, 1,
	  { { 12 }, { 33 }, { 64 }, { 102 }, { 162 }, { 408 }, { 1020 } } },
	{ "NAS_MG_x", mg_x_lay, mg_x_make, 3,
	  { { 34, 18, 18 }, { 130, 66, 66 }, { 258, 130, 130 }, { 514, 258, 258 } } },
	{ "NAS_MG_y", mg_y_lay, mg_y_make, 3,
	  { { 34, 18, 18 }, { 130, 66, 66 }, { 258, 130, 130 }, { 514, 258, 258 } } },
	{ "NAS_MG_z", mg_z_lay, mg_z_make, 3,
	  { { 34, 18, 18 }, { 130, 66, 66 }, { 514, 258, 258 }, { 258, 130, 130 },
	    { 512, 258, 258 }, { 768, 258, 258 }, { 1024, 258, 258 }, { 2048, 258, 258 } } },
	{ "FFT2D", fft_lay, fft_make, 1,
	  { { 16 }, { 32 }, { 128 }, { 256 }, { 512 }, { 768 }, { 1024 }, { 1536 } } },
	{ "WRF_x_vec", wrf_lay, wrf_vec_make, 8,
	  { { 4, 22, 4, 27, 13, 15, 8, 23 }, { 4, 27, 14, 47, 18, 20, 18, 43 },
	    { -4, 27, 34, 85, 18, 20, 38, 81 } } },
	{ "WRF_y_vec", wrf_lay, wrf_vec_make, 8,
	  { { 4, 22, 4, 27, 8, 18, 11, 13 }, { 10, 31, 10, 39, 14, 27, 17, 19 },
	    { 4, 27, 14, 47, 8, 23, 21, 23 }, { 8, 34, 21, 61, 12, 30, 28, 30 },
	    { -4, 27, 34, 85, 1, 23, 41, 43 }, { 4, 140, 34, 85, 8, 136, 41, 43 },
	    { 4, 268, 34, 85, 8, 264, 41, 43 }, { 4, 524, 34, 85, 8, 520, 41, 43 },
	    { 4, 1036, 34, 85, 8, 1032, 41, 43 } } },
	{ "WRF_x_sa", wrf_lay, wrf_sa_make, 8,
	  { { 4, 22, 4, 27, 13, 15, 8, 23 }, { -4, 27, 34, 85, 18, 20, 38, 81 } } },
	{ "WRF_y_sa", wrf_lay, wrf_sa_make, 8,
	  { { 4, 22, 4, 27, 8, 18, 11, 13 }, { -4, 27, 34, 85, 1, 23, 41, 43 } } },
	{ "SPECFEM3D_oc", oc_lay, oc_make, 2,
	  { { 493, 3697 }, { 877, 12857 }, { 1897, 38585 }, { 3225, 88881 } } },
	{ "SPECFEM3D_oc_sorted", oc_lay, oc_make, 2,
	  { { 493, 3697, 1 }, { 3225, 88881, 1 } } },
	{ "SPECFEM3D_cm", cm_lay, cm_make, 4,
	  { { 1957, 39929, 245, 1225 }, { 3801, 152001, 801, 7209 },
	    { 7125, 396849, 1729, 22477 }, { 11797, 834917, 3009, 51153 } } },
	{ "SPECFEM3D_mt", mt_lay, mt_make, 1, { { 5600 }, { 6200 }, { 6400 }, { 7600 } } },
	{ "LAMMPS_full", lammps_lay, lammps_make, 2,
	  { { 1662, 1907, 6 }, { 2243, 2597, 6 }, { 3062, 3534, 6 } } },
	{ "LAMMPS_atomic", lammps_lay, lammps_make, 2,
	  { { 114, 1217, 4 }, { 145, 2157, 4 }, { 243, 4084, 4 } } },
	{ "vector", vector_lay, vector_make, 2,
	  { { 4 << 10, 64 }, { 64 << 10, 64 }, { 1 << 20, 4 }, { 1 << 20, 16 }, { 1 << 20, 64 },
	    { 1 << 20, 256 }, { 1 << 20, 1 << 10 }, { 1 << 20, 4 << 10 }, { 2 << 20, 128 },
	    { 2 << 20, 512 }, { 2 << 20, 2 << 10 }, { 2 << 20, 8 << 10 }, { 2 << 20, 32 << 10 },
	    { 2 << 20, 128 << 10 }, { 2 << 20, 512 << 10 }, { 2 << 20, 2 << 20 },
	    { 4 << 20, 64 } } },
	{ "stencil_3d", stencil_lay, stencil_make, 1, { { 64 }, { 128 }, { 256 }, { 512 } } },
};

static void name_set(struct ddt_kernel *k, unsigned int shown)
{
	size_t at = 0;

	for (unsigned int i = 0; i < shown && at < sizeof(k->set); i++)
		at += (size_t)snprintf(k->set + at, sizeof(k->set) - at, "%s%ld", i ? "x" : "",
				       k->p[i]);
}

/* contiguous runs of what is sent, where lists are thought to have none */
static uint64_t count_blocks(const struct ddt_kernel *k)
{
	uint64_t sum = 0;

	for (unsigned int n = 0; n < k->nr; n++) {
		const struct ddt_nest *nest = &k->nests[n];
		const struct ddt_side *from = &nest->side[DDT_FROM];
		bool whole = !from->list &&
			     from->stride[2] == (int64_t)(nest->block * nest->element);

		sum += nest->count[0] * nest->count[1] * (whole ? 1 : nest->count[2]);
	}
	return sum;
}

static struct ddt_kernel *make_kernel(unsigned int row, const long *set)
{
	struct ddt_kernel *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->name = table[row].name;
	k->make = table[row].make;
	memcpy(k->p, set, sizeof(k->p));
	name_set(k, table[row].shown);
	table[row].lay(k);
	k->blocks = count_blocks(k);
	return k;
}

struct ddt_kernel *ddt_kernel_make(unsigned int at)
{
	for (unsigned int row = 0; row < sizeof(table) / sizeof(*table); row++) {
		for (unsigned int set = 0; set < SETS && table[row].sets[set][0]; set++) {
			if (!at--)
				return make_kernel(row, table[row].sets[set]);
		}
	}
	return NULL;
}

void ddt_kernel_free(struct ddt_kernel *k)
{
	if (!k)
		return;
	free(k->list[0]);
	free(k->list[1]);
	free(k);
}
