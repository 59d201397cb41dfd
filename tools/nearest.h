/* SPDX-License-Identifier: MIT */
/* Of some words the one that was meant by another. */
#ifndef PIMDIMM_NEAREST_H
#define PIMDIMM_NEAREST_H

#include "tools/tool.h"

/* Begin with `given` alone, and offer the words one by one. */
struct nearest {
	const char *given;
	size_t distance;
	char word[64];		/* the nearest so far; empty: none is near */
};

void nearest_offer(struct nearest *nearest, const char *word);
/* The nearest, NULL where none was near; in *nearest. */
const char *nearest_found(const struct nearest *nearest);

/* The same of all words of a list; static. */
const char *nearest_word(const char *given, tool_word_fn *word);

/* "a, b or c", to be freed; NULL without memory */
char *words_joined(tool_word_fn *word);

#endif /* PIMDIMM_NEAREST_H */
