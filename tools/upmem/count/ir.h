/* SPDX-License-Identifier: MIT */
/*
 * LLVM's textual IR, as far as counting needs it: functions, their blocks and
 * instructions with result, operation, type and operands. What is not understood
 * stays text and is written as it was read.
 */
#ifndef COUNT_IR_H
#define COUNT_IR_H

#include <stdbool.h>
#include <stddef.h>

#define IR_OPERANDS 4

/* a piece of the text, not terminated */
struct text {
	const char *at;
	size_t length;
};

struct instruction {
	struct text line;	/* all of it, with its line ends */
	struct text result;	/* with its %, or empty */
	struct text op;
	struct text type;	/* of its first operand, or of what it yields */
	struct text operand[IR_OPERANDS];
	unsigned int nr_operands;
};

struct block {
	struct text label;	/* without %; the first one's may be generated */
	struct text head;	/* its line, empty for an entry without label */
	struct instruction *instructions;
	size_t nr;
	/* predecessors, one for each edge, by index: names_of() finds them */
	size_t *from;
	size_t nr_from;
};

struct names;

struct function {
	struct text head;	/* from define to its brace */
	struct block *blocks;
	size_t nr;
	struct names *names;	/* once names_of() has been called */
};

bool text_is(struct text t, const char *word);
bool text_begins(struct text t, const char *word);
bool text_same(struct text a, struct text b);

/* Reads a function whose define line begins at @p; returns the text behind it. */
const char *ir_read_function(const char *p, const char *end, struct function *f);
void ir_free_function(struct function *f);

/* The bits of an integer type such as i32, or 0. */
unsigned int ir_bits(struct text type);

/* Whether an operand is an integer constant, and which. */
bool ir_constant(struct text operand, long long *value);

/* The function that a call names, with its @, or empty for one by address. */
struct text ir_callee(const struct instruction *i);

/* How many arguments a call has, and one of them, empty where it has fewer. */
unsigned int ir_nr_arguments(const struct instruction *i);
struct text ir_argument(const struct instruction *i, unsigned int which);

/* The value of an operand that has its type and attributes in front. */
struct text ir_last_word(struct text operand);

/*
 * Whether an operand, whose type and attributes come first, is a pointer into this
 * address space; then its type and its value.
 */
bool ir_points_into(struct text operand, const char *space, struct text *type,
		    struct text *value);

/* Calls @seen with each label, without %, that a terminator may go to. */
void ir_targets(const struct instruction *i, void (*seen)(void *ctx, struct text label),
		void *ctx);

#endif /* COUNT_IR_H */
