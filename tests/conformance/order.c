// SPDX-License-Identifier: MIT
/* Reductions in an order other than the left fold's, see order.h. */
#include <string.h>

#include "tests/conformance/numeric.h"
#include "tests/conformance/order.h"
#include "tests/conformance/support.h"
#include "tests/conformance/userop.h"

static bool is_ring(const struct call *call)
{
	return !strcmp(call->algorithm, "ring");
}

static bool is_tree(const struct call *call)
{
	return !strcmp(call->algorithm, "tree");
}

bool order_matters(const struct call *call)
{
	if (is_tree(call) && userop_find(call->op))
		return true;
	return (is_ring(call) || is_tree(call)) && num_is_float(call->type);
}

/* PEs that reorder have nowhere to do it in place; only bytes are folded as they
 * lie in the PIM domain. */
static bool assisted_refuses(const struct call *call)
{
	if (strncmp(call->algorithm, "pr", 2))
		return false;
	if (call->collective == REDUCE_SCATTER && call->bytes &&
	    call->src == call->dst)
		return true;
	return collectives[call->collective].reduces &&
	       !strcmp(call->algorithm, "pr+im+cm") &&
	       (num_size(call->type) > 1 || userop_find(call->op));
}

bool order_refuses(const struct call *call)
{
	return (is_ring(call) && userop_find(call->op)) ||
	       assisted_refuses(call);
}

/* a = a op b, @bytes at @at of both, rounded as it would be in MRAM */
static void step(const struct call *call, uint8_t *a, const uint8_t *b,
		 uint64_t bytes)
{
	const uint8_t *const in[] = { a, b };
	uint8_t *out = need(malloc(bytes + 1));

	userop_fold(call->type, call->op, in, 2, bytes, out);
	memcpy(a, out, bytes);
	free(out);
}

/* Chunk c: for each lane round the entangled groups from c on, then the lanes. */
static void ring_chunk(const struct call *call, const uint8_t *const in[],
		       uint32_t egs, uint32_t lanes, uint32_t c, uint8_t *out)
{
	uint64_t at = call->bytes / 8 * c / egs * 8;
	uint64_t bytes = call->bytes / 8 * (c + 1) / egs * 8 - at;
	uint8_t *lane[8];

	for (uint32_t l = 0; l < lanes; l++) {
		lane[l] = need(malloc(bytes + 1));
		memcpy(lane[l], in[c * lanes + l] + at, bytes);
		for (uint32_t k = 1; k < egs; k++)
			step(call, lane[l],
			     in[(c + k) % egs * lanes + l] + at, bytes);
	}
	userop_fold(call->type, call->op, (const uint8_t *const *)lane, lanes,
		     bytes, out + at);
	for (uint32_t l = 0; l < lanes; l++)
		free(lane[l]);
}

/* Ranks first to first + span - 1, as far as there are any. */
static void tree_span(const struct call *call, const uint8_t *const in[],
		      uint32_t n, uint32_t first, uint32_t span, uint8_t *out)
{
	uint8_t *right;

	if (span == 1) {
		memcpy(out, in[first], call->bytes);
		return;
	}
	span /= 2;
	tree_span(call, in, n, first, span, out);
	if (first + span >= n)
		return;
	right = need(malloc(call->bytes + 1));
	tree_span(call, in, n, first + span, span, right);
	step(call, out, right, call->bytes);
	free(right);
}

void order_reduce(const struct call *call, const uint8_t *const in[], uint32_t n,
		  uint32_t lanes, uint8_t *out)
{
	uint32_t span = 1;

	if (is_ring(call)) {
		for (uint32_t c = 0; c < n / lanes; c++)
			ring_chunk(call, in, n / lanes, lanes, c, out);
		return;
	}
	while (span < n)
		span *= 2;
	tree_span(call, in, n, 0, span, out);
}
