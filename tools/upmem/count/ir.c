// SPDX-License-Identifier: MIT
/* Reads functions of LLVM's textual IR. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/upmem/count/ir.h"

static void *grow(void *array, size_t nr, size_t size)
{
	/* by powers of two */
	if (nr & (nr - 1))
		return array;
	array = realloc(array, (nr ? 2 * nr : 1) * size);
	if (!array) {
		fputs("pe-count: out of memory\n", stderr);
		exit(1);
	}
	return array;
}

bool text_is(struct text t, const char *word)
{
	return t.length == strlen(word) && !memcmp(t.at, word, t.length);
}

bool text_begins(struct text t, const char *word)
{
	return t.length >= strlen(word) && !memcmp(t.at, word, strlen(word));
}

bool text_same(struct text a, struct text b)
{
	return a.length == b.length && !memcmp(a.at, b.at, a.length);
}

/* A cursor on one instruction's text. */
struct cursor {
	const char *p, *end;
};

static void skip_blanks(struct cursor *c)
{
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\t' || *c->p == '\n'))
		c->p++;
}

static bool ends_word(char ch)
{
	return strchr(" \t\n,()[]{}<>*=", ch) != NULL;
}

static void skip_quoted(struct cursor *c)
{
	c->p++;
	while (c->p < c->end && *c->p != '"')
		c->p++;
	if (c->p < c->end)
		c->p++;
}

/* What is in brackets, of any kind, and the brackets. */
static void skip_brackets(struct cursor *c)
{
	int depth = 0;

	do {
		if (*c->p == '"') {
			skip_quoted(c);
			continue;
		}
		depth += strchr("([{<", *c->p) != NULL;
		depth -= strchr(")]}>", *c->p) != NULL;
		c->p++;
	} while (c->p < c->end && depth > 0);
}

static struct text next_word(struct cursor *c)
{
	struct text word;

	skip_blanks(c);
	word.at = c->p;
	while (c->p < c->end && !ends_word(*c->p)) {
		if (*c->p == '"')
			skip_quoted(c);
		else
			c->p++;
	}
	word.length = (size_t)(c->p - word.at);
	return word;
}

/* A type: a word or something in brackets, then stars, argument lists, spaces. */
static struct text next_type(struct cursor *c)
{
	struct text type;

	skip_blanks(c);
	type.at = c->p;
	if (c->p < c->end && strchr("[{<", *c->p))
		skip_brackets(c);
	else
		next_word(c);
	for (;;) {
		struct cursor ahead = *c;

		skip_blanks(&ahead);
		if (ahead.p < ahead.end && (*ahead.p == '*' || *ahead.p == '(')) {
			if (*ahead.p == '*')
				ahead.p++;
			else
				skip_brackets(&ahead);
		} else if ((size_t)(ahead.end - ahead.p) > 10 &&
			   !memcmp(ahead.p, "addrspace(", 10)) {
			next_word(&ahead);
			skip_brackets(&ahead);
		} else {
			break;
		}
		*c = ahead;
	}
	type.length = (size_t)(c->p - type.at);
	return type;
}

/* An operand: up to a comma outside brackets, or the end. */
static struct text next_operand(struct cursor *c)
{
	struct text operand;

	skip_blanks(c);
	operand.at = c->p;
	while (c->p < c->end && *c->p != ',' && *c->p != '\n') {
		if (strchr("([{<", *c->p))
			skip_brackets(c);
		else if (*c->p == '"')
			skip_quoted(c);
		else
			c->p++;
	}
	operand.length = (size_t)(c->p - operand.at);
	while (operand.length && operand.at[operand.length - 1] == ' ')
		operand.length--;
	if (c->p < c->end && *c->p == ',')
		c->p++;
	return operand;
}

static bool is_flag(struct text word)
{
	static const char *const flags[] = {
		"nuw", "nsw", "exact", "inbounds", "fast", "nnan", "ninf", "nsz", "arcp",
		"contract", "afn", "reassoc", "volatile", "tail", "musttail", "notail",
		"nneg", "disjoint", "samesign", "nusw", "atomic", "weak",
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (text_is(word, flags[i]))
			return true;
	return false;
}

static void skip_flags(struct cursor *c)
{
	struct cursor before;

	do
		before = *c;
	while (is_flag(next_word(c)));
	*c = before;
}

static void read_operands(struct instruction *i, struct cursor *c)
{
	while (c->p < c->end && i->nr_operands < IR_OPERANDS) {
		struct text operand = next_operand(c);

		if (!operand.length)
			break;
		i->operand[i->nr_operands++] = operand;
	}
}

static void read_instruction(struct instruction *i, struct text line)
{
	struct cursor c = { line.at, line.at + line.length }, before;
	struct text word, condition = { "", 0 };

	*i = (struct instruction){ .line = line };
	before = c;
	word = next_word(&c);
	if (word.length && *word.at == '%') {
		i->result = word;
		skip_blanks(&c);
		c.p += c.p < c.end;	/* = */
	} else {
		c = before;
	}
	do
		i->op = next_word(&c);
	while (is_flag(i->op));
	if (text_is(i->op, "br") || text_is(i->op, "switch") || text_is(i->op, "call") ||
	    text_is(i->op, "unreachable"))
		return;
	skip_flags(&c);
	if (text_is(i->op, "icmp") || text_is(i->op, "fcmp"))
		condition = next_word(&c);
	i->type = next_type(&c);
	skip_blanks(&c);
	/* what an address is formed or loaded of has a type of its own behind it */
	c.p += c.p < c.end && *c.p == ',';
	read_operands(i, &c);
	if (condition.length) {
		i->operand[2] = condition;
		i->nr_operands = 3;
	}
}

unsigned int ir_bits(struct text type)
{
	unsigned int bits = 0;

	if (type.length < 2 || *type.at != 'i')
		return 0;
	for (size_t k = 1; k < type.length; k++) {
		if (type.at[k] < '0' || type.at[k] > '9')
			return 0;
		bits = 10 * bits + (unsigned int)(type.at[k] - '0');
	}
	return bits;
}

bool ir_constant(struct text operand, long long *value)
{
	char number[32], *end;

	if (!operand.length || operand.length >= sizeof(number))
		return false;
	memcpy(number, operand.at, operand.length);
	number[operand.length] = '\0';
	*value = strtoll(number, &end, 10);
	return end != number && !*end;
}

/* the bracket of a call's arguments, or NULL */
static const char *arguments(const struct instruction *i)
{
	struct cursor c = { i->op.at + i->op.length, i->line.at + i->line.length };

	while (c.p < c.end) {
		skip_blanks(&c);
		if (c.p < c.end && (*c.p == '@' || *c.p == '%')) {
			/* a type's name is followed by anything but its arguments */
			next_word(&c);
			skip_blanks(&c);
			if (c.p < c.end && *c.p == '(' && c.p[-1] != ' ')
				return c.p;
		} else if (c.p < c.end && strchr("([{<", *c.p)) {
			skip_brackets(&c);
		} else if (c.p < c.end && ends_word(*c.p)) {
			c.p++;
		} else {
			struct text word = next_word(&c);

			if (text_is(word, "asm") || !word.length)
				return NULL;
		}
	}
	return NULL;
}

struct text ir_callee(const struct instruction *i)
{
	const char *open = arguments(i), *p = open;

	if (!open)
		return (struct text){ "", 0 };
	while (p[-1] != ' ' && p[-1] != '\t')
		p--;
	return (struct text){ p, *p == '@' ? (size_t)(open - p) : 0 };
}

unsigned int ir_nr_arguments(const struct instruction *i)
{
	unsigned int nr = 0;

	while (ir_argument(i, nr).length)
		nr++;
	return nr;
}

struct text ir_argument(const struct instruction *i, unsigned int which)
{
	const char *open = arguments(i);
	struct text argument = { "", 0 };
	struct cursor c;

	if (!open)
		return argument;
	c = (struct cursor){ open, i->line.at + i->line.length };
	skip_brackets(&c);
	c.end = c.p - 1;
	c.p = open + 1;
	for (unsigned int k = 0; k <= which; k++)
		argument = c.p < c.end ? next_operand(&c) : (struct text){ "", 0 };
	return argument;
}

struct text ir_last_word(struct text operand)
{
	const char *end = operand.at + operand.length, *p = end;

	while (p > operand.at && p[-1] != ' ')
		p--;
	return (struct text){ p, (size_t)(end - p) };
}

/* A pointer's own space is what its type ends with. */
static bool type_is_of_space(struct text type, const char *space)
{
	size_t length = strlen(space);

	while (type.length && strchr("* ", type.at[type.length - 1])) {
		type.length--;
		if (type.at[type.length] == '*' && type.length && type.at[type.length - 1] == '*')
			return false;
	}
	return type.length >= length && !memcmp(type.at + type.length - length, space, length);
}

bool ir_points_into(struct text operand, const char *space, struct text *type,
		    struct text *value)
{
	static const char *const expressions[] = {
		"getelementptr", "inttoptr", "bitcast", "addrspacecast", "null", "select",
	};
	struct cursor c = { operand.at, operand.at + operand.length };

	*type = next_type(&c);
	if (!type_is_of_space(*type, space))
		return false;
	while (c.p < c.end) {
		struct text word = next_word(&c);

		*value = (struct text){ word.at, (size_t)(c.end - word.at) };
		/* what is behind a name is the order of an atomic access */
		if (word.length && (*word.at == '%' || *word.at == '@')) {
			*value = word;
			return true;
		}
		for (size_t k = 0; k < sizeof(expressions) / sizeof(*expressions); k++)
			if (text_is(word, expressions[k]))
				return true;
		if (c.p < c.end && *c.p == '(')
			skip_brackets(&c);
		else if (!word.length)
			return false;
	}
	return false;
}

void ir_targets(const struct instruction *i, void (*seen)(void *ctx, struct text label),
		void *ctx)
{
	const char *p = i->line.at, *end = p + i->line.length;

	for (; p + 7 < end; p++) {
		struct cursor c = { p + 6, end };

		if (memcmp(p, "label ", 6) || (p > i->line.at && p[-1] != ' ' && p[-1] != '['))
			continue;
		seen(ctx, (struct text){ c.p + 1, next_word(&c).length - 1 });
	}
}

/* Whether a line tells where the assembly code of the line before goes on. */
static bool goes_on(const char *p, const char *end)
{
	struct cursor c = { p, end };

	return p < end && *p == ' ' && text_is(next_word(&c), "to");
}

/* One instruction's text: its line, what belongs to it of the next, a switch's list. */
static const char *instruction_end(const char *p, const char *end)
{
	const char *line = memchr(p, '\n', (size_t)(end - p));

	line = line ? line : end - 1;
	if (goes_on(line + 1, end)) {
		line = memchr(line + 1, '\n', (size_t)(end - line - 1));
		line = line ? line : end - 1;
	}
	if (line > p && line[-1] == '[')
		while (line + 1 < end) {
			const char *next = memchr(line + 1, '\n', (size_t)(end - line - 1));
			bool last = memchr(line + 1, ']',
					   (size_t)((next ? next : end) - line - 1)) != NULL;

			line = next ? next : end - 1;
			if (last)
				break;
		}
	return line + 1;
}

/* Where a label's line ends with ":" and perhaps a comment. */
static bool is_label(const char *p, const char *end, struct text *label)
{
	struct cursor c = { p, end };

	if (*p == ' ' || *p == '\t' || *p == '}' || *p == '\n' || *p == ';')
		return false;
	*label = next_word(&c);
	if (!label->length || label->at[label->length - 1] != ':')
		return false;
	label->length--;
	return true;
}

static struct block *add_block(struct function *f, struct text label, struct text head)
{
	f->blocks = grow(f->blocks, f->nr, sizeof(*f->blocks));
	f->blocks[f->nr] = (struct block){ .label = label, .head = head };
	return &f->blocks[f->nr++];
}

static void add_instruction(struct block *b, struct text line)
{
	b->instructions = grow(b->instructions, b->nr, sizeof(*b->instructions));
	read_instruction(&b->instructions[b->nr++], line);
}

const char *ir_read_function(const char *p, const char *end, struct function *f)
{
	const char *body = memchr(p, '\n', (size_t)(end - p));
	struct block *b = NULL;

	body = body ? body + 1 : end;
	*f = (struct function){ .head = { p, (size_t)(body - p) } };
	for (p = body; p < end && *p != '}'; ) {
		const char *next = instruction_end(p, end);
		struct text line = { p, (size_t)(next - p) }, label;

		if (is_label(p, next, &label))
			b = add_block(f, label, line);
		else if (!b && *p != '\n')
			b = add_block(f, (struct text){ "", 0 }, (struct text){ p, 0 });
		if (b && (*p == ' ' || *p == '\t') && p[strspn(p, " \t")] != ';')
			add_instruction(b, line);
		p = next;
	}
	p = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
	return p ? p + 1 : end;
}

void ir_free_function(struct function *f)
{
	for (size_t b = 0; b < f->nr; b++) {
		free(f->blocks[b].instructions);
		free(f->blocks[b].from);
	}
	free(f->blocks);
}
