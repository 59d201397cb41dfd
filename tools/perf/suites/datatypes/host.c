// SPDX-License-Identifier: MIT
/* pimtype_pack(), pimtype_unpack() and pimtype_copy() against a program's own loops. */
#include <stdlib.h>
#include <string.h>

#include <pimdimm/types.h>

#include "tools/perf/suites/datatypes/host.h"
#include "tools/perf/suites/datatypes/maker.h"
#include "tools/perf/suites/datatypes/plain.h"
#include "tools/perf/suites/datatypes/truth.h"
#include "tools/perf/suites/datatypes/turns.h"
#include "tools/tool.h"

struct host {
	const struct ddt_kernel *k;
	struct pimtype *type[DDT_SIDES];
	struct ddt_loops pack, unpack, copy;
	char *array[DDT_SIDES], *stream;
	char *expected_stream, *expected_array;
	struct pimtype_piece *pieces;
	size_t room;		/* of them */
};

static void free_types(struct host *h)
{
	for (int side = 0; side < DDT_SIDES; side++) {
		pimtype_free(h->type[side]);
		h->type[side] = NULL;
	}
}

/* Each operation begins with types of its own. */
static int make_types(void *of)
{
	struct host *h = of;

	free_types(h);
	for (int side = 0; side < DDT_SIDES; side++) {
		h->type[side] = h->k->make(h->k, side, &ddt_maker_own);
		if (!h->type[side])
			return -1;
	}
	return 0;
}

static struct pimtype_part part_of(const struct host *h, int side)
{
	return (struct pimtype_part){ h->k->at[side], 1, h->type[side] };
}

static int typed_pack(void *of)
{
	struct host *h = of;
	size_t bytes = h->k->bytes;

	return pimtype_pack(h->array[DDT_FROM], part_of(h, DDT_FROM), 0, h->stream, &bytes);
}

static int plain_pack(void *of)
{
	struct host *h = of;

	ddt_plain_copy(&h->pack, h->stream, h->array[DDT_FROM]);
	return 0;
}

static int blocks_pack(void *of)
{
	struct host *h = of;

	ddt_blocks_copy(&h->pack, h->stream, h->array[DDT_FROM]);
	return 0;
}

static void clear_stream(void *of)
{
	struct host *h = of;

	memset(h->stream, ~DDT_GAP, h->k->bytes);
}

static uint64_t wrong_stream(void *of)
{
	const struct host *h = of;

	return ddt_truth_wrong(h->stream, h->expected_stream, h->k->bytes);
}

static int typed_unpack(void *of)
{
	struct host *h = of;

	return pimtype_unpack(h->array[DDT_TO], part_of(h, DDT_TO), 0, h->expected_stream,
			      h->k->bytes);
}

static int plain_unpack(void *of)
{
	struct host *h = of;

	ddt_plain_copy(&h->unpack, h->array[DDT_TO], h->expected_stream);
	return 0;
}

static int blocks_unpack(void *of)
{
	struct host *h = of;

	ddt_blocks_copy(&h->unpack, h->array[DDT_TO], h->expected_stream);
	return 0;
}

static int typed_copy(void *of)
{
	struct host *h = of;

	return pimtype_copy(h->array[DDT_TO], part_of(h, DDT_TO), h->array[DDT_FROM],
			    part_of(h, DDT_FROM));
}

static int plain_copy(void *of)
{
	struct host *h = of;

	ddt_plain_copy(&h->copy, h->array[DDT_TO], h->array[DDT_FROM]);
	return 0;
}

static int blocks_copy(void *of)
{
	struct host *h = of;

	ddt_blocks_copy(&h->copy, h->array[DDT_TO], h->array[DDT_FROM]);
	return 0;
}

/* all runs, which is what is told of a layout that is not kept; by them the stream is made */
static int typed_list(void *of)
{
	struct host *h = of;
	size_t nr = h->room;

	return pimtype_pieces(part_of(h, DDT_FROM), 0, h->pieces, &nr);
}

static uint64_t wrong_list(void *of)
{
	struct host *h = of;
	size_t nr = h->room, at = 0;

	clear_stream(h);
	if (pimtype_pieces(part_of(h, DDT_FROM), 0, h->pieces, &nr))
		return UINT64_MAX;
	for (size_t i = 0; i < nr && at + h->pieces[i].bytes <= h->k->bytes; i++) {
		memcpy(h->stream + at, h->array[DDT_FROM] + h->pieces[i].offset,
		       h->pieces[i].bytes);
		at += h->pieces[i].bytes;
	}
	return wrong_stream(h);
}

static void clear_list(void *of)
{
	struct host *h = of;

	memset(h->pieces, 0, h->room * sizeof(*h->pieces));
}

static void clear_array(void *of)
{
	struct host *h = of;

	ddt_truth_clear_array(h->k, h->array[DDT_TO]);
}

static uint64_t wrong_array(void *of)
{
	const struct host *h = of;

	return ddt_truth_wrong_array(h->k, h->array[DDT_TO], h->expected_array);
}

static bool host_make(struct host *h, uint64_t seed)
{
	const struct ddt_kernel *k = h->k;

	for (int side = 0; side < DDT_SIDES; side++)
		h->array[side] = malloc(k->span);
	h->expected_array = malloc(k->span);
	h->stream = malloc(k->bytes);
	h->expected_stream = malloc(k->bytes);
	/* no run is shorter than an element */
	h->room = k->bytes / k->nests[0].element;
	h->pieces = calloc(h->room, sizeof(*h->pieces));
	if (!h->pieces)
		return false;
	if (!h->array[0] || !h->array[1] || !h->expected_array || !h->stream ||
	    !h->expected_stream)
		return false;
	ddt_truth_fill_array(k, h->array[DDT_FROM], seed);
	ddt_truth_pack(k, DDT_FROM, 1, h->array[DDT_FROM], h->expected_stream);
	ddt_truth_clear_array(k, h->expected_array);
	ddt_truth_unpack(k, DDT_TO, 1, h->expected_array, h->expected_stream);
	ddt_loops_make(&h->pack, k, true, false, 1);
	ddt_loops_make(&h->unpack, k, false, true, 1);
	ddt_loops_make(&h->copy, k, true, true, 1);
	return true;
}

static void host_free(struct host *h)
{
	free_types(h);
	for (int side = 0; side < DDT_SIDES; side++)
		free(h->array[side]);
	free(h->expected_array);
	free(h->stream);
	free(h->expected_stream);
	free(h->pieces);
}

static void take_host(struct perf_suite *suite, struct host *h)
{
	const struct ddt_turns all[] = {
		{ .operation = "pack", .clear = clear_stream, .wrong = wrong_stream,
		  .ways = { { "typed", make_types, typed_pack }, { "plain", NULL, plain_pack },
			    { "blocks", NULL, blocks_pack } } },
		{ .operation = "unpack", .clear = clear_array, .wrong = wrong_array,
		  .ways = { { "typed", make_types, typed_unpack },
			    { "plain", NULL, plain_unpack }, { "blocks", NULL, blocks_unpack } } },
		{ .operation = "copy", .clear = clear_array, .wrong = wrong_array,
		  .ways = { { "typed", make_types, typed_copy }, { "plain", NULL, plain_copy },
			    { "blocks", NULL, blocks_copy } } },
		{ .operation = "list", .clear = clear_list, .wrong = wrong_list, .nr = 1,
		  .ways = { { "typed", make_types, typed_list } } },
	};

	for (size_t i = 0; i < TOOL_COUNT(all); i++) {
		struct ddt_turns turns = all[i];

		turns.context = "host";
		turns.kernel = h->k;
		turns.bytes = h->k->bytes;
		turns.of = h;
		turns.nr = turns.nr ? turns.nr : 3;
		ddt_turns_take(suite, &turns);
	}
}

void ddt_host(struct perf_suite *suite, const struct ddt_kernel *k)
{
	struct host h = { .k = k };

	if (host_make(&h, suite->how.seed))
		take_host(suite, &h);
	else
		suite->status = tool_error("no memory for %s %s: %s of arrays", k->name, k->set,
					   tool_size(k->span));
	host_free(&h);
}
