// SPDX-License-Identifier: MIT
/*
 * Datatypes: random ones beside a naive typemap, in bounds, pieces, packing that stops
 * and goes on anywhere, copies; and what is refused. TYPES_SEED= and TYPES_CASES=
 * choose the cases.
 */
#include "collectives/types/strided.h"

#include "tests/unit/collectives/typemap.h"
#include "tests/unit/tiers.h"

#define POOL	12
#define ROOM	(1 << 14)	/* bytes of a buffer; types lie around its middle */
#define NR_BASICS 18u

struct made {
	struct pimtype *type;	/* NULL: basic */
	const struct pimtype *use;
	struct map map;
};

static struct rng rng;
static uint8_t *mem, *want, *stream, *got;

static struct made basic_of(unsigned int which)
{
	struct made m = { .use = pimtype_basic((enum pimtype_basic)which) };

	map_begin(&m.map);
	m.map.elements[m.map.n++] = (struct map_element){ 0, (uint8_t)which };
	return m;
}

static void made_free(struct made *m)
{
	pimtype_free(m->type);
	map_end(&m->map);
}

static int64_t near_zero(int64_t most)
{
	return (int64_t)rng_below(&rng, (uint64_t)(2 * most + 1)) - most;
}

/* a block of old types at disp */
static bool add_block(struct map *map, const struct map *old, int64_t disp,
		      uint64_t length)
{
	int64_t extent = map_extent(old);

	for (uint64_t i = 0; i < length; i++) {
		if (!map_add(map, old, disp + (int64_t)i * extent))
			return false;
	}
	return true;
}

static bool make_vector(struct made *new, const struct made *old, bool in_bytes)
{
	uint64_t count = rng_below(&rng, 6), length = rng_below(&rng, 5);
	int64_t stride = near_zero(in_bytes ? 100 : 8);
	int64_t step = in_bytes ? stride : stride * map_extent(&old->map);

	if (rng_chance(&rng, 20))
		count = rng_below(&rng, 100);
	for (uint64_t i = 0; i < count; i++) {
		if (!add_block(&new->map, &old->map, (int64_t)i * step, length))
			return false;
	}
	assert_ok(in_bytes ?
		  pimtype_hvector(count, length, stride, old->use, &new->type) :
		  pimtype_vector(count, length, stride, old->use, &new->type));
	return true;
}

static bool make_contiguous(struct made *new, const struct made *old)
{
	uint64_t count = rng_below(&rng, 8);

	if (!add_block(&new->map, &old->map, 0, count))
		return false;
	assert_ok(pimtype_contiguous(count, old->use, &new->type));
	return true;
}

#define MOST_BLOCKS	24

static bool make_indexed(struct made *new, const struct made *old,
			 bool in_bytes, bool one_length)
{
	uint64_t count = rng_below(&rng, MOST_BLOCKS), lengths[MOST_BLOCKS];
	bool even = rng_chance(&rng, 20), close = rng_chance(&rng, 30);
	int64_t displs[MOST_BLOCKS], unit = in_bytes ? 1 : map_extent(&old->map);
	int64_t at = 0;

	for (uint64_t i = 0; i < count; i++) {
		lengths[i] = one_length && i ? lengths[0] : rng_below(&rng, 5);
		displs[i] = even ? (int64_t)i * 7 - 20 :
			    close ? at : near_zero(in_bytes ? 300 : 30);
		at = displs[i] + (int64_t)lengths[i] *
		     (in_bytes ? map_extent(&old->map) : 1);
		if (!add_block(&new->map, &old->map, displs[i] * unit, lengths[i]))
			return false;
	}
	if (one_length)
		assert_ok((in_bytes ? pimtype_hindexed_block :
				      pimtype_indexed_block)(
			count, count ? lengths[0] : 0, displs, old->use,
			&new->type));
	else
		assert_ok((in_bytes ? pimtype_hindexed : pimtype_indexed)(
			count, lengths, displs, old->use, &new->type));
	return true;
}

static bool make_struct(struct made *new, const struct made pool[])
{
	uint64_t count = rng_below(&rng, 5), lengths[5];
	const struct pimtype *olds[5];
	int64_t displs[5];

	for (uint64_t i = 0; i < count; i++) {
		const struct made *old = &pool[rng_below(&rng, POOL)];

		lengths[i] = rng_below(&rng, 4);
		displs[i] = near_zero(500);
		olds[i] = old->use;
		if (!add_block(&new->map, &old->map, displs[i], lengths[i]))
			return false;
	}
	assert_ok(pimtype_struct(count, lengths, displs, olds, &new->type));
	return true;
}

/* the element's place along each axis, its index counting the fastest axis first */
static void coordinates(uint64_t index, uint32_t ndims, const uint64_t sizes[],
			bool fortran, uint64_t at[])
{
	for (uint32_t k = 0; k < ndims; k++) {
		uint32_t axis = fortran ? k : ndims - 1 - k;

		at[axis] = index % sizes[axis];
		index /= sizes[axis];
	}
}

static uint64_t random_sizes(uint32_t ndims, uint64_t sizes[])
{
	uint64_t all = 1;

	for (uint32_t i = 0; i < ndims; i++) {
		sizes[i] = 1 + rng_below(&rng, ndims > 2 ? 5 : 9);
		all *= sizes[i];
	}
	return all;
}

static bool make_subarray(struct made *new, const struct made *old)
{
	uint32_t ndims = 1 + (uint32_t)rng_below(&rng, 4);
	uint64_t sizes[4], sub[4], starts[4], all, at[4];
	bool fortran = rng_chance(&rng, 50);

	all = random_sizes(ndims, sizes);
	for (uint32_t i = 0; i < ndims; i++) {
		sub[i] = 1 + rng_below(&rng, sizes[i]);
		starts[i] = rng_below(&rng, sizes[i] - sub[i] + 1);
	}
	for (uint64_t e = 0; e < all; e++) {
		bool inside = true;

		coordinates(e, ndims, sizes, fortran, at);
		for (uint32_t i = 0; i < ndims; i++)
			inside &= at[i] >= starts[i] && at[i] < starts[i] + sub[i];
		if (inside && !map_add(&new->map, &old->map,
				       (int64_t)e * map_extent(&old->map)))
			return false;
	}
	map_mark(&new->map, 0, (int64_t)all * map_extent(&old->map));
	assert_ok(pimtype_subarray(ndims, sizes, sub, starts,
				   fortran ? PIMTYPE_ORDER_FORTRAN :
					     PIMTYPE_ORDER_C,
				   old->use, &new->type));
	return true;
}

/* the process along an axis that has an element of it */
static uint64_t owner(enum pimtype_distribution how, uint64_t size, uint64_t darg,
		      uint64_t places, uint64_t at)
{
	if (how == PIMTYPE_DISTRIBUTE_NONE)
		return 0;
	if (how == PIMTYPE_DISTRIBUTE_BLOCK)
		return at / (darg ? darg : (size + places - 1) / places);
	return at / (darg ? darg : 1) % places;
}

static bool make_darray(struct made *new, const struct made *old)
{
	uint32_t ndims = 1 + (uint32_t)rng_below(&rng, 3);
	uint64_t sizes[3], dargs[3], places[3], all, size = 1, rank, at[3], mine[3];
	enum pimtype_distribution how[3];
	bool fortran = rng_chance(&rng, 50);

	all = random_sizes(ndims, sizes);
	for (uint32_t i = 0; i < ndims; i++) {
		how[i] = (enum pimtype_distribution)rng_below(&rng, 3);
		places[i] = how[i] ? 1 + rng_below(&rng, 4) : 1;
		dargs[i] = rng_chance(&rng, 50) ? PIMTYPE_DISTRIBUTE_DARG :
						  1 + rng_below(&rng, 4);
		if (how[i] == PIMTYPE_DISTRIBUTE_BLOCK && dargs[i])
			dargs[i] += (sizes[i] + places[i] - 1) / places[i];
		size *= places[i];
	}
	rank = rng_below(&rng, size);
	for (uint32_t i = ndims, left = (uint32_t)rank; i--; left /= (uint32_t)places[i])
		mine[i] = left % places[i];
	for (uint64_t e = 0; e < all; e++) {
		bool inside = true;

		coordinates(e, ndims, sizes, fortran, at);
		for (uint32_t i = 0; i < ndims; i++)
			inside &= owner(how[i], sizes[i], dargs[i], places[i],
					at[i]) == mine[i];
		if (inside && !map_add(&new->map, &old->map,
				       (int64_t)e * map_extent(&old->map)))
			return false;
	}
	map_mark(&new->map, 0, (int64_t)all * map_extent(&old->map));
	assert_ok(pimtype_darray(size, rank, ndims, sizes, how, dargs, places,
				 fortran ? PIMTYPE_ORDER_FORTRAN :
					   PIMTYPE_ORDER_C,
				 old->use, &new->type));
	return true;
}

static bool make_resized(struct made *new, const struct made *old)
{
	int64_t lb = near_zero(20), extent = near_zero(100);

	if (!map_add(&new->map, &old->map, 0))
		return false;
	map_mark(&new->map, lb, extent);
	assert_ok(pimtype_resized(old->use, lb, extent, &new->type));
	return true;
}

static bool make_dup(struct made *new, const struct made *old)
{
	if (!map_add(&new->map, &old->map, 0))
		return false;
	assert_ok(pimtype_dup(old->use, &new->type));
	return true;
}

static bool make_any(struct made *new, const struct made pool[])
{
	const struct made *old = &pool[rng_below(&rng, POOL)];

	switch (rng_below(&rng, 12)) {
	case 0:
		return make_contiguous(new, old);
	case 1:
		return make_vector(new, old, false);
	case 2:
		return make_vector(new, old, true);
	case 3:
		return make_indexed(new, old, false, false);
	case 4:
		return make_indexed(new, old, true, false);
	case 5:
		return make_indexed(new, old, false, true);
	case 6:
		return make_indexed(new, old, true, true);
	case 7:
		return make_struct(new, pool);
	case 8:
		return make_subarray(new, old);
	case 9:
		return make_darray(new, old);
	case 10:
		return make_resized(new, old);
	default:
		return make_dup(new, old);
	}
}

static void check_info(const struct made *m)
{
	struct pimtype_info info;

	assert_ok(pimtype_info(m->use, &info));
	assert_int_equal(info.size, map_size(&m->map));
	assert_int_equal(info.elements, m->map.n);
	assert_int_equal(info.true_lb, map_true_lb(&m->map));
	assert_int_equal(info.true_extent,
			 map_true_ub(&m->map) - map_true_lb(&m->map));
	assert_int_equal(info.alignment, map_align(&m->map));
	assert_int_equal(info.lb, map_lb(&m->map));
	assert_int_equal(info.extent, map_extent(&m->map));
	assert_true(info.blocks <= info.size);
}

/* equal sequences have equal signatures, others do not */
static void check_signatures(const struct made *a, const struct made *b)
{
	struct pimtype_info of_a, of_b;
	bool same = a->map.n == b->map.n;

	for (size_t i = 0; same && i < a->map.n; i++)
		same = a->map.elements[i].which == b->map.elements[i].which;
	assert_ok(pimtype_info(a->use, &of_a));
	assert_ok(pimtype_info(b->use, &of_b));
	assert_int_equal(same, of_a.signature == of_b.signature);
}

/* a part of it that lies in a buffer; false: none does */
static bool random_part(const struct made *m, struct pimtype_part *part)
{
	int64_t lo, hi, step = map_extent(&m->map);

	part->count = rng_chance(&rng, 50) ? 1 : rng_below(&rng, 5);
	part->type = m->use;
	part->offset = ROOM / 2 + near_zero(70);
	lo = hi = part->count > 1 ? (int64_t)(part->count - 1) * step : 0;
	lo = (lo < 0 ? lo : 0) + map_true_lb(&m->map) + part->offset;
	hi = (hi > 0 ? hi : 0) + map_true_ub(&m->map) + part->offset;
	return lo >= 0 && hi <= ROOM &&
	       map_size(&m->map) * part->count <= ROOM;
}

/* the places of all bytes of a part, in order; returns how many, *twice: some again */
static uint64_t places_of(const struct map *map, const struct pimtype_part *part,
			  int32_t places[], bool *twice)
{
	static uint8_t seen[ROOM];
	int64_t extent = map_extent(map);
	uint64_t n = 0;

	*twice = false;
	for (uint64_t k = 0; k < part->count; k++) {
		for (size_t i = 0; i < map->n; i++) {
			int64_t at = part->offset + map->elements[i].disp +
				     (int64_t)k * extent;

			for (unsigned int b = 0;
			     b < map_sizes[map->elements[i].which]; b++)
				places[n++] = (int32_t)(at + b);
		}
	}
	for (uint64_t i = 0; i < n; i++)
		*twice |= seen[places[i]]++;
	for (uint64_t i = 0; i < n; i++)
		seen[places[i]] = 0;
	return n;
}

static void check_pieces(struct pimtype_part part, const int32_t places[],
			 uint64_t n)
{
	struct pimtype_piece pieces[5];
	uint64_t at = 0, end = 0;

	for (;;) {
		size_t nr = 1 + rng_below(&rng, 5);

		assert_ok(pimtype_pieces(part, at, pieces, &nr));
		if (!nr)
			break;
		for (size_t i = 0; i < nr; i++) {
			/* what touches is one */
			assert_true(!i || pieces[i].offset != (int64_t)end);
			for (uint64_t b = 0; b < pieces[i].bytes; b++, at++) {
				if (at >= n || places[at] != pieces[i].offset +
							     (int64_t)b)
					fail_msg("byte %llu of the stream",
						 (unsigned long long)at);
			}
			end = (uint64_t)pieces[i].offset + pieces[i].bytes;
		}
	}
	assert_int_equal(at, n);
}

static uint64_t some_bytes(uint64_t n)
{
	return rng_chance(&rng, 30) ? n + 1 : 1 + rng_below(&rng, n + 20);
}

static void check_pack(struct pimtype_part part, const int32_t places[], uint64_t n)
{
	uint64_t at = 0;
	size_t bytes;

	memset(got, 0xa5, n + 8);
	do {
		bytes = some_bytes(n);
		assert_ok(pimtype_pack(mem, part, at, got + at, &bytes));
		at += bytes;
	} while (bytes);
	assert_int_equal(at, n);
	for (uint64_t i = 0; i < n; i++) {
		if (got[i] != mem[places[i]])
			fail_msg("byte %llu of the stream",
				 (unsigned long long)i);
	}
	assert_int_equal(got[n], 0xa5);
}

static void check_unpack(struct pimtype_part part, const int32_t places[],
			 uint64_t n, bool twice)
{
	size_t bytes;

	if (twice) {
		assert_refused(pimtype_unpack(mem, part, 0, stream, 0), EINVAL,
			       "more than once");
		return;
	}
	memcpy(want, mem, ROOM);
	for (uint64_t at = 0; at < n; at += bytes) {
		bytes = some_bytes(n);
		bytes = bytes < n - at ? bytes : n - at;
		assert_ok(pimtype_unpack(mem, part, at, stream + at, bytes));
	}
	for (uint64_t i = 0; i < n; i++)
		want[places[i]] = stream[i];
	assert_memory_equal(mem, want, ROOM);
	assert_refused(pimtype_unpack(mem, part, n, stream, 1), EMSGSIZE, "bytes=1");
}

/* the same elements, placed otherwise: by blocks of equal ones with gaps between */
static void make_partner(const struct map *map, uint64_t count, struct made *new)
{
	uint64_t all = map->n * count, n = 0, *lengths;
	const struct pimtype **olds;
	int64_t *displs, at = 0;
	bool close = rng_chance(&rng, 20);

	lengths = need(calloc(all + 1, sizeof(*lengths)));
	displs = need(calloc(all + 1, sizeof(*displs)));
	olds = need(calloc(all + 1, sizeof(*olds)));
	map_begin(&new->map);
	for (uint64_t i = 0; i < all; i++) {
		unsigned int which = map->elements[i % map->n].which;

		if (!n || olds[n - 1] != pimtype_basic(which) ||
		    rng_chance(&rng, 30)) {
			at += close ? 0 : (int64_t)rng_below(&rng, 9);
			displs[n] = at;
			olds[n++] = pimtype_basic(which);
		}
		lengths[n - 1]++;
		at += map_sizes[which];
	}
	assert_ok(pimtype_struct(n, lengths, displs, olds, &new->type));
	new->use = new->type;
	for (uint64_t i = 0; i < n; i++) {
		struct made one = basic_of(0);

		for (unsigned int w = 0; w < NR_BASICS; w++) {
			if (pimtype_basic(w) == olds[i])
				one.map.elements[0].which = (uint8_t)w;
		}
		assert_true(add_block(&new->map, &one.map, displs[i], lengths[i]));
		made_free(&one);
	}
	free(lengths);
	free(displs);
	free(olds);
}

static int32_t *places, *other_places;

static void check_copy(const struct made *m, struct pimtype_part part, uint64_t n,
		       bool twice)
{
	struct made partner;
	struct pimtype_part other = { .offset = 64, .count = 1 };
	bool again;

	make_partner(&m->map, part.count, &partner);
	other.type = partner.use;
	assert_int_equal(places_of(&partner.map, &other, other_places, &again), n);
	/* to the partner and, where it may receive, back */
	memcpy(want, got, ROOM);
	for (uint64_t i = 0; i < n; i++)
		want[other_places[i]] = mem[places[i]];
	assert_ok(pimtype_copy(got, other, mem, part));
	assert_memory_equal(got, want, ROOM);
	if (twice) {
		assert_refused(pimtype_copy(mem, part, got, other), EINVAL,
			       "more than once");
	} else {
		rng_fill(&rng, got, 64 + 9 * n < ROOM ? 64 + 9 * n : ROOM);
		memcpy(want, mem, ROOM);
		for (uint64_t i = 0; i < n; i++)
			want[places[i]] = got[other_places[i]];
		assert_ok(pimtype_copy(mem, part, got, other));
		assert_memory_equal(mem, want, ROOM);
	}
	made_free(&partner);
}

static void check_bytes(const struct made *m)
{
	struct pimtype_part part;
	bool twice;
	uint64_t n;

	if (!random_part(m, &part))
		return;
	n = places_of(&m->map, &part, places, &twice);
	check_pieces(part, places, n);
	check_pack(part, places, n);
	check_unpack(part, places, n, twice);
	if (n && n + 9 * m->map.n * part.count + 64 <= ROOM)
		check_copy(m, part, n, twice);
}

static uint64_t number(const char *name, uint64_t usual)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : usual;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CASES	5000
#else
#define CASES	100000
#endif

static void random_types(void **state)
{
	struct made pool[POOL];
	uint64_t seed = number("TYPES_SEED", 17), tried = 0, odd = 0;

	(void)state;
	printf("# TYPES_SEED=%llu\n", (unsigned long long)seed);
	rng = (struct rng){ seed };
	rng_fill(&rng, mem, ROOM);
	rng_fill(&rng, stream, ROOM);
	for (unsigned int i = 0; i < POOL; i++)
		pool[i] = basic_of((unsigned int)rng_below(&rng, NR_BASICS));
	for (uint64_t cases = number("TYPES_CASES", CASES); cases; tried++) {
		struct made new = { .type = NULL }, *slot = &pool[rng_below(&rng, POOL)];

		map_begin(&new.map);
		if (!make_any(&new, pool)) {
			map_end(&new.map);
			new = basic_of((unsigned int)rng_below(&rng, NR_BASICS));
			odd++;
		} else {
			new.use = new.type;
			cases--;
			check_info(&new);
			check_signatures(&new, slot);
			check_bytes(&new);
		}
		/* small ones are worth more */
		if (new.map.n > 300 || !new.map.n || rng_chance(&rng, 10)) {
			made_free(&new);
			new = basic_of((unsigned int)rng_below(&rng, NR_BASICS));
		}
		made_free(slot);
		*slot = new;
	}
	printf("# %llu types, %llu too large\n", (unsigned long long)tried,
	       (unsigned long long)odd);
	for (unsigned int i = 0; i < POOL; i++)
		made_free(&pool[i]);
}

static const struct pimtype *f64(void)
{
	return pimtype_basic(PIMTYPE_F64);
}

static void assert_described(const struct pimtype *type, const char *as)
{
	char text[200];

	assert_int_equal(pimtype_describe(type, text, sizeof(text)), strlen(as));
	assert_string_equal(text, as);
}

static void normal_forms(void **state)
{
	struct pimtype *row, *all, *list;
	char few[8];

	(void)state;
	assert_ok(pimtype_vector(4, 3, 3, f64(), &row));
	assert_described(row, "[96] lb 0 extent 96");
	pimtype_free(row);
	assert_ok(pimtype_vector(4, 1, 3, f64(), &row));
	assert_described(row, "4*24:[8] lb 0 extent 80");
	assert_int_equal(pimtype_describe(row, few, sizeof(few)), 23);
	assert_string_equal(few, "4*24:[8");
	/* loops that go on where others end are one */
	assert_ok(pimtype_hvector(5, 1, 96, row, &all));
	pimtype_free(row);
	assert_described(all, "20*24:[8] lb 0 extent 464");
	pimtype_free(all);
	/* a list that is even is a loop, and order is kept */
	assert_ok(pimtype_indexed_block(3, 1, (const int64_t[]){ 9, 7, 5 }, f64(),
					&list));
	assert_described(list, "+72 3*-16:[8] lb 40 extent 40");
	pimtype_free(list);
	assert_ok(pimtype_indexed_block(4, 1, (const int64_t[]){ 1, 2, 9, 4 },
					f64(), &list));
	assert_described(list, "+8 {0:[16], 64:[8], 24:[8]} lb 8 extent 72");
	pimtype_free(list);
	assert_ok(pimtype_contiguous(0, f64(), &list));
	assert_described(list, "[0] lb 0 extent 0");
	pimtype_free(list);
}

static void freed_types_live_on(void **state)
{
	struct pimtype *row, *all;
	struct pimtype_stats before, after;
	double from[6] = { 1, 2, 3, 4, 5, 6 }, to[3];
	size_t bytes = sizeof(to);

	(void)state;
	assert_ok(pimtype_stats(&before));
	assert_ok(pimtype_vector(3, 1, 2, f64(), &row));
	assert_ok(pimtype_dup(row, &all));
	pimtype_free(row);
	assert_refused(pimtype_dup(row, &row), EINVAL, "has been freed");
	pimtype_free(row);
	assert_ok(pimtype_pack(from, (struct pimtype_part){ 0, 1, all }, 0, to,
			       &bytes));
	assert_int_equal(bytes, sizeof(to));
	assert_true(to[0] == 1 && to[1] == 3 && to[2] == 5);
	pimtype_free(all);
	assert_ok(pimtype_stats(&after));
	assert_int_equal(before.types, after.types);
	pimtype_free(NULL);
	pimtype_free((struct pimtype *)(uintptr_t)f64());
	assert_int_equal(pimtype_basic(PIMTYPE_F64) == f64(), 1);
}

static void too_large(void **state)
{
	const uint64_t big = UINT64_C(1) << 62;
	struct pimtype *t, *u;
	struct pimtype_part part = { .count = 3 };
	size_t bytes = 1;

	(void)state;
	assert_refused(pimtype_contiguous(big, f64(), &t), EINVAL, "2^63");
	assert_refused(pimtype_contiguous(UINT64_MAX, f64(), &t), EINVAL, "2^63");
	assert_refused(pimtype_vector(big, big, 1, f64(), &t), EINVAL, "2^63");
	assert_refused(pimtype_vector(2, 1, INT64_MAX, f64(), &t), EINVAL, "2^63");
	assert_refused(pimtype_hvector(3, 1, INT64_MIN, f64(), &t), EINVAL, "2^63");
	assert_refused(pimtype_indexed_block(1, 1, (const int64_t[]){ INT64_MAX },
					     f64(), &t), EINVAL, "2^63");
	assert_refused(pimtype_hindexed_block(1, 1, (const int64_t[]){ INT64_MAX },
					      f64(), &t), EINVAL, "2^63");
	assert_refused(pimtype_hindexed_block(
			       2, 1, (const int64_t[]){ INT64_MIN, INT64_MAX - 8 },
			       f64(), &t), EINVAL, "2^63");
	assert_refused(pimtype_resized(f64(), INT64_MAX, 1, &t), EINVAL, "2^63");
	assert_refused(pimtype_subarray(2, (const uint64_t[]){ big, big },
					(const uint64_t[]){ 1, 1 },
					(const uint64_t[]){ 0, 0 },
					PIMTYPE_ORDER_C, f64(), &t),
		       EINVAL, "2^63");
	assert_ok(pimtype_contiguous(big / 8, f64(), &t));
	assert_refused(pimtype_contiguous(2, t, &u), EINVAL, "2^63");
	part.type = t;
	assert_refused(pimtype_pack(NULL, part, 0, &bytes, &bytes), EINVAL, "2^63");
	pimtype_free(t);
	/* what nobody has bytes of may be as large as it likes */
	assert_ok(pimtype_contiguous(0, f64(), &t));
	assert_ok(pimtype_vector(INT64_MAX, 1, INT64_MAX, t, &u));
	pimtype_free(t);
	pimtype_free(u);
}

/* around a type: itself, a byte, and itself once more if `twice` */
static int around(struct pimtype *t, int64_t at, bool twice, struct pimtype **new)
{
	const struct pimtype *const olds[] = { t, pimtype_basic(PIMTYPE_BYTE), t };

	return pimtype_struct(3, (const uint64_t[]){ 1, 1, twice },
			      (const int64_t[]){ 0, at + 2, at + 7 }, olds, new);
}

static struct pimtype *nested(bool twice, int *times)
{
	struct pimtype *t, *outer;

	assert_ok(pimtype_vector(2, 1, 3, pimtype_basic(PIMTYPE_BYTE), &t));
	for (*times = 0; *times < 200 && !around(t, *times, twice, &outer);
	     ++*times) {
		pimtype_free(t);
		t = outer;
	}
	return t;
}

static void too_deep(void **state)
{
	struct pimtype *t, *u;
	struct pimtype_piece piece[3];
	size_t nr = 3;
	int times;

	(void)state;
	t = nested(false, &times);
	assert_in_range(times, 50, 70);
	assert_refused(around(t, 0, false, &u), EINVAL, "deep");
	pimtype_free(t);
	/* few nodes, and a tree of 2^60 leaves */
	t = nested(true, &times);
	u = nested(true, &times);
	assert_in_range(times, 50, 70);
	assert_in_range(pimtype_describe(t, NULL, 0), 4000, 40000);
	assert_refused(pimtype_unpack(got, (struct pimtype_part){ 0, 1, t }, 0,
				      mem, 1), EINVAL, "more than once");
	assert_ok(pimtype_pieces((struct pimtype_part){ 0, 1, t },
				 UINT64_C(1) << 59, piece, &nr));
	assert_int_equal(nr, 3);
	assert_int_equal(around(t, 0, true, &u), -EINVAL);
	pimtype_free(u);
	pimtype_free(t);
}

static void refused(void **state)
{
	const uint64_t one[] = { 1 };
	const int64_t zero[] = { 0 };
	struct pimtype *t;
	struct pimtype_info info;
	const struct pimtype *null = NULL;
	size_t nr = 1;

	(void)state;
	assert_null(pimtype_basic((enum pimtype_basic)99));
	assert_refused(pimtype_contiguous(1, NULL, &t), EINVAL, "old is NULL");
	assert_refused(pimtype_contiguous(1, f64(), NULL), EINVAL, "type is NULL");
	assert_refused(pimtype_indexed(1, NULL, zero, f64(), &t), EINVAL,
		       "blocklengths is NULL");
	assert_refused(pimtype_indexed(1, one, NULL, f64(), &t), EINVAL,
		       "displacements is NULL");
	assert_refused(pimtype_struct(1, one, zero, &null, &t), EINVAL, "olds");
	assert_refused(pimtype_struct(1, one, zero, NULL, &t), EINVAL, "olds");
	assert_refused(pimtype_subarray(0, one, one, one, PIMTYPE_ORDER_C, f64(),
					&t), EINVAL, "ndims=0");
	assert_refused(pimtype_subarray(1, one, one, one, PIMTYPE_ORDER_C, f64(),
					&t), EINVAL, "starts=1");
	assert_refused(pimtype_subarray(1, one, one, (const uint64_t[]){ 0 },
					(enum pimtype_order)7, f64(), &t),
		       EINVAL, "order=7");
	assert_refused(pimtype_darray(2, 0, 1, one,
				      (const enum pimtype_distribution[]){
					      PIMTYPE_DISTRIBUTE_NONE },
				      (const uint64_t[]){ 0 },
				      (const uint64_t[]){ 2 }, PIMTYPE_ORDER_C,
				      f64(), &t), EINVAL, "psizes=2");
	assert_refused(pimtype_darray(2, 2, 1, one,
				      (const enum pimtype_distribution[]){
					      PIMTYPE_DISTRIBUTE_BLOCK },
				      (const uint64_t[]){ 0 },
				      (const uint64_t[]){ 2 }, PIMTYPE_ORDER_C,
				      f64(), &t), EINVAL, "rank=2");
	assert_refused(pimtype_info(NULL, &info), EINVAL, "type is NULL");
	assert_refused(pimtype_info(f64(), NULL), EINVAL, "info is NULL");
	assert_refused(pimtype_pieces((struct pimtype_part){ 0, 1, NULL }, 0, NULL,
				      &nr), EINVAL, "part is NULL");
	assert_refused(pimtype_pieces((struct pimtype_part){ 0, 1, f64() }, 0, NULL,
				      &nr), EINVAL, "pieces is NULL");
	assert_refused(pimtype_pieces((struct pimtype_part){ 0, 1, f64() }, 9, NULL,
				      NULL), EINVAL, "nr is NULL");
	assert_refused(pimtype_pack(mem, (struct pimtype_part){ 0, 1, f64() }, 9,
				    got, &nr), EINVAL, "position=9");
	nr = 0;
	assert_ok(pimtype_pieces((struct pimtype_part){ 0, 0, NULL }, 0, NULL, &nr));
}

static void what_does_not_agree(void **state)
{
	const struct pimtype *i64 = pimtype_basic(PIMTYPE_I64);
	const struct pimtype *packed = pimtype_basic(PIMTYPE_PACKED);
	const struct pimtype_part doubles = { 0, 4, f64() };

	(void)state;
	assert_refused(pimtype_copy(got, doubles, mem,
				    (struct pimtype_part){ 0, 5, f64() }),
		       EMSGSIZE, "from has 40 bytes");
	assert_refused(pimtype_copy(got, doubles, mem,
				    (struct pimtype_part){ 0, 4, i64 }),
		       EPROTO, "signature");
	assert_refused(pimtype_copy(got, doubles, mem, (struct pimtype_part){
			       0, 3, pimtype_basic(PIMTYPE_F32) }),
		       EPROTO, "ends inside");
	/* shorter ones are fine, and PACKED is everything */
	memset(got, 0, 64);
	assert_ok(pimtype_copy(got, doubles, mem,
			       (struct pimtype_part){ 8, 3, f64() }));
	assert_memory_equal(got, mem + 8, 24);
	assert_int_equal(got[24] | got[31], 0);
	assert_ok(pimtype_copy(got, doubles, mem,
			       (struct pimtype_part){ 0, 32, packed }));
	assert_ok(pimtype_copy(got, (struct pimtype_part){ 0, 40, packed }, mem,
			       doubles));
}

/* one pair of vectors, of blocks of so many doubles, n in all; made anew each time */
static void copy_vectors(uint64_t a, uint64_t b, uint64_t n)
{
	struct pimtype *to, *from;

	assert_ok(pimtype_vector(n / a, a, (int64_t)a + 1, f64(), &to));
	assert_ok(pimtype_vector(n / b, b, (int64_t)b + 2, f64(), &from));
	assert_ok(pimtype_copy(got, (struct pimtype_part){ 0, 1, to }, mem,
			       (struct pimtype_part){ 0, 1, from }));
	pimtype_free(to);
	pimtype_free(from);
}

static void layouts_are_kept(void **state)
{
	struct pimtype_stats s[4];

	(void)state;
	setenv("PIMDIMM_LAYOUTS", "2", 1);
	copy_vectors(2, 3, 60);
	assert_ok(pimtype_stats(&s[0]));
	copy_vectors(2, 3, 60);
	assert_ok(pimtype_stats(&s[1]));
	/* by content: the types are others */
	assert_int_equal(s[1].hits, s[0].hits + 1);
	assert_int_equal(s[1].misses, s[0].misses);
	copy_vectors(3, 2, 60);
	copy_vectors(4, 2, 60);
	copy_vectors(2, 3, 60);
	assert_ok(pimtype_stats(&s[2]));
	assert_int_equal(s[2].hits, s[1].hits);
	assert_true(s[2].evictions > s[1].evictions);
	assert_true(s[2].layouts <= 1024);
	setenv("PIMDIMM_LAYOUTS", "many", 1);
	copy_vectors(2, 3, 60);
	{
		struct pimtype *t;

		assert_ok(pimtype_vector(7, 1, 2, f64(), &t));
		assert_refused(pimtype_copy(got, (struct pimtype_part){ 0, 1, t },
					    mem, (struct pimtype_part){ 8, 1, t }),
			       EINVAL, "PIMDIMM_LAYOUTS");
		pimtype_free(t);
	}
	unsetenv("PIMDIMM_LAYOUTS");
}

static void nest_of(struct pt_nest *nest, uint64_t len, bool packed_to)
{
	const int64_t packed[] = { (int64_t)len, (int64_t)(5 * len) };
	const int64_t apart[] = { (int64_t)len + 3, 5 * (int64_t)(len + 3) + 11 };

	*nest = (struct pt_nest){ .len = len, .n = { 5, 3 } };
	for (unsigned int i = 0; i < 2; i++) {
		nest->to[i] = packed_to ? packed[i] : apart[i];
		nest->from[i] = packed_to ? apart[i] : packed[i];
	}
}

/* every length, whatever the tier does with it, from and to odd addresses */
static void strided_tier(int isa)
{
	const struct pt_strided *s = pt_isa_strided((enum pd_isa)isa);

	for (uint64_t len = 1; len < 200; len++) {
		static const int64_t offs[] = { 401, 0, 800, 1203, 3000, 2201 };
		struct pt_nest nest;

		nest_of(&nest, len, len % 2);
		memset(got, 0, ROOM);
		memset(want, 0, ROOM);
		for (unsigned int i = 0; i < 15; i++)
			memcpy(want + 1 + i / 5 * nest.to[1] + i % 5 * nest.to[0],
			       mem + 3 + i / 5 * nest.from[1] +
				       i % 5 * nest.from[0], len);
		s->copy(got + 1, mem + 3, &nest);
		assert_tier_memory(isa, got, want, ROOM, len, 0, 0);
		memset(want, 0, ROOM);
		memset(got, 0, ROOM);
		for (unsigned int i = 0; i < 6; i++)
			memcpy(want + 5 + i * len, mem + offs[i], len);
		s->gather(got + 5, mem, offs, 0, 6, len);
		assert_tier_memory(isa, got, want, ROOM, len, 1, 0);
		s->scatter(stream, got + 5, offs, 0, 6, len);
		for (unsigned int i = 0; i < 6; i++)
			assert_memory_equal(stream + offs[i], mem + offs[i], len);
		memset(want, 0, ROOM);
		memset(got, 0, ROOM);
		for (unsigned int i = 0; i < 3; i++)
			memcpy(want + 2 * offs[2 * i], mem + 2 * offs[2 * i + 1],
			       len);
		s->pairs(got, mem, offs, 1, 3, len);
		assert_tier_memory(isa, got, want, ROOM, len, 2, 0);
	}
}

static void strided_tiers(void **state)
{
	(void)state;
	rng_fill(&rng, mem, ROOM);
	each_tier(strided_tier);
}

static void lanes_tier(int isa)
{
	const struct pt_strided *s = pt_isa_strided((enum pd_isa)isa);

	for (unsigned int n = 0; n < 40; n++) {
		uint8_t which[8];

		for (unsigned int l = 0; l < 8; l++)
			which[l] = (uint8_t)rng_below(&rng, 12);
		rng_fill(&rng, got, 8 * 40);
		memcpy(want, got, 8 * 40);
		for (unsigned int i = 0; i < 8 * n; i++) {
			if (which[i % 8] < 8)
				want[i] = mem[i / 8 * 8 + which[i % 8]];
		}
		s->lanes(got, mem, which, n);
		assert_tier_memory(isa, got, want, 8 * 40, n, 0, 0);
	}
}

static void lanes_tiers(void **state)
{
	(void)state;
	each_tier(lanes_tier);
}

static int setup(void **state)
{
	(void)state;
	mem = need(calloc(1, ROOM + 64));
	want = need(calloc(1, ROOM + 64));
	stream = need(calloc(1, ROOM + 64));
	got = need(calloc(1, ROOM + 64));
	places = need(calloc(ROOM + 64, sizeof(*places)));
	other_places = need(calloc(ROOM + 64, sizeof(*places)));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(mem);
	free(want);
	free(stream);
	free(got);
	free(places);
	free(other_places);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_types),
		cmocka_unit_test(normal_forms),
		cmocka_unit_test(freed_types_live_on),
		cmocka_unit_test(too_large),
		cmocka_unit_test(too_deep),
		cmocka_unit_test(refused),
		cmocka_unit_test(what_does_not_agree),
		cmocka_unit_test(layouts_are_kept),
		cmocka_unit_test(strided_tiers),
		cmocka_unit_test(lanes_tiers),
	};

	unit_start();
	return cmocka_run_group_tests(tests, setup, teardown);
}
