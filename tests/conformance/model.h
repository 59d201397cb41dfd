/* SPDX-License-Identifier: MIT */
/*
 * The eight collectives as their definitions say, byte by byte, on the plain
 * arrays of a shadow.
 */
#ifndef TESTS_MODEL_H
#define TESTS_MODEL_H

#include "tests/conformance/call.h"
#include "tests/conformance/shadow.h"

/* bufs: what each group's host buffer holds or should hold. */
void model_run(struct shadow *s, const struct shape *shape,
	       const struct call *call, uint8_t *const bufs[]);

#endif
