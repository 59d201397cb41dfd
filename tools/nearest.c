// SPDX-License-Identifier: MIT
/* Lists of words: the one of them that was meant by another, and all in a sentence. */
#include <stdio.h>
#include <stdlib.h>

#include "tools/inside.h"
#include "tools/nearest.h"

const char *nearest_word(const char *given, tool_word_fn *word)
{
	static struct pd_nearest nearest;

	nearest = (struct pd_nearest){ .given = given };
	for (size_t i = 0; word(i); i++)
		pd_nearest_offer(&nearest, word(i));
	return pd_nearest_found(&nearest);
}

char *words_joined(tool_word_fn *word)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; word(i); i++) {
		if (i)
			fputs(word(i + 1) ? ", " : " or ", out);
		fputs(word(i), out);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
