// SPDX-License-Identifier: MIT
/*
 * A radix sort from the lowest digit up, of which passes over bits that are zero in all
 * words are left out. Each thread moves a part of the words; parts keep their order, so
 * that the result does not depend on how many there are.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tools/apps/common/graph/graph_sort.h"
#include "tools/apps/common/parallel.h"

#define DIGIT_BITS 11
#define NR_DIGITS (1u << DIGIT_BITS)

struct sort {
	uint64_t *from, *to;
	uint64_t count;
	unsigned int shift;
	/* of each part and digit: how many, then where the next one goes */
	uint64_t (*places)[NR_DIGITS];
};

static unsigned int sort_digit(const struct sort *sort, uint64_t word)
{
	return (unsigned int)(word >> sort->shift) & (NR_DIGITS - 1);
}

static void count_digits(unsigned int part, unsigned int parts, void *arg)
{
	struct sort *sort = arg;
	uint64_t *places = sort->places[part];
	uint64_t end = app_part_first(sort->count, part + 1, parts);

	for (unsigned int d = 0; d < NR_DIGITS; d++)
		places[d] = 0;
	for (uint64_t i = app_part_first(sort->count, part, parts); i < end; i++)
		places[sort_digit(sort, sort->from[i])]++;
}

static void place_digits(struct sort *sort, unsigned int parts)
{
	uint64_t sum = 0;

	for (unsigned int d = 0; d < NR_DIGITS; d++) {
		for (unsigned int part = 0; part < parts; part++) {
			uint64_t n = sort->places[part][d];

			sort->places[part][d] = sum;
			sum += n;
		}
	}
}

static void move_words(unsigned int part, unsigned int parts, void *arg)
{
	struct sort *sort = arg;
	uint64_t *places = sort->places[part];
	uint64_t end = app_part_first(sort->count, part + 1, parts);

	for (uint64_t i = app_part_first(sort->count, part, parts); i < end; i++)
		sort->to[places[sort_digit(sort, sort->from[i])]++] = sort->from[i];
}

static void sort_passes(struct sort *sort, unsigned int threads)
{
	uint64_t used = 0, *swap;

	for (uint64_t i = 0; i < sort->count; i++)
		used |= sort->from[i];
	for (unsigned int shift = 0; shift < 64; shift += DIGIT_BITS) {
		/* a run of zeros is skipped bit by bit, to begin digits at what counts */
		while (shift < 64 && !(used >> shift & 1))
			shift++;
		if (shift >= 64)
			break;
		sort->shift = shift;
		app_parallel(threads, count_digits, sort);
		place_digits(sort, threads);
		app_parallel(threads, move_words, sort);
		swap = sort->from;
		sort->from = sort->to;
		sort->to = swap;
	}
}

int graph_sort_words(uint64_t **words, uint64_t count, unsigned int threads)
{
	struct sort sort = { .from = *words, .count = count };
	bool made;

	if (!count)
		return 0;
	sort.to = reallocarray(NULL, count, sizeof(*sort.to));
	sort.places = calloc(threads, sizeof(*sort.places));
	made = sort.to && sort.places;
	if (made)
		sort_passes(&sort, threads);
	free(sort.to);
	free(sort.places);
	*words = sort.from;
	return made ? 0 : -ENOMEM;
}
