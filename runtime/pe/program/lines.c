// SPDX-License-Identifier: MIT
/*
 * Source lines of addresses, by the line programs of DWARF 2 to 5, which are run
 * through when somebody asks, which is seldom: when a PE has faulted. Everything
 * that is read costs bytes of the section.
 */
#include "runtime/pe/program/lines.h"

/* opcodes by the DWARF standard */
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
};

/* the header of a unit */
struct unit {
	const struct pd_dwarf *dwarf;
	struct pd_cursor program;
	struct pd_cursor files;	/* the tables of directories and of files */
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

/*
 * Go behind what is of this form. *string stays as it is unless that is a string;
 * one in another section is not looked for if string is NULL.
 */
static void take_form(const struct unit *unit, struct pd_cursor *c, uint64_t form,
		      const char **string)
{
	const char *here;
	uint64_t off;

	switch (form) {
	case DW_FORM_data1:
		pd_take_bytes(c, 1);
		break;
	case DW_FORM_data2:
		pd_take_bytes(c, 2);
		break;
	case DW_FORM_data4:
		pd_take_bytes(c, 4);
		break;
	case DW_FORM_data8:
		pd_take_bytes(c, 8);
		break;
	case DW_FORM_data16:
		pd_take_bytes(c, 16);
		break;
	case DW_FORM_udata:
		pd_take_leb(c, false);
		break;
	case DW_FORM_block:
		pd_take_bytes(c, pd_take_leb(c, false));
		break;
	case DW_FORM_string:
		here = pd_take_string(c);
		if (string)
			*string = here;
		break;
	case DW_FORM_line_strp:
	case DW_FORM_strp:
		off = pd_take_number(c, unit->offset_bytes);
		if (string)
			*string = pd_string_at(form == DW_FORM_strp ?
					    &unit->dwarf->str :
					    &unit->dwarf->line_str, off);
		break;
	default:
		c->p = c->end;
	}
}

/*
 * A table of DWARF 5: formats, then entries. Goes behind it; the path of entry
 * `wanted`, if it is there.
 */
static const char *take_table(const struct unit *unit, struct pd_cursor *c,
			      uint64_t wanted)
{
	uint8_t nr_formats = pd_take_number(c, 1);
	struct {
		uint64_t type, form;
	} formats[UINT8_MAX];
	const char *path = NULL;
	uint64_t nr;

	for (uint8_t f = 0; f < nr_formats; f++) {
		formats[f].type = pd_take_leb(c, false);
		formats[f].form = pd_take_leb(c, false);
	}
	nr = pd_take_leb(c, false);
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
static const char *take_lists(struct pd_cursor *c, uint64_t wanted)
{
	const char *name;

	do {
		name = pd_take_string(c);
	} while (name && *name);
	for (uint64_t i = 1; (name = pd_take_string(c)) && *name; i++) {
		if (i == wanted)
			return name;
		pd_take_leb(c, false);
		pd_take_leb(c, false);
		pd_take_leb(c, false);
	}
	return NULL;
}

static const char *file_name(const struct unit *unit, uint64_t file)
{
	struct pd_cursor c = unit->files;

	if (unit->version < 5)
		return take_lists(&c, file);
	take_table(unit, &c, UINT64_MAX);
	return take_table(unit, &c, file);
}

/* the next unit of the section; false for one that is none of ours */
static bool take_unit(struct pd_cursor *section, struct unit *unit)
{
	struct pd_cursor c;
	uint64_t bytes;

	if (!pd_take_unit(section, &c, &unit->offset_bytes))
		return false;
	unit->version = pd_take_number(&c, 2);
	if (unit->version < 2 || unit->version > 5)
		return false;
	if (unit->version >= 5)
		pd_take_bytes(&c, 2);	/* sizes of an address, of a segment's number */
	bytes = pd_take_number(&c, unit->offset_bytes);
	unit->program = c;
	if (!pd_take_bytes(&unit->program, bytes))
		return false;
	c.end = unit->program.p;
	unit->instruction_bytes = pd_take_number(&c, 1);
	if (unit->version >= 4)
		pd_take_bytes(&c, 1);	/* operations of an instruction: of VLIW */
	pd_take_bytes(&c, 1);		/* whether rows are statements */
	unit->line_base = pd_take_number(&c, 1);
	unit->line_range = pd_take_number(&c, 1);
	unit->opcode_base = pd_take_number(&c, 1);
	if (!unit->line_range || !unit->opcode_base)
		return false;
	unit->operands = pd_take_bytes(&c, unit->opcode_base - 1u);
	unit->files = c;
	return unit->operands;
}

/* true when the operation adds a row to the table */
static bool run_extended(struct unit *unit, struct row *row, bool *end)
{
	uint64_t bytes = pd_take_leb(&unit->program, false);
	struct pd_cursor c = { unit->program.p, NULL };

	if (!pd_take_bytes(&unit->program, bytes))
		return false;
	c.end = unit->program.p;
	switch (pd_take_number(&c, 1)) {
	case DW_LNE_end_sequence:
		*end = true;
		return true;
	case DW_LNE_set_address:
		row->address = pd_take_number(&c, bytes - 1);
	}
	return false;
}

static bool run_standard(struct unit *unit, uint8_t opcode, struct row *row)
{
	switch (opcode) {
	case DW_LNS_copy:
		return true;
	case DW_LNS_advance_pc:
		row->address += pd_take_leb(&unit->program, false) *
				unit->instruction_bytes;
		break;
	case DW_LNS_advance_line:
		row->line += pd_take_leb(&unit->program, true);
		break;
	case DW_LNS_set_file:
		row->file = pd_take_leb(&unit->program, false);
		break;
	case DW_LNS_const_add_pc:
		row->address += (255 - unit->opcode_base) / unit->line_range *
				unit->instruction_bytes;
		break;
	case DW_LNS_fixed_advance_pc:
		row->address += pd_take_number(&unit->program, 2);
		break;
	default:
		for (uint8_t i = 0; i < unit->operands[opcode - 1]; i++)
			pd_take_leb(&unit->program, false);
	}
	return false;
}

static bool run_operation(struct unit *unit, struct row *row, bool *end)
{
	uint8_t opcode = pd_take_number(&unit->program, 1);

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

bool pd_lines_find(const struct pd_dwarf *dwarf, uint64_t address,
		   const char **file, uint32_t *line)
{
	struct pd_cursor c = pd_cursor_at(&dwarf->line, 0);
	struct unit unit = { .dwarf = dwarf };
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

const char *pd_lines_file(const struct pd_dwarf *dwarf, uint64_t off, uint64_t file)
{
	struct pd_cursor c = pd_cursor_at(&dwarf->line, off);
	struct unit unit = { .dwarf = dwarf };

	return take_unit(&c, &unit) ? file_name(&unit, file) : NULL;
}
