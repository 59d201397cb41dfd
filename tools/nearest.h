/* SPDX-License-Identifier: MIT */
/* Lists of words, and of their words the one that was meant by another. */
#ifndef PIMDIMM_NEAREST_H
#define PIMDIMM_NEAREST_H

#include <stddef.h>

/* Some words by number, from 0 on; NULL after the last. */
typedef const char *tool_word_fn(size_t at);

/* The nearest of all words of a list, or NULL; static. */
const char *nearest_word(const char *given, tool_word_fn *word);

/* "a, b or c", to be freed; NULL without memory */
char *words_joined(tool_word_fn *word);

#endif /* PIMDIMM_NEAREST_H */
