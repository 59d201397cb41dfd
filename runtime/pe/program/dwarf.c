// SPDX-License-Identifier: MIT
/* Reading sections of debug information with every bound checked. */
#include <string.h>

#include "runtime/pe/program/dwarf.h"

struct pd_cursor pd_cursor_at(const struct pd_section *section, uint64_t off)
{
	struct pd_cursor c = { section->data, section->data };

	if (section->data && off <= section->bytes) {
		c.p += off;
		c.end += section->bytes;
	}
	return c;
}

const uint8_t *pd_take_bytes(struct pd_cursor *c, uint64_t bytes)
{
	const uint8_t *p = c->p;

	if (bytes > (uint64_t)(c->end - c->p)) {
		c->p = c->end;
		return NULL;
	}
	c->p += bytes;
	return p;
}

uint64_t pd_take_number(struct pd_cursor *c, uint64_t bytes)
{
	const uint8_t *p = bytes <= 8 ? pd_take_bytes(c, bytes) : NULL;
	uint64_t x = 0;

	if (p)
		memcpy(&x, p, bytes);
	return x;
}

uint64_t pd_take_leb(struct pd_cursor *c, bool is_signed)
{
	uint64_t x = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)pd_take_number(c, 1);
		if (shift < 64)
			x |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && shift < 64 && byte & 0x40)
		x |= ~0ull << shift;
	return x;
}

const char *pd_take_string(struct pd_cursor *c)
{
	const uint8_t *p = c->p;
	const uint8_t *zero = p < c->end ? memchr(p, 0, (size_t)(c->end - p)) : NULL;

	c->p = zero ? zero + 1 : c->end;
	return zero ? (const char *)p : NULL;
}

bool pd_take_unit(struct pd_cursor *c, struct pd_cursor *unit, uint8_t *offset_bytes)
{
	uint64_t bytes = pd_take_number(c, 4);

	*offset_bytes = bytes == 0xffffffff ? 8 : 4;
	if (*offset_bytes == 8)
		bytes = pd_take_number(c, 8);
	unit->p = c->p;
	if (!pd_take_bytes(c, bytes))
		return false;
	unit->end = c->p;
	return true;
}

const char *pd_string_at(const struct pd_section *section, uint64_t off)
{
	struct pd_cursor c = pd_cursor_at(section, off);

	if (c.p == c.end)
		return NULL;
	if (c.end - c.p > PD_MAX_NAME)
		c.end = c.p + PD_MAX_NAME;
	return pd_take_string(&c);
}

void pd_dwarf_find(const struct pd_elf *elf, struct pd_dwarf *dwarf)
{
	const struct {
		const char *name;
		struct pd_section *section;
	} sections[] = {
		{ ".debug_line", &dwarf->line },
		{ ".debug_line_str", &dwarf->line_str },
		{ ".debug_str", &dwarf->str },
		{ ".debug_info", &dwarf->info },
		{ ".debug_abbrev", &dwarf->abbrev },
		{ ".debug_str_offsets", &dwarf->str_offsets },
		{ ".debug_addr", &dwarf->addr },
		{ ".debug_ranges", &dwarf->ranges },
		{ ".debug_rnglists", &dwarf->rnglists },
		{ ".debug_frame", &dwarf->frame },
	};

	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
		if (!pd_elf_find(elf, sections[i].name, sections[i].section))
			*sections[i].section = (struct pd_section){ NULL, 0 };
	}
}
