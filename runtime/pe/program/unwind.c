// SPDX-License-Identifier: MIT
/*
 * Call frames by .debug_frame of DWARF 2 to 5: the table is run through for the entry
 * of an address, and what that and its common entry say is carried out. Everything
 * that is read costs bytes of the table, but for states that are remembered, of
 * which there are few.
 */
#include <string.h>

#include "runtime/pe/program/unwind.h"

#define MAX_STATES	4u

/* operations by the DWARF standard; the first three have an operand in their low bits */
enum {
	DW_CFA_advance_loc = 0x40,
	DW_CFA_offset = 0x80,
	DW_CFA_restore = 0xc0,
	DW_CFA_nop = 0,
	DW_CFA_set_loc,
	DW_CFA_advance_loc1,
	DW_CFA_advance_loc2,
	DW_CFA_advance_loc4,
	DW_CFA_offset_extended,
	DW_CFA_restore_extended,
	DW_CFA_undefined,
	DW_CFA_same_value,
	DW_CFA_register,
	DW_CFA_remember_state,
	DW_CFA_restore_state,
	DW_CFA_def_cfa,
	DW_CFA_def_cfa_register,
	DW_CFA_def_cfa_offset,
	DW_CFA_def_cfa_expression,
	DW_CFA_expression,
	DW_CFA_offset_extended_sf,
	DW_CFA_def_cfa_sf,
	DW_CFA_def_cfa_offset_sf,
	DW_CFA_val_offset,
	DW_CFA_val_offset_sf,
	DW_CFA_val_expression,
	DW_CFA_GNU_args_size = 0x2e,
};

/* where a register of the caller is */
enum kept { KEPT_SAME, KEPT_AT, KEPT_IN, KEPT_NOWHERE };

struct rule {
	enum kept kept;
	int64_t offset;		/* KEPT_AT: from the frame's address; KEPT_IN: a register */
};

/* where the caller's stack pointer and registers are, at an address */
struct state {
	uint64_t base;		/* a register */
	int64_t offset;
	struct rule rules[PD_NR_REGISTERS];
};

struct run {
	uint64_t at, pc;
	uint64_t code_step;
	int64_t data_step;
	struct state now, first, kept[MAX_STATES];
	uint32_t nr_kept;
};

/* an entry for one function, and the common one that it names */
struct entry {
	uint64_t begin, bytes;
	struct pd_cursor common, own;
};

bool pd_stack_word(const struct pd_frames_at *stack, uint64_t address, uint64_t *word)
{
	uint64_t off = address - stack->base;

	if (off > stack->nr_bytes || stack->nr_bytes - off < sizeof(*word))
		return false;
	memcpy(word, stack->bytes + off, sizeof(*word));
	return true;
}

/* The entry that holds the address; false: there is none. */
static bool find_entry(const struct pd_section *frame, uint64_t pc, struct entry *e)
{
	struct pd_cursor c = pd_cursor_at(frame, 0), body;
	uint8_t offset_bytes;
	uint64_t common;

	while (c.p < c.end) {
		if (!pd_take_unit(&c, &body, &offset_bytes))
			return false;
		common = pd_take_number(&body, offset_bytes);
		if (common == (offset_bytes == 8 ? UINT64_MAX : UINT32_MAX))
			continue;
		e->begin = pd_take_number(&body, 8);
		e->bytes = pd_take_number(&body, 8);
		if (pc - e->begin >= e->bytes)
			continue;
		e->own = body;
		body = pd_cursor_at(frame, common);
		return pd_take_unit(&body, &e->common, &offset_bytes) &&
		       pd_take_number(&e->common, offset_bytes) ==
			       (offset_bytes == 8 ? UINT64_MAX : UINT32_MAX);
	}
	return false;
}

/* What the common entry says before its operations; false: more than is known here. */
static bool open_common(struct pd_cursor *c, struct run *r)
{
	uint8_t version = (uint8_t)pd_take_number(c, 1);
	const char *augmentation = pd_take_string(c);
	uint64_t back;

	if ((version != 1 && version != 3 && version != 4) || !augmentation ||
	    *augmentation)
		return false;
	if (version == 4)
		pd_take_bytes(c, 2);	/* sizes of an address, of a segment's number */
	r->code_step = pd_take_leb(c, false);
	r->data_step = (int64_t)pd_take_leb(c, true);
	back = version == 1 ? pd_take_number(c, 1) : pd_take_leb(c, false);
	return back == PD_RETURN;
}

static void set_rule(struct run *r, uint64_t which, enum kept kept, uint64_t steps)
{
	if (which < PD_NR_REGISTERS)
		r->now.rules[which] = (struct rule){
			kept, (int64_t)(steps * (uint64_t)r->data_step)
		};
}

static void set_kept_in(struct run *r, uint64_t which, uint64_t in)
{
	if (which < PD_NR_REGISTERS && in < PD_NR_REGISTERS)
		r->now.rules[which] = (struct rule){ KEPT_IN, (int64_t)in };
	else if (which < PD_NR_REGISTERS)
		r->now.rules[which].kept = KEPT_NOWHERE;
}

static void set_base(struct run *r, uint64_t base, uint64_t offset)
{
	r->now.base = base;
	r->now.offset = (int64_t)offset;
}

static void restore_rule(struct run *r, uint64_t which)
{
	if (which < PD_NR_REGISTERS)
		r->now.rules[which] = r->first.rules[which];
}

/* An operation on the frame's own address; false: it is none, or what is not done here. */
static bool run_base(struct run *r, struct pd_cursor *c, uint8_t operation)
{
	uint64_t base;

	switch (operation) {
	case DW_CFA_def_cfa:
		base = pd_take_leb(c, false);
		set_base(r, base, pd_take_leb(c, false));
		return true;
	case DW_CFA_def_cfa_sf:
		base = pd_take_leb(c, false);
		set_base(r, base, pd_take_leb(c, true) * (uint64_t)r->data_step);
		return true;
	case DW_CFA_def_cfa_register:
		r->now.base = pd_take_leb(c, false);
		return true;
	case DW_CFA_def_cfa_offset:
		r->now.offset = (int64_t)pd_take_leb(c, false);
		return true;
	case DW_CFA_def_cfa_offset_sf:
		r->now.offset = (int64_t)(pd_take_leb(c, true) * (uint64_t)r->data_step);
		return true;
	case DW_CFA_def_cfa_expression:
		pd_take_bytes(c, pd_take_leb(c, false));
		r->now.base = PD_NR_REGISTERS;
		return true;
	case DW_CFA_GNU_args_size:
		pd_take_leb(c, false);
		return true;
	case DW_CFA_nop:
		return true;
	default:
		return false;
	}
}

/* An operation on where a register is; false: it is none that is known. */
static bool run_rule(struct run *r, struct pd_cursor *c, uint8_t operation)
{
	uint64_t which = pd_take_leb(c, false);

	switch (operation) {
	case DW_CFA_offset_extended:
		set_rule(r, which, KEPT_AT, pd_take_leb(c, false));
		return true;
	case DW_CFA_offset_extended_sf:
		set_rule(r, which, KEPT_AT, pd_take_leb(c, true));
		return true;
	case DW_CFA_restore_extended:
		restore_rule(r, which);
		return true;
	case DW_CFA_same_value:
		set_rule(r, which, KEPT_SAME, 0);
		return true;
	case DW_CFA_undefined:
		set_rule(r, which, KEPT_NOWHERE, 0);
		return true;
	case DW_CFA_register:
		set_kept_in(r, which, pd_take_leb(c, false));
		return true;
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
		pd_take_leb(c, false);
		set_rule(r, which, KEPT_NOWHERE, 0);
		return true;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		pd_take_bytes(c, pd_take_leb(c, false));
		set_rule(r, which, KEPT_NOWHERE, 0);
		return true;
	default:
		return false;
	}
}

static bool run_state(struct run *r, uint8_t operation)
{
	if (operation == DW_CFA_remember_state && r->nr_kept < MAX_STATES)
		r->kept[r->nr_kept++] = r->now;
	else if (operation == DW_CFA_restore_state && r->nr_kept)
		r->now = r->kept[--r->nr_kept];
	else
		return false;
	return true;
}

static bool run_operation(struct run *r, struct pd_cursor *c)
{
	uint8_t operation = (uint8_t)pd_take_number(c, 1);
	uint8_t operand = operation & 0x3f;

	switch (operation & 0xc0) {
	case DW_CFA_advance_loc:
		r->at += operand * r->code_step;
		return true;
	case DW_CFA_offset:
		set_rule(r, operand, KEPT_AT, pd_take_leb(c, false));
		return true;
	case DW_CFA_restore:
		restore_rule(r, operand);
		return true;
	}
	switch (operation) {
	case DW_CFA_set_loc:
		r->at = pd_take_number(c, 8);
		return true;
	case DW_CFA_advance_loc1:
		r->at += pd_take_number(c, 1) * r->code_step;
		return true;
	case DW_CFA_advance_loc2:
		r->at += pd_take_number(c, 2) * r->code_step;
		return true;
	case DW_CFA_advance_loc4:
		r->at += pd_take_number(c, 4) * r->code_step;
		return true;
	}
	return run_state(r, operation) || run_base(r, c, operation) ||
	       run_rule(r, c, operation);
}

/* As far as they hold at the address; false: one of them is not known. */
static bool run_operations(struct run *r, struct pd_cursor c)
{
	struct state before;

	while (c.p < c.end) {
		uint64_t at = r->at;

		before = r->now;
		if (!run_operation(r, &c))
			return false;
		if (r->at != at && r->at > r->pc) {
			r->now = before;
			break;
		}
	}
	return true;
}

static bool known(const struct pd_registers *r, uint64_t which)
{
	return which < PD_NR_REGISTERS && r->known & 1ull << which;
}

/* What functions do not keep for their callers. */
static bool is_scratch(uint32_t which)
{
#ifdef __aarch64__
	return which < PD_X19 || which > PD_X29;
#else
	return which != PD_RBX && which != PD_RBP && which != PD_RSP &&
	       (which < PD_R12 || which > PD_R15);
#endif
}

/* Where a register of the caller is not kept: the return address of a call that has just been. */
static bool is_same(const struct pd_registers *r, uint32_t which)
{
	return known(r, which) &&
	       (!is_scratch(which) || (which == PD_RETURN && which != PD_PC && !r->called));
}

/* The caller goes on at what was its return address, which it has no more. */
static void return_to(struct pd_registers *caller)
{
	if (PD_RETURN == PD_PC)
		return;
	caller->value[PD_PC] = caller->value[PD_RETURN];
	caller->known &= ~(1ull << PD_PC);
	if (known(caller, PD_RETURN))
		caller->known |= 1ull << PD_PC;
	caller->known &= ~(1ull << PD_RETURN);
}

/* A register of the caller; false: what it holds is lost. */
static bool caller_has(const struct rule *rule, const struct pd_frames_at *stack,
		       const struct pd_registers *r, uint64_t frame, uint32_t which,
		       uint64_t *value)
{
	switch (rule->kept) {
	case KEPT_AT:
		return pd_stack_word(stack, frame + (uint64_t)rule->offset, value);
	case KEPT_IN:
		*value = r->value[rule->offset];
		return known(r, (uint64_t)rule->offset);
	case KEPT_SAME:
		*value = r->value[which];
		return is_same(r, which);
	default:
		return false;
	}
}

static bool leave_frame(const struct state *s, const struct pd_frames_at *stack,
			struct pd_registers *r)
{
	struct pd_registers caller = { .called = true };
	uint64_t frame;

	if (!known(r, s->base) || !known(r, PD_SP))
		return false;
	frame = r->value[s->base] + (uint64_t)s->offset;
	/*
	 * A stack that does not become less would have no end. The innermost function may
	 * have none, if where it returns to is in a register.
	 */
	if (frame < r->value[PD_SP] || (frame == r->value[PD_SP] && r->called))
		return false;
	for (uint32_t i = 0; i < PD_NR_REGISTERS; i++) {
		bool have = caller_has(&s->rules[i], stack, r, frame, i, &caller.value[i]);

		caller.known |= (uint64_t)have << i;
	}
	caller.value[PD_SP] = frame;
	caller.known |= 1ull << PD_SP;
	return_to(&caller);
	*r = caller;
	return known(r, PD_PC);
}

bool pd_unwind(const struct pd_section *frame, const struct pd_frames_at *stack,
	       struct pd_registers *r)
{
	struct run run = { .pc = pd_pc_of(r), .now.base = PD_NR_REGISTERS };
	struct entry e;

	if (!find_entry(frame, run.pc, &e) || !open_common(&e.common, &run))
		return false;
	run.at = e.begin;
	if (!run_operations(&run, e.common))
		return false;
	run.first = run.now;
	return run_operations(&run, e.own) && leave_frame(&run.now, stack, r);
}
