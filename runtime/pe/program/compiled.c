// SPDX-License-Identifier: MIT
/* Compares a program's table of instructions with what PIMDIMM_COST says of it. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/base/env.h"
#include "runtime/base/error.h"
#include "runtime/pe/program/compiled.h"
#include "runtime/pe/shared/cost.h"

/*
 * A line "NAME=VALUE" of the program's, if it is the constant's: each source that was
 * compiled by another table than the built-in one has its lines. false: of another
 * constant, or none that can be read.
 */
static bool read_line(const char *line, size_t bytes, const char *name, uint64_t *value)
{
	size_t length = strlen(name);

	return bytes > length && !memcmp(line, name, length) && line[length] == '=' &&
	       pd_parse_number(line + length + 1, bytes - length - 1, false, UINT32_MAX,
			       value);
}

/* What the program's sources have, the first one that is not @value where they differ. */
static uint64_t value_of(const struct pd_section *table, const struct pd_cost_instruction *c)
{
	const char *line = (const char *)table->data, *end = line + table->bytes;
	uint64_t found = c->built_in, value;

	while (line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));

		next = next ? next : end;
		if (read_line(line, (size_t)(next - line), c->name, &value)) {
			found = value;
			if (value != c->value)
				return value;
		}
		line = next + 1;
	}
	return found;
}

int pd_compiled_check(const struct pd_elf *elf)
{
	struct pd_section table = { NULL, 0 };
	struct pd_cost_instruction c;
	bool any;

	any = pd_elf_find(elf, ".pimdimm.cost", &table);
	for (unsigned int i = 0; i < PE_NR_INSTRUCTIONS; i++) {
		uint64_t value;

		pd_cost_instruction(i, &c);
		if (!c.given)
			continue;
		value = any ? value_of(&table, &c) : c.built_in;
		if (value != c.value)
			return pd_error(EINVAL,
					"the program was compiled with %s = %llu, and PIMDIMM_COST says %u: compile it again, with the same PIMDIMM_COST",
					c.name, (unsigned long long)value, c.value);
	}
	return 0;
}
