// SPDX-License-Identifier: MIT
/*
 * Datatypes of the MPI library that this is compiled for, as pimtype_from_mpi() gives them:
 * random ones beside what that library and a naive typemap say of sizes, bounds, packing,
 * and unpacking that goes on anywhere. TYPES_SEED= and TYPES_CASES= choose the cases.
 */
#include <pimdimm/mpi_types.h>

#include "tests/unit/collectives/random_types.h"

struct made {
	MPI_Datatype mpi;
	bool derived;
	bool astray;	/* this MPI library's bounds are not the standard's */
	bool mispacked;	/* by this MPI library: see mispacks() */
	struct map map;
	struct pimtype *type;
};

static struct rng rng;

/* the library's numbers are int */
struct ints {
	int count, lengths[RECIPE_BLOCKS], displs[RECIPE_BLOCKS];
	int sizes[RECIPE_DIMS], sub[RECIPE_DIMS], starts[RECIPE_DIMS];
	int how[RECIPE_DIMS], dargs[RECIPE_DIMS], places[RECIPE_DIMS];
	MPI_Aint bytes[RECIPE_BLOCKS];
	MPI_Datatype olds[RECIPE_BLOCKS];
	int order;
};

static int how_of(enum pimtype_distribution how)
{
	return how == PIMTYPE_DISTRIBUTE_BLOCK ? MPI_DISTRIBUTE_BLOCK :
	       how == PIMTYPE_DISTRIBUTE_CYCLIC ? MPI_DISTRIBUTE_CYCLIC :
						  MPI_DISTRIBUTE_NONE;
}

static void ints_of(struct ints *n, const struct recipe *r, const struct made pool[])
{
	n->count = (int)r->count;
	n->lengths[0] = (int)r->lengths[0];
	n->olds[0] = pool[r->olds[0]].mpi;
	n->order = r->fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C;
	for (uint64_t i = 0; i < r->count && r->of >= RECIPE_INDEXED; i++) {
		n->lengths[i] = (int)r->lengths[i];
		n->displs[i] = (int)r->displs[i];
		n->bytes[i] = r->displs[i];
		n->olds[i] = r->of == RECIPE_STRUCT ? pool[r->olds[i]].mpi : n->olds[0];
	}
	for (uint32_t i = 0; i < r->ndims; i++) {
		n->sizes[i] = (int)r->sizes[i];
		n->sub[i] = (int)r->sub[i];
		n->starts[i] = (int)r->starts[i];
		n->how[i] = how_of(r->how[i]);
		n->dargs[i] = r->dargs[i] ? (int)r->dargs[i] : MPI_DISTRIBUTE_DFLT_DARG;
		n->places[i] = (int)r->places[i];
	}
}

static MPI_Datatype mpi_of(const struct recipe *r, const struct made pool[])
{
	struct ints n;
	MPI_Datatype old = pool[r->olds[0]].mpi, new;

	ints_of(&n, r, pool);
	switch (r->of) {
	case RECIPE_CONTIGUOUS:
		MPI_Type_contiguous(n.lengths[0], old, &new);
		break;
	case RECIPE_VECTOR:
		MPI_Type_vector(n.count, n.lengths[0], (int)r->stride, old, &new);
		break;
	case RECIPE_HVECTOR:
		MPI_Type_create_hvector(n.count, n.lengths[0], r->stride, old, &new);
		break;
	case RECIPE_INDEXED:
		MPI_Type_indexed(n.count, n.lengths, n.displs, old, &new);
		break;
	case RECIPE_HINDEXED:
		MPI_Type_create_hindexed(n.count, n.lengths, n.bytes, old, &new);
		break;
	case RECIPE_INDEXED_BLOCK:
		MPI_Type_create_indexed_block(n.count, n.lengths[0], n.displs, old, &new);
		break;
	case RECIPE_HINDEXED_BLOCK:
		MPI_Type_create_hindexed_block(n.count, n.lengths[0], n.bytes, old, &new);
		break;
	case RECIPE_STRUCT:
		MPI_Type_create_struct(n.count, n.lengths, n.bytes, n.olds, &new);
		break;
	case RECIPE_SUBARRAY:
		MPI_Type_create_subarray((int)r->ndims, n.sizes, n.sub, n.starts, n.order,
					 old, &new);
		break;
	case RECIPE_DARRAY:
		MPI_Type_create_darray((int)r->size, (int)r->rank, (int)r->ndims, n.sizes,
				       n.how, n.dargs, n.places, n.order, old, &new);
		break;
	case RECIPE_RESIZED:
		MPI_Type_create_resized(old, r->lb, r->extent, &new);
		break;
	default:
		MPI_Type_dup(old, &new);
		break;
	}
	return new;
}

static uint8_t mem[ROOM], want[ROOM], before[ROOM], packed[ROOM + 8], got[ROOM + 8];
static int32_t places[ROOM];

static struct made named_of(MPI_Datatype mpi, unsigned int first, int64_t second_at,
			    unsigned int second)
{
	struct made m = { .mpi = mpi };

	map_begin(&m.map);
	m.map.elements[m.map.n++] = (struct map_element){ 0, (uint8_t)first };
	if (second_at)
		m.map.elements[m.map.n++] =
			(struct map_element){ second_at, (uint8_t)second };
	assert_ok(pimtype_from_mpi(mpi, &m.type));
	return m;
}

static struct made named(void)
{
	switch (rng_below(&rng, 14)) {
	case 0:
		return named_of(MPI_BYTE, PIMTYPE_BYTE, 0, 0);
	case 1:
		return named_of(MPI_SIGNED_CHAR, PIMTYPE_I8, 0, 0);
	case 2:
		return named_of(MPI_SHORT, PIMTYPE_I16, 0, 0);
	case 3:
		return named_of(MPI_UNSIGNED_SHORT, PIMTYPE_U16, 0, 0);
	case 4:
		return named_of(MPI_INT, PIMTYPE_I32, 0, 0);
	case 5:
		return named_of(MPI_UINT64_T, PIMTYPE_U64, 0, 0);
	case 6:
		return named_of(MPI_FLOAT, PIMTYPE_F32, 0, 0);
	case 7:
		return named_of(MPI_DOUBLE, PIMTYPE_F64, 0, 0);
	case 8:
		return named_of(MPI_LONG_DOUBLE, PIMTYPE_LONG_DOUBLE, 0, 0);
	case 9:
		return named_of(MPI_C_DOUBLE_COMPLEX, PIMTYPE_COMPLEX_F64, 0, 0);
	case 10:
		return named_of(MPI_SHORT_INT, PIMTYPE_I16, 4, PIMTYPE_I32);
	case 11:
		return named_of(MPI_FLOAT_INT, PIMTYPE_F32, 4, PIMTYPE_I32);
	case 12:
		return named_of(MPI_DOUBLE_INT, PIMTYPE_F64, 8, PIMTYPE_I32);
	default:
		return named_of(MPI_LONG_DOUBLE_INT, PIMTYPE_LONG_DOUBLE,
				sizeof(long double), PIMTYPE_I32);
	}
}

static void made_free(struct made *m)
{
	if (m->derived)
		MPI_Type_free(&m->mpi);
	pimtype_free(m->type);
	map_end(&m->map);
}

/* What an MPI library says of a type, beside the library's and the typemap's words. */
static void check_sizes(const struct made *m)
{
	struct pimtype_info info;
	int size;

	assert_ok(pimtype_info(m->type, &info));
	assert_int_equal(MPI_Type_size(m->mpi, &size), MPI_SUCCESS);
	assert_int_equal(info.size, size);
	assert_int_equal(info.size, map_size(&m->map));
	assert_int_equal(info.elements, m->map.n);
	assert_int_equal(info.alignment, map_align(&m->map));
	assert_int_equal(info.true_lb, map_true_lb(&m->map));
	assert_int_equal(info.true_extent, map_true_ub(&m->map) - map_true_lb(&m->map));
}

/* does this MPI library tell the standard's bounds of a type, and its true bounds? */
static bool agrees(const struct made *m)
{
	MPI_Aint lb, extent, true_lb, true_extent;

	assert_int_equal(MPI_Type_get_extent(m->mpi, &lb, &extent), MPI_SUCCESS);
	assert_int_equal(MPI_Type_get_true_extent(m->mpi, &true_lb, &true_extent),
			 MPI_SUCCESS);
	return lb == map_lb(&m->map) && extent == map_extent(&m->map) &&
	       true_lb == map_true_lb(&m->map) &&
	       true_extent == map_true_ub(&m->map) - map_true_lb(&m->map);
}

/*
 * MPI libraries have bounds of their own where there is no data, for structures whose members
 * have bounds that were set, and in what is made of such types.
 */
static bool may_depart(const struct recipe *r, const struct made *m,
		       const struct made pool[])
{
	for (uint64_t i = 0; i < (r->of == RECIPE_STRUCT ? r->count : 1); i++) {
		const struct made *old = &pool[r->olds[i]];

		if (r->of == RECIPE_STRUCT && !r->lengths[i])
			continue;
		if (old->astray || !old->map.n ||
		    (r->of == RECIPE_STRUCT && old->map.marked))
			return true;
	}
	return !m->map.n;
}

/*
 * Nor do they agree in how extents are rounded where places are in bytes, and MPICH has more
 * than the data in the true bounds of what is dealt out of an array.
 */
static void check_departure(const struct recipe *r, const struct made *m)
{
	int64_t data = map_true_ub(&m->map) - map_true_lb(&m->map);
	int64_t align = (int64_t)map_align(&m->map);
	MPI_Aint lb, extent, true_lb, true_extent;

	MPI_Type_get_extent(m->mpi, &lb, &extent);
	MPI_Type_get_true_extent(m->mpi, &true_lb, &true_extent);
	assert_int_equal(lb, map_lb(&m->map));
	if (r->of == RECIPE_DARRAY) {
		assert_int_equal(extent, map_extent(&m->map));
		assert_true(true_lb <= map_true_lb(&m->map) &&
			    true_lb + true_extent >= map_true_ub(&m->map));
		return;
	}
	assert_int_equal(true_lb, map_true_lb(&m->map));
	assert_int_equal(true_extent, data);
	assert_true(r->of == RECIPE_HVECTOR || r->of == RECIPE_HINDEXED ||
		    r->of == RECIPE_HINDEXED_BLOCK || r->of == RECIPE_STRUCT);
	assert_false(m->map.marked);
	assert_in_range(extent, data, data + 16 * align);
}

/* x87's long double has bytes without a meaning, which MPI libraries may leave behind. */
static bool meant(uint8_t which, unsigned int byte)
{
	bool x87 = which == PIMTYPE_LONG_DOUBLE || which == PIMTYPE_COMPLEX_LONG_DOUBLE;

	return !x87 || LDBL_MANT_DIG != 64 || byte % sizeof(long double) < 10;
}

/*
 * Open MPI 5.0.7 packs some irregular types wrongly, of elements of 16 bytes among others, as
 * MPICH and the model say: there it is counted, and must be rare.
 */
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
#define MISPACKS_SOME	1
#else
#define MISPACKS_SOME	0
#endif
static uint64_t nr_mispacked;

/* our bytes at these places, or in a row, beside MPI's */
static void check_meant(const struct made *m, uint64_t n, const uint8_t ours[],
			const uint8_t theirs[], const int32_t at[])
{
	for (uint64_t i = 0, k = 0; i < n; k++) {
		uint8_t which = m->map.elements[k % m->map.n].which;

		for (unsigned int b = 0; b < map_sizes[which]; b++, i++) {
			uint64_t byte = at ? (uint64_t)at[i] : i;

			if (!meant(which, b) || ours[byte] == theirs[byte])
				continue;
			if (!MISPACKS_SOME)
				fail_msg("byte %llu of the stream is not MPI's",
					 (unsigned long long)i);
			nr_mispacked++;
			return;
		}
	}
}

static void check_mpi_pack(const struct made *m, struct pimtype_part part, uint64_t n)
{
	int end = 0;

	assert_int_equal(MPI_Pack(mem + part.offset, (int)part.count, m->mpi, packed,
				  (int)sizeof(packed), &end, MPI_COMM_SELF), MPI_SUCCESS);
	assert_int_equal(end, n);
	check_meant(m, n, got, packed, NULL);
}

/* before has what was there before the library unpacked */
static void check_mpi_unpack(const struct made *m, struct pimtype_part part, uint64_t n)
{
	int end = 0;

	memcpy(want, before, ROOM);
	assert_int_equal(MPI_Unpack(packed, (int)n, &end, want + part.offset,
				    (int)part.count, m->mpi, MPI_COMM_SELF), MPI_SUCCESS);
	assert_int_equal(end, n);
	check_meant(m, n, mem, want, places);
}

static void check_pack(const struct made *m, struct pimtype_part part, uint64_t n)
{
	uint64_t at = 0;
	size_t bytes;

	memset(got, 0xa5, n + 8);
	do {
		bytes = some_bytes(&rng, n);
		assert_ok(pimtype_pack(mem, part, at, got + at, &bytes));
		at += bytes;
	} while (bytes);
	assert_int_equal(at, n);
	assert_int_equal(got[n], 0xa5);
	for (uint64_t i = 0; i < n; i++) {
		if (got[i] != mem[places[i]])
			fail_msg("byte %llu of the stream", (unsigned long long)i);
	}
	if (!m->mispacked)
		check_mpi_pack(m, part, n);
}

/* in steps of any length what MPI unpacks in one go */
static void check_unpack(const struct made *m, struct pimtype_part part, uint64_t n,
			 bool twice)
{
	size_t bytes;

	if (twice) {
		assert_refused(pimtype_unpack(mem, part, 0, packed, 0), EINVAL,
			       "more than once");
		return;
	}
	rng_fill(&rng, packed, n);
	memcpy(before, mem, ROOM);
	for (uint64_t at = 0; at < n; at += bytes) {
		bytes = some_bytes(&rng, n);
		bytes = bytes < n - at ? bytes : n - at;
		assert_ok(pimtype_unpack(mem, part, at, packed + at, bytes));
	}
	if (!m->mispacked)
		check_mpi_unpack(m, part, n);
	for (uint64_t i = 0; i < n; i++)
		before[places[i]] = packed[i];
	assert_memory_equal(mem, before, ROOM);
}

static void check_bytes(struct made *m)
{
	struct pimtype_part part;
	bool twice;
	uint64_t n;

	if (!random_part(&rng, &m->map, m->type, &part))
		return;
	assert_int_equal(MPI_Type_commit(&m->mpi), MPI_SUCCESS);
	n = places_of(&m->map, &part, places, &twice);
	check_pack(m, part, n);
	check_unpack(m, part, n, twice);
}

/* the same elements in the same order have the same signature, wherever they lie */
static void check_signature(const struct made *m)
{
	static const struct pimtype *olds[MAP_MOST];
	static uint64_t lengths[MAP_MOST];
	static int64_t displs[MAP_MOST];
	struct pimtype_info a, b;
	struct pimtype *flat;

	for (size_t i = 0; i < m->map.n; i++) {
		olds[i] = pimtype_basic((enum pimtype_basic)m->map.elements[i].which);
		lengths[i] = 1;
		displs[i] = m->map.elements[i].disp;
	}
	assert_ok(pimtype_struct(m->map.n, lengths, displs, olds, &flat));
	assert_ok(pimtype_info(m->type, &a));
	assert_ok(pimtype_info(flat, &b));
	assert_int_equal(a.signature, b.signature);
	pimtype_free(flat);
}

/* by our constructors, from what the converter has made of the old ones */
static void check_bounds(const struct recipe *r, const struct made *m,
			 const struct made pool[])
{
	const struct pimtype *types[POOL];
	struct pimtype_info info;
	struct pimtype *direct;

	for (unsigned int i = 0; i < POOL; i++)
		types[i] = pool[i].type;
	assert_ok(recipe_make(r, types, &direct));
	assert_ok(pimtype_info(direct, &info));
	assert_int_equal(info.lb, map_lb(&m->map));
	assert_int_equal(info.extent, map_extent(&m->map));
	pimtype_free(direct);
}

/*
 * Open MPI takes blocks that begin a byte before the one before for ones in a row, and refuses
 * to deal out what has no data.
 */
static bool usable(const struct recipe *r, const struct made pool[])
{
	if (r->of == RECIPE_DARRAY && !pool[r->olds[0]].map.n)
		return false;
	if (r->of == RECIPE_VECTOR)
		return r->stride * map_extent(&pool[r->olds[0]].map) != -1;
	return r->of != RECIPE_HVECTOR || r->stride != -1;
}

/*
 * MPI libraries fail in MPI_Pack() of what is made of types without data, and MPICH takes
 * repetitions of blocks with a negative extent from wrong places.
 */
static bool mispacks(const struct made *old)
{
#ifdef MPICH_VERSION
	if (map_extent(&old->map) < 0)
		return true;
#endif
	return !old->map.n;
}

/* is it made of what is packed wrongly, and of what this MPI library has its own bounds of? */
static bool inherits(const struct recipe *r, const struct made pool[], bool *astray)
{
	bool mispacked = false;

	*astray = false;
	for (uint64_t i = 0; i < (r->of == RECIPE_STRUCT ? r->count : 1); i++) {
		const struct made *old = &pool[r->olds[i]];

		*astray |= old->astray;
		mispacked |= old->mispacked || mispacks(old);
	}
	return mispacked;
}

/* false: it would have too many elements to be worth it */
static bool make_any(struct made *m, const struct made pool[], uint64_t *departed)
{
	struct recipe r = { .stride = 0 };
	const struct map *maps[POOL];
	struct pimtype_info info;
	MPI_Aint lb, extent;
	bool agreed;

	for (unsigned int i = 0; i < POOL; i++)
		maps[i] = &pool[i].map;
	do
		recipe_draw(&rng, &r, maps, POOL);
	while (!usable(&r, pool));
	map_begin(&m->map);
	if (!recipe_map(&r, maps, &m->map)) {
		map_end(&m->map);
		return false;
	}
	m->mpi = mpi_of(&r, pool);
	m->derived = true;
	assert_ok(pimtype_from_mpi(m->mpi, &m->type));
	check_bounds(&r, m, pool);
	check_sizes(m);
	assert_int_equal(MPI_Type_get_extent(m->mpi, &lb, &extent), MPI_SUCCESS);
	m->mispacked = inherits(&r, pool, &m->astray);
	agreed = agrees(m);
	m->astray |= !agreed;
	if (!agreed && !may_depart(&r, m, pool))
		check_departure(&r, m);
	*departed += !agreed;
	/* what is made of it goes on from what this library says */
	if (lb != map_lb(&m->map) || extent != map_extent(&m->map))
		map_mark(&m->map, lb, extent);
	assert_ok(pimtype_info(m->type, &info));
	assert_int_equal(info.lb, lb);
	assert_int_equal(info.extent, extent);
	return true;
}

static void random_types(void **state)
{
	struct made pool[POOL];
	uint64_t seed = number_of("TYPES_SEED", 17), departed = 0, large = 0, n;
	const uint64_t cases = number_of("TYPES_CASES", 10000);

	(void)state;
	n = cases;
	print_message("# TYPES_SEED=%llu TYPES_CASES=%llu\n", (unsigned long long)seed,
		      (unsigned long long)n);
	rng = (struct rng){ seed };
	rng_fill(&rng, mem, ROOM);
	for (unsigned int i = 0; i < POOL; i++)
		pool[i] = named();
	while (n) {
		struct made new = { .type = NULL }, *slot = &pool[rng_below(&rng, POOL)];

		if (!make_any(&new, pool, &departed)) {
			new = named();
			large++;
		} else {
			n--;
			check_signature(&new);
			check_bytes(&new);
		}
		/* small ones are worth more */
		if (new.map.n > 300 || rng_chance(&rng, new.map.n ? 10 : 70)) {
			made_free(&new);
			new = named();
		}
		made_free(slot);
		*slot = new;
	}
	print_message("# %llu have bounds of this MPI library's own, %llu were too large\n",
		      (unsigned long long)departed, (unsigned long long)large);
	if (nr_mispacked)
		print_message("# %llu are packed wrongly by this MPI library\n",
			      (unsigned long long)nr_mispacked);
	assert_true(nr_mispacked <= cases / 20);
	for (unsigned int i = 0; i < POOL; i++)
		made_free(&pool[i]);
}

static int begin(void **state)
{
	(void)state;
	return MPI_Init(NULL, NULL);
}

static int end(void **state)
{
	(void)state;
	return MPI_Finalize();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_types),
	};

	unit_start();
	return cmocka_run_group_tests(tests, begin, end);
}
