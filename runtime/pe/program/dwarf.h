/* SPDX-License-Identifier: MIT */
/*
 * Debug information as it lies in a program's file, and reading it: DWARF 2 to 5.
 * It is as hostile as the rest of the file: a cursor never leaves its section, and
 * whoever follows references counts the steps that it takes.
 */
#ifndef PD_DWARF_H
#define PD_DWARF_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/pe/program/elf.h"

/* sections of the file; no data: there is none of that name */
struct pd_dwarf {
	struct pd_section line, line_str, str, info, abbrev, str_offsets, addr,
		ranges, rnglists, frame;
};

/* forms by the DWARF standard */
enum {
	DW_FORM_addr = 0x01,
	DW_FORM_block2 = 0x03,
	DW_FORM_block4,
	DW_FORM_data2,
	DW_FORM_data4,
	DW_FORM_data8,
	DW_FORM_string,
	DW_FORM_block,
	DW_FORM_block1,
	DW_FORM_data1,
	DW_FORM_flag,
	DW_FORM_sdata,
	DW_FORM_strp,
	DW_FORM_udata,
	DW_FORM_ref_addr,
	DW_FORM_ref1,
	DW_FORM_ref2,
	DW_FORM_ref4,
	DW_FORM_ref8,
	DW_FORM_ref_udata,
	DW_FORM_sec_offset = 0x17,
	DW_FORM_exprloc,
	DW_FORM_flag_present,
	DW_FORM_strx,
	DW_FORM_addrx,
	DW_FORM_ref_sup4,
	DW_FORM_strp_sup,
	DW_FORM_data16,
	DW_FORM_line_strp,
	DW_FORM_ref_sig8,
	DW_FORM_implicit_const,
	DW_FORM_loclistx,
	DW_FORM_rnglistx,
	DW_FORM_ref_sup8,
	DW_FORM_strx1,
	DW_FORM_strx2,
	DW_FORM_strx3,
	DW_FORM_strx4,
	DW_FORM_addrx1,
	DW_FORM_addrx2,
	DW_FORM_addrx3,
	DW_FORM_addrx4,
};

/* where reading is; past the end it yields 0, and p stays at the end */
struct pd_cursor {
	const uint8_t *p, *end;
};

/* a section from an offset on; one that it has not: nothing */
struct pd_cursor pd_cursor_at(const struct pd_section *section, uint64_t off);
const uint8_t *pd_take_bytes(struct pd_cursor *c, uint64_t bytes);
/* little-endian, of up to 8 bytes */
uint64_t pd_take_number(struct pd_cursor *c, uint64_t bytes);
uint64_t pd_take_leb(struct pd_cursor *c, bool is_signed);
/* NULL without a 0 at its end */
const char *pd_take_string(struct pd_cursor *c);
/*
 * What a length stands before, which c goes behind: of a unit, or of an entry. How
 * many bytes an offset has in it. false: the section ends before.
 */
bool pd_take_unit(struct pd_cursor *c, struct pd_cursor *unit, uint8_t *offset_bytes);
/* NULL: none there, or one that is too long for a name */
const char *pd_string_at(const struct pd_section *section, uint64_t off);

/* the sections of a file, whose bytes stay */
void pd_dwarf_find(const struct pd_elf *elf, struct pd_dwarf *dwarf);

#endif /* PD_DWARF_H */
