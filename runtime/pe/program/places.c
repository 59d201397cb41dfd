// SPDX-License-Identifier: MIT
/* What lies at an address of code: lines and functions, inlined ones with their caller. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/error.h"
#include "runtime/pe/program/lines.h"
#include "runtime/pe/program/places.h"
#include "runtime/pe/program/symbols.h"

/* the function that holds an address of the text */
static const struct pimdimm_symbol *
find_function(const struct pimdimm_program *program, uint32_t address)
{
	for (uint32_t i = 0; i < program->nr_symbols; i++) {
		const struct pimdimm_symbol *s = &program->symbols[i];

		if (s->space == PIMDIMM_TEXT && address >= s->address &&
		    address - s->address < s->bytes)
			return s;
	}
	return NULL;
}

/* Older debug information has none where a newer one has what the compiler was given. */
static const char *without_folders(const char *file)
{
	const char *slash = file ? strrchr(file, '/') : NULL;

	return slash && slash[1] ? slash + 1 : file;
}

uint32_t pd_places_find(const struct pimdimm_program *program, uint32_t address,
			struct pd_place places[PD_MAX_INLINED + 1])
{
	const struct pimdimm_symbol *symbol = find_function(program, address);
	uint64_t at = (uint64_t)PE_TEXT_BASE + address;
	struct pd_place *p = places;
	struct pd_chain chain = { 0 };

	*p = (struct pd_place){ NULL, 0, symbol ? symbol->name : NULL };
	if (!program->dwarf.line.data)
		return p->function ? 1 : 0;
	if (pd_inlined_find(&program->dwarf, at, &chain) && !p->function)
		p->function = chain.function;
	for (uint32_t i = 0; i < chain.nr; i++) {
		p->line = chain.calls[i].line;
		p->file = p->line ? without_folders(
			pd_lines_file(&program->dwarf, chain.line_table,
				      chain.calls[i].file)) : NULL;
		*++p = (struct pd_place){ .function = chain.calls[i].name };
	}
	if (pd_lines_find(&program->dwarf, at, &p->file, &p->line))
		p->file = without_folders(p->file);
	else
		p->file = NULL;
	return places->function || p->file ? (uint32_t)(p - places) + 1 : 0;
}

/* "file:line (function)", or what is known of that, behind what there is already */
static size_t add_place(const struct pd_place *p, char *buf, size_t used, size_t bytes)
{
	int n;

	if (used >= bytes)
		return used;
	if (p->file)
		n = snprintf(buf + used, bytes - used, "%s:%u (%s)", p->file, p->line,
			     p->function ? p->function : "?");
	else
		n = snprintf(buf + used, bytes - used, "%s",
			     p->function ? p->function : "?");
	return n < 0 ? used : used + (size_t)n;
}

static void tell_places(const struct pd_place *places, uint32_t nr, char *buf, size_t bytes)
{
	size_t used = add_place(places, buf, 0, bytes);

	for (uint32_t i = 1; i < nr; i++) {
		if (used < bytes)
			used += (size_t)snprintf(buf + used, bytes - used, "%s",
						 i == 1 ? ", inlined there: " : ", ");
		used = add_place(&places[i], buf, used, bytes);
	}
}

int pimdimm_program_line(const struct pimdimm_program *program,
			 uint32_t address, char *buf, size_t bytes)
{
	struct pd_place places[PD_MAX_INLINED + 1];
	const struct pimdimm_symbol *function;
	uint32_t nr;

	if (!program || !buf || !bytes)
		return pd_error(EINVAL, "pimdimm_program_line: no %s",
				program ? "buffer" : "program");
	nr = pd_places_find(program, address, places);
	function = find_function(program, address);
	if (nr && (nr > 1 || places->file))
		tell_places(places, nr, buf, bytes);
	else if (function)
		snprintf(buf, bytes, "%s+%#x", function->name,
			 address - function->address);
	else
		return pd_error(ENOENT, "program has no function at %#x",
				address);
	pd_make_printable(buf);
	return 0;
}
