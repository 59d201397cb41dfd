// SPDX-License-Identifier: MIT
/*
 * Layouts of random types as words and back, and copies between two of them in pieces of
 * any length, beside pimtype_copy(). TYPES_SEED= and TYPES_CASES= choose the cases.
 */
#include "collectives/types/apart.h"
#include "collectives/types/layouts.h"
#include "collectives/types/merge.h"
#include "collectives/types/shared/ranges.h"
#include "collectives/types/type.h"
#include "collectives/types/shared/words.h"
#include "tests/unit/collectives/random_types.h"

#define WORDS	65536u
#define LEVELS	30u

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CASES	2000
#else
#define CASES	20000
#endif

static struct rng rng;
static int64_t words[WORDS];

static struct pimtype *random_type(unsigned int depth)
{
	const struct map *maps[POOL];
	const struct pimtype *olds[POOL];
	struct pimtype *made[POOL] = { 0 }, *type;
	struct recipe recipe = { .stride = 0 };
	struct map map[POOL], of;
	bool fits;

	for (unsigned int i = 0; i < POOL; i++) {
		uint8_t which = (uint8_t)rng_below(&rng, 8);

		map_begin(&map[i]);
		map[i].elements[map[i].n++] = (struct map_element){ 0, which };
		olds[i] = pimtype_basic(which);
		maps[i] = &map[i];
	}
	map_begin(&of);
	recipe_draw(&rng, &recipe, maps, POOL);
	fits = recipe_map(&recipe, maps, &of);
	for (unsigned int i = 0; i < POOL && fits && depth; i++) {
		made[i] = random_type(depth - 1);
		olds[i] = made[i] ? made[i] : olds[i];
	}
	type = NULL;
	if (fits && recipe_make(&recipe, olds, &type))
		type = NULL;
	map_end(&of);
	for (unsigned int i = 0; i < POOL; i++) {
		map_end(&map[i]);
		pimtype_free(made[i]);
	}
	return type;
}

static bool part_of(const struct pimtype *type, struct pimtype_part *part, struct pt_whole *whole)
{
	*part = (struct pimtype_part){ 0, 1 + rng_below(&rng, 3), type };
	if (pt_whole_of(whole, part, "part") || !whole->size || whole->size > 1 << 18 ||
	    whole->hi - whole->lo > 1 << 22)
		return false;
	part->offset = -whole->lo;
	return !pt_whole_of(whole, part, "part");
}

/* the same pieces of the stream, so that the words say all */
static void check_wire(const struct pt_whole *whole)
{
	size_t nr = pt_encode(whole->node, words, WORDS);
	struct pt_layout layout;
	struct pt_whole again = *whole;
	struct pt_node *merged, *merged_again;

	if (!nr)
		return;
	assert_int_equal(pt_encode(whole->node, words, nr - 1), 0);
	assert_int_equal(pt_encode(whole->node, words, nr), nr);
	assert_int_equal(pt_decode(words, nr, &layout), 0);
	assert_true(layout.node->lo == whole->node->lo && layout.node->hi == whole->node->hi);
	assert_int_equal(layout.node->size, whole->size);
	again.node = layout.node;
	assert_int_equal(pt_merge(whole, &again, &merged), 0);
	assert_int_equal(pt_merge(whole, whole, &merged_again), 0);
	assert_true(!merged == !merged_again);
	pt_put(merged);
	pt_put(merged_again);
	/* half of them is none, and neither is more */
	pt_put(layout.node);
	assert_int_equal(pt_decode(words, nr - 1, &layout), -EBADMSG);
	words[nr] = 1;
	assert_int_equal(pt_decode(words, nr + 1, &layout), -EBADMSG);
}

/* whatever the words are, what comes of them keeps to its bounds */
static void check_forged(size_t nr)
{
	struct pt_layout layout;

	if (!nr)
		return;
	for (unsigned int i = 0; i < 4; i++) {
		int64_t *word = &words[rng_below(&rng, nr)];

		*word = rng_chance(&rng, 50) ? (int64_t)rng_next(&rng) :
					       (int64_t)rng_below(&rng, 9) - 3;
		if (!pt_decode(words, nr, &layout)) {
			assert_true(layout.node->lo <= 0 && layout.node->hi > 0);
			assert_true(layout.node->size <= INT64_MAX);
			pt_put(layout.node);
		}
	}
}

static void check_ranges(const struct pimtype_part *to, const struct pt_whole *whole_to,
			 const struct pimtype_part *from, const struct pt_whole *whole_from)
{
	uint8_t *dst = calloc(1, (size_t)whole_to->hi), *want = calloc(1, (size_t)whole_to->hi);
	uint8_t *src = malloc((size_t)whole_from->hi);
	struct pt_cursor cursor = { 0 };
	struct pt_node *merged = NULL;
	struct pt_pair pair = { whole_to, whole_from, NULL, dst, src };

	rng_fill(&rng, src, (size_t)whole_from->hi);
	if (whole_to->size == whole_from->size && rng_chance(&rng, 80))
		assert_ok(pt_layouts_find_sides(pt_side_of(to), whole_to, pt_side_of(from),
						whole_from, &merged));
	pair.merged = merged;
	assert_ok(pimtype_copy(want, *to, src, *from));
	for (uint64_t at = 0, n; at < whole_from->size; at += n) {
		uint64_t most = rng_chance(&rng, 50) ? 40 : whole_from->size;

		n = 1 + rng_below(&rng, most);
		if (n > whole_from->size - at)
			n = whole_from->size - at;
		pt_copy_range(&pair, at, n, rng_chance(&rng, 70) ? &cursor : NULL);
	}
	assert_memory_equal(dst, want, (size_t)whole_to->hi);
	pt_put(merged);
	free(dst);
	free(want);
	free(src);
}

/* of bytes alone, so that any two agree */
static struct pimtype *of_bytes(const struct pt_whole *whole)
{
	uint64_t n = 0, lengths[256];
	int64_t places[256], at = 0;
	struct pimtype *type;

	for (uint64_t left = whole->size; left; n++) {
		uint64_t len = n == 255 ? left : 1 + rng_below(&rng, left / 4 + 9);

		lengths[n] = len < left ? len : left;
		places[n] = at;
		at += (int64_t)(lengths[n] + rng_below(&rng, 20));
		left -= lengths[n];
	}
	assert_ok(pimtype_hindexed(n, lengths, places, pimtype_basic(PIMTYPE_PACKED), &type));
	return type;
}

static void random_ranges(void **state)
{
	const uint64_t seed = number_of("TYPES_SEED", 1), cases = number_of("TYPES_CASES", CASES);
	uint64_t copied = 0;

	(void)state;
	print_message("# TYPES_SEED=%llu\n", (unsigned long long)seed);
	for (uint64_t i = 0; i < cases; i++) {
		struct pimtype_part part, other = { .count = 1 };
		struct pimtype *type, *partner;
		struct pt_whole whole, whole_other;

		rng = rng_of(seed, i);
		type = random_type((unsigned int)rng_below(&rng, 3));
		if (type && part_of(type, &part, &whole)) {
			check_wire(&whole);
			check_forged(pt_encode(whole.node, words, WORDS));
			partner = of_bytes(&whole);
			other.type = partner;
			assert_ok(pt_whole_of(&whole_other, &other, "other"));
			check_ranges(&other, &whole_other, &part, &whole);
			if (!pt_check_apart(&whole, "part"))
				check_ranges(&part, &whole, &other, &whole_other);
			pimtype_free(partner);
			copied++;
		}
		pimtype_free(type);
	}
	assert_true(copied > cases / 10);
}

/* a tree of few nodes, each with several users, that would be more words than there are */
static void endless(void **state)
{
	struct pimtype *type[LEVELS];
	struct pt_whole whole;

	(void)state;
	assert_ok(pimtype_vector(3, 1, 2, pimtype_basic(PIMTYPE_BYTE), &type[0]));
	for (unsigned int i = 1; i < LEVELS; i++) {
		const struct pimtype *olds[] = { type[i - 1], type[i - 1], type[i - 1] };
		const int64_t places[] = { 0, (int64_t)8 << i, (int64_t)40 << i };

		assert_ok(pimtype_struct(3, (const uint64_t[]){ 1, 1, 1 }, places, olds, &type[i]));
	}
	assert_ok(pt_whole_of(&whole, &(struct pimtype_part){ 0, 1, type[LEVELS - 1] }, "part"));
	assert_int_equal(pt_encode(whole.node, words, WORDS), 0);
	for (unsigned int i = 0; i < LEVELS; i++)
		pimtype_free(type[i]);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(random_ranges),
	cmocka_unit_test(endless),
};

UNIT_MAIN(tests)
