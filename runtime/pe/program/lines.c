// SPDX-License-Identifier: MIT
/*
 * Source lines of addresses, by the line programs of DWARF 2 to 5. The sections
 * are kept as they are and run through when somebody asks, which is seldom:
 * when a PE has faulted. They are as hostile as the rest of the file, so a
 * cursor never leaves its section and everything read costs bytes of it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/error.h"
#include "runtime/pe/program/lines.h"
#include "runtime/pe/program/symbols.h"

/* opcodes and forms by the DWARF standard */
enum {
	DW_LNS_copy = 1,
	DW_LNS_advance_pc,
	DW_LNS_advance_line,
	DW_LNS_set_file,
	DW_LNS_const_add_pc = 8,
	DW_LNS_fixed_advance_pc,

	DW_LNE_end_sequence = 1,
	DW_LNE_set_address,

	DW_LNCT_path = 1,

	DW_FORM_data2 = 0x05,
	DW_FORM_data4,
	DW_FORM_data8,
	DW_FORM_string,
	DW_FORM_block,
	DW_FORM_data1 = 0x0b,
	DW_FORM_strp = 0x0e,
	DW_FORM_udata,
	DW_FORM_data16 = 0x1e,
	DW_FORM_line_strp,
};

struct pd_program_lines {
	struct pd_section line, line_str, str;
};

/* where reading is; past the end it yields 0, and p stays at the end */
struct cursor {
	const uint8_t *p, *end;
};

/* the header of a unit */
struct unit {
	const struct pd_program_lines *lines;
	struct cursor program;
	struct cursor files;	/* the tables of directories and of files */
	uint16_t version;
	uint8_t offset_bytes;
	uint8_t instruction_bytes;
	int8_t line_base;
	uint8_t line_range;
	uint8_t opcode_base;
	const uint8_t *operands;	/* how many, by standard opcode */
};

struct row {
	uint64_t address;
	uint64_t file;
	uint32_t line;
};

static const uint8_t *take_bytes(struct cursor *c, uint64_t bytes)
{
	const uint8_t *p = c->p;

	if (bytes > (uint64_t)(c->end - c->p)) {
		c->p = c->end;
		return NULL;
	}
	c->p += bytes;
	return p;
}

/* little-endian, of up to 8 bytes */
static uint64_t take_number(struct cursor *c, uint64_t bytes)
{
	const uint8_t *p = bytes <= 8 ? take_bytes(c, bytes) : NULL;
	uint64_t x = 0;

	if (p)
		memcpy(&x, p, bytes);
	return x;
}

static uint64_t take_leb(struct cursor *c, bool is_signed)
{
	uint64_t x = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = take_number(c, 1);
		if (shift < 64)
			x |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && shift < 64 && byte & 0x40)
		x |= ~0ull << shift;
	return x;
}

/* NULL without a 0 at its end */
static const char *take_string(struct cursor *c)
{
	const uint8_t *p = c->p;
	const uint8_t *zero = memchr(p, 0, c->end - p);

	c->p = zero ? zero + 1 : c->end;
	return zero ? (const char *)p : NULL;
}

static const char *string_at(const struct pd_section *section, uint64_t off)
{
	struct cursor c = { section->data, section->data + section->bytes };

	if (!section->data || !take_bytes(&c, off) || c.p == c.end)
		return NULL;
	if (c.end - c.p > PD_MAX_NAME)
		c.end = c.p + PD_MAX_NAME;
	return take_string(&c);
}

/*
 * Go behind what is of this form. *string stays as it is unless that is a string;
 * one in another section is not looked for if string is NULL.
 */
static void take_form(const struct unit *unit, struct cursor *c, uint64_t form,
		      const char **string)
{
	const char *here;
	uint64_t off;

	switch (form) {
	case DW_FORM_data1:
		take_bytes(c, 1);
		break;
	case DW_FORM_data2:
		take_bytes(c, 2);
		break;
	case DW_FORM_data4:
		take_bytes(c, 4);
		break;
	case DW_FORM_data8:
		take_bytes(c, 8);
		break;
	case DW_FORM_data16:
		take_bytes(c, 16);
		break;
	case DW_FORM_udata:
		take_leb(c, false);
		break;
	case DW_FORM_block:
		take_bytes(c, take_leb(c, false));
		break;
	case DW_FORM_string:
		here = take_string(c);
		if (string)
			*string = here;
		break;
	case DW_FORM_line_strp:
	case DW_FORM_strp:
		off = take_number(c, unit->offset_bytes);
		if (string)
			*string = string_at(form == DW_FORM_strp ?
					    &unit->lines->str :
					    &unit->lines->line_str, off);
		break;
	default:
		c->p = c->end;
	}
}

/*
 * A table of DWARF 5: formats, then entries. Goes behind it; the path of entry
 * `wanted`, if it is there.
 */
static const char *take_table(const struct unit *unit, struct cursor *c,
			      uint64_t wanted)
{
	uint8_t nr_formats = take_number(c, 1);
	struct {
		uint64_t type, form;
	} formats[UINT8_MAX];
	const char *path = NULL;
	uint64_t nr;

	for (uint8_t f = 0; f < nr_formats; f++) {
		formats[f].type = take_leb(c, false);
		formats[f].form = take_leb(c, false);
	}
	nr = take_leb(c, false);
	if (!nr_formats)
		return NULL;
	for (uint64_t i = 0; i < nr && c->p < c->end; i++) {
		for (uint8_t f = 0; f < nr_formats; f++) {
			bool asked = i == wanted &&
				     formats[f].type == DW_LNCT_path;

			take_form(unit, c, formats[f].form,
				  asked ? &path : NULL);
		}
	}
	return path;
}

/* before DWARF 5: directories, then files, each list ended by an empty name */
static const char *take_lists(struct cursor *c, uint64_t wanted)
{
	const char *name;

	do {
		name = take_string(c);
	} while (name && *name);
	for (uint64_t i = 1; (name = take_string(c)) && *name; i++) {
		if (i == wanted)
			return name;
		take_leb(c, false);
		take_leb(c, false);
		take_leb(c, false);
	}
	return NULL;
}

static const char *file_name(const struct unit *unit, uint64_t file)
{
	struct cursor c = unit->files;

	if (unit->version < 5)
		return take_lists(&c, file);
	take_table(unit, &c, UINT64_MAX);
	return take_table(unit, &c, file);
}

/* the next unit of the section; false for one that is none of ours */
static bool take_unit(struct cursor *section, struct unit *unit)
{
	uint64_t bytes = take_number(section, 4);
	struct cursor c;

	unit->offset_bytes = bytes == 0xffffffff ? 8 : 4;
	if (unit->offset_bytes == 8)
		bytes = take_number(section, 8);
	c.p = section->p;
	if (!take_bytes(section, bytes))
		return false;
	c.end = section->p;
	unit->version = take_number(&c, 2);
	if (unit->version < 2 || unit->version > 5)
		return false;
	if (unit->version >= 5)
		take_bytes(&c, 2);	/* sizes of an address, of a segment's number */
	bytes = take_number(&c, unit->offset_bytes);
	unit->program = c;
	if (!take_bytes(&unit->program, bytes))
		return false;
	c.end = unit->program.p;
	unit->instruction_bytes = take_number(&c, 1);
	if (unit->version >= 4)
		take_bytes(&c, 1);	/* operations of an instruction: of VLIW */
	take_bytes(&c, 1);		/* whether rows are statements */
	unit->line_base = take_number(&c, 1);
	unit->line_range = take_number(&c, 1);
	unit->opcode_base = take_number(&c, 1);
	if (!unit->line_range || !unit->opcode_base)
		return false;
	unit->operands = take_bytes(&c, unit->opcode_base - 1u);
	unit->files = c;
	return unit->operands;
}

/* true when the operation adds a row to the table */
static bool run_extended(struct unit *unit, struct row *row, bool *end)
{
	uint64_t bytes = take_leb(&unit->program, false);
	struct cursor c = { unit->program.p, NULL };

	if (!take_bytes(&unit->program, bytes))
		return false;
	c.end = unit->program.p;
	switch (take_number(&c, 1)) {
	case DW_LNE_end_sequence:
		*end = true;
		return true;
	case DW_LNE_set_address:
		row->address = take_number(&c, bytes - 1);
	}
	return false;
}

static bool run_standard(struct unit *unit, uint8_t opcode, struct row *row)
{
	switch (opcode) {
	case DW_LNS_copy:
		return true;
	case DW_LNS_advance_pc:
		row->address += take_leb(&unit->program, false) *
				unit->instruction_bytes;
		break;
	case DW_LNS_advance_line:
		row->line += take_leb(&unit->program, true);
		break;
	case DW_LNS_set_file:
		row->file = take_leb(&unit->program, false);
		break;
	case DW_LNS_const_add_pc:
		row->address += (255 - unit->opcode_base) / unit->line_range *
				unit->instruction_bytes;
		break;
	case DW_LNS_fixed_advance_pc:
		row->address += take_number(&unit->program, 2);
		break;
	default:
		for (uint8_t i = 0; i < unit->operands[opcode - 1]; i++)
			take_leb(&unit->program, false);
	}
	return false;
}

static bool run_operation(struct unit *unit, struct row *row, bool *end)
{
	uint8_t opcode = take_number(&unit->program, 1);

	if (!opcode)
		return run_extended(unit, row, end);
	if (opcode < unit->opcode_base)
		return run_standard(unit, opcode, row);
	opcode -= unit->opcode_base;
	row->address += opcode / unit->line_range * unit->instruction_bytes;
	row->line += unit->line_base + opcode % unit->line_range;
	return true;
}

/* run the unit's program until the row that the address lies in */
static bool find_row(struct unit *unit, uint64_t address, struct row *found)
{
	static const struct row first = { .file = 1, .line = 1 };
	struct row row = first;
	bool started = false, end = false;

	while (unit->program.p < unit->program.end) {
		if (!run_operation(unit, &row, &end))
			continue;
		if (started && found->address <= address &&
		    address < row.address)
			return true;
		/* line 0: code of no line, for which the one before stands */
		if (!started || row.line)
			*found = row;
		found->address = row.address;
		started = !end;
		if (end)
			row = first;
		end = false;
	}
	return false;
}

bool pd_lines_find(const struct pd_program_lines *lines, uint64_t address,
		   const char **file, uint32_t *line)
{
	struct cursor c = { lines->line.data,
			    lines->line.data + lines->line.bytes };
	struct unit unit = { .lines = lines };
	struct row row = { 0 };

	while (c.p < c.end) {
		if (!take_unit(&c, &unit) || !find_row(&unit, address, &row))
			continue;
		*file = file_name(&unit, row.file);
		*line = row.line;
		return *file && row.line;
	}
	return false;
}

/* false when there is no memory for it */
static bool keep_section(const struct pd_elf *elf, const char *name,
			 struct pd_section *kept)
{
	struct pd_section found;
	uint8_t *copy;

	if (!pd_elf_find(elf, name, &found) || !found.bytes)
		return true;
	copy = malloc(found.bytes);
	if (!copy)
		return false;
	memcpy(copy, found.data, found.bytes);
	kept->data = copy;
	kept->bytes = found.bytes;
	return true;
}

struct pd_program_lines *pd_lines_read(const struct pd_elf *elf, int *err)
{
	struct pd_program_lines *lines = calloc(1, sizeof(*lines));

	if (!lines || !keep_section(elf, ".debug_line", &lines->line) ||
	    !keep_section(elf, ".debug_line_str", &lines->line_str) ||
	    !keep_section(elf, ".debug_str", &lines->str)) {
		pd_lines_free(lines);
		*err = pd_error(ENOMEM,
				"program: no memory for its debug information");
		return NULL;
	}
	if (lines->line.data)
		return lines;
	pd_lines_free(lines);
	return NULL;
}

void pd_lines_free(struct pd_program_lines *lines)
{
	if (!lines)
		return;
	free((void *)(uintptr_t)lines->line.data);
	free((void *)(uintptr_t)lines->line_str.data);
	free((void *)(uintptr_t)lines->str.data);
	free(lines);
}

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

int pimdimm_program_line(const struct pimdimm_program *program,
			 uint32_t address, char *buf, size_t bytes)
{
	const struct pimdimm_symbol *function;
	const char *file;
	uint32_t line;

	if (!program || !buf || !bytes)
		return pd_error(EINVAL, "pimdimm_program_line: no %s",
				program ? "buffer" : "program");
	function = find_function(program, address);
	if (program->lines &&
	    pd_lines_find(program->lines, (uint64_t)PE_TEXT_BASE + address,
			  &file, &line))
		snprintf(buf, bytes, "%s:%u (%s)", file, line,
			 function ? function->name : "?");
	else if (function)
		snprintf(buf, bytes, "%s+%#x", function->name,
			 address - function->address);
	else
		return pd_error(ENOENT, "program has no function at %#x",
				address);
	pd_make_printable(buf);
	return 0;
}
