// SPDX-License-Identifier: MIT
/* Which word was meant: edit distances, and when they are small enough. */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/base/nearest.h"

/* Words with more letters are near to nothing. */
#define MAX_LETTERS 63

/* What typing may have done to a word: a letter more, less or other, or two swapped. */
#define LETTER	3
#define SWAP	2

static size_t nearest_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool nearest_same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* The least that makes b of a: row by row, of which the last three are kept. */
static size_t distance(const char *a, const char *b)
{
	size_t rows[3][MAX_LETTERS + 1], length = strlen(b);
	size_t *before = rows[0], *last = rows[1], *now = rows[2], *spare;

	for (size_t j = 0; j <= length; j++)
		last[j] = j * LETTER;
	for (size_t i = 1; a[i - 1]; i++) {
		now[0] = i * LETTER;
		for (size_t j = 1; j <= length; j++) {
			now[j] = last[j - 1];
			if (!nearest_same(a[i - 1], b[j - 1]))
				now[j] = LETTER +
					 nearest_least(last[j - 1],
						       nearest_least(last[j], now[j - 1]));
			if (i > 1 && j > 1 && nearest_same(a[i - 1], b[j - 2]) &&
			    nearest_same(a[i - 2], b[j - 1]))
				now[j] = nearest_least(now[j], before[j - 2] + SWAP);
		}
		spare = before;
		before = last;
		last = now;
		now = spare;
	}
	return last[length];
}

/* A third of the letters may be wrong, and always one. */
void pd_nearest_offer(struct pd_nearest *nearest, const char *word)
{
	size_t given = strlen(nearest->given), length = strlen(word);
	size_t longer = given > length ? given : length;
	size_t allowed = (longer < 6 ? 1 : longer / 3) * LETTER, wrong;

	if (!given || longer > MAX_LETTERS)
		return;
	wrong = distance(nearest->given, word);
	/* who has begun a word meant it, however long it is */
	if (given > 1 && given < length &&
	    !strncasecmp(nearest->given, word, given))
		wrong = LETTER;
	if (wrong > allowed || longer == 1 ||
	    (*nearest->word && wrong >= nearest->distance))
		return;
	nearest->distance = wrong;
	strcpy(nearest->word, word);
}

const char *pd_nearest_found(const struct pd_nearest *nearest)
{
	return *nearest->word ? nearest->word : NULL;
}
