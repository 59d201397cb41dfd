// SPDX-License-Identifier: MIT
/* DMA, switches of tasklets, loads and empty launches. */
#include <math.h>
#include <stdlib.h>

#include "tools/perf/measure.h"
#include "tools/perf/suites/pe/pe_basics.h"
#include "tools/tool.h"

#define BLOCK 2048
#define WORDS (BLOCK / sizeof(uint64_t))
#define PASSES 9
#define TURNS 20000

static void set_times(struct pe_row *row, const struct pimdimm_run *run)
{
	row->measured = (double)run->ns;
	row->emulation = (double)run->emulation_ns;
	row->modelled = (double)run->cycles * 1e9 / (double)run->clock_hz;
}

/* what is left of the second where the first is of the same and more */
static void set_difference(struct pe_row *row, const struct pe_row *less)
{
	row->measured -= less->measured;
	row->emulation = fmax(row->emulation - less->emulation, 0);
	row->modelled -= less->modelled;
	/* so short that the machine's noise is more: nothing was measured */
	if (row->measured <= 0)
		row->measured = NAN;
}

/* a pass over `words` read them as the program did: one of each transfer */
static uint64_t wrong_sums(struct pe_rig *rig, const uint64_t *words,
			   uint64_t bytes, uint32_t passes)
{
	uint64_t sums[PIMDIMM_CHIPS][PE_TASKLETS], wrong = 0;

	if (pe_rig_read(rig, "sums", sums, sizeof(*sums)))
		return UINT64_MAX;
	for (uint32_t pe = 0; pe < PIMDIMM_CHIPS; pe++) {
		uint64_t expected[PE_TASKLETS] = { 0 };

		for (uint64_t b = 0; b < bytes / BLOCK; b++)
			expected[b % PE_TASKLETS] += passes *
				words[(pe * (bytes / BLOCK) + b) * WORDS +
				      b % WORDS];
		for (uint32_t t = 0; t < PE_TASKLETS; t++)
			wrong += sums[pe][t] != expected[t];
	}
	return wrong;
}

/* every word as the last pass wrote it */
static uint64_t wrong_words(struct pe_rig *rig, uint64_t *words, uint64_t bytes,
			    uint32_t passes)
{
	uint64_t wrong = 0, per_pe = bytes / 8;

	if (pe_rig_pull(rig, 0, words, bytes))
		return UINT64_MAX;
	for (uint64_t i = 0; i < PIMDIMM_CHIPS * per_pe; i++) {
		uint64_t at = i % per_pe * 8, word = i % WORDS;
		uint64_t tasklet = at / BLOCK % PE_TASKLETS;
		uint64_t expected = word ? word * (tasklet + 1) :
				    (uint64_t)(passes - 1) << 32 | at;

		wrong += words[i] != expected;
	}
	return wrong;
}

static int run_dma(struct pe_rig *rig, const struct pe_args *args,
		   uint64_t *words, struct pe_row *row)
{
	struct pimdimm_run middle;

	for (uint64_t i = 0; i < PIMDIMM_CHIPS * args->bytes / 8; i++)
		words[i] = i * UINT64_C(0x9e3779b97f4a7c15) ^ rig->suite->how.seed;
	if (pe_rig_load(rig, PE_DMA, PIMDIMM_CHIPS, NULL) ||
	    pe_rig_write(rig, "args", args, sizeof(*args)) ||
	    pe_rig_push(rig, 0, words, args->bytes) ||
	    pe_rig_run(rig, &middle, NULL))
		return TOOL_FAILED;
	set_times(row, &middle);
	row->nr_pes = PIMDIMM_CHIPS;
	row->work = (uint64_t)PIMDIMM_CHIPS * args->bytes * args->passes;
	row->wrong = args->write ?
		wrong_words(rig, words, args->bytes, args->passes) :
		wrong_sums(rig, words, args->bytes, args->passes);
	row->work_unit = "bytes";
	row->figure_unit = "GB/s";
	return row->wrong == UINT64_MAX ? TOOL_FAILED : TOOL_OK;
}

/*
 * A launch finds the window empty: its first pass over MRAM is cold, and passes
 * more than that find it resident.
 */
int pe_measure_dma(struct pe_rig *rig, bool write, uint64_t bytes,
		   struct pe_row *cold, struct pe_row *resident)
{
	struct pe_args args = { .bytes = (uint32_t)bytes, .passes = 1,
				.write = write };
	uint64_t *words = malloc(PIMDIMM_CHIPS * bytes);
	int ret = words ? TOOL_OK : tool_error("no memory");

	*cold = (struct pe_row){ .name = write ? "cold DMA to MRAM" :
						 "cold DMA from MRAM" };
	*resident = (struct pe_row){ .name = write ? "resident DMA to MRAM" :
						     "resident DMA from MRAM" };
	if (!ret)
		ret = run_dma(rig, &args, words, cold);
	args.passes = PASSES;
	if (!ret)
		ret = run_dma(rig, &args, words, resident);
	free(words);
	set_difference(resident, cold);
	resident->work -= cold->work;
	cold->figure = (double)cold->work / cold->measured;
	resident->figure = (double)resident->work / resident->measured;
	return ret;
}

int pe_measure_switch(struct pe_rig *rig, struct pe_row *row)
{
	struct pe_args args = { 0 };
	uint32_t turns[PIMDIMM_CHIPS * PE_TASKLETS];
	struct pimdimm_run none, middle;
	struct pe_row idle = { 0 };

	*row = (struct pe_row){
		.name = "tasklet switch", .nr_pes = PIMDIMM_CHIPS,
		.work = (uint64_t)PIMDIMM_CHIPS * PE_TASKLETS * TURNS,
		.work_unit = "switches", .figure_unit = "ns",
	};
	if (pe_rig_load(rig, PE_SWITCH, PIMDIMM_CHIPS, NULL) ||
	    pe_rig_run(rig, &none, NULL))
		return TOOL_FAILED;
	args.passes = TURNS;
	if (pe_rig_write(rig, "args", &args, sizeof(args)) ||
	    pe_rig_run(rig, &middle, NULL) ||
	    pe_rig_read(rig, "turns", turns, PE_TASKLETS * sizeof(*turns)))
		return TOOL_FAILED;
	set_times(&idle, &none);
	set_times(row, &middle);
	set_difference(row, &idle);
	/* a tasklet that was preempted is behind the others, and alone at the end */
	for (uint32_t i = 0; i < PIMDIMM_CHIPS * PE_TASKLETS; i++)
		row->wrong += turns[i] < TURNS / 2 || turns[i] > TURNS;
	row->figure = row->measured / (double)row->work;
	return TOOL_OK;
}

/* objects that are not `expected` */
static int check_ran(struct pe_rig *rig, uint32_t expected, uint64_t *wrong)
{
	uint32_t *ran = calloc((uint64_t)rig->nr_pes * PE_TASKLETS, sizeof(*ran));
	int ret = ran ? TOOL_OK : tool_error("no memory");

	if (!ret)
		ret = pe_rig_read(rig, "ran", ran, PE_TASKLETS * sizeof(*ran));
	for (uint32_t i = 0; i < rig->nr_pes * PE_TASKLETS && !ret; i++)
		*wrong += ran[i] != expected;
	free(ran);
	return ret;
}

/* each load finds WRAM that is not as a load leaves it */
static int time_loads(struct pe_rig *rig, uint32_t nr_pes, struct pe_row *row)
{
	const struct perf_how *how = &rig->suite->how;
	double *ns = calloc(how->iters, sizeof(*ns));
	uint32_t other[PE_TASKLETS] = { 0 };
	int ret = ns ? pe_rig_load(rig, PE_EMPTY, nr_pes, NULL) :
		       tool_error("no memory");

	for (unsigned int i = 0; i < how->iters && !ret; i++) {
		ret = pe_rig_write(rig, "ran", other, sizeof(other));
		if (!ret)
			ret = pe_rig_load(rig, PE_EMPTY, nr_pes, &ns[i]);
		if (!ret)
			ret = check_ran(rig, PE_LOADED, &row->wrong);
	}
	if (!ret) {
		perf_sort_times(ns, how->iters);
		row->measured = ns[how->iters / 2];
	}
	free(ns);
	return ret;
}

int pe_measure_launch(struct pe_rig *rig, uint32_t nr_pes,
		      struct pe_row *load, struct pe_row *launch)
{
	struct pimdimm_run middle;
	unsigned int launches;

	*load = (struct pe_row){ .name = "load", .nr_pes = nr_pes,
				 .work = nr_pes, .work_unit = "PEs",
				 .modelled = NAN, .figure_unit = "ms" };
	*launch = *load;
	launch->name = "empty launch";
	if (time_loads(rig, nr_pes, load) ||
	    pe_rig_run(rig, &middle, &launches) ||
	    check_ran(rig, PE_LOADED + launches, &launch->wrong))
		return TOOL_FAILED;
	set_times(launch, &middle);
	load->figure = load->measured / 1e6;
	launch->figure = launch->measured / 1e6;
	return TOOL_OK;
}
