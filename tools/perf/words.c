// SPDX-License-Identifier: MIT
/* The words that options of `perf` take, from the library's tables. */
#include <string.h>

#include <pimdimm/pidcomm.h>
#include <pimdimm/pimdimm_layout.h>

#include "tools/inside.h"
#include "tools/perf/words.h"
#include "tools/tool.h"

#define TYPES (PIDCOMM_F64 + 1)

const char *perf_collective_word(size_t at)
{
	return at < PC_NR_COLLECTIVES ? pc_collective_name(at) : NULL;
}

const char *perf_type_word(size_t at)
{
	if (at < TYPES)
		return pc_type_name(at);
	return at == TYPES ? "all" : NULL;
}

const char *perf_op_word(size_t at)
{
	if (at < PERF_OPS)
		return pc_op_name((pidcomm_op)(at + 1));
	return at == PERF_OPS ? "all" : NULL;
}

/* does the table have the name of a row in an earlier one? */
static bool named_before(const struct pc_algorithm *const *table, size_t row)
{
	for (size_t i = 0; i < row; i++) {
		if (!strcmp(table[i]->name, table[row]->name))
			return true;
	}
	return false;
}

const char *perf_algorithm_word(size_t at)
{
	static const char *const own[] = { "auto", "sdk", "staged" };
	const struct pc_algorithm *const *table;
	size_t count, names = TOOL_COUNT(own);

	if (at < TOOL_COUNT(own))
		return own[at];
	table = pc_algorithms(&count);
	for (size_t row = 0; row < count; row++) {
		if (!named_before(table, row) && names++ == at)
			return table[row]->name;
	}
	return NULL;
}

const char *perf_layout_word(size_t at)
{
	return at < PIMDIMM_NR_LAYOUTS ? pimdimm_layout_name((uint32_t)at) : NULL;
}

const char *perf_place_word(size_t at)
{
	static const char *const places[] = { "in", "out", "both" };

	return at < TOOL_COUNT(places) ? places[at] : NULL;
}

const char *perf_check_word(size_t at)
{
	static const char *const answers[] = { "0", "1" };

	return at < TOOL_COUNT(answers) ? answers[at] : NULL;
}
