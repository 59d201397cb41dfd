// SPDX-License-Identifier: MIT
/*
 * Copies within the MRAM of a PE, by 1 to 16 of its tasklets, of a message that fits into 32 KiB
 * and of a large one. Instructions are counted and cycles modelled, by the difference between
 * two copies and one; all bytes are compared.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "tools/perf/pe/copies.h"
#include "tools/perf/suites/messages/copies.h"
#include "tools/perf/suites/messages/r03.h"
#include "tools/perf/suites/pe/pe_images.h"
#include "tools/tool.h"

static const uint32_t sizes[] = { 16384, COPIES_MAX };
static const uint32_t tasklets[] = { 1, 2, 4, 8, 11, 16 };
static const char *const names[COPIES_WAYS] = { "word", "dma", "row" };
static const uint32_t units[COPIES_WAYS] = COPIES_UNITS;

#define SIZES	TOOL_COUNT(sizes)
#define THREADS	TOOL_COUNT(tasklets)
#define LARGE	(SIZES - 1)

/* of a copy */
struct copied {
	double instructions, cycles;	/* counted; of a DPU, modelled */
	double references;		/* of R03's PIM */
	uint64_t wrong;
};

static struct copied copied[SIZES][COPIES_WAYS][THREADS];
static bool measured;

/*
 * A thread issues an instruction every 4 cycles and waits for its references; others fill the
 * pipeline and the memory meanwhile, each of which does one thing at a time.
 */
static double r03_of(const struct copied *c, uint32_t threads, double reference)
{
	double waits = reference * c->references;

	return fmax((R03_ISSUE * c->instructions + waits) / threads,
		    fmax(c->instructions, waits));
}

static double r03_by(enum copies_way way, double bytes)
{
	const struct copied *c = &copied[LARGE][way][0];

	return measured ? r03_of(c, 1, R03_OPEN) * bytes / sizes[LARGE] : NAN;
}

double copies_by_word(double bytes)
{
	return r03_by(COPIES_WORD, bytes);
}

double copies_by_row(double bytes)
{
	return r03_by(COPIES_ROW, bytes);
}

/* a word, a wide word or a row is read by a reference, and written by one */
static double references_of(enum copies_way way, uint32_t bytes)
{
	const double of[COPIES_WAYS] = { units[COPIES_WORD], R03_WIDE, units[COPIES_ROW] };

	return 2 * bytes / of[way];
}

static int failed(void)
{
	return tool_error("%s", pimdimm_errmsg());
}

struct copying {
	struct pimdimm *sys;
	struct pimdimm_program *program;
	uint64_t args, heap;	/* where they are: in WRAM, in MRAM */
	uint8_t from[COPIES_MAX], to[COPIES_MAX];
};

/* adds a launch so many times, and what of its last copy is not what was to be copied */
static int launch(struct copying *c, const struct copies_args *args, double times,
		  struct copied *to)
{
	static const uint32_t pe = 0;
	struct pimdimm_run run = { .size = sizeof(run) };

	memset(c->to, 0, args->bytes);
	if (pimdimm_write(c->sys, pe, c->heap + COPIES_MAX, c->to, args->bytes) ||
	    pimdimm_wram_write(c->sys, pe, c->args, args, sizeof(*args)) ||
	    pimdimm_run(c->sys, &pe, 1, &run) ||
	    pimdimm_read(c->sys, pe, c->heap + COPIES_MAX, c->to, args->bytes))
		return failed();
	to->instructions += times * (double)run.instructions;
	to->cycles += times * (double)run.cycles;
	for (uint32_t i = 0; i < args->bytes; i++)
		to->wrong += c->to[i] != c->from[i];
	return TOOL_OK;
}

static int count(struct copying *c, uint32_t bytes, enum copies_way way, uint32_t threads,
		 struct copied *to)
{
	struct copies_args args = { .bytes = bytes, .way = way, .tasklets = threads, .rounds = 2 };
	int ret;

	*to = (struct copied){ .references = references_of(way, bytes) };
	ret = launch(c, &args, 1, to);
	args.rounds = 1;
	return ret ? ret : launch(c, &args, -1, to);
}

static int begin(struct copying *c, uint64_t seed)
{
	static const uint32_t pe = 0;
	struct pimdimm_symbol args;

	for (uint32_t i = 0; i < COPIES_MAX; i++) {
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		c->from[i] = (uint8_t)(seed >> 56);
	}
	if (pimdimm_open("mem:ranks=1", &c->sys))
		return failed();
	if (pe_image_open(PE_COPIES, &c->program))
		return TOOL_FAILED;
	if (pimdimm_load(c->sys, &pe, 1, c->program) ||
	    pimdimm_program_symbol(c->program, "args", &args))
		return failed();
	c->args = args.address;
	c->heap = pimdimm_program_info(c->program)->mram_bytes;
	return pimdimm_write(c->sys, pe, c->heap, c->from, COPIES_MAX) ? failed() : TOOL_OK;
}

static int count_all(struct copying *c)
{
	int ret = TOOL_OK;

	for (size_t s = 0; s < SIZES; s++)
		for (unsigned int w = 0; w < COPIES_WAYS; w++)
			for (size_t t = 0; t < THREADS && !ret; t++)
				ret = count(c, sizes[s], (enum copies_way)w, tasklets[t],
					    &copied[s][w][t]);
	return ret;
}

static void put_text(FILE *out, size_t s, unsigned int w, size_t t)
{
	const struct copied *c = &copied[s][w][t];

	fprintf(out, "# %6u %-4s %7u %12.0f %10.0f %9.0f %9.0f %9.3f %6" PRIu64 "\n", sizes[s],
		names[w], tasklets[t], c->instructions, c->cycles,
		r03_of(c, tasklets[t], R03_OPEN), r03_of(c, tasklets[t], R03_CLOSED),
		c->instructions / c->cycles, c->wrong);
}

static struct json_object *row_json(size_t s, unsigned int w, size_t t)
{
	const struct copied *c = &copied[s][w][t];
	struct json_object *o = json_object_new_object();

	tool_json_add(o, "bytes", json_object_new_uint64(sizes[s]));
	tool_json_add(o, "way", tool_json_string(names[w]));
	tool_json_add(o, "threads", json_object_new_uint64(tasklets[t]));
	perf_report_json_number(o, "instructions", c->instructions);
	perf_report_json_number(o, "cycles_modelled", c->cycles);
	perf_report_json_number(o, "r03_references", c->references);
	perf_report_json_number(o, "r03_cycles_open", r03_of(c, tasklets[t], R03_OPEN));
	perf_report_json_number(o, "r03_cycles_closed", r03_of(c, tasklets[t], R03_CLOSED));
	tool_json_add(o, "wrong", json_object_new_uint64(c->wrong));
	return o;
}

static void put_all(struct perf_suite *suite)
{
	struct perf_report *r = &suite->report;
	struct json_object *array = r->format == PERF_JSON ? json_object_new_array() : NULL;

	if (r->format == PERF_TEXT)
		fputs("#\n# a copy within the MRAM of a PE by words of 8 bytes, by transfers of 256, by rows of\n"
		      "# 2,048: instructions counted, cycles of a DPU modelled, and of R03's PIM, where a\n"
		      "# reference has a word, a wide word of 32 bytes, a row. R03 has of its G4's memcpy: 1.0\n"
		      "# instructions a cycle below 32 KiB, under 0.4 above; of rows, that they take less\n"
		      "#  bytes way  threads instructions     cycles  R03 open    closed a cycle  #wrong\n",
		      r->out);
	for (size_t s = 0; s < SIZES; s++) {
		for (unsigned int w = 0; w < COPIES_WAYS; w++) {
			for (size_t t = 0; t < THREADS; t++) {
				r->wrong += copied[s][w][t].wrong;
				if (array)
					json_object_array_add(array, row_json(s, w, t));
				else if (r->format == PERF_TEXT)
					put_text(r->out, s, w, t);
			}
		}
	}
	if (array)
		perf_report_json(r, "copies", array);
}

void copies_measure(struct perf_suite *suite)
{
	struct copying *c = calloc(1, sizeof(*c));

	suite->status = c ? begin(c, suite->how.seed) : tool_error("no memory for copies");
	if (!suite->status)
		suite->status = count_all(c);
	if (c) {
		pimdimm_program_close(c->program);
		pimdimm_close(c->sys);
	}
	free(c);
	measured = !suite->status;
	if (measured)
		put_all(suite);
}

static double dpu_of(const struct copied *c, uint32_t threads)
{
	(void)threads;
	return c->cycles;
}

static double open_of(const struct copied *c, uint32_t threads)
{
	return r03_of(c, threads, R03_OPEN);
}

static double closed_of(const struct copied *c, uint32_t threads)
{
	return r03_of(c, threads, R03_CLOSED);
}

/* of the large message, by threads */
static void draw_ways(struct perf_figure *figure, const char *x, size_t t, const char *more,
		      double (*value)(const struct copied *c, uint32_t threads))
{
	for (unsigned int w = 0; w < COPIES_WAYS; w++) {
		char series[32];

		snprintf(series, sizeof(series), "%s%s", names[w], more);
		perf_figure_add(figure, x, series, value(&copied[LARGE][w][t], tasklets[t]), NAN);
	}
}

static void draw_threads(struct perf_figure *figure, bool r03)
{
	for (size_t t = 0; t < THREADS && measured; t++) {
		char x[8];

		snprintf(x, sizeof(x), "%u", tasklets[t]);
		draw_ways(figure, x, t, r03 ? ", pages open" : "", r03 ? open_of : dpu_of);
		if (r03)
			draw_ways(figure, x, t, ", closed", closed_of);
	}
}

void copies_draw_dpu(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw_threads(figure, false);
}

void copies_draw_r03(struct perf_suite *suite, struct perf_figure *figure)
{
	(void)suite;
	draw_threads(figure, true);
}

/* The paper's are of its G4, to 32 KiB and above. */
void copies_draw_rate(struct perf_suite *suite, struct perf_figure *figure)
{
	static const double g4[SIZES] = { 1.0, 0.4 };

	(void)suite;
	for (size_t s = 0; s < SIZES && measured; s++) {
		char x[32];

		snprintf(x, sizeof(x), "%u KiB", sizes[s] / 1024);
		for (unsigned int w = 0; w < COPIES_WAYS; w++) {
			const struct copied *c = copied[s][w];

			for (size_t t = 0; t < THREADS; t += THREADS - 1) {
				char series[32];

				snprintf(series, sizeof(series), "%s, %u thread%s", names[w],
					 tasklets[t], t ? "s" : "");
				perf_figure_add(figure, x, series, c[t].instructions / c[t].cycles,
						w || t ? NAN : g4[s]);
			}
		}
	}
}
