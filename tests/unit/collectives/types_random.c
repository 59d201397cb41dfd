// SPDX-License-Identifier: MIT
/*
 * Datatypes: random ones beside a naive typemap, in bounds, pieces, packing that stops
 * and goes on anywhere, copies. TYPES_SEED= and TYPES_CASES= choose the cases.
 */
#include "tests/unit/collectives/random_types.h"

#define NR_BASICS 18u

struct made {
	struct pimtype *type;	/* NULL: basic */
	const struct pimtype *use;
	struct map map;
};

static struct rng rng;
static uint8_t mem[ROOM], want[ROOM], stream[ROOM], got[ROOM + 64];

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

/* false: it would have too many elements to be worth it */
static bool make_any(struct made *new, const struct made pool[])
{
	struct recipe recipe = { .stride = 0 };
	const struct pimtype *types[POOL];
	const struct map *maps[POOL];

	for (unsigned int i = 0; i < POOL; i++) {
		types[i] = pool[i].use;
		maps[i] = &pool[i].map;
	}
	recipe_draw(&rng, &recipe, maps, POOL);
	if (!recipe_map(&recipe, maps, &new->map))
		return false;
	assert_ok(recipe_make(&recipe, types, &new->type));
	return true;
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

static void check_pack(struct pimtype_part part, const int32_t places[], uint64_t n)
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
		bytes = some_bytes(&rng, n);
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
		assert_true(map_add_block(&new->map, &one.map, displs[i], lengths[i]));
		made_free(&one);
	}
	free(lengths);
	free(displs);
	free(olds);
}

static int32_t places[ROOM], other_places[ROOM];

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

	if (!random_part(&rng, &m->map, m->use, &part))
		return;
	n = places_of(&m->map, &part, places, &twice);
	check_pieces(part, places, n);
	check_pack(part, places, n);
	check_unpack(part, places, n, twice);
	if (n && n + 9 * m->map.n * part.count + 64 <= ROOM)
		check_copy(m, part, n, twice);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CASES	5000
#else
#define CASES	100000
#endif

static void random_types(void **state)
{
	struct made pool[POOL];
	uint64_t seed = number_of("TYPES_SEED", 17), tried = 0, odd = 0;

	(void)state;
	printf("# TYPES_SEED=%llu\n", (unsigned long long)seed);
	rng = (struct rng){ seed };
	rng_fill(&rng, mem, ROOM);
	rng_fill(&rng, stream, ROOM);
	for (unsigned int i = 0; i < POOL; i++)
		pool[i] = basic_of((unsigned int)rng_below(&rng, NR_BASICS));
	for (uint64_t cases = number_of("TYPES_CASES", CASES); cases; tried++) {
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_types),
	};

	unit_start();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
