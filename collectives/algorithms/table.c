// SPDX-License-Identifier: MIT
/* The table of algorithms, and finding one in it. */
#include <string.h>

#include "collectives/algorithms/table.h"

#define ADDRESS(name)	&name,
static const struct pc_algorithm *const table[] = { PC_ALGORITHMS(ADDRESS) };

#define COUNT	(sizeof(table) / sizeof(*table))

const struct pc_algorithm *const *pc_algorithms(size_t *count)
{
	*count = COUNT;
	return table;
}

/* each collective's first one, found once: every call asks for it */
static const struct pc_algorithm *firsts[PC_NR_COLLECTIVES];

__attribute__((constructor))
static void find_first_algorithms(void)
{
	for (size_t i = COUNT; i--;)
		firsts[table[i]->collective] = table[i];
}

const struct pc_algorithm *pc_algorithm_auto(enum pc_collective id)
{
	return firsts[id];
}

const struct pc_algorithm *pc_algorithm_find(enum pc_collective id,
					     const char *name, bool *known)
{
	const struct pc_algorithm *found = NULL;

	*known = false;
	for (size_t i = 0; i < COUNT; i++) {
		if (strcmp(table[i]->name, name))
			continue;
		*known = true;
		if (table[i]->collective == id)
			found = table[i];
	}
	return found;
}
