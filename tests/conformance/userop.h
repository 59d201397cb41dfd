/* SPDX-License-Identifier: MIT */
/* User-defined operations, none of which commutes. */
#ifndef TESTS_USEROP_H
#define TESTS_USEROP_H

#include <stdint.h>

#include <pimdimm/pidcomm.h>

struct userop {
	const char *name;
	pidcomm_op_fn fn;
	void *ctx;
	pidcomm_op handle;
};

#define NR_USEROPS	5

extern struct userop userops[NR_USEROPS];

void userops_create(void);
void userops_free(void);
const struct userop *userop_find(pidcomm_op op);

/*
 * How many calls of user-defined operations broke the contract: pointers not
 * aligned to the type, nothing to do, another context. The last kind of type
 * that arrived is checked by the operations' results.
 */
unsigned userops_violations(void);

/* The left fold of n vectors, by an operation of users or built in; one member's is copied unchanged. */
void userop_fold(enum pidcomm_type type, pidcomm_op op,
		 const uint8_t *const in[], size_t n, size_t bytes, void *out);

#endif
