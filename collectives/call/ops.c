// SPDX-License-Identifier: MIT
/* Names and sizes of types, names of operations, and operations of users. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "runtime/base/error.h"
#include "runtime/base/threads.h"
#include "collectives/call/ops.h"

static const struct {
	const char *name;
	unsigned int size;
} types[PC_NR_TYPES] = {
	[PIDCOMM_I8] = { "i8", 1 },	[PIDCOMM_I16] = { "i16", 2 },
	[PIDCOMM_I32] = { "i32", 4 },	[PIDCOMM_I64] = { "i64", 8 },
	[PIDCOMM_U8] = { "u8", 1 },	[PIDCOMM_U16] = { "u16", 2 },
	[PIDCOMM_U32] = { "u32", 4 },	[PIDCOMM_U64] = { "u64", 8 },
	[PIDCOMM_F16] = { "f16", 2 },	[PIDCOMM_BF16] = { "bf16", 2 },
	[PIDCOMM_F32] = { "f32", 4 },	[PIDCOMM_F64] = { "f64", 8 },
};

static const struct {
	const char *name;
	bool bitwise;
} ops[PC_NR_OPS] = {
	{ "sum", false },  { "prod", false }, { "min", false },
	{ "max", false },  { "land", false }, { "band", true },
	{ "lor", false },  { "bor", true },   { "lxor", false },
	{ "bxor", true },
};

/* far from the built-in ones, so that a number off by some is none */
#define FIRST_HANDLE	0x10000

/*
 * User-defined operations that live, so that a freed or invented handle is
 * refused and never followed. A handle is a number given out once: an address
 * would come back with the next operation.
 */
static struct {
	pthread_mutex_t lock;
	struct pc_user_op **ops;
	size_t count;
	uintptr_t made;
} live = { .lock = PTHREAD_MUTEX_INITIALIZER };

PD_FORK_SAFE(&live.lock);

unsigned int pc_type_size(enum pidcomm_type type)
{
	return types[type].size;
}

const char *pc_type_name(enum pidcomm_type type)
{
	return types[type].name;
}

bool pc_op_builtin(pidcomm_op op, unsigned int *index)
{
	uintptr_t number = (uintptr_t)op;

	*index = (unsigned int)(number - 1);
	return number >= 1 && number <= PC_NR_OPS;
}

const char *pc_op_name(pidcomm_op op)
{
	unsigned int index;

	return pc_op_builtin(op, &index) ? ops[index].name : "user";
}

/* the operation's place among the live, or their count; lock held */
static size_t live_find(pidcomm_op op)
{
	size_t i = 0;

	while (i < live.count && live.ops[i]->handle != op)
		i++;
	return i;
}

const struct pc_user_op *pc_op_user(pidcomm_op op)
{
	const struct pc_user_op *found = NULL;
	size_t i;

	pthread_mutex_lock(&live.lock);
	i = live_find(op);
	if (i < live.count)
		found = live.ops[i];
	pthread_mutex_unlock(&live.lock);
	return found;
}

int pc_op_check(enum pidcomm_type type, pidcomm_op op)
{
	unsigned int index;

	if ((unsigned int)type >= PC_NR_TYPES)
		return pd_error(EINVAL,
				"type=%d, expected a value of enum pidcomm_type",
				(int)type);
	if (!pc_op_builtin(op, &index)) {
		if (pc_op_user(op))
			return 0;
		return pd_error(EINVAL,
				"op=%p, expected a built-in operation or one of pidcomm_op_create()",
				(void *)op);
	}
	if (ops[index].bitwise && type >= PIDCOMM_F16)
		return pd_error(EINVAL,
				"op=%s is bitwise, type=%s a floating-point type",
				ops[index].name, types[type].name);
	return 0;
}

static bool live_add(struct pc_user_op *op)
{
	struct pc_user_op **grown;

	pthread_mutex_lock(&live.lock);
	grown = realloc(live.ops, (live.count + 1) * sizeof(*grown));
	if (grown) {
		op->handle = (pidcomm_op)(FIRST_HANDLE + live.made++);
		live.ops = grown;
		live.ops[live.count++] = op;
	}
	pthread_mutex_unlock(&live.lock);
	return grown;
}

/* the operation, no longer among the live; NULL if it was not */
static struct pc_user_op *live_remove(pidcomm_op op)
{
	struct pc_user_op *found = NULL;
	size_t i;

	pthread_mutex_lock(&live.lock);
	i = live_find(op);
	if (i < live.count) {
		found = live.ops[i];
		live.ops[i] = live.ops[--live.count];
	}
	if (!live.count) {
		free(live.ops);
		live.ops = NULL;
	}
	pthread_mutex_unlock(&live.lock);
	return found;
}

int pidcomm_op_create(pidcomm_op_fn fn, void *ctx, pidcomm_op *op)
{
	struct pc_user_op *made;

	if (!fn || !op)
		return pd_error(EINVAL, "%s is NULL", fn ? "op" : "fn");
	made = malloc(sizeof(*made));
	if (made)
		*made = (struct pc_user_op){ .fn = fn, .ctx = ctx };
	if (!made || !live_add(made)) {
		free(made);
		return pd_error(ENOMEM, "no memory for an operation");
	}
	*op = made->handle;
	return 0;
}

void pidcomm_op_free(pidcomm_op op)
{
	free(live_remove(op));
}
