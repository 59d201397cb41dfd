// SPDX-License-Identifier: MIT
/*
 * pe-count: reads the optimised IR of a source for PEs and writes it with code that
 * counts what a DPU would execute. The count is a value that blocks hand on, so the
 * compiler keeps it in a register; where the function calls or returns, it is added
 * to pe_self.instructions of the tasklet.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/upmem/count/cost.h"
#include "tools/upmem/count/inside.h"
#include "tools/upmem/count/names.h"
#include "tools/upmem/count/profiled.h"

/* how much less than a tasklet's pace calls are held to */
#define SLACK_OF_CALLS	(4096 - 64)

/* The leading zeros of a value, from the first of 32 or 64 bits on. */
static void leading_zeros(struct writer *w, unsigned long n, const char *type)
{
	emit(w, "  %%pe.x%lu = call %s @llvm.ctlz.%s(%s %%pe.v%lu, i1 false)\n", n, type, type,
	     type, n);
}

/* A value of any width as one of 32 bits. */
static void narrow(struct writer *w, unsigned long n, char part, struct text type,
		   struct text operand)
{
	unsigned int bits = ir_bits(type);

	emit(w, "  %%pe.%c%lu = %s ", part, n, bits == 32 ? "or" : bits > 32 ? "trunc" : "zext");
	emit_text(w, type);
	emit(w, " %.*s%s\n", (int)operand.length, operand.at,
	     bits == 32 ? ", 0" : " to i32");
}

/* So many bits at most, less the leading zeros, which count_value() takes away. */
static void add_most(struct writer *w, const struct instruction *i, unsigned int bits,
		     enum cost_by by)
{
	w->more += bits * (unsigned long)cost_bit(by);
	profiled_cost(w, i, PE_CLASS_MULTIPLY, bits * (unsigned long)cost_bit(by));
}

/* The bits of the smaller operand, which has one at least. */
static void add_mul(struct writer *w, const struct instruction *i)
{
	unsigned long n = w->names++;

	narrow(w, n, 'p', i->type, i->operand[0]);
	narrow(w, n, 'q', i->type, i->operand[1]);
	emit(w, "  %%pe.u%lu = call i32 @llvm.umin.i32(i32 %%pe.p%lu, i32 %%pe.q%lu)\n", n, n, n);
	emit(w, "  %%pe.v%lu = or i32 %%pe.u%lu, 1\n", n, n);
	leading_zeros(w, n, "i32");
	add_most(w, i, 32, COST_MUL);
	count_value(w, n, "i32", "sub", cost_bit(COST_MUL));
	profiled_value(w, i, n, "sub", cost_bit(COST_MUL), false);
}

/* The bits of a quotient, by the operands' leading zeros: after the division. */
static void add_div(struct writer *w, const struct instruction *i, enum cost_by by)
{
	unsigned long n = w->names++;
	const char *type = by == COST_DIV64 ? "i64" : "i32";
	bool sign = *i->op.at == 's';

	emit(w, "  %%pe.d%lu = %cdiv ", n, sign ? 's' : 'u');
	emit_text(w, i->type);
	emit(w, " %.*s, %.*s\n", (int)i->operand[0].length, i->operand[0].at,
	     (int)i->operand[1].length, i->operand[1].at);
	emit(w, "  %%pe.b%lu = %s ", n, sign ? "call" : "or");
	emit_text(w, i->type);
	if (sign) {
		emit(w, " @llvm.abs.%.*s(%.*s %%pe.d%lu, i1 false)\n", (int)i->type.length,
		     i->type.at, (int)i->type.length, i->type.at, n);
	} else {
		emit(w, " %%pe.d%lu, 0\n", n);
	}
	if (by == COST_DIV64) {
		emit(w, "  %%pe.v%lu = or i64 %%pe.b%lu, 0\n", n, n);
	} else {
		char name[32];
		int length = snprintf(name, sizeof(name), "%%pe.b%lu", n);

		narrow(w, n, 'v', i->type, (struct text){ name, (size_t)length });
	}
	leading_zeros(w, n, type);
	add_most(w, i, by == COST_DIV64 ? 64 : 32, by);
	count_value(w, n, type, "sub", cost_bit(by));
	profiled_value(w, i, n, "sub", cost_bit(by), by == COST_DIV64);
}

/* The type of a pointer to a type, as this compiler writes it. */
static void emit_pointer(struct writer *w, struct text type)
{
	if (!w->pointers)
		emit_text(w, type);
	emit(w, "%s", w->pointers ? "ptr" : "*");
}

/* The bytes of a type; a pointer has 4 on a DPU. */
static void emit_size(struct writer *w, struct text type)
{
	if (text_begins(type, "ptr") || type.at[type.length - 1] == '*') {
		emit(w, "4");
		return;
	}
	emit(w, "ptrtoint (");
	emit_pointer(w, type);
	emit(w, " getelementptr (");
	emit_text(w, type);
	emit(w, ", ");
	emit_pointer(w, type);
	emit(w, " null, i32 1) to i64)");
}

/* Where in the source an instruction is: a call takes it over, for faults and waits. */
static struct text place_of(const struct instruction *i)
{
	const char *p = i->line.at, *end = p + i->line.length;

	for (; p + 8 < end; p++)
		if (!memcmp(p, ", !dbg !", 8))
			return (struct text){ p, 8 + strspn(p + 8, "0123456789") };
	return (struct text){ "", 0 };
}

/* The first instruction whose place in the source is known, or the first. */
static const struct instruction *first_located(const struct function *f)
{
	const struct block *b = f->blocks;

	for (size_t k = 0; k < b->nr; k++)
		if (place_of(&b->instructions[k]).length &&
		    !text_begins(ir_callee(&b->instructions[k]), "@llvm.dbg"))
			return &b->instructions[k];
	return b->instructions;
}

/* MRAM that is dereferenced is transferred on hardware: the library waits for that. */
static void transfer_mram(struct writer *w, const struct instruction *i)
{
	struct mram_access a[MRAM_ACCESSES];
	unsigned int nr = cost_mram(i, a);

	if (!nr)
		return;
	profiled_wait(w, i);
	count_flush(w, NULL);
	for (unsigned int k = 0; k < nr; k++) {
		unsigned long n = w->names++;

		emit(w, "  %%pe.i%lu = ptrtoint ", n);
		emit_text(w, a[k].type);
		emit(w, " ");
		emit_text(w, a[k].pointer);
		emit(w, " to i64\n  call void @pe_mram_access(i64 %%pe.i%lu, ", n);
		if (a[k].bytes.length) {
			emit_text(w, a[k].bytes);
		} else {
			emit(w, "i64 ");
			emit_size(w, a[k].accessed);
		}
		emit(w, ", i32 %d)", a[k].write);
		/* a call without a place makes LLVM drop all lines of a source */
		emit_text(w, place_of(place_of(i).length ? i : first_located(w->f)));
		emit(w, "\n");
	}
}

/* Whether nothing is counted between a call and the function's return. */
static bool returns_at_once(const struct block *b, size_t at)
{
	while (++at < b->nr) {
		const struct instruction *i = &b->instructions[at];

		if (text_is(i->op, "ret"))
			return true;
		if (!text_is(i->op, "bitcast") && !text_begins(i->op, "#") &&
		    !(text_is(i->op, "call") && !cost_leaves(i)))
			return false;
	}
	return false;
}

static bool is_division(const struct instruction *i)
{
	return text_is(i->op, "udiv") || text_is(i->op, "sdiv") || text_is(i->op, "urem") ||
	       text_is(i->op, "srem");
}

static void write_instruction(struct writer *w, size_t block, size_t at)
{
	const struct block *b = &w->f->blocks[block];
	const struct instruction *i = &b->instructions[at];
	struct cost cost = cost_of(w->f, block, at, w->widths);
	static const unsigned int at_once = 0, at_calls = SLACK_OF_CALLS;

	if (w->aarch64 && is_division(i) && count_divisor(w, i)) {
		emit_text(w, place_of(i));
		emit(w, "\n");
	}
	w->more += cost.instructions;
	profiled_cost(w, i, PE_CLASS_STORE, cost.stores);
	profiled_cost(w, i, cost.class, cost.instructions - cost.stores);
	transfer_mram(w, i);
	if (cost_leaves(i)) {
		/* what returns with the callee's return has no time to add its own */
		bool last = returns_at_once(b, at);

		w->more += last;
		w->classes[PE_CLASS_CONTROL] += last;
		profiled_classes(w);
		w->classes[PE_CLASS_CONTROL] -= last;
		profiled_wait(w, i);
		count_flush(w, cost_paces(i) ? &at_once : &at_calls);
		emit_text(w, i->line);
		w->more -= last;
		return;
	}
	if (text_is(i->op, "ret")) {
		profiled_classes(w);
		count_flush(w, NULL);
		emit_text(w, i->line);
		return;
	}
	/* what another tasklet may look at, or has written, has its time */
	if (cost_paces(i))
		count_flush(w, &at_once);
	if (cost.by == COST_MUL)
		add_mul(w, i);
	else if (cost.by != COST_FIXED)
		add_div(w, i, cost.by);
	if (at + 1 == b->nr) {
		profiled_classes(w);
		emit(w, "  %%pe.end%zu = add i64 %s, %lu\n", block, w->count, w->more);
	}
	emit_text(w, i->line);
}

/* The count that a block begins with: what the blocks before it hand on. */
static void begin_block(struct writer *w, size_t block)
{
	const struct block *b = &w->f->blocks[block];

	count_restart(w);
	if (!b->nr_from)
		return;
	emit(w, "  %%pe.begin%zu = phi i64 ", block);
	for (size_t k = 0; k < b->nr_from; k++) {
		struct text label = w->f->blocks[b->from[k]].label;

		emit(w, "%s[ %%pe.end%zu, %%%.*s ]", k ? ", " : "", b->from[k],
		     (int)label.length, label.at);
	}
	emit(w, "\n");
	snprintf(w->count, sizeof(w->count), "%%pe.begin%zu", block);
}

static bool calls_others(const struct function *f)
{
	for (size_t b = 0; b < f->nr; b++)
		for (size_t k = 0; k < f->blocks[b].nr; k++)
			if (cost_leaves(&f->blocks[b].instructions[k]) &&
			    !returns_at_once(&f->blocks[b], k))
				return true;
	return false;
}

/* The name in "define ... @name(", without its @. */
static struct text name_of(const struct function *f)
{
	const char *at = memchr(f->head.at, '@', f->head.length);
	const char *end = f->head.at + f->head.length, *p;

	if (!at)
		return (struct text){ "?", 1 };
	for (p = ++at; p < end && !strchr("(;\t\n", *p); p++)
		;
	return (struct text){ at, (size_t)(p - at) };
}

static bool is_phi(const struct instruction *i)
{
	return text_is(i->op, "phi");
}

static void write_block(struct writer *w, const struct function *f, size_t b)
{
	const struct instruction *all = f->blocks[b].instructions;

	for (size_t k = 0; k < f->blocks[b].nr; k++) {
		if (!is_phi(&all[k]) && (!k || is_phi(&all[k - 1])))
			profiled_block(w);
		if (!b && !k && calls_others(f)) {
			w->more = cost_entry();
			profiled_cost(w, first_located(f), PE_CLASS_CONTROL, cost_entry());
		}
		write_instruction(w, b, k);
	}
}

static void write_function(struct writer *w, struct function *f)
{
	names_of(f);
	w->f = f;
	w->name = name_of(f);
	w->names = 0;
	w->widths = widths_of(f);
	emit_text(w, f->head);
	for (size_t b = 0; b < f->nr; b++) {
		emit_text(w, f->blocks[b].head);
		begin_block(w, b);
		write_block(w, f, b);
	}
	emit(w, "}\n");
	widths_free(w->widths);
	names_free(f);
}

/* Up to version 14, clang writes what pointers point to. */
static bool writes_ptr(const char *text)
{
	const char *version = strstr(text, "clang version ");

	return !version || atoi(version + strlen("clang version ")) > 14;
}

/* Whether the text has a line that declares a function, or defines it. */
static bool is_declared(const char *text, const char *prototype)
{
	size_t length = strcspn(prototype, "(") + 1;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)length, prototype);
	for (const char *p = text; (p = strstr(p, name)); p += length) {
		const char *line = p;

		while (line > text && line[-1] != '\n')
			line--;
		if (!strncmp(line, "declare ", 8) || !strncmp(line, "define ", 7))
			return true;
	}
	return false;
}

/* What the code that was put in calls, unless the source declares it, too. */
static void declare(struct writer *w, const char *text)
{
	static const char *const needed[] = {
		"i32 @llvm.umin.i32(i32, i32", "i32 @llvm.ctlz.i32(i32, i1",
		"i64 @llvm.ctlz.i64(i64, i1", "i8 @llvm.abs.i8(i8, i1",
		"i16 @llvm.abs.i16(i16, i1", "i32 @llvm.abs.i32(i32, i1",
		"i64 @llvm.abs.i64(i64, i1", "void @pe_mram_access(i64, i64, i32",
	};

	for (size_t k = 0; k < sizeof(needed) / sizeof(*needed); k++)
		if (!is_declared(text, strchr(needed[k], '@')))
			emit(w, "declare %s)\n", needed[k]);
}

static void write_module(struct writer *w, const char *text, bool profiled)
{
	const char *p = text, *end = text + strlen(text);

	if (profiled)
		w->profile = profile_begin(text);
	while (p < end) {
		const char *line = memchr(p, '\n', (size_t)(end - p));

		if (!strncmp(p, "define ", 7)) {
			struct function f;

			p = ir_read_function(p, end, &f);
			write_function(w, &f);
			ir_free_function(&f);
			continue;
		}
		line = line ? line + 1 : end;
		emit_text(w, (struct text){ p, (size_t)(line - p) });
		p = line;
	}
	declare(w, text);
	cost_write_table(w->out);
	if (profiled)
		profile_end(w->profile, w->out);
}

static char *read_all(FILE *in)
{
	size_t room = 1 << 16, length = 0, got;
	char *text = malloc(room);

	while (text && (got = fread(text + length, 1, room - length - 1, in))) {
		length += got;
		if (room - length == 1)
			text = realloc(text, room *= 2);
	}
	if (!text || ferror(in) || memchr(text, '\0', length))
		return NULL;
	text[length] = '\0';
	return text;
}

/* With any argument, the program is to be profiled. */
int main(int argc, char **argv)
{
	struct writer w = { .out = stdout };
	char *text = read_all(stdin);

	if (!text) {
		fputs("pe-count: cannot read the IR\n", stderr);
		return 1;
	}
	if (pd_cost_check()) {
		fprintf(stderr, "pe-count: %s\n", pimdimm_errmsg());
		return 1;
	}
	w.pointers = writes_ptr(text);
	w.aarch64 = strstr(text, "\ntarget triple = \"aarch64");
	(void)argv;
	write_module(&w, text, argc > 1);
	free(text);
	if (fflush(stdout) || ferror(stdout)) {
		fputs("pe-count: cannot write the IR\n", stderr);
		return 1;
	}
	return 0;
}
