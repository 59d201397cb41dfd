/* SPDX-License-Identifier: MIT */
/*
 * What "ring" and "tree" make of vectors whose reduction depends on the order of
 * its steps, written from the order that their files document.
 */
#ifndef TESTS_ORDER_H
#define TESTS_ORDER_H

#include <stdbool.h>

#include "tests/conformance/call.h"

/* Whether the call's result may be another than the left fold's. */
bool order_matters(const struct call *call);

/* Whether the algorithm does not serve the call: -EOPNOTSUPP. */
bool order_refuses(const struct call *call);

/*
 * The reduction of n vectors of call->bytes; @lanes of them are neighbours in
 * each entangled group.
 */
void order_reduce(const struct call *call, const uint8_t *const in[], uint32_t n,
		  uint32_t lanes, uint8_t *out);

#endif
