// SPDX-License-Identifier: MIT
/*
 * Functions around an address, those that were inlined among them, by the trees of
 * entries of DWARF 2 to 5. Entries can be made to cost more than their bytes, by
 * what they refer to: whoever has taken as many steps as no compiler's output needs
 * finds nothing.
 */
#include "runtime/pe/program/inlined.h"

#define MAX_STEPS	(1u << 22)
#define MAX_ABBREVS	1024u
#define MAX_HOPS	4u

/* tags, attributes and kinds of ranges by the DWARF standard */
enum {
	DW_TAG_lexical_block = 0x0b,
	DW_TAG_compile_unit = 0x11,
	DW_TAG_inlined_subroutine = 0x1d,
	DW_TAG_subprogram = 0x2e,
	DW_TAG_namespace = 0x39,

	DW_AT_name = 0x03,
	DW_AT_stmt_list = 0x10,
	DW_AT_low_pc,
	DW_AT_high_pc,
	DW_AT_abstract_origin = 0x31,
	DW_AT_specification = 0x47,
	DW_AT_ranges = 0x55,
	DW_AT_call_file = 0x58,
	DW_AT_call_line,
	DW_AT_str_offsets_base = 0x72,
	DW_AT_addr_base,
	DW_AT_rnglists_base,

	DW_UT_compile = 1,

	DW_RLE_end_of_list = 0,
	DW_RLE_base_addressx,
	DW_RLE_startx_endx,
	DW_RLE_startx_length,
	DW_RLE_offset_pair,
	DW_RLE_base_address,
	DW_RLE_start_end,
	DW_RLE_start_length,
};

/* what an entry says of itself, as far as it matters; form 0: nothing */
struct value {
	uint64_t form, number;
	const char *text;
};

struct entry {
	uint64_t tag;
	bool children;
	struct value name, stmt_list, low, high, origin, ranges, call_file,
		call_line, str_base, addr_base, ranges_base;
};

struct unit {
	const struct pd_dwarf *dwarf;
	const uint8_t *begin;
	struct pd_cursor c;
	uint16_t version;
	uint8_t offset_bytes, address_bytes;
	uint64_t str_base, addr_base, ranges_base, low;
	uint64_t line_table;
	uint32_t *steps;		/* that are left */
	/* by code: where its abbreviation goes on */
	const uint8_t *abbrevs[MAX_ABBREVS], *abbrevs_end;
};

static bool step(struct unit *u)
{
	if (!*u->steps)
		return false;
	--*u->steps;
	return true;
}

static struct value *place_for(struct entry *e, uint64_t attribute)
{
	switch (attribute) {
	case DW_AT_name:
		return &e->name;
	case DW_AT_stmt_list:
		return &e->stmt_list;
	case DW_AT_low_pc:
		return &e->low;
	case DW_AT_high_pc:
		return &e->high;
	case DW_AT_abstract_origin:
	case DW_AT_specification:
		return &e->origin;
	case DW_AT_ranges:
		return &e->ranges;
	case DW_AT_call_file:
		return &e->call_file;
	case DW_AT_call_line:
		return &e->call_line;
	case DW_AT_str_offsets_base:
		return &e->str_base;
	case DW_AT_addr_base:
		return &e->addr_base;
	case DW_AT_rnglists_base:
		return &e->ranges_base;
	default:
		return NULL;
	}
}

/* How many bytes a value of this form has; 0: that is not fixed. */
static uint64_t fixed_bytes(const struct unit *u, uint64_t form)
{
	switch (form) {
	case DW_FORM_data1:
	case DW_FORM_flag:
	case DW_FORM_ref1:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_addr:
		return u->address_bytes;
	case DW_FORM_ref_addr:
		return u->version < 3 ? u->address_bytes : u->offset_bytes;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
		return u->offset_bytes;
	default:
		return 0;
	}
}

/* false: a form that is not known, whose length is not either */
static bool take_value(struct unit *u, uint64_t form, uint64_t implicit, struct value *v)
{
	uint64_t bytes = fixed_bytes(u, form);

	*v = (struct value){ .form = form };
	if (bytes) {
		v->number = pd_take_number(&u->c, bytes);
		return true;
	}
	switch (form) {
	case DW_FORM_sdata:
		v->number = pd_take_leb(&u->c, true);
		return true;
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
		v->number = pd_take_leb(&u->c, false);
		return true;
	case DW_FORM_implicit_const:
		v->number = implicit;
		return true;
	case DW_FORM_flag_present:
		return true;
	case DW_FORM_string:
		v->text = pd_take_string(&u->c);
		return true;
	case DW_FORM_data16:
		return pd_take_bytes(&u->c, 16);
	case DW_FORM_block:
	case DW_FORM_exprloc:
		return pd_take_bytes(&u->c, pd_take_leb(&u->c, false));
	case DW_FORM_block1:
		return pd_take_bytes(&u->c, pd_take_number(&u->c, 1));
	case DW_FORM_block2:
		return pd_take_bytes(&u->c, pd_take_number(&u->c, 2));
	case DW_FORM_block4:
		return pd_take_bytes(&u->c, pd_take_number(&u->c, 4));
	default:
		return false;
	}
}

/* Go behind an abbreviation's attributes. */
static bool skip_attributes(struct unit *u, struct pd_cursor *a)
{
	uint64_t attribute, form;

	do {
		if (!step(u) || a->p == a->end)
			return false;
		attribute = pd_take_leb(a, false);
		form = pd_take_leb(a, false);
		if (form == DW_FORM_implicit_const)
			pd_take_leb(a, true);
	} while (attribute || form);
	return true;
}

static bool read_abbrevs(struct unit *u, uint64_t off)
{
	struct pd_cursor a = pd_cursor_at(&u->dwarf->abbrev, off);
	uint64_t code;

	for (uint32_t i = 0; i < MAX_ABBREVS; i++)
		u->abbrevs[i] = NULL;
	u->abbrevs_end = a.end;
	while ((code = pd_take_leb(&a, false))) {
		if (code < MAX_ABBREVS && !u->abbrevs[code])
			u->abbrevs[code] = a.p;
		pd_take_leb(&a, false);		/* tag */
		pd_take_bytes(&a, 1);		/* whether there are children */
		if (!skip_attributes(u, &a))
			return false;
	}
	return true;
}

/* The entry at the cursor, which goes behind it; tag 0: the end of some; false: damaged. */
static bool take_entry(struct unit *u, struct entry *e)
{
	uint64_t code = pd_take_leb(&u->c, false), attribute, form;
	struct pd_cursor a;

	*e = (struct entry){ 0 };
	if (!code)
		return step(u);
	if (code >= MAX_ABBREVS || !u->abbrevs[code])
		return false;
	a = (struct pd_cursor){ u->abbrevs[code], u->abbrevs_end };
	e->tag = pd_take_leb(&a, false);
	e->children = pd_take_number(&a, 1);
	for (;;) {
		struct value other, *v;
		uint64_t implicit = 0;

		attribute = pd_take_leb(&a, false);
		form = pd_take_leb(&a, false);
		if (form == DW_FORM_implicit_const)
			implicit = pd_take_leb(&a, true);
		if (!attribute && !form)
			return e->tag;
		v = place_for(e, attribute);
		if (!step(u) || !take_value(u, form, implicit, v ? v : &other))
			return false;
	}
}

/* A number of a table of them, whose entries are so long. */
static uint64_t indexed(const struct pd_section *table, uint64_t base, uint64_t index,
			uint64_t bytes)
{
	struct pd_cursor c;

	if (index > UINT32_MAX || base > table->bytes)
		return 0;
	c = pd_cursor_at(table, base + index * bytes);
	return pd_take_number(&c, bytes);
}

static const char *text_of(const struct unit *u, const struct value *v)
{
	switch (v->form) {
	case DW_FORM_string:
		return v->text;
	case DW_FORM_strp:
		return pd_string_at(&u->dwarf->str, v->number);
	case DW_FORM_line_strp:
		return pd_string_at(&u->dwarf->line_str, v->number);
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
		return pd_string_at(&u->dwarf->str,
				    indexed(&u->dwarf->str_offsets, u->str_base,
					    v->number, u->offset_bytes));
	default:
		return NULL;
	}
}

static uint64_t address_of(const struct unit *u, const struct value *v)
{
	if (v->form == DW_FORM_addr)
		return v->number;
	return indexed(&u->dwarf->addr, u->addr_base, v->number, u->address_bytes);
}

/* An entry that another one refers to, if it lies in the same unit. */
static bool take_origin(struct unit *u, const struct value *origin, struct entry *e)
{
	uint64_t off = origin->number;
	struct pd_cursor kept = u->c;
	bool found;

	if (origin->form == DW_FORM_ref_addr)
		off -= (uint64_t)(u->begin - u->dwarf->info.data);
	else if (!origin->form || origin->form == DW_FORM_ref_sig8)
		return false;
	if (off >= (uint64_t)(u->c.end - u->begin))
		return false;
	u->c.p = u->begin + off;
	found = take_entry(u, e) && e->tag;
	u->c = kept;
	return found;
}

/* The name of a function, which what it is an instance of may have. */
static const char *name_of(struct unit *u, const struct entry *entry)
{
	struct entry e = *entry, next;

	for (uint32_t hops = 0; hops < MAX_HOPS && !e.name.form; hops++) {
		if (!take_origin(u, &e.origin, &next))
			return NULL;
		e = next;
	}
	return text_of(u, &e.name);
}

static bool in_old_ranges(struct unit *u, uint64_t off, uint64_t address)
{
	struct pd_cursor c = pd_cursor_at(&u->dwarf->ranges, off);
	uint64_t base = u->low;

	while (c.p < c.end && step(u)) {
		uint64_t begin = pd_take_number(&c, 8), end = pd_take_number(&c, 8);

		if (!begin && !end)
			return false;
		if (begin == UINT64_MAX)
			base = end;
		else if (address - base >= begin && address - base < end)
			return true;
	}
	return false;
}

/* The bounds of one entry of a list of ranges; false: the last. */
static bool take_range(const struct unit *u, struct pd_cursor *c, uint64_t *base,
		       uint64_t *begin, uint64_t *end)
{
	const struct value index = { .form = DW_FORM_addrx };
	struct value at = index;

	*begin = *end = 0;
	switch (pd_take_number(c, 1)) {
	case DW_RLE_base_addressx:
		at.number = pd_take_leb(c, false);
		*base = address_of(u, &at);
		return true;
	case DW_RLE_startx_endx:
		at.number = pd_take_leb(c, false);
		*begin = address_of(u, &at);
		at.number = pd_take_leb(c, false);
		*end = address_of(u, &at);
		return true;
	case DW_RLE_startx_length:
		at.number = pd_take_leb(c, false);
		*begin = address_of(u, &at);
		*end = *begin + pd_take_leb(c, false);
		return true;
	case DW_RLE_offset_pair:
		*begin = *base + pd_take_leb(c, false);
		*end = *base + pd_take_leb(c, false);
		return true;
	case DW_RLE_base_address:
		*base = pd_take_number(c, 8);
		return true;
	case DW_RLE_start_end:
		*begin = pd_take_number(c, 8);
		*end = pd_take_number(c, 8);
		return true;
	case DW_RLE_start_length:
		*begin = pd_take_number(c, 8);
		*end = *begin + pd_take_leb(c, false);
		return true;
	default:
		return false;
	}
}

static bool in_ranges(struct unit *u, const struct value *v, uint64_t address)
{
	uint64_t off = v->number, base = u->low, begin, end;
	struct pd_cursor c;

	if (u->version < 5)
		return in_old_ranges(u, off, address);
	if (v->form == DW_FORM_rnglistx)
		off = u->ranges_base + indexed(&u->dwarf->rnglists, u->ranges_base,
					       off, u->offset_bytes);
	c = pd_cursor_at(&u->dwarf->rnglists, off);
	while (c.p < c.end && step(u) && take_range(u, &c, &base, &begin, &end)) {
		if (begin <= address && address < end)
			return true;
	}
	return false;
}

static bool contains(struct unit *u, const struct entry *e, uint64_t address)
{
	uint64_t low, end;

	if (e->ranges.form)
		return in_ranges(u, &e->ranges, address);
	if (!e->low.form || !e->high.form)
		return false;
	low = address_of(u, &e->low);
	end = e->high.form == DW_FORM_addr || e->high.form == DW_FORM_addrx ?
		      address_of(u, &e->high) : low + e->high.number;
	return low <= address && address < end;
}

/* An entry around the address is one more function, or a block of one. */
static void note_function(struct unit *u, const struct entry *e, struct pd_chain *chain)
{
	struct pd_inlined *call;

	if (e->tag == DW_TAG_subprogram) {
		chain->function = name_of(u, e);
	} else if (e->tag == DW_TAG_inlined_subroutine && chain->nr < PD_MAX_INLINED) {
		call = &chain->calls[chain->nr++];
		call->name = name_of(u, e);
		call->file = e->call_file.number;
		call->line = (uint32_t)e->call_line.number;
	}
}

static bool may_hold(const struct entry *e)
{
	return e->tag == DW_TAG_subprogram || e->tag == DW_TAG_lexical_block ||
	       e->tag == DW_TAG_inlined_subroutine;
}

/*
 * Go through the entries below the unit's own. Those at the depth `within` are
 * children of what is known to be around the address; its end is that of the search.
 */
static bool walk(struct unit *u, uint64_t address, struct pd_chain *chain)
{
	uint32_t depth = 1, within = 1;
	bool found = false;
	struct entry e;

	while (u->c.p < u->c.end) {
		if (!take_entry(u, &e))
			return false;
		if (!e.tag) {
			if (!--depth || (found && depth < within))
				break;
			if (depth < within)
				within = depth;
			continue;
		}
		if (depth == within && may_hold(&e) && contains(u, &e, address)) {
			note_function(u, &e, chain);
			found = true;
			if (!e.children)
				break;
			within = depth + 1;
		} else if (depth == within && !found && e.children &&
			   e.tag == DW_TAG_namespace) {
			within = depth + 1;
		}
		depth += e.children;
	}
	return found;
}

/* Read the unit's header and its own entry; false: it is none, or is damaged. */
static bool open_unit(struct unit *u, struct entry *own)
{
	uint64_t type = DW_UT_compile, abbrevs;

	u->version = (uint16_t)pd_take_number(&u->c, 2);
	if (u->version < 2 || u->version > 5)
		return false;
	if (u->version >= 5) {
		type = pd_take_number(&u->c, 1);
		u->address_bytes = (uint8_t)pd_take_number(&u->c, 1);
	}
	abbrevs = pd_take_number(&u->c, u->offset_bytes);
	if (u->version < 5)
		u->address_bytes = (uint8_t)pd_take_number(&u->c, 1);
	if (type != DW_UT_compile || u->address_bytes != 8 ||
	    !read_abbrevs(u, abbrevs) || !take_entry(u, own) ||
	    own->tag != DW_TAG_compile_unit)
		return false;
	u->str_base = own->str_base.number;
	u->addr_base = own->addr_base.number;
	u->ranges_base = own->ranges_base.number;
	u->low = 0;
	if (own->low.form)
		u->low = address_of(u, &own->low);
	return own->children;
}

bool pd_inlined_find(const struct pd_dwarf *dwarf, uint64_t address,
		     struct pd_chain *chain)
{
	struct pd_cursor c = pd_cursor_at(&dwarf->info, 0);
	uint32_t steps = MAX_STEPS;
	struct entry own;

	while (c.p < c.end) {
		struct unit u = { .dwarf = dwarf, .begin = c.p, .steps = &steps };

		*chain = (struct pd_chain){ 0 };
		if (!pd_take_unit(&c, &u.c, &u.offset_bytes) || !open_unit(&u, &own) ||
		    !contains(&u, &own, address) || !walk(&u, address, chain))
			continue;
		chain->line_table = own.stmt_list.number;
		return true;
	}
	return false;
}
