// SPDX-License-Identifier: MIT
/*
 * The eager switch, swept: an eager message is copied once more than one by rendezvous, which
 * takes three hops. Between PE programs both are counted, and their cycles modelled; between
 * resident kernels both are timed.
 */
#include <inttypes.h>
#include <math.h>

#include <json-c/json.h>

#include "tools/perf/measure.h"
#include "tools/perf/suites/messages/eager.h"
#include "tools/perf/suites/messages/eager_times.h"
#include "tools/perf/suites/messages/exchange.h"
#include "tools/tool.h"

/* no parcel takes more along */
static const uint32_t sizes[] = { 1024, 4096, 16384, 32768, 49152, 65536 };

#define SIZES	TOOL_COUNT(sizes)

/* empty messages, which barriers are made of, are eager by either */
static const struct {
	const char *name, *text;	/* of PIMDIMM_EAGER */
	uint32_t eager;
} ways[] = {
	{ "eager", EAGER_BEYOND, MESSAGE_MAX + 1 },
	{ "rendezvous", "1", 1 },
};

#define WAYS	TOOL_COUNT(ways)

/* receives that are posted: none, all */
static const char *const shares[] = { "unexpected", "posted" };

#define POSTED	TOOL_COUNT(shares)

/* of a message */
struct swept {
	double instructions, references, cycles;
	uint64_t wrong;
};

static struct swept swept[POSTED][WAYS][SIZES];
static double times[WAYS][SIZES];	/* ns */
static uint64_t times_wrong[WAYS][SIZES];
static bool measured;

static int count(size_t posted, size_t way, size_t size)
{
	const struct exchange_case c = {
		.method = EXCHANGE_TRAVELLING,
		.bytes = sizes[size],
		.posted = posted ? MESSAGES : 0,
		.eager = ways[way].eager,
	};
	struct swept *to = &swept[posted][way][size];
	struct exchange_counts counts;
	int ret = exchange_count(&c, &counts);

	if (ret)
		return ret;
	*to = (struct swept){ .cycles = counts.cycles / EXCHANGE_MESSAGES, .wrong = counts.wrong };
	for (unsigned int s = 0; s <= MESSAGE_JUGGLING; s++) {
		to->instructions += counts.instructions[s] / EXCHANGE_MESSAGES;
		to->references += counts.references[s] / EXCHANGE_MESSAGES;
	}
	/* each has gone the way that it was to go */
	if (counts.rendezvous != (way ? EXCHANGE_MESSAGES : 0))
		return tool_error("%.0f of %d messages of %u bytes took three hops, expected %d",
				  counts.rendezvous, EXCHANGE_MESSAGES, sizes[size],
				  way ? EXCHANGE_MESSAGES : 0);
	return TOOL_OK;
}

static int sweep(void)
{
	int ret = TOOL_OK;

	for (size_t size = 0; size < SIZES; size++) {
		for (size_t way = 0; way < WAYS; way++) {
			for (size_t p = 0; p < POSTED && !ret; p++)
				ret = perf_interrupted() ? tool_error("interrupted") :
							   count(p, way, size);
			times_wrong[way][size] = 0;
			if (!ret)
				ret = eager_time(ways[way].text, sizes[size], &times[way][size],
						 &times_wrong[way][size]);
		}
	}
	return ret;
}

/* bytes from which on rendezvous takes no more, between the sizes measured; NAN: none */
static double crossing(const double eager[SIZES], const double rendezvous[SIZES])
{
	for (size_t i = 0; i < SIZES; i++) {
		double over = rendezvous[i] - eager[i], before;

		if (over > 0)
			continue;
		if (!i)
			return sizes[0];
		before = rendezvous[i - 1] - eager[i - 1];
		return sizes[i - 1] + (sizes[i] - sizes[i - 1]) * before / (before - over);
	}
	return NAN;
}

enum measure {
	INSTRUCTIONS,
	REFERENCES,
	CYCLES,
	MEASURES,
};

static const char *const measures[MEASURES] = {
	"overhead instructions, counted", "overhead references, counted",
	"cycles of a DPU, modelled",
};

static double value_of(const struct swept *s, enum measure m)
{
	const double of[MEASURES] = { s->instructions, s->references, s->cycles };

	return of[m];
}

static double crossing_of(size_t posted, enum measure m)
{
	double of[WAYS][SIZES];

	for (size_t way = 0; way < WAYS; way++)
		for (size_t size = 0; size < SIZES; size++)
			of[way][size] = value_of(&swept[posted][way][size], m);
	return crossing(of[0], of[1]);
}

static void put_crossing(FILE *out, const char *share, const char *what, double at)
{
	if (isnan(at))
		fprintf(out, "# %s, %s: eager takes less up to %u bytes\n", share, what,
			sizes[SIZES - 1]);
	else if (at <= sizes[0])
		fprintf(out, "# %s, %s: rendezvous takes no more from %u bytes on\n", share, what,
			sizes[0]);
	else
		fprintf(out, "# %s, %s: they cross at %.0f bytes\n", share, what, at);
}

static void put_text(FILE *out)
{
	fputs("#\n# the eager switch: a message between 2 PEs by either way, and one way between\n"
	      "# resident kernels, in ns, measured; the switch is at 64 KiB, R03's, too. Data that\n"
	      "# comes by rendezvous is moved by parcels, which take no time of a DPU\n"
	      "#  bytes receives   way         overhead      refs     cycles         ns  #wrong\n", out);
	for (size_t size = 0; size < SIZES; size++) {
		for (size_t way = 0; way < WAYS; way++) {
			for (size_t p = 0; p < POSTED; p++) {
				const struct swept *s = &swept[p][way][size];

				fprintf(out, "# %6u %-10s %-10s %9.0f %9.0f %10.0f %10.0f  %6" PRIu64 "\n",
					sizes[size], shares[p], ways[way].name, s->instructions,
					s->references, s->cycles, times[way][size],
					s->wrong + times_wrong[way][size]);
			}
		}
	}
	for (size_t p = 0; p < POSTED; p++)
		for (unsigned int m = 0; m < MEASURES; m++)
			put_crossing(out, shares[p], measures[m],
				     crossing_of(p, (enum measure)m));
	put_crossing(out, "resident kernels", "ns, measured", crossing(times[0], times[1]));
}

static struct json_object *row_json(size_t p, size_t way, size_t size)
{
	const struct swept *s = &swept[p][way][size];
	struct json_object *o = json_object_new_object();

	tool_json_add(o, "bytes", json_object_new_uint64(sizes[size]));
	tool_json_add(o, "receives", tool_json_string(shares[p]));
	tool_json_add(o, "way", tool_json_string(ways[way].name));
	perf_report_json_number(o, "overhead_instructions", s->instructions);
	perf_report_json_number(o, "overhead_references", s->references);
	perf_report_json_number(o, "cycles_modelled", s->cycles);
	perf_report_json_number(o, "resident_ns", times[way][size]);
	tool_json_add(o, "wrong", json_object_new_uint64(s->wrong + times_wrong[way][size]));
	return o;
}

static void put_json(struct perf_report *r)
{
	struct json_object *rows = json_object_new_array(), *at = json_object_new_array();

	for (size_t size = 0; size < SIZES; size++)
		for (size_t way = 0; way < WAYS; way++)
			for (size_t p = 0; p < POSTED; p++)
				json_object_array_add(rows, row_json(p, way, size));
	for (size_t p = 0; p < POSTED; p++) {
		struct json_object *o = json_object_new_object();

		tool_json_add(o, "receives", tool_json_string(shares[p]));
		perf_report_json_number(o, "overhead_instructions", crossing_of(p, INSTRUCTIONS));
		perf_report_json_number(o, "overhead_references", crossing_of(p, REFERENCES));
		perf_report_json_number(o, "cycles_modelled", crossing_of(p, CYCLES));
		perf_report_json_number(o, "resident_ns", crossing(times[0], times[1]));
		json_object_array_add(at, o);
	}
	perf_report_json(r, "eager_switch", rows);
	perf_report_json(r, "eager_crossings_bytes", at);
}

void eager_measure(struct perf_suite *suite)
{
	struct perf_report *r = &suite->report;

	suite->status = sweep();
	measured = !suite->status;
	if (!measured)
		return;
	for (size_t size = 0; size < SIZES; size++)
		for (size_t way = 0; way < WAYS; way++)
			r->wrong += swept[0][way][size].wrong + swept[1][way][size].wrong +
				    times_wrong[way][size];
	if (r->format == PERF_TEXT)
		put_text(r->out);
	else if (r->format == PERF_JSON)
		put_json(r);
}

static void draw_measure(struct perf_figure *figure, enum measure m)
{
	for (size_t size = 0; size < SIZES && measured; size++) {
		for (size_t p = 0; p < POSTED; p++) {
			for (size_t way = 0; way < WAYS; way++) {
				char series[32];

				snprintf(series, sizeof(series), "%s, %s", ways[way].name, shares[p]);
				perf_figure_add(figure, tool_size(sizes[size]), series,
						value_of(&swept[p][way][size], m), NAN);
			}
		}
	}
}

void eager_draw_instructions(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw_measure(figure, INSTRUCTIONS);
}

void eager_draw_cycles(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw_measure(figure, CYCLES);
}

void eager_draw_times(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	for (size_t size = 0; size < SIZES && measured; size++)
		for (size_t way = 0; way < WAYS; way++)
			perf_figure_add(figure, tool_size(sizes[size]), ways[way].name,
					times[way][size], NAN);
}
