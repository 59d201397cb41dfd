/* SPDX-License-Identifier: MIT */
/* Of some words the one that was meant by another. */
#ifndef PD_NEAREST_H
#define PD_NEAREST_H

#include <stddef.h>

/* Begin with `given` alone, and offer the words one by one. */
struct pd_nearest {
	const char *given;
	size_t distance;
	char word[64];		/* the nearest so far; empty: none is near */
};

void pd_nearest_offer(struct pd_nearest *nearest, const char *word);
/* The nearest, NULL where none was near; in *nearest. */
const char *pd_nearest_found(const struct pd_nearest *nearest);

#endif /* PD_NEAREST_H */
